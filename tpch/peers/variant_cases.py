"""What variants.py runs: the tables, how a variant changes them, the queries, and which go together.

A variant is a SELECT for each table that it changes, over the base tables, and has as many rows as they have. Whatever
looks random is a hash of the row's position, so every run makes the same rows.
"""
import pathlib
import re

QUERIES_FOLDER = pathlib.Path(__file__).resolve().parent.parent / "queries"

# Only columns that a query reads: what is not read costs time to write and to load, and shows nothing.
TABLES = {
    "lineitem": "l_orderkey l_partkey l_suppkey l_linenumber l_quantity l_extendedprice l_discount l_returnflag "
    "l_linestatus l_shipdate l_commitdate l_receiptdate",
    "orders": "o_orderkey o_custkey o_orderstatus o_totalprice o_orderdate o_orderpriority o_clerk o_shippriority "
    "o_comment",
    "customer": "c_custkey c_name c_address c_nationkey c_phone c_acctbal c_mktsegment c_comment",
    "partsupp": "ps_partkey ps_suppkey ps_supplycost",
    "part": "p_partkey p_name",
    "supplier": "s_suppkey s_name s_nationkey",
    "nation": "n_nationkey n_name n_regionkey",
    "region": "r_regionkey r_name",
}
TABLES = {table: columns.split() for table, columns in TABLES.items()}

# The keys that variants change, by what they name: equal keys stay equal, so that joins still find their rows.
KEYS = {
    "orderkey": ("l_orderkey", "o_orderkey"),
    "partkey": ("l_partkey", "ps_partkey", "p_partkey"),
    "suppkey": ("l_suppkey", "ps_suppkey", "s_suppkey"),
    "custkey": ("o_custkey", "c_custkey"),
}
KIND = {key: kind for kind, keys in KEYS.items() for key in keys}

PRIME = 9223372036854775783  # the largest below 2^63: multiplying modulo it keeps different keys different


def shuffled():
    return {
        table: f"select * from {table} order by hash(rowid, '{table}')"
        for table in ("lineitem", "orders", "partsupp", "customer")
    }


def skewed():
    """Half of lineitem has one part of one supplier, half of orders one customer; Q9 and Q3 keep both."""
    pair = "select min(ps_partkey) from partsupp, part where p_partkey = ps_partkey and p_name like '%green%'"
    supplier = f"select min(ps_suppkey) from partsupp where ps_partkey = ({pair})"
    customer = "select min(c_custkey) from customer where c_mktsegment = 'BUILDING'"
    half = "case when hash(rowid, 'skew') % 2 = 0 then ({}) else {} end as {}"
    return {
        "lineitem": replaced(
            "lineitem",
            l_partkey=half.format(pair, "l_partkey", "l_partkey"),
            l_suppkey=half.format(supplier, "l_suppkey", "l_suppkey"),
        ),
        "orders": replaced("orders", o_custkey=half.format(customer, "o_custkey", "o_custkey")),
    }


def skewed_order():
    """Half of lineitem, spread over all of it, belongs to one order; so the rest is in order no more."""
    order = "select min(o_orderkey) from orders where o_orderstatus = 'F' and o_totalprice > 200000"
    key = f"case when hash(rowid, 'skew') % 2 = 0 then ({order}) else l_orderkey end as l_orderkey"
    return {"lineitem": replaced("lineitem", l_orderkey=key)}


def distinct():
    """Each key of lineitem and orders is there once: 1 to the number of rows, in random order."""
    place = "row_number() over (order by hash(rowid, '{}'))"
    part, order = place.format("part"), place.format("order")
    return {
        "lineitem": replaced(
            "lineitem",
            l_orderkey=f"{order} as l_orderkey",
            l_partkey=f"{part} as l_partkey",
            l_suppkey=f"{part} + 1 as l_suppkey",
        ),
        "orders": replaced(
            "orders",
            o_custkey=f"{place.format('customer')} as o_custkey",
            o_clerk=f"'Clerk#' || lpad(({place.format('clerk')})::varchar, 9, '0') as o_clerk",
        ),
        "partsupp": replaced(
            "partsupp", ps_partkey=f"{part} as ps_partkey", ps_suppkey=f"{part} + 1 as ps_suppkey"
        ),
    }


