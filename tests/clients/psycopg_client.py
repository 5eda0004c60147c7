"""A session of psycopg: `psycopg_client.py HOST PORT FOLDER`, whose folder has TPC-H's queries.

psycopg sends and reads text or binary as it is told, so whatever can be asked both ways is.
"""

import datetime
import decimal
import ipaddress
import sys
import threading
import uuid

import psycopg
from psycopg import errors, sql
from psycopg.types import TypeInfo
from psycopg.types.enum import EnumInfo, register_enum
from psycopg.types.json import Jsonb

from parts import Parts, same
from tpch import queries

HOST, PORT, FOLDER = sys.argv[1:]
UTC = datetime.timezone.utc
D = decimal.Decimal

# Types, with values of which each is written as a parameter and read back, in both formats.
VALUES = {
    "boolean": [True, False],
    "smallint": [-32768, 32767],
    "integer": [-2147483648, 0],
    "bigint": [9223372036854775807, -1],
    "real": [1.5, float("inf"), -0.0],
    "double precision": [0.1, 1e-300, float("-inf")],
    "numeric": [D("123456789012345678901234567890.000000001"), D("-0.50"), D("0E-10")],
    "numeric(12,2)": [D("1234567890.12"), D("-0.01")],
    "text": ["", "ä'\"\\\t\n", "\U0001f40d" * 300],
    "varchar(5)": ["abc"],
    "char(4)": ["ab  "],
    "name": ["a b"],
    "date": [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)],
    "time": [datetime.time(23, 59, 59, 999999), datetime.time(0)],
    "timestamp": [datetime.datetime(1998, 12, 1, 4, 5, 6, 500000), datetime.datetime(1, 1, 1)],
    "timestamptz": [datetime.datetime(1998, 12, 1, 4, 5, 6, 7, UTC)],
    "interval": [datetime.timedelta(days=-3, hours=4, microseconds=1), datetime.timedelta(0)],
    "bytea": [b"", bytes(range(256))],
    "uuid": [uuid.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")],
    "oid": [0, 4294967295],
    "integer[]": [[], [1, None, -3], [[1, 2], [3, 4]]],
    "text[]": [["", "null", None, "a b", "{,}", '"', "\\", "é"]],
    "numeric[]": [[D("1.5"), None, D("-0.50")]],
    "date[]": [[datetime.date(1998, 12, 1)]],
    "bytea[]": [[b"\x00\xff", b""]],
    "boolean[]": [[True, None, False]],
    "timestamptz[]": [[datetime.datetime(1998, 12, 1, 4, 5, 6, 7, UTC)]],
}


def connect(**options):
    options = {"host": HOST, "port": PORT, "user": "u", "dbname": "d", "connect_timeout": 30, **options}
    connection = psycopg.connect(**options)
    connection.execute("SET TIME ZONE 'UTC'")
    connection.commit()
    return connection


def reflect(connection):
    tables = connection.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"
    ).fetchall()
    names = "customer lineitem nation orders part partsupp region supplier".split()
    same([name for name, in tables], names)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM lineitem LIMIT 0")
        described = {column.name: column for column in cursor.description}
        types = [described[name].type_display for name in ("l_orderkey", "l_quantity", "l_shipdate", "l_comment")]
        same(types, ["int8", "numeric(15,2)", "date", "text"])
    info = TypeInfo.fetch(connection, "timestamptz")
    same((info.oid, info.array_oid), (1184, 1185))
    same(TypeInfo.fetch(connection, "no_such_type"), None)


def tpch(connection):
    for query in queries(FOLDER):
        for binary in (False, True):
            cursor = connection.cursor(binary=binary)
            rows = cursor.execute(query.text, prepare=True).fetchall()
            query.compare(rows, f"binary={binary}")
            with psycopg.RawCursor(connection) as raw:
                rows = raw.execute(query.parametrised, query.parameters, prepare=True, binary=binary).fetchall()
            query.compare(rows, f"parameters, binary={binary}")
    connection.commit()


def transactions(connection):
    connection.execute("CREATE TABLE kept (a int)")
    with connection.transaction():
        connection.execute("INSERT INTO kept VALUES (1)")
        try:
            with connection.transaction("inner"):
                connection.execute("INSERT INTO kept VALUES (2)")
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        connection.execute("INSERT INTO kept VALUES (3)")
    same(connection.execute("SELECT a FROM kept ORDER BY a").fetchall(), [(1,), (3,)])
    connection.commit()
    connection.execute("INSERT INTO kept VALUES (4)")
    connection.rollback()
    same(connection.execute("SELECT count(*) FROM kept").fetchone(), (2,))
    connection.commit()


