"""A session of SQLAlchemy: `sqlalchemy_client.py HOST PORT FOLDER`, whose folder has TPC-H's queries.

Through psycopg, through asyncpg, and what both have in common: reflection, DDL made from tables of Python, the ORM.
"""

import datetime
import decimal
import enum
import re
import sys
import threading
import uuid

import sqlalchemy as sa
from sqlalchemy import exc, orm
from sqlalchemy.dialects import postgresql as pg

from parts import Parts, same
from tpch import queries

HOST, PORT, FOLDER = sys.argv[1:]
D = decimal.Decimal
FAR = "SELECT count(*) FROM lineitem a, lineitem b, lineitem c WHERE a.l_tax * b.l_tax = c.l_tax + 1"

TABLES = "customer lineitem nation orders part partsupp region supplier".split()


class Mood(enum.Enum):
    sad = 1
    ok = 2


METADATA = sa.MetaData()
PARENT = sa.Table(
    "reflected", METADATA,
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String(25), nullable=False, unique=True, comment="what it is called"),
    sa.Column("price", sa.Numeric(15, 2), server_default="0.50"),
    sa.CheckConstraint("price >= 0", name="not_negative"),
    sa.Index("reflected_price", "price"),
    comment="reflected by SQLAlchemy",
)
CHILD = sa.Table(
    "reflected_child", METADATA,
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("of_id", sa.ForeignKey("reflected.id", name="child_of"), nullable=False),
    sa.Column("day", sa.Date),
    sa.Column("at", sa.DateTime),
    sa.Column("at_zone", sa.DateTime(timezone=True)),
    sa.Column("hour", sa.Time),
    sa.Column("span", sa.Interval),
    sa.Column("flag", sa.Boolean),
    sa.Column("small", sa.SmallInteger),
    sa.Column("single", sa.REAL),
    sa.Column("double", sa.Double),
    sa.Column("bytes", sa.LargeBinary),
    sa.Column("document", pg.JSONB),
    sa.Column("guid", sa.Uuid),
    sa.Column("tags", pg.ARRAY(sa.Text)),
    sa.Column("mood", sa.Enum(Mood, name="mood")),
)

ROW = {
    "id": 1, "of_id": 7, "day": datetime.date(2020, 2, 29), "at": datetime.datetime(2020, 2, 29, 1, 2, 3, 4),
    "at_zone": datetime.datetime(2020, 2, 29, 1, 2, 3, 4, datetime.timezone.utc), "hour": datetime.time(1, 2, 3, 4),
    "span": datetime.timedelta(days=1, seconds=2), "flag": True, "small": -7, "single": 1.5, "double": 0.1,
    "bytes": b"\x00\xff", "document": {"a": [1, None]}, "guid": uuid.UUID(int=7), "tags": ["a", 'b"', None, ""],
    "mood": Mood.ok,
}


def create(driver):
    return sa.create_engine(f"postgresql+{driver}://u@{HOST}:{PORT}/d", connect_args={"options": "-c TimeZone=UTC"})


def reflect(engine):
    with engine.begin() as connection:
        METADATA.create_all(connection)
        connection.execute(sa.text("CREATE VIEW seen AS SELECT id, name FROM reflected"))
    inspector = sa.inspect(engine)
    same(sorted(inspector.get_table_names()), sorted([*TABLES, "reflected", "reflected_child"]))
    same(inspector.get_view_names(), ["seen"])
    same("public" in inspector.get_schema_names() and "information_schema" in inspector.get_schema_names(), True)
    same((inspector.has_table("reflected"), inspector.has_table("nope")), (True, False))
    columns = {column["name"]: column for column in inspector.get_columns("reflected")}
    same([str(column["type"]) for column in columns.values()], ["BIGINT", "VARCHAR(25)", "NUMERIC(15, 2)"])
    same([column["nullable"] for column in columns.values()], [False, False, True])
    same((columns["name"]["comment"], columns["price"]["default"]), ("what it is called", "0.50"))
    same(inspector.get_pk_constraint("reflected")["constrained_columns"], ["id"])
    same(inspector.get_table_comment("reflected"), {"text": "reflected by SQLAlchemy"})
    foreign, = inspector.get_foreign_keys("reflected_child")
    same((foreign["name"], foreign["constrained_columns"], foreign["referred_table"], foreign["referred_columns"]),
         ("child_of", ["of_id"], "reflected", ["id"]))
    indexes = {index["name"]: (index["column_names"], index["unique"]) for index in inspector.get_indexes("reflected")}
    same(indexes, {"reflected_price": (["price"], False), "reflected_name_key": (["name"], True)})
    unique, = inspector.get_unique_constraints("reflected")
    same((unique["name"], unique["column_names"]), ("reflected_name_key", ["name"]))
    check, = inspector.get_check_constraints("reflected")
    same(check["name"], "not_negative")
    same(bool(re.search(r"SELECT\s+(reflected\.)?id", inspector.get_view_definition("seen"))), True)
    same([(it["name"], it["labels"]) for it in inspector.get_enums()], [("mood", ["sad", "ok"])])


def reflected_types(engine):
    reflected = sa.MetaData()
    reflected.reflect(engine, views=True)
    same(sorted(reflected.tables), sorted([*TABLES, "reflected", "reflected_child", "seen"]))
    child = reflected.tables["reflected_child"]
    render = lambda column: column.type.compile(engine.dialect)
    same([render(column) for column in child.columns], [render(column) for column in CHILD.columns])
    same([str(it.type) for it in reflected.tables["lineitem"].columns][-6:],
         ["DATE", "DATE", "DATE", "TEXT", "TEXT", "TEXT"])