def distinct_wide():
    """As `distinct`, and the keys are as `scattered` makes them."""
    tables = dict.fromkeys(("lineitem", "orders", "customer", "partsupp", "part", "supplier"))
    made = distinct()
    for table in tables:
        keys = {key: f"{scatter(key)} as {key}" for key in TABLES[table] if key in KIND}
        tables[table] = replaced(f"({made[table]})" if table in made else table, table, **keys)
    return tables


def mapped(change):
    """Every key of every table through `change`, SQL for the new columns of a key."""
    tables = {}
    for table, columns in TABLES.items():
        keys = {key: change(key) for key in columns if key in KIND}
        if keys:
            tables[table] = replaced(table, **keys)
    return tables


def scatter(key):
    return f"({key}::hugeint * 6364136223846793005 % {PRIME})::bigint"


def spread():
    """64-bit keys far apart, in the order that they had."""
    last = "select max(o_orderkey) from orders"  # the largest of all keys
    return mapped(lambda key: f"{key} * (9000000000000000000 // ({last})) + 7 as {key}")


def scattered():
    """64-bit keys far apart, in no order."""
    return mapped(lambda key: f"{scatter(key)} as {key}")


def long_text():
    """Keys, and what few groups are made by, as texts of 40 characters that begin alike."""

    def change(key, prefix=None):
        prefix = prefix or KIND[key]
        return f"'{prefix}#' || lpad({key}::varchar, {39 - len(prefix)}, '0') as {key}"

    tables = mapped(change)
    flags = {column: change(column, column) for column in ("l_returnflag", "l_linestatus")}
    tables["lineitem"] = replaced(f"({tables['lineitem']})", "lineitem", **flags)
    return tables


def composite():
    """A key is three columns; a join of part and supplier compares six."""
    parts = "{0} // 10000 as {0}_a, {0} // 100 % 100 as {0}_b, {0} % 100 as {0}_c"
    return mapped(parts.format)


def nullable():
    """One row in ten has no value, in each column by itself."""
    tables = {}
    for table in ("lineitem", "orders", "customer", "partsupp", "part", "supplier"):
        values = {
            column: f"case when hash(rowid, '{column}') % 10 <> 0 then {column} end as {column}"
            for column in TABLES[table]
        }
        tables[table] = replaced(table, **values)
    return tables


def replaced(source, table=None, **columns):
    """All columns of a table, some of them by other SQL."""
    wanted = [columns.get(column, column) for column in TABLES[table or source]]
    return f"select {', '.join(wanted)} from {source}"


# Small queries; where a result would be large, its first rows by an order without ties.
QUERIES = {
    "group-few": """select l_returnflag, l_linestatus, sum(l_quantity) as s, avg(l_extendedprice) as a, count(*) as n
        from lineitem group by l_returnflag, l_linestatus""",
    "group-order": """select l_orderkey, sum(l_quantity) as s, count(*) as n from lineitem group by l_orderkey
        order by s desc nulls last, l_orderkey limit 10""",
    "group-part": """select l_partkey, sum(l_extendedprice) as s, min(l_shipdate) as d from lineitem
        group by l_partkey order by s desc nulls last, l_partkey limit 10""",
    "group-supplier": """select l_suppkey, sum(l_extendedprice) as s, count(l_discount) as n from lineitem
        group by l_suppkey order by s desc nulls last, l_suppkey limit 10""",
    "group-text": """select o_clerk, count(*) as n, sum(o_totalprice) as s from orders group by o_clerk
        order by s desc nulls last, o_clerk limit 10""",
    "distinct": "select count(distinct l_partkey) as n from lineitem where l_shipdate >= date '1997-01-01'",
    "distinct-by": """select l_returnflag, count(distinct l_suppkey) as n, count(*) as m from lineitem
        where l_shipdate >= date '1997-01-01' group by l_returnflag""",
    "pairs": """select count(*) as n, max(l_suppkey) as m from (select distinct l_partkey, l_suppkey from lineitem
        where l_shipdate >= date '1997-01-01') as pairs""",
    "join": """select count(*) as n, sum(l_quantity) as s from orders, lineitem
        where o_orderkey = l_orderkey and o_totalprice > 200000""",
    "join-pair": """select count(*) as n, sum(l_quantity * ps_supplycost) as s from lineitem, partsupp
        where l_partkey = ps_partkey and l_suppkey = ps_suppkey and l_shipdate >= date '1997-01-01'""",
    "left": """select count(*) as n, count(o_orderdate) as m, sum(o_totalprice) as s
        from customer left join orders on c_custkey = o_custkey""",
    "semi": """select count(*) as n, sum(o_totalprice) as s from orders
        where exists (select * from lineitem where l_orderkey = o_orderkey and l_quantity > 45)""",
    "anti": """select count(*) as n, sum(c_acctbal) as s from customer
        where not exists (select * from orders where o_custkey = c_custkey and o_totalprice > 100000)""",
    "not-in": """select count(*) as n, sum(c_acctbal) as s from customer
        where c_custkey not in (select o_custkey from orders where o_custkey is not null and o_totalprice > 200000)""",
    "join-group": """select o_custkey, sum(l_extendedprice) as s, count(*) as n from orders, lineitem
        where o_orderkey = l_orderkey group by o_custkey order by s desc nulls last, o_custkey limit 10""",
    "top": """select l_extendedprice, l_orderkey, l_linenumber from lineitem
        order by l_extendedprice desc nulls last, l_orderkey, l_linenumber limit 100""",
    "sort": """select o_custkey, o_totalprice, o_orderkey from orders where o_orderdate >= date '1998-01-01'
        order by o_custkey, o_totalprice, o_orderkey""",
}

