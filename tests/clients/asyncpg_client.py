"""A session of asyncpg: `asyncpg_client.py HOST PORT FOLDER`, whose folder has TPC-H's queries.

asyncpg prepares every statement and speaks binary alone, but for COPY and scripts. Types that it does not know it looks
up in the catalogs.
"""

import asyncio
import datetime
import decimal
import io
import sys
import uuid

import asyncpg

from parts import Parts, same
from tpch import queries

HOST, PORT, FOLDER = sys.argv[1:]
UTC = datetime.timezone.utc
D = decimal.Decimal

# Types, with values of which each is written as a parameter and read back.
VALUES = {
    "boolean": [True, False],
    "smallint": [-32768, 32767],
    "integer": [-2147483648, 0],
    "bigint": [9223372036854775807, -1],
    "real": [1.5, float("inf")],
    "double precision": [0.1, 1e-300, float("-inf")],
    "numeric": [D("123456789012345678901234567890.000000001"), D("-0.50"), D("12345678901234567890e20")],
    "numeric(12,2)": [D("1234567890.12"), D("-0.01")],
    "text": ["", "ä'\"\\\t\n", "\U0001f40d" * 300],
    "varchar(5)": ["abc"],
    "char(4)": ["ab  "],
    "name": ["a b"],
    '"char"': [b"r"],
    "date": [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)],
    "time": [datetime.time(23, 59, 59, 999999), datetime.time(0)],
    "timestamp": [datetime.datetime(1998, 12, 1, 4, 5, 6, 500000), datetime.datetime(1, 1, 1)],
    "timestamptz": [datetime.datetime(1998, 12, 1, 4, 5, 6, 7, UTC)],
    "interval": [datetime.timedelta(days=-3, hours=4, microseconds=1), datetime.timedelta(0)],
    "bytea": [b"", bytes(range(256))],
    "uuid": [uuid.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")],
    "oid": [0, 4294967295],
    "json": ['{"a" :1}'],
    "jsonb": ['{"a": [1, null]}'],
    "integer[]": [[], [1, None, -3], [[1, 2], [3, 4]]],
    "text[]": [["", "null", None, "a b", "{,}", '"', "\\", "é"]],
    "numeric[]": [[D("1.5"), None, D("-0.50")]],
    "date[]": [[datetime.date(1998, 12, 1)]],
    "bytea[]": [[b"\x00\xff", b""]],
    "boolean[]": [[True, None, False]],
    "uuid[]": [[uuid.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")]],
    "timestamptz[]": [[datetime.datetime(1998, 12, 1, 4, 5, 6, 7, UTC)]],
}

FAR = "SELECT count(*) FROM lineitem a, lineitem b, lineitem c WHERE a.l_tax * b.l_tax = c.l_tax + 1"


def connect():
    return asyncpg.connect(host=HOST, port=int(PORT), user="u", database="d", timeout=30)


async def reflect(connection):
    rows = await connection.fetch(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = $1 AND table_name <> ALL($2) ORDER BY 1",
        "public", ["region"])
    same([row["table_name"] for row in rows], "customer lineitem nation orders part partsupp supplier".split())
    statement = await connection.prepare("SELECT l_orderkey, l_quantity, l_shipdate FROM lineitem WHERE l_comment = $1")
    same([(it.name, it.type.name) for it in statement.get_attributes()],
         [("l_orderkey", "int8"), ("l_quantity", "numeric"), ("l_shipdate", "date")])
    same([it.name for it in statement.get_parameters()], ["text"])
    same(connection.get_server_version().major >= 15, True)


async def introspection(connection):
    """Enums and arrays of them have numbers that no client knows beforehand."""
    await connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TABLE moods (m mood, ms mood[])")
    await connection.execute("INSERT INTO moods VALUES ($1, $2), (NULL, '{}')", "ok", ["sad", None])
    rows = await connection.fetch("SELECT m, ms FROM moods ORDER BY m")
    same([tuple(row) for row in rows], [("ok", ["sad", None]), (None, [])])
    same(await connection.fetchval("SELECT m FROM moods WHERE m = $1", "ok"), "ok")
    statement = await connection.prepare("SELECT m, ms FROM moods")
    same([(it.type.name, it.type.kind) for it in statement.get_attributes()], [("mood", "scalar"), ("mood[]", "array")])
    await connection.set_type_codec("mood", encoder=str.lower, decoder=str.upper, format="text")
    same(await connection.fetchval("SELECT $1::mood", "OK"), "OK")


async def tpch(connection):
    for query in queries(FOLDER):
        query.compare(await connection.fetch(query.text), "binary")
        statement = await connection.prepare(query.parametrised)
        same([it.name for it in statement.get_parameters()], ["text"] * len(query.parameters))
        for _ in range(2):
            query.compare(await statement.fetch(*query.parameters), "parameters, binary")


async def transactions(connection):
    await connection.execute("CREATE TABLE kept (a int)")
    async with connection.transaction():
        await connection.execute("INSERT INTO kept VALUES (1)")
        try:
            async with connection.transaction():
                await connection.execute("INSERT INTO kept VALUES (2)")
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        await connection.execute("INSERT INTO kept VALUES (3)")
    same([row["a"] for row in await connection.fetch("SELECT a FROM kept ORDER BY a")], [1, 3])
    async with connection.transaction(isolation="serializable", readonly=True):
        await refused(connection.execute("INSERT INTO kept VALUES (4)"), asyncpg.ReadOnlySQLTransactionError)


async def refused(work, kind):
    try:
        await work
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


async def refusals(connection):
    error = await refused(connection.fetch("SELECT nope FROM nation"), asyncpg.UndefinedColumnError)
    same((error.sqlstate, error.position), ("42703", "8"))
    await refused(connection.fetch("SELECT 1 / $1::int", 0), asyncpg.DivisionByZeroError)
    await refused(connection.fetch("SELECT * FROM nope"), asyncpg.UndefinedTableError)
    await refused(connection.fetch("SELECT $1::int", "x"), asyncpg.DataError)
    await connection.execute("CREATE TABLE alone (a int PRIMARY KEY)")
    await refused(connection.executemany("INSERT INTO alone VALUES ($1)", [(1,), (1,)]), asyncpg.UniqueViolationError)
    # All of many, or none.
    same(await connection.fetchval("SELECT count(*) FROM alone"), 0)


def plain(value):
    """A value with Python's UUIDs: asyncpg has a faster class of its own below that one."""
    if isinstance(value, list):
        return [plain(it) for it in value]
    return uuid.UUID(bytes=value.bytes) if isinstance(value, uuid.UUID) else value


async def every_type(connection):
    for data_type, values in VALUES.items():
        for value in [*values, None]:
            same(plain(await connection.fetchval(f"SELECT $1::{data_type}", value)), value, data_type)
    await connection.execute("CREATE TABLE types (" + ", ".join(f"c{i} {it}" for i, it in enumerate(VALUES)) + ")")
    rows = [[values[0] for values in VALUES.values()], [values[-1] for values in VALUES.values()], [None] * len(VALUES)]
    insert = "INSERT INTO types VALUES (" + ", ".join(f"${i + 1}" for i in range(len(VALUES))) + ")"
    await connection.executemany(insert, rows)
    got = await connection.fetch("SELECT * FROM types")
    same([[plain(value) for value in row] for row in got], rows)
    rows = await connection.fetch("SELECT n_name FROM nation WHERE n_nationkey = ANY($1::bigint[]) ORDER BY 1", [0, 1])
    same([row["n_name"] for row in rows], ["ALGERIA", "ARGENTINA"])


async def cursors(connection):
    async with connection.transaction():
        count = 0
        async for row in connection.cursor("SELECT l_orderkey, l_comment FROM lineitem WHERE l_orderkey > $1", 0, prefetch=1000):
            count += 1
        same(count, await connection.fetchval("SELECT count(*) FROM lineitem"))
        cursor = await connection.cursor("SELECT n_nationkey FROM nation ORDER BY 1")
        same([row[0] for row in await cursor.fetch(2)], [0, 1])
        same((await cursor.fetchrow())[0], 2)
        same(await cursor.forward(3), 3)
        same((await cursor.fetchrow())[0], 6)


async def copies(connection):
    await connection.execute("CREATE TABLE copied (a int, b text, c numeric(10,2), d date)")
    rows = [(1, "a\tb\\\n", D("2.50"), datetime.date(2020, 1, 2)), (2, None, None, None), (3, "", D("-1.00"), None)]
    same(await connection.copy_records_to_table("copied", records=rows), "COPY 3")
    same([tuple(row) for row in await connection.fetch("SELECT * FROM copied ORDER BY a")], rows)
    for options in ({}, {"format": "csv", "header": True}, {"format": "binary"}):
        out = io.BytesIO()
        same(await connection.copy_from_query("SELECT * FROM copied WHERE a < $1", 4, output=out, **options), "COPY 3")
        await connection.execute("TRUNCATE copied")
        out.seek(0)
        same(await connection.copy_to_table("copied", source=out, **options), "COPY 3", str(options))
        same([tuple(row) for row in await connection.fetch("SELECT * FROM copied ORDER BY a")], rows, str(options))
    out = io.BytesIO()
    await connection.copy_from_table("lineitem", output=out, format="binary", columns=["l_orderkey", "l_comment"])
    await connection.execute("CREATE TABLE far (a bigint, b text)")
    out.seek(0)
    tag = await connection.copy_to_table("far", source=out, format="binary")
    same(tag, f"COPY {await connection.fetchval('SELECT count(*) FROM lineitem')}")


async def notifications(connection):
    heard = asyncio.Queue()
    listener = await connect()
    await listener.add_listener("news", lambda _, pid, channel, payload: heard.put_nowait((pid, channel, payload)))
    async with connection.transaction():
        await connection.execute("NOTIFY other, 'not heard'; NOTIFY news, 'first'")
    same(await asyncio.wait_for(heard.get(), 30), (connection.get_server_pid(), "news", "first"))
    await listener.close()


async def cancels(connection):
    await refused(asyncio.wait_for(connection.fetch(FAR), 0.5), asyncio.TimeoutError)
    same(await connection.fetchval("SELECT 1"), 1)
    await refused(connection.execute(FAR, timeout=0.5), asyncio.TimeoutError)
    same(await connection.fetchval("SELECT 2"), 2)


async def pools(_):
    pool = await asyncpg.create_pool(host=HOST, port=int(PORT), user="u", database="d", min_size=1, max_size=3)
    answers = await asyncio.gather(*(pool.fetchval("SELECT $1::int * 2", number) for number in range(50)))
    same(answers, [number * 2 for number in range(50)])
    # What a connection leaves behind is gone when it is given back (RESET ALL, UNLISTEN, CLOSE ALL).
    async with pool.acquire() as connection:
        await connection.execute("SET statement_timeout = '17s'")
    async with pool.acquire() as connection:
        same(await connection.fetchval("SHOW statement_timeout"), "0")
    await pool.close()


async def main():
    parts = Parts()
    connection = await connect()
    for part in (reflect, introspection, tpch, transactions, refusals, every_type, cursors, copies, notifications, cancels, pools):
        await parts.await_each(part.__name__, part, connection)
    await connection.close()
    parts.end()


asyncio.run(main())
