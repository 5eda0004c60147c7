"""One small adapter per engine: load Parquet files into memory, run SQL, give the rows back.

`run(sql)` is what is timed. It must bring the whole result into the client, so nothing lazy may come out of it.
`rows(result)` is not timed and turns that result into rows of Python values.
"""
import os
import tempfile


class Engine:
    modules = ()  # what must be importable
    fetch = ""  # in words: what a timed run hands to the client

    def __init__(self, threads):
        self.threads = threads

    def rows(self, result):
        return zip(*(column.to_pylist() for column in result.columns)) if result.num_columns else []

    def close(self):
        pass


class DuckDB(Engine):
    modules = ("duckdb", "pyarrow")
    fetch = "pyarrow.Table"

    def __init__(self, threads):
        super().__init__(threads)
        import duckdb

        self.version = duckdb.__version__
        self.con = duckdb.connect(":memory:")
        self.con.execute(f"set threads = {threads}")

    def load(self, table, path):
        self.con.execute(f"create table {table} as select * from read_parquet({quoted(path)})")

    def run(self, sql):
        return self.con.sql(sql).to_arrow_table()


class DuckDBCompressed(DuckDB):
    """In-memory tables compressed; by default DuckDB leaves them uncompressed."""

    def __init__(self, threads):
        super().__init__(threads)
        self.con.execute("attach ':memory:' as c (compress)")
        self.con.execute("use c")

    def load(self, table, path):
        super().load(table, path)
        self.con.execute("checkpoint c")  # this is what compresses


class Polars(Engine):
    modules = ("polars", "pyarrow")
    fetch = "polars.DataFrame"

    def __init__(self, threads):
        super().__init__(threads)
        os.environ["POLARS_MAX_THREADS"] = str(threads)  # read when the module is imported
        import polars

        self.pl = polars
        self.version = polars.__version__
        self.ctx = polars.SQLContext()

    def load(self, table, path):
        self.ctx.register(table, self.pl.read_parquet(path))

    def run(self, sql):
        return self.ctx.execute(sql).collect(engine="auto")

    def rows(self, result):
        return super().rows(result.to_arrow())


class DataFusion(Engine):
    modules = ("datafusion", "pyarrow")
    fetch = "list of pyarrow.RecordBatch"

    def __init__(self, threads):
        super().__init__(threads)
        import datafusion

        self.version = datafusion.__version__
        config = datafusion.SessionConfig().with_target_partitions(threads)
        self.ctx = datafusion.SessionContext(config)

    def load(self, table, path):
        # CREATE TABLE AS makes a MemTable with target_partitions partitions.
        self.ctx.register_parquet("staged", path)
        self.ctx.sql(f"create table {table} as select * from staged").collect()
        self.ctx.deregister_table("staged")

    def run(self, sql):
        return self.ctx.sql(sql).collect()

    def rows(self, result):
        return [row for batch in result for row in super(DataFusion, self).rows(batch)]


class Hyper(Engine):
    modules = ("tableauhyperapi",)
    fetch = "list of Python rows, from the hyperd process"
    temporary = "temporary "

    def __init__(self, threads):
        super().__init__(threads)
        import tableauhyperapi as api

        self.version = api.__version__
        self.dir = tempfile.TemporaryDirectory()
        self.process = api.HyperProcess(
            api.Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU,
            parameters={
                "log_dir": self.dir.name,
                "hard_concurrent_query_thread_limit": str(threads),
                "soft_concurrent_query_thread_limit": str(threads),
            },
        )
        self.con = api.Connection(self.process.endpoint, *self.database(api))

    def database(self, api):
        return ()

    def load(self, table, path):
        self.con.execute_command(
            f"create {self.temporary}table {table} as (select * from external({quoted(path)}))"
        )

    def run(self, sql):
        return self.con.execute_list_query(sql)

    def rows(self, result):
        return result

    def close(self):
        self.con.close()
        self.process.close()


class HyperFile(Hyper):
    """Tables in a .hyper database file (Hyper's compressed format), warm in its cache."""

    temporary = ""

    def database(self, api):
        return os.path.join(self.dir.name, "bench.hyper"), api.CreateMode.CREATE


class ChDB(Engine):
    modules = ("chdb", "pyarrow")
    fetch = "pyarrow.Table"

    def __init__(self, threads):
        super().__init__(threads)
        import chdb
        from chdb import session

        self.dir = tempfile.TemporaryDirectory()
        self.session = session.Session(self.dir.name)
        clickhouse = str(self.session.query("select version()")).strip().strip('"')
        self.version = f"{chdb.__version__} (ClickHouse {clickhouse})"
        for statement in (
            "create database bench",
            "use bench",
            f"set max_threads = {threads}",
            "set join_use_nulls = 1",  # standard SQL outer joins; Q13 is wrong without it
        ):
            self.session.query(statement)

    def load(self, table, path):
        self.session.query(f"create table {table} engine=Memory as select * from file({quoted(path)})")

    def run(self, sql):
        return self.session.query(sql, "ArrowTable")


def quoted(path):
    return "'" + path.replace("'", "''") + "'"


ENGINES = {
    "duckdb": DuckDB,
    "polars": Polars,
    "datafusion": DataFusion,
    "hyper": Hyper,
    "chdb": ChDB,
    "duckdb-compressed": DuckDBCompressed,
    "hyper-file": HyperFile,
}