# These TPC-H queries leave ties where they cut off, or may in a variant: so their order goes on.
MORE_ORDER = {3: "l_orderkey", 5: "n_name", 10: "c_custkey", 18: "o_orderkey"}
for number in (3, 4, 5, 9, 10, 13, 18, 21):
    sql = (QUERIES_FOLDER / f"q{number:02}.sql").read_text().strip().rstrip(";")
    if number in MORE_ORDER:
        head, limit, tail = sql.partition("\nlimit ")
        sql = f"{head}, {MORE_ORDER[number]}{limit}{tail}"
    QUERIES[f"q{number}"] = sql

# What compares or counts a key that must be one column.
ONE_COLUMN = {"distinct", "distinct-by", "q21"}

# DuckDB compares all pairs of rows of one order in Q21, so `skewed-order` would never end there.
# name: (what makes its tables, queries that show nothing in it)
VARIANTS = {
    "shuffled": (shuffled, {"group-few", "group-text", "not-in", "sort", "top"}),
    "skewed": (skewed, {"group-few", "group-order", "group-text", "join", "semi", "top", "q4", "q18", "q21"}),
    "skewed-order": (skewed_order, {"group-few", "group-part", "group-supplier", "group-text", "distinct", "pairs",
                                    "distinct-by", "join-pair", "left", "anti", "not-in", "sort", "q9", "q13", "q21"}),
    "distinct": (distinct, {"group-few", "top", "q5", "q9", "q18", "q21"}),
    "distinct-wide": (distinct_wide, {"group-few", "group-text", "top", "q3", "q4", "q5", "q9", "q18", "q21"}),
    "spread": (spread, {"group-few", "group-text", "top", "q4", "q5", "q10", "q21"}),
    "scattered": (scattered, {"group-few", "group-text", "top", "q4", "q5", "q10", "q21"}),
    "long-text": (long_text, {"group-text", "q4", "q5", "q10", "q21"}),
    "composite": (composite, {"group-few", "group-text", "q4", "q5", "q10"} | ONE_COLUMN),
    "nullable": (nullable, {"q4", "q5"}),
}


def sql_for(variant, query):
    """The text of a query for a variant; only `composite` needs another one."""
    sql = QUERIES[query]
    if variant != "composite":
        return sql
    key = rf"\b(?:\w+\.)?(?:{'|'.join(KIND)})\b"
    sql = re.sub(rf"(count|max)\(({key})\)", r"\1(\2_a)", sql)
    sql = re.sub(rf"({key})(?= is not null)", r"\1_a", sql)
    sql = re.sub(rf"({key})(?= (?:not )?in \()", lambda m: f"({m[1]})", sql)
    sql = re.sub(
        rf"({key}) = ({key})", lambda m: " and ".join(f"{m[1]}_{part} = {m[2]}_{part}" for part in "abc"), sql
    )
    return re.sub(key, lambda m: ", ".join(f"{m[0]}_{part}" for part in "abc"), sql)
