"""Short sessions of Python's other clients: `python.py NAME HOST PORT`. Each reads, writes, reflects, and sees an error."""

import datetime
import decimal
import os
import subprocess
import sys
import tempfile

NAME, HOST, PORT = sys.argv[1:]
URI = f"postgresql://u@{HOST}:{PORT}/d"
D = decimal.Decimal
DAY = datetime.date(1995, 1, 1)
COUNT = "SELECT count(*) FROM orders WHERE o_orderdate < {}"
BEFORE = 6866  # orders before that day


def same(got, wanted):
    if got != wanted:
        raise AssertionError(f"{got!r} instead of {wanted!r}")


def dbapi(connection, mark, error, table):
    """What all of PEP 249 have."""
    cursor = connection.cursor()
    cursor.execute(COUNT.format(mark), (DAY,))
    same(cursor.fetchone()[0], BEFORE)
    cursor.execute(f"CREATE TABLE {table} (a bigint PRIMARY KEY, b text, c numeric(10,2), d date)")
    rows = [(1, "ä'\\", D("2.50"), DAY), (2, None, None, None)]
    cursor.executemany(f"INSERT INTO {table} VALUES ({mark}, {mark}, {mark}, {mark})", rows)
    connection.commit()
    cursor.execute(f"SELECT * FROM {table} ORDER BY a")
    same([tuple(row) for row in cursor.fetchall()], rows)
    try:
        cursor.execute("SELECT nope FROM nation")
        raise AssertionError("no error")
    except error as caught:
        assert "42703" in str(caught.args) + str(getattr(caught, "pgcode", "")), caught
    connection.rollback()
    cursor.execute(f"DROP TABLE {table}")
    connection.commit()
    return cursor


def psycopg2():
    import psycopg2
    import psycopg2.extras
    connection = psycopg2.connect(host=HOST, port=PORT, user="u", dbname="d")
    cursor = dbapi(connection, "%s", psycopg2.Error, "by_psycopg2")
    psycopg2.extras.execute_values(cursor, "CREATE TEMP TABLE t AS SELECT * FROM (VALUES %s) v (a, b)", [(1, "x"), (2, "y")])
    with connection.cursor("far") as far:
        far.execute("SELECT l_orderkey FROM lineitem WHERE l_orderkey > %s", (0,))
        same(len(far.fetchmany(3000)), 3000)
    cursor.execute("SELECT ARRAY['a', NULL], '{\"k\": 1}'::jsonb, interval '1 day'")
    same(cursor.fetchone(), (["a", None], {"k": 1}, datetime.timedelta(days=1)))


def pg8000():
    import pg8000.dbapi
    import pg8000.native
    connection = pg8000.dbapi.connect("u", host=HOST, port=int(PORT), database="d")
    dbapi(connection, "%s", pg8000.dbapi.DatabaseError, "by_pg8000")
    native = pg8000.native.Connection("u", host=HOST, port=int(PORT), database="d")
    same(native.run("SELECT n_name FROM nation WHERE n_nationkey = :key", key=3), [["CANADA"]])


def pyodbc():
    import pyodbc
    driver = next(name for name in pyodbc.drivers() if "Unicode" in name)
    connection = pyodbc.connect(f"DRIVER={{{driver}}};SERVER={HOST};PORT={PORT};UID=u;DATABASE=d")
    cursor = connection.cursor()
    same(cursor.execute(COUNT.format("?"), DAY).fetchone()[0], BEFORE)
    same("lineitem" in [row.table_name for row in cursor.tables(schema="public")], True)
    same([row.column_name for row in cursor.columns(table="region")], ["r_regionkey", "r_name", "r_comment"])
    cursor.execute("CREATE TABLE by_pyodbc (a bigint PRIMARY KEY, b text, c numeric(10,2), d date)")
    same([row.column_name for row in cursor.primaryKeys(table="by_pyodbc")], ["a"])
    cursor.executemany("INSERT INTO by_pyodbc VALUES (?, ?, ?, ?)", [(1, "ä'\\", D("2.50"), DAY), (2, None, None, None)])
    connection.commit()
    rows = [tuple(row) for row in cursor.execute("SELECT * FROM by_pyodbc ORDER BY a")]
    same(rows, [(1, "ä'\\", D("2.50"), DAY), (2, None, None, None)])
    try:
        cursor.execute("SELECT nope FROM nation")
        raise AssertionError("no error")
    except pyodbc.Error as caught:
        assert "42703" in str(caught) or "42S22" in str(caught), caught
    connection.rollback()
    cursor.execute("DROP TABLE by_pyodbc")
    connection.commit()


