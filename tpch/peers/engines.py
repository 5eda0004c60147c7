"""One small adapter per engine: load Parquet files into memory, run SQL, give the rows back.

`run(sql)` is what is timed. It must bring the whole result into the client, so nothing lazy may come out of it.
`took(result, ms)` are the milliseconds that count: those that the client has measured, unless the engine knows better.
`rows(result)` is not timed and turns that result into rows of Python values.
"""
import contextlib
import ctypes
import decimal
import errno
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time


class Engine:
    modules = ()  # what must be importable
    fetch = ""  # in words: what a timed run hands to the client

    def __init__(self, threads):
        self.threads = threads

    def view(self, table, path):
        raise NotImplementedError("it does not ask Parquet files where they are")

    def took(self, result, ms):
        return ms

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

    def view(self, table, path):
        self.con.execute(f"create view {table} as select * from read_parquet({quoted(path)})")

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

    def view(self, table, path):
        self.ctx.register(table, self.pl.scan_parquet(path))

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

    def view(self, table, path):
        self.ctx.register_parquet(table, path)

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


class Multiloop(Engine):
    """A program `multiloop`, however old: one process, and one script after another.

    The program reads all of its input before it runs any of it, but opens a file only when that file's turn comes. So
    it is told to run one named pipe over and over: what is written into it until it is closed is the next script.

    A statement that fails ends the process, and so does one that takes too long. The next script is for a new process
    with the same tables.

    Timed is EXPLAIN ANALYZE: planning, and execution up to Arrow batches. Neither the pipe nor printing counts.
    """

    fetch = "Arrow batches, in its own process"
    scripts = 10_000  # that a process is told to run

    def __init__(self, threads, program, timeout=None):
        super().__init__(threads)
        self.program = os.path.abspath(program)
        self.timeout = timeout  # of a script, in seconds; where it starts a process, with loading
        said = subprocess.run([self.program, "--version"], stdout=subprocess.PIPE, text=True).stdout
        self.version = said.partition(" ")[2].strip() or "?"  # one that says nothing fails at the first script
        said = subprocess.run([self.program, "--help"], stdout=subprocess.PIPE, text=True).stdout
        self.format = "ndjson" if "ndjson" in said else "json"  # an object a line; older ones call it so
        self.tables = {}  # files by table: what a new process loads
        self.process, self.left = None, 0
        self.dir = tempfile.TemporaryDirectory()
        self.pipe, self.errors = (os.path.join(self.dir.name, name) for name in ("pipe", "errors"))
        os.mkfifo(self.pipe)

    def load(self, table, path):
        self.ask(created(table, path))
        self.tables[table] = path

    def run(self, sql):
        return sql, [row["QUERY PLAN"] for row in self.ask(f"explain analyze {sql}")]

    def took(self, result, ms):
        plan = "\n".join(result[1])
        times = re.search(r"^Planning: ([\d.]+) ms\nExecution: ([\d.]+) ms$", plan, re.MULTILINE)
        if times is None:
            raise RuntimeError(f"has EXPLAIN ANALYZE another form? It ends with {plan[-100:]}")
        return sum(map(float, times.groups()))

    def rows(self, result):
        return [row.values() for row in self.ask(result[0])]

    def close(self):
        self.stop()
        self.dir.cleanup()

    def ask(self, sql):
        """Runs a statement; gives the rows that it prints, as dictionaries."""
        at = time.monotonic()
        timer = threading.Timer(self.timeout, lambda: self.process and self.process.kill())  # never, if there is none
        timer.daemon = True
        timer.start()
        try:
            if not self.left:
                self.start()
            return self.exchange(sql)
        except Exception as error:
            self.stop()
            if self.timeout and time.monotonic() - at >= self.timeout:
                raise TimeoutError(f"not finished after {self.timeout:g} s") from error
            raise
        finally:
            timer.cancel()

    def start(self):
        self.stop()
        command = [self.program, "--threads", str(self.threads), "--format", self.format]
        command += ["--file", os.path.basename(self.pipe)] * self.scripts
        with open(self.errors, "w") as errors:
            self.process = subprocess.Popen(
                command,
                cwd=self.dir.name,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                preexec_fn=end_in_time,
            )
        self.left = self.scripts
        for table, path in self.tables.items():
            self.exchange(created(table, path))

    def exchange(self, sql):
        self.left -= 1
        with open(self.turn(), "w") as pipe:
            pipe.write(f"{sql}\n;\nselect 1 as end_of_script;\n")
        rows = []
        for line in self.process.stdout:
            row = json.loads(line, parse_float=decimal.Decimal)
            if "end_of_script" in row:
                return rows
            rows.append(row)
        raise RuntimeError(self.why())

    def turn(self):
        """The pipe, to be written. Only when the process has opened it does that succeed; and it may be gone."""
        while self.process.poll() is None:
            try:
                pipe = os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno != errno.ENXIO:  # nobody reads
                    raise
                time.sleep(0.0002)
            else:
                os.set_blocking(pipe, True)
                return pipe
        raise RuntimeError(self.why())

    def why(self):
        """Why the process has ended."""
        code = self.process.wait()
        with open(self.errors) as file:
            return " ".join(file.read().split())[-300:] or f"the program ended with exit code {code}"

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
        self.process, self.left = None, 0


def created(table, path):
    return f"create table {table} as select * from {quoted(os.path.abspath(path))}"


def end_in_time():
    """This process does not outlive the one that has started it."""
    with contextlib.suppress(AttributeError):  # PR_SET_PDEATHSIG, where there is one
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


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
    "multiloop": Multiloop,
}
