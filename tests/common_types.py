"""Asks a PostgreSQL which type every construct that unites two types gives, for all pairs of types, or which SQLSTATE.

usage: common_types.py 'host=… user=…' > planner/src/sql/tests/common_types.tsv
"""
import subprocess, sys

COLUMNS = {
    "b": "boolean", "s": "smallint", "i": "integer", "l": "bigint", "r": "real", "f": "double precision", "n": "numeric(10,2)",
    "t": "text", "v": "varchar", "v5": "varchar(5)", "c3": "char(3)", "c5": "char(5)", "d": "date", "ti": "time", "ts": "timestamp",
    "iv": "interval",
}
CONSTRUCTS = {
    "union": "SELECT {l} FROM p UNION ALL SELECT {r} FROM p",
    "except": "SELECT {l} FROM p EXCEPT SELECT {r} FROM p",
    "case": "SELECT CASE WHEN true THEN {l} ELSE {r} END FROM p",
    "coalesce": "SELECT coalesce({l}, {r}) FROM p",
    "least": "SELECT least({l}, {r}) FROM p",
    "values": "VALUES (NULL::{lt}), (NULL::{rt})",
    "nullif": "SELECT nullif({l}, {r}) FROM p",
    "using": "SELECT k FROM (SELECT {l} AS k FROM p) x JOIN (SELECT {r} AS k FROM p) y USING (k)",
    "equal": "SELECT {l} = {r} FROM p",
    "less": "SELECT {l} < {r} FROM p",
    "distinct": "SELECT {l} IS DISTINCT FROM {r} FROM p",
    "between": "SELECT {l} BETWEEN {r} AND {r} FROM p",
    "in": "SELECT {l} IN ({r}) FROM p",
    "in list": "SELECT NULL::{lt} IN ({r}, NULL::{lt}, NULL::{rt}) FROM p",
    "in query": "SELECT {l} IN (SELECT {r} FROM p) FROM p",
    "any": "SELECT {l} = ANY (ARRAY[{r}, {l}]) FROM p",
}
SHORT = {
    "character varying": "varchar", "character": "char", "timestamp without time zone": "timestamp", "time without time zone": "time",
}


def name(shown):
    base, _, length = shown.partition("(")
    base = SHORT.get(base, base)
    return base if base == "numeric" or not length else f"{base}({length}"


def main():
    script = "CREATE TEMP TABLE p (" + ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items()) + ");\n"
    pairs = [(c, l, r) for c in CONSTRUCTS for l in COLUMNS for r in COLUMNS]
    for construct, l, r in pairs:
        query = CONSTRUCTS[construct].format(l=l, r=r, lt=COLUMNS[l], rt=COLUMNS[r])
        script += f"{query} \\gdesc\n\\if :ERROR\n\\echo :SQLSTATE\n\\endif\n"
    run = subprocess.run(["psql", sys.argv[1], "-X", "-q", "-A", "-t", "-F", "\t", "-f", "-"], input=script, text=True, capture_output=True)
    answers = iter(run.stdout.splitlines())
    rows = {pair: name(next(answers).split("\t")[-1]) for pair in pairs}
    print("construct\tleft\t" + "\t".join(COLUMNS))
    for construct in CONSTRUCTS:
        for l in COLUMNS:
            print(construct, l, *(rows[construct, l, r] for r in COLUMNS), sep="\t")


main()