def pandas():
    import pandas
    import sqlalchemy
    engine = sqlalchemy.create_engine(f"postgresql+psycopg2://u@{HOST}:{PORT}/d")
    frame = pandas.read_sql("SELECT * FROM nation ORDER BY n_nationkey", engine)
    same(list(frame.n_name[:2]), ["ALGERIA", "ARGENTINA"])
    same(len(pandas.read_sql_table("region", engine)), 5)
    made = pandas.DataFrame({"a": [1, 2], "b": ["x", None], "d": [pandas.Timestamp(DAY), None]})
    same(made.to_sql("by_pandas", engine, index=False, if_exists="replace"), 2)
    back = pandas.read_sql_table("by_pandas", engine)
    same((list(back.a), list(back.b.fillna("-"))), ([1, 2], ["x", "-"]))
    same(sum(len(part) for part in pandas.read_sql("SELECT l_orderkey FROM lineitem", engine, chunksize=10_000)) > 59_000, True)


def connectorx():
    import connectorx
    frame = connectorx.read_sql(URI, "SELECT * FROM orders", return_type="arrow")
    same(frame.num_rows, 15_000)
    parts = connectorx.read_sql(URI, "SELECT o_orderkey, o_totalprice FROM orders", partition_on="o_orderkey",
                                partition_num=3, return_type="arrow")
    same(parts.num_rows, 15_000)


def adbc():
    import adbc_driver_postgresql.dbapi
    import pyarrow
    with adbc_driver_postgresql.dbapi.connect(URI) as connection, connection.cursor() as cursor:
        cursor.execute(COUNT.format("$1"), (DAY,))
        same(cursor.fetchone()[0], BEFORE)
        cursor.execute("SELECT o_orderkey, o_orderdate, o_comment FROM orders")
        same(cursor.fetch_arrow_table().num_rows, 15_000)
        cursor.adbc_ingest("by_adbc", pyarrow.table({"a": [1, 2], "b": ["x", None]}), mode="create")
        connection.commit()
        cursor.execute("SELECT * FROM by_adbc ORDER BY a")
        same(cursor.fetchall(), [(1, "x"), (2, None)])
        same(connection.adbc_get_table_schema("region").names, ["r_regionkey", "r_name", "r_comment"])
        tables = connection.adbc_get_objects(depth="tables").read_all().to_pylist()
        assert "lineitem" in str(tables), tables


def polars():
    import polars
    frame = polars.read_database_uri("SELECT * FROM orders", URI, engine="connectorx")
    same(frame.height, 15_000)
    frame = polars.read_database_uri("SELECT o_orderkey, o_orderdate, o_comment FROM orders", URI, engine="adbc")
    same(frame.height, 15_000)
    made = polars.DataFrame({"a": [1, 2], "b": ["x", None], "f": [0.5, None]})
    same(made.write_database("by_polars", URI, engine="adbc", if_table_exists="replace") in (2, -1), True)
    same(polars.read_database_uri("SELECT * FROM by_polars ORDER BY a", URI, engine="adbc").rows(), made.rows())


def ibis():
    import ibis
    connection = ibis.postgres.connect(host=HOST, port=int(PORT), user="u", database="d")
    same("lineitem" in connection.list_tables(), True)
    orders = connection.table("orders")
    same(orders.filter(orders.o_orderdate < DAY).count().execute(), BEFORE)
    largest = orders.group_by("o_orderpriority").agg(n=orders.count()).order_by("o_orderpriority").execute()
    same(len(largest), 5)
    connection.create_table("by_ibis", orders.select("o_orderkey", "o_orderdate").limit(3))
    same(connection.table("by_ibis").count().execute(), 3)
    connection.raw_sql("DROP TABLE by_ibis")


def jupysql():
    from IPython.core.interactiveshell import InteractiveShell
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "sql")
    shell.run_line_magic("sql", f"postgresql+psycopg2://u@{HOST}:{PORT}/d")
    shell.run_cell("result = %sql SELECT n_name FROM nation ORDER BY 1 LIMIT 2")
    same([row[0] for row in shell.user_ns["result"]], ["ALGERIA", "ARGENTINA"])
    same("lineitem" in str(shell.run_line_magic("sqlcmd", "tables")), True)
    same("r_regionkey" in str(shell.run_line_magic("sqlcmd", "columns --table region")), True)


