"""Migrations of Alembic: `alembic_client.py HOST PORT FOLDER`. They go up, change what is there and its rows, go down again; a second
run does nothing, and what they have made is what the tables of Python say.
"""

import io
import pathlib
import sys
import tempfile

import sqlalchemy as sa
from alembic import autogenerate, command, config, migration

from parts import Parts, same

HOST, PORT, _ = sys.argv[1:]
URL = f"postgresql+psycopg://u@{HOST}:{PORT}/d"

ENVIRONMENT = """
from alembic import context
import sqlalchemy as sa

engine = sa.create_engine(context.config.get_main_option("sqlalchemy.url"))
with engine.connect() as connection:
    context.configure(connection=connection, transaction_per_migration=True)
    with context.begin_transaction():
        context.run_migrations()
"""

HEAD = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = {revision!r}, {down!r}
branch_labels = depends_on = None
"""

STEPS = [
    # Tables, with all that they are declared with.
    """
def upgrade():
    op.create_table(
        "shop",
        sa.Column("id", sa.Integer, sa.Identity(), primary_key=True),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("kind", sa.Enum("small", "large", name="kind_of_shop"), server_default="small", nullable=False),
        sa.UniqueConstraint("name", name="shop_by_name"),
    )
    op.create_table(
        "sale",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("shop_id", sa.Integer, sa.ForeignKey("shop.id", name="sale_of", ondelete="CASCADE"), nullable=False),
        sa.Column("amount", sa.Numeric(10, 2), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now()),
    )
    op.create_index("sale_at", "sale", [sa.text("at DESC")])


def downgrade():
    op.drop_index("sale_at", table_name="sale")
    op.drop_table("sale")
    op.drop_table("shop")
    op.execute("DROP TYPE kind_of_shop")
""",
    # Rows.
    """
def upgrade():
    shop = sa.table("shop", sa.column("name", sa.String), sa.column("kind"))
    op.bulk_insert(shop, [{"name": "corner"}, {"name": "market"}])
    op.execute("INSERT INTO sale (shop_id, amount) SELECT id, id * 10.5 FROM shop")
    op.execute("UPDATE shop SET kind = 'large' WHERE name = 'market'")


def downgrade():
    op.execute("DELETE FROM shop WHERE name IN ('corner', 'market')")
""",
    # What is there becomes something else.
    """
def upgrade():
    op.add_column("shop", sa.Column("city", sa.Text, server_default="here", nullable=True))
    op.execute("UPDATE shop SET city = upper(name)")
    op.alter_column("shop", "city", nullable=False, server_default=None)
    op.alter_column("shop", "name", new_column_name="called", existing_type=sa.String(40), type_=sa.Text)
    op.alter_column("sale", "amount", type_=sa.Numeric(12, 3), existing_type=sa.Numeric(10, 2))
    op.create_check_constraint("paid", "sale", "amount >= 0")
    op.drop_constraint("shop_by_name", "shop", type_="unique")
    op.create_unique_constraint("shop_by_place", "shop", ["city", "called"])
    op.rename_table("sale", "sales")
    op.create_table_comment("shop", "where things are sold")


def downgrade():
    op.drop_table_comment("shop")
    op.rename_table("sales", "sale")
    op.drop_constraint("shop_by_place", "shop", type_="unique")
    op.drop_constraint("paid", "sale", type_="check")
    op.alter_column("sale", "amount", type_=sa.Numeric(10, 2), existing_type=sa.Numeric(12, 3))
    op.alter_column("shop", "called", new_column_name="name", existing_type=sa.Text, type_=sa.String(40))
    op.create_unique_constraint("shop_by_name", "shop", ["name"])
    op.drop_column("shop", "city")