def fails(connection, statement, kind, state, parameters=None):
    try:
        connection.execute(statement, parameters)
    except kind as error:
        same(error.diag.sqlstate, state)
        return error
    finally:
        connection.rollback()
    raise AssertionError(f"no error: {statement}")


def refusals(connection):
    error = fails(connection, "SELECT nope FROM nation", errors.UndefinedColumn, "42703")
    same((error.diag.severity, error.diag.statement_position), ("ERROR", "8"))
    fails(connection, "SELECT * FROM nope", errors.UndefinedTable, "42P01")
    fails(connection, "SELEC 1", errors.SyntaxError, "42601")
    fails(connection, "SELECT 1 / %s", errors.DivisionByZero, "22012", (0,))
    fails(connection, "SELECT %s::text::int", errors.InvalidTextRepresentation, "22P02", ("x",))
    connection.execute("CREATE TABLE alone (a int PRIMARY KEY, b text NOT NULL)")
    connection.commit()
    error = fails(connection, "INSERT INTO alone VALUES (1, 'x'), (1, 'y')", errors.UniqueViolation, "23505")
    same((error.diag.table_name, error.diag.constraint_name), ("alone", "alone_pkey"))
    error = fails(connection, "INSERT INTO alone VALUES (1, NULL)", errors.NotNullViolation, "23502")
    same(error.diag.column_name, "b")
    # A transaction that failed takes nothing more.
    try:
        connection.execute("SELECT nope")
    except errors.UndefinedColumn:
        pass
    same(connection.info.transaction_status, psycopg.pq.TransactionStatus.INERROR)
    fails(connection, "SELECT 1", errors.InFailedSqlTransaction, "25P02")
    same(connection.info.transaction_status, psycopg.pq.TransactionStatus.IDLE)


def every_type(connection):
    for data_type, values in VALUES.items():
        for binary in (False, True):
            placeholder = "%b" if binary else "%t"
            for value in [*values, None]:
                statement = f"SELECT {placeholder}::{data_type}"
                got = connection.cursor(binary=binary).execute(statement, (value,)).fetchone()[0]
                same(got, value, f"{data_type}, binary={binary}")
    connection.execute("CREATE TABLE types (" + ", ".join(f"c{i} {name}" for i, name in enumerate(VALUES)) + ")")
    for binary in (False, True):
        rows = [[values[0] for values in VALUES.values()], [values[-1] for values in VALUES.values()], [None] * len(VALUES)]
        insert = "INSERT INTO types VALUES (" + ", ".join(["%b" if binary else "%t"] * len(VALUES)) + ")"
        connection.execute("TRUNCATE types")
        connection.cursor().executemany(insert, rows)
        for read in (False, True):
            got = connection.cursor(binary=read).execute("SELECT * FROM types").fetchall()
            same([list(row) for row in got], rows, f"binary={binary}, read {read}")
    connection.commit()
    read = connection.execute("SELECT '{\"a\": [1, null]}'::jsonb, '[1, {}]'::json, 'NaN'::float8").fetchone()
    same(read[:2], ({"a": [1, None]}, [1, {}]))
    same(connection.execute("SELECT %s::jsonb ->> 'k'", (Jsonb({"k": "v"}),)).fetchone(), ("v",))
    connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok')")
    connection.commit()
    register_enum(EnumInfo.fetch(connection, "mood"), connection)
    mood = connection.execute("SELECT 'ok'::mood, ARRAY['sad', NULL]::mood[]").fetchone()
    same((mood[0].name, mood[1][0].name, mood[1][1]), ("ok", "sad", None))
    same(connection.execute("SELECT %s = 'sad'", (mood[1][0],)).fetchone(), (True,))
    same(connection.execute("SELECT n_name FROM nation WHERE n_nationkey = ANY(%s) ORDER BY 1", ([0, 1],)).fetchall(),
         [("ALGERIA",), ("ARGENTINA",)])
    connection.commit()