def pgcli():
    import pexpect
    environment = {**os.environ, "TERM": "dumb", "PAGER": "cat", "HOME": tempfile.mkdtemp()}
    program = os.path.join(os.path.dirname(sys.executable), "pgcli")
    child = pexpect.spawn(program, ["-h", HOST, "-p", PORT, "-U", "u", "d", "--less-chatty"], env=environment, timeout=30,
                          encoding="utf-8", dimensions=(50, 200))
    child.expect("d> ")
    for line, wanted in [("SELECT n_name FROM nation ORDER BY 1 LIMIT 1;", "ALGERIA"), ("\\dt", "lineitem"),
                         ("\\d region", "r_regionkey"), ("SELECT nope;", "does not exist")]:
        child.sendline(line)
        child.expect(wanted)
    child.sendline("\\q")
    child.expect(pexpect.EOF)


def dbt():
    folder = tempfile.mkdtemp()
    files = {
        "dbt_project.yml": "name: by_dbt\nversion: '1.0'\nprofile: p\nmodels:\n  by_dbt:\n    +materialized: view\n",
        "profiles.yml": f"p:\n  target: t\n  outputs:\n    t: {{type: postgres, host: {HOST}, port: {PORT}, user: u, "
                        "password: x, dbname: d, schema: by_dbt, threads: 1}\n",
        "models/priorities.sql": "SELECT o_orderpriority, count(*) AS n FROM public.orders GROUP BY 1",
        "models/largest.sql": "{{ config(materialized='table') }} SELECT * FROM {{ ref('priorities') }} ORDER BY n LIMIT 2",
        "models/schema.yml": "models:\n  - name: priorities\n    columns:\n      - name: o_orderpriority\n"
                             "        data_tests: [unique, not_null]\n",
        "seeds/colours.csv": "id,name\n1,red\n2,\n",
    }
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    program = os.path.join(os.path.dirname(sys.executable), "dbt")
    for step in (["debug"], ["seed"], ["run"], ["run"], ["test"], ["docs", "generate"]):
        done = subprocess.run([program, "--no-send-anonymous-usage-stats", "--no-use-colors", *step, "--project-dir", folder,
                               "--profiles-dir", folder], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            lines = [line for line in done.stdout.splitlines() if "rror" in line]
            raise AssertionError(f"dbt {step[0]}: {' / '.join(lines[:3]) or done.stdout[-300:]}")


def superset():
    """What its pages ask for, from its classes, without its web server."""
    os.environ.update(SUPERSET_HOME=tempfile.mkdtemp(), SUPERSET_SECRET_KEY="x" * 42)
    import pandas
    from superset.app import create_app
    with create_app().app_context():
        from flask_appbuilder import Model
        from superset.connectors.sqla.models import SqlaTable, SqlMetric
        from superset.extensions import db
        from superset.models.core import Database
        from superset.sql.parse import Table
        Model.metadata.create_all(db.engine)
        database = Database(database_name="d")
        database.set_sqlalchemy_uri(f"postgresql+psycopg2://u@{HOST}:{PORT}/d")
        db.session.add(database)
        same("public" in database.get_all_schema_names(), True)
        same("region" in {table[0] for table in database.get_all_table_names_in_schema(None, "public")}, True)
        database.get_all_view_names_in_schema(None, "public")
        database.get_all_materialized_view_names_in_schema(None, "public")
        same(("d" in database.get_all_catalog_names(), database.get_default_schema(None)), (True, "public"))
        region = Table("region", "public")
        same([column["column_name"] for column in database.get_columns(region)], ["r_regionkey", "r_name", "r_comment"])
        same((database.has_table(region), database.get_table_comment(region)), (True, None))
        same(len(database.get_df(database.select_star(region, limit=3))), 3)
        # A dataset, and a chart of it: each grain of time is an expression of its own.
        orders = SqlaTable(table_name="orders", schema="public", database=database)
        db.session.add(orders)
        orders.metrics = [SqlMetric(metric_name="n", expression="count(*)")]
        orders.fetch_metadata()
        asked = {"granularity": "o_orderdate", "is_timeseries": True, "columns": ["o_orderpriority"], "metrics": ["n"],
                 "from_dttm": datetime.datetime(1990, 1, 1), "to_dttm": datetime.datetime(1995, 1, 1), "orderby": [],
                 "filter": [{"col": "o_orderstatus", "op": "IN", "val": ["F", "O", "P"]}], "row_limit": 50_000}
        # Those below a day ask a date for its seconds, which PostgreSQL refuses too.
        for grain in [None, *(grain.duration for grain in database.grains() if "T" not in (grain.duration or "T"))]:
            result = orders.query({**asked, "extras": {"time_grain_sqla": grain}})
            same(str(result.error_message), "None")
            same(int(result.df.n.sum()), BEFORE)
        same(len(orders.values_for_column("o_orderstatus")), 3)
        # A file that someone uploads.
        made = pandas.DataFrame({"a": [1, 2], "b": ["x", None]})
        own = Table("by_superset", "public")
        database.db_engine_spec.df_to_sql(database, own, made, {"index": False, "if_exists": "replace"})
        with database.get_sqla_engine() as engine, engine.connect() as connection:
            transaction = connection.begin()
            connection.execute("INSERT INTO by_superset VALUES (%s, %s)", (3, "y"))
            transaction.rollback()
        same(list(database.get_df("SELECT * FROM by_superset ORDER BY a").b.fillna("-")), ["x", "-"])
        try:
            database.get_df("SELECT nope FROM nation")
            raise AssertionError("no error")
        except Exception as caught:  # pylint: disable=broad-except
            same(getattr(getattr(caught, "orig", caught), "pgcode", caught), "42703")
            # It knows by the message which of its explanations fits.
            spec = database.db_engine_spec
            explained = spec.extract_errors(Exception(spec.extract_error_message(caught)))
            same([error.error_type.name for error in explained], ["COLUMN_DOES_NOT_EXIST_ERROR"])
        with database.get_sqla_engine() as engine:
            engine.execute("DROP TABLE by_superset")


def pgadmin():
    """The requests that its pages send, to its application, without its web server."""
    import importlib.util
    import json
    import time
    os.environ.update(HOME=tempfile.mkdtemp(), PGADMIN_SERVER_MODE="OFF")
    folder = importlib.util.find_spec("pgadmin4").submodule_search_locations[0]
    sys.path.insert(0, folder)
    os.chdir(folder)
    from pgAdmin4 import app, config
    # Its passwords need no key then, which a person or a desktop would give.
    config.MASTER_PASSWORD_REQUIRED = config.USE_OS_SECRET_STORAGE = False
    app.config["WTF_CSRF_ENABLED"] = False
    app.PGADMIN_INT_KEY = ""
    client = app.test_client()
    client.get("/browser/", follow_redirects=True)
    refused = []

    def ask(path, body=None):
        answer = client.get(path) if body is None else client.post(path, data=json.dumps(body), content_type="application/json")
        said = answer.get_json(silent=True)
        if answer.status_code != 200 or isinstance(said, dict) and said.get("success", 1) != 1:
            said = said.get("errormsg", said) if isinstance(said, dict) else answer.data[-200:]
            refused.append(f"{path}: {said}".replace("\n", " "))
            return None
        return said

    def nodes(kind, *below):
        said = ask("/".join(["/browser", kind, "nodes/1", *map(str, below), ""])) or {"data": []}
        return {node["label"]: node["_id"] for node in said["data"]}

    where = {"name": "m", "host": HOST, "port": int(PORT), "db": "d", "username": "u", "role": "", "password": "x"}
    server = ask("/browser/server/obj/1/", {**where, "connect_now": True, "connection_params": []})["node"]["_id"]
    database = nodes("database", server)["d"]
    ask(f"/browser/database/connect/1/{server}/{database}", {})
    for kind in ("role", "tablespace"):
        nodes(kind, server)
    for what in ("obj", "sql", "stats", "dependency", "dependent"):
        ask(f"/browser/database/{what}/1/{server}/{database}")
    for kind in ("cast", "catalog", "event_trigger", "extension", "foreign_data_wrapper", "language", "publication",
                 "subscription"):
        nodes(kind, server, database)
    schema = nodes("schema", server, database)["public"]
    for kind in ("aggregate", "collation", "domain", "foreign_table", "fts_configuration", "fts_dictionary", "fts_parser",
                 "fts_template", "function", "mview", "operator", "procedure", "sequence", "trigger_function", "type", "view"):
        nodes(kind, server, database, schema)
    # The query tool: it sends, then asks until there is an answer.
    tool = 1_000_000

    def query(sql):
        ask(f"/sqleditor/query_tool/start/{tool}", {"sql": sql, "explain_plan": None})
        return answered(tool)

    def answered(number):
        for _ in range(100):
            said = client.get(f"/sqleditor/poll/{number}").get_json()
            if said["success"] != 1 or said["data"]["status"] != "Busy":
                return {**said["data"], "error": said["errormsg"]}
            time.sleep(0.1)
        raise AssertionError("no answer")

    ask(f"/sqleditor/initialize/sqleditor/{tool}/1/{server}/{database}", {"dbname": "d"})
    same(query("SELECT n_name FROM nation ORDER BY 1 LIMIT 2")["result"], [["ALGERIA"], ["ARGENTINA"]])
    columns = "a int PRIMARY KEY, b text DEFAULT 'x' NOT NULL, c int CHECK (c > 0) UNIQUE"
    same(query(f"CREATE TABLE by_pgadmin ({columns})")["status"], "Success")
    same(query("BEGIN; INSERT INTO by_pgadmin VALUES (1, 'y'); ROLLBACK")["status"], "Success")
    same(query("INSERT INTO by_pgadmin VALUES (2, 'z')")["status"], "Success")
    same("42703" in query("SELECT nope")["error"], True)
    wanted = dict.fromkeys(("analyze", "verbose", "buffers", "costs", "timing", "summary", "settings"), True)
    ask(f"/sqleditor/query_tool/start/{tool}", {"sql": "SELECT * FROM nation", "explain_plan": {"format": "json", **wanted}})
    same("Total Cost" in str(answered(tool)["result"]), True)
    same("nation" in str(ask(f"/sqleditor/autocomplete/{tool}", ["SELECT * FROM na", "SELECT * FROM na"])), True)
    same("n_nationkey" in str(ask(f"/search_objects/search/{server}/{database}?text=nation&type=all")), True)
    ask(f"/erd/initialize/{tool + 2}/1/{server}/{database}", {"db_name": "d"})
    ask(f"/erd/prequisite/{tool + 2}/1/{server}/{database}")
    query("CREATE VIEW by_pgadmin_view AS SELECT n_name FROM nation")
    view = nodes("view", server, database, schema)["by_pgadmin_view"]
    for what in ("obj", "sql", "dependency", "dependent"):
        ask(f"/browser/view/{what}/1/{server}/{database}/{schema}/{view}")
    # What its tree says of a table, and the rows.
    table = nodes("table", server, database, schema)["by_pgadmin"]
    place = f"1/{server}/{database}/{schema}/{table}"
    for what in ("obj", "sql", "stats", "dependency", "dependent"):
        ask(f"/browser/table/{what}/{place}")
    same("PRIMARY KEY (a)" in (ask(f"/browser/table/sql/{place}") or ""), True)
    same(sorted(nodes("column", server, database, schema, table)), ["a", "b", "c"])
    same(list(nodes("primary_key", server, database, schema, table)), ["by_pgadmin_pkey"])
    for kind in ("check_constraint", "foreign_key", "index", "partition", "row_security_policy", "rule", "trigger",
                 "unique_constraint"):
        nodes(kind, server, database, schema, table)
    for kind in ("column", "index", "primary_key", "trigger", "unique_constraint"):
        ask(f"/browser/{kind}/obj/1/{server}/{database}/{schema}/{table}/")
    index = {"name": "by_dialog", "columns": [{"colname": "c", "sort_order": False, "nulls": False}], "amname": "btree"}
    ask(f"/browser/index/obj/1/{server}/{database}/{schema}/{table}/", index)
    ask(f"/browser/table/count_rows/{place}")
    ask(f"/sqleditor/initialize/viewdata/{tool + 1}/3/table/1/{server}/{database}/{table}", {})
    ask(f"/sqleditor/view_data/start/{tool + 1}")
    same(answered(tool + 1)["result"], [[2, "z", None]])
    for what in ("activity", "locks", "prepared"):
        ask(f"/dashboard/{what}/{server}/{database}")
    ask(f"/dashboard/config/{server}")
    ask(f"/dashboard/dashboard_stats/{server}/{database}?chart_names=session_stats,tps_stats,ti_stats,to_stats,bio_stats")
    query("DROP VIEW by_pgadmin_view")
    query("DROP TABLE by_pgadmin")
    if refused:
        raise AssertionError(f"{len(refused)} refused, error: " + "; ".join(refused))


globals()[NAME]()