""",
]


def made(folder):
    """The migrations in a folder, and what runs them."""
    versions = pathlib.Path(folder, "versions")
    versions.mkdir()
    pathlib.Path(folder, "env.py").write_text(ENVIRONMENT)
    down = None
    for at, step in enumerate(STEPS, 1):
        revision = f"step_{at}"
        (versions / f"{revision}.py").write_text(HEAD.format(revision=revision, down=down) + step)
        down = revision
    settings = config.Config(stdout=io.StringIO())
    settings.set_main_option("script_location", str(folder))
    settings.set_main_option("sqlalchemy.url", URL)
    return settings


def version(engine):
    with engine.connect() as connection:
        return migration.MigrationContext.configure(connection).get_current_revision()


def rows(engine, query):
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(sa.text(query))]


def up(engine, settings):
    command.upgrade(settings, "head")
    same(version(engine), "step_3")
    same(rows(engine, "SELECT called, kind, city FROM shop ORDER BY id"),
         [("corner", "small", "CORNER"), ("market", "large", "MARKET")])
    same(rows(engine, "SELECT shop_id, amount::text FROM sales ORDER BY shop_id"), [(1, "10.500"), (2, "21.000")])


def once_more(engine, settings):
    before = rows(engine, "SELECT oid, relname FROM pg_class WHERE relname IN ('shop', 'sales') ORDER BY 1")
    command.upgrade(settings, "head")
    same(rows(engine, "SELECT oid, relname FROM pg_class WHERE relname IN ('shop', 'sales') ORDER BY 1"), before)
    same(len(rows(engine, "SELECT * FROM sales")), 2)


def compared(engine, settings):
    metadata = sa.MetaData()
    sa.Table(
        "shop", metadata,
        sa.Column("id", sa.Integer, sa.Identity(), primary_key=True),
        sa.Column("called", sa.Text, nullable=False),
        sa.Column("kind", sa.Enum("small", "large", name="kind_of_shop"), server_default="small", nullable=False),
        sa.Column("city", sa.Text, nullable=False),
        sa.UniqueConstraint("city", "called", name="shop_by_place"),
        comment="where things are sold",
    )
    sales = sa.Table(
        "sales", metadata,
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("shop_id", sa.Integer, sa.ForeignKey("shop.id", name="sale_of", ondelete="CASCADE"), nullable=False),
        sa.Column("amount", sa.Numeric(12, 3), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.func.now()),
    )
    sa.Index("sale_at", sales.c.at.desc())
    options = {
        "compare_type": True,
        "compare_server_default": True,
        "include_name": lambda name, kind, _: kind != "table" or name in ("shop", "sales"),
    }
    with engine.connect() as connection:
        context = migration.MigrationContext.configure(connection, opts=options)
        same(autogenerate.compare_metadata(context, metadata), [])
    sales.append_column(sa.Column("note", sa.Text))
    with engine.connect() as connection:
        context = migration.MigrationContext.configure(connection, opts=options)
        (kind, _, table, column), = autogenerate.compare_metadata(context, metadata)
        same((kind, table, column.name), ("add_column", "sales", "note"))


def fails_as_a_whole(engine, settings):
    """A migration that fails leaves nothing of itself."""
    folder = pathlib.Path(settings.get_main_option("script_location"), "versions")
    wrong = folder / "step_4.py"
    wrong.write_text(HEAD.format(revision="step_4", down="step_3") + """
def upgrade():
    op.create_table("half", sa.Column("a", sa.Integer))
    op.execute("UPDATE shop SET city = 'nowhere'")
    op.execute("ALTER TABLE shop ADD CONSTRAINT none CHECK (city <> 'nowhere')")


def downgrade():
    op.drop_table("half")
""")
    try:
        command.upgrade(settings, "head")
        raise AssertionError("it went through")
    except sa.exc.IntegrityError as error:
        same(error.orig.sqlstate, "23514")
    wrong.unlink()
    same(version(engine), "step_3")
    same(sa.inspect(engine).has_table("half"), False)
    same(rows(engine, "SELECT DISTINCT city = upper(called) FROM shop"), [(True,)])


def down(engine, settings):
    command.downgrade(settings, "-1")
    same(version(engine), "step_2")
    same(rows(engine, "SELECT name FROM shop ORDER BY id"), [("corner",), ("market",)])
    same([column["name"] for column in sa.inspect(engine).get_columns("shop")], ["id", "name", "kind"])
    command.upgrade(settings, "+1")
    command.downgrade(settings, "base")
    same(version(engine), None)
    same([name for name in sa.inspect(engine).get_table_names() if name in ("shop", "sale", "sales")], [])
    same("kind_of_shop" in [it["name"] for it in sa.inspect(engine).get_enums()], False)


def main():
    parts = Parts()
    engine = sa.create_engine(URL)
    with tempfile.TemporaryDirectory() as folder:
        settings = made(folder)
        for part in (up, once_more, compared, fails_as_a_whole, down):
            parts.run(part.__name__, part, engine, settings)
    engine.dispose()
    parts.end()


main()