def cursors(connection):
    for binary in (False, True):
        with connection.cursor("far", binary=binary) as cursor:
            cursor.itersize = 1000
            cursor.execute("SELECT l_orderkey, l_comment FROM lineitem WHERE l_orderkey > %s", (0,))
            count = sum(1 for _ in cursor)
        same(count, connection.execute("SELECT count(*) FROM lineitem").fetchone()[0])
        with connection.cursor("back", binary=binary, scrollable=True) as cursor:
            cursor.execute("SELECT n_nationkey FROM nation ORDER BY 1")
            same(cursor.fetchmany(2), [(0,), (1,)])
            cursor.scroll(20, mode="absolute")
            same(cursor.fetchone(), (20,))
            cursor.scroll(-2)
            same(cursor.fetchone(), (19,))
    connection.commit()
    with connection.cursor("held", withhold=True) as cursor:
        cursor.execute("SELECT n_nationkey FROM nation ORDER BY 1")
        connection.commit()
        same(len(cursor.fetchall()), 25)
    connection.commit()
    with connection.cursor() as cursor:
        same(sum(1 for _ in cursor.stream("SELECT l_orderkey FROM lineitem LIMIT 5000")), 5000)
    connection.commit()


def copies(connection):
    connection.execute("CREATE TABLE copied (a int, b text, c numeric(10,2), d date)")
    rows = [(1, "a\tb\\\n", D("2.50"), datetime.date(2020, 1, 2)), (2, None, None, None), (3, "", D("-1.00"), None)]
    for form in ("TEXT", "CSV", "BINARY"):
        connection.execute("TRUNCATE copied")
        cursor = connection.cursor()
        if form == "CSV":
            with cursor.copy("COPY copied FROM STDIN (FORMAT CSV)") as copy:
                copy.write('1,"a\tb\\\n",2.50,2020-01-02\n2,,,\n3,"",-1.00,\n')
        else:
            with cursor.copy(f"COPY copied FROM STDIN (FORMAT {form})") as copy:
                copy.set_types(["int4", "text", "numeric", "date"])
                for row in rows:
                    copy.write_row(row)
        same(cursor.rowcount, 3, form)
        same(connection.execute("SELECT * FROM copied ORDER BY a").fetchall(), rows, form)
        with cursor.copy(f"COPY (SELECT * FROM copied ORDER BY a) TO STDOUT (FORMAT {form})") as copy:
            if form == "CSV":
                same(b"".join(bytes(part) for part in copy).decode(),
                     '1,"a\tb\\\n",2.50,2020-01-02\n2,,,\n3,"",-1.00,\n')
            else:
                copy.set_types(["int4", "text", "numeric", "date"])
                same(list(copy.rows()), rows, form)
    connection.commit()
    # Half a copy is none.
    try:
        with connection.cursor().copy("COPY copied FROM STDIN") as copy:
            copy.write("7\tx\t\\N\t\\N\n")
            raise KeyError
    except KeyError:
        connection.rollback()
    same(connection.execute("SELECT count(*) FROM copied").fetchone(), (3,))
    connection.commit()


def notifications(connection):
    with connect(autocommit=True) as listener:
        listener.execute("LISTEN news")
        connection.execute("NOTIFY news, 'first'")
        connection.execute("NOTIFY other, 'not heard'")
        connection.commit()
        heard = list(listener.notifies(timeout=30, stop_after=1))
        same([(it.channel, it.payload, it.pid) for it in heard], [("news", "first", connection.info.backend_pid)])


def pipelines(connection):
    with connection.pipeline():
        cursors = [connection.execute("SELECT %s::int * 2", (number,)) for number in range(200)]
    same([cursor.fetchone()[0] for cursor in cursors], [number * 2 for number in range(200)])
    connection.commit()
    try:
        with connection.pipeline():
            connection.execute("SELECT 1 / 0")
            connection.execute("SELECT 1")
    except errors.DivisionByZero:
        pass
    connection.rollback()
    same(connection.execute("SELECT 1").fetchone(), (1,))
    connection.commit()


def cancels(connection):
    timer = threading.Timer(0.5, lambda: connection.cancel_safe(timeout=30))
    timer.start()
    far = "SELECT count(*) FROM lineitem a, lineitem b, lineitem c WHERE a.l_tax * b.l_tax = c.l_tax + 1"
    fails(connection, far, errors.QueryCanceled, "57014")
    timer.join()
    same(connection.execute("SELECT 1").fetchone(), (1,))
    connection.execute("SET LOCAL statement_timeout = '200ms'")
    fails(connection, far, errors.QueryCanceled, "57014")
    same(connection.execute("SELECT 2").fetchone(), (2,))
    connection.commit()


def main():
    parts = Parts()
    with connect() as connection:
        for part in (reflect, tpch, transactions, refusals, every_type, cursors, copies, notifications, pipelines, cancels):
            parts.run(part.__name__, part, connection)
            connection.rollback()
    parts.end()


main()