def written_and_read(engine):
    with engine.begin() as connection:
        # All rows of one call have the columns of its first one.
        connection.execute(sa.insert(PARENT), {"id": 7, "name": "seven"})
        connection.execute(sa.insert(PARENT), {"id": 8, "name": "eight", "price": D("1.25")})
        nothing = {name: None for name in ROW} | {"id": 2, "of_id": 8}
        connection.execute(sa.insert(CHILD), [ROW, nothing])
        rows = connection.execute(sa.select(CHILD).order_by(CHILD.c.id)).mappings().all()
        same([dict(row) for row in rows], [ROW, nothing])
        joined = sa.select(PARENT.c.name, CHILD.c.day).join(CHILD).where(PARENT.c.price.in_([D("0.50"), D("9")]))
        same([tuple(row) for row in connection.execute(joined)], [("seven", ROW["day"])])
        grouped = sa.select(CHILD.c.flag, sa.func.count(), sa.func.sum(CHILD.c.small)).group_by(CHILD.c.flag)
        same(sorted(map(tuple, connection.execute(grouped)), key=str), [(None, 1, None), (True, 1, -7)])
        windowed = sa.select(sa.func.row_number().over(order_by=CHILD.c.id.desc()), CHILD.c.id)
        same(sorted(map(tuple, connection.execute(windowed))), [(1, 2), (2, 1)])


def models(engine):
    class Base(orm.DeclarativeBase):
        pass

    class Nation(Base):
        __tablename__ = "nation"
        n_nationkey: orm.Mapped[int] = orm.mapped_column(primary_key=True)
        n_name: orm.Mapped[str]
        n_regionkey: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("region.r_regionkey"))
        region: orm.Mapped["Region"] = orm.relationship(back_populates="nations")

    class Region(Base):
        __tablename__ = "region"
        r_regionkey: orm.Mapped[int] = orm.mapped_column(primary_key=True)
        r_name: orm.Mapped[str]
        nations: orm.Mapped[list[Nation]] = orm.relationship(back_populates="region", order_by=Nation.n_name)

    with orm.Session(engine) as session:
        region = session.scalars(sa.select(Region).where(Region.r_name == "ASIA")).one()
        same([nation.n_name for nation in region.nations], ["CHINA", "INDIA", "INDONESIA", "JAPAN", "VIETNAM"])
        eager = sa.select(Region).options(orm.selectinload(Region.nations), orm.load_only(Region.r_name))
        same(sum(len(region.nations) for region in session.scalars(eager)), 25)
        same(session.get(Nation, 0).region.r_name, "AFRICA")


def tpch(engine):
    with engine.connect() as connection:
        for query in queries(FOLDER):
            query.compare(connection.exec_driver_sql(query.text.replace("%", "%%")), "text")
            named = re.sub(r"\$(\d+)", r":p\1", query.parametrised)
            parameters = {f"p{at}": value for at, value in enumerate(query.parameters, 1)}
            query.compare(connection.execute(sa.text(named), parameters), "parameters")


def transactions(engine):
    with engine.connect() as connection:
        connection.execute(sa.insert(PARENT), {"id": 20, "name": "twenty"})
        with connection.begin_nested() as savepoint:
            connection.execute(sa.insert(PARENT), {"id": 21, "name": "no"})
            savepoint.rollback()
        connection.commit()
        connection.execute(sa.insert(PARENT), {"id": 22, "name": "no"})
        connection.rollback()
        same(connection.scalars(sa.select(PARENT.c.id).where(PARENT.c.id >= 20)).all(), [20])
        same(connection.get_isolation_level(), "READ COMMITTED")


def refusals(engine):
    def refused(statement, kind, state, parameters=None):
        try:
            with engine.begin() as connection:
                connection.execute(statement, parameters)
        except kind as error:
            return same(error.orig.sqlstate, state)
        raise AssertionError(f"no error: {statement}")

    refused(sa.text("SELECT nope FROM nation"), exc.ProgrammingError, "42703")
    refused(sa.text("SELECT 1 / :zero"), exc.DataError, "22012", {"zero": 0})
    refused(sa.insert(PARENT), exc.IntegrityError, "23505", [{"id": 7, "name": "again"}])
    refused(sa.insert(PARENT), exc.IntegrityError, "23502", [{"id": 30, "name": None}])
    refused(sa.insert(PARENT), exc.IntegrityError, "23514", [{"id": 30, "name": "x", "price": D("-1")}])
    refused(sa.insert(CHILD), exc.IntegrityError, "23503", [{"id": 30, "of_id": 999}])


def streams(engine):
    with engine.connect() as connection:
        far = sa.text("SELECT l_orderkey, l_comment FROM lineitem WHERE l_orderkey > :least")
        result = connection.execution_options(stream_results=True, max_row_buffer=1000).execute(far, {"least": 0})
        count = sum(len(part) for part in result.partitions(500))
        same(count, connection.scalar(sa.text("SELECT count(*) FROM lineitem")))


def cancels(engine):
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        timer = threading.Timer(0.5, driver.cancel)
        timer.start()
        try:
            connection.execute(sa.text(FAR))
            raise AssertionError("it was not cancelled")
        except exc.OperationalError as error:
            same(error.orig.sqlstate, "57014")
        timer.join()
        connection.rollback()
        same(connection.scalar(sa.text("SELECT 1")), 1)


def undone(engine):
    with engine.begin() as connection:
        connection.execute(sa.text("DROP VIEW seen"))
        METADATA.drop_all(connection)
    same(sorted(sa.inspect(engine).get_table_names()), TABLES)


def main():
    parts = Parts()
    engine = create("psycopg")
    for part in (reflect, reflected_types, written_and_read, models, tpch, transactions, refusals, streams, cancels, undone):
        parts.run(part.__name__, part, engine)
    engine.dispose()
    parts.end()


main()
