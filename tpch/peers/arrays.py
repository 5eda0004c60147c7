"""Arrays beside DuckDB's lists: does Multiloop beat DuckDB on each query of them? Are the answers right?

    python arrays.py --program target/release/multiloop [--old another/multiloop] [--queries 'any-*,agg-*']

Ten million elements: 100,000 arrays of 100 of them and 2,000,000 of five (of integers, bigints, doubles and texts), and as many rows
that become arrays. Both engines load the same Parquet files into memory and run each query in turns, as shapes.py does; the median
of --runs after a warm-up counts. Prints a table in Markdown; ratio = DuckDB / Multiloop. Exits with 1 if an answer is wrong or missing.
"""
import argparse
import contextlib
import fnmatch
import pathlib
import statistics
import sys
import tempfile

from engines import DuckDB, Multiloop, quoted
from peer import settle
from shapes import add_engines, in_turns, row_of

# An element of row i at position j; of texts half are longer than what lies inside a view.
LISTS = """
SELECT i::int AS id, (hash(i) % 100000)::int AS key,
    list_transform(range({length}), lambda j: (hash(i, j) % 100000)::int - 50000) AS ints,
    list_transform(range({length}), lambda j: (hash(i, j, 1) % 1000000000000)::bigint - 500000000000) AS bigints,
    list_transform(range({length}), lambda j: ((hash(i, j, 2) % 100000)::bigint - 50000) / 4) AS doubles,
    list_transform(range({length}), lambda j: 'text ' || (hash(i, j, 3) % 100000) || CASE WHEN j % 2 = 0 THEN ' of some length' ELSE '' END)
        AS texts
FROM range({rows}) r(i)"""
ROWS = """
SELECT (hash(i) % 100000)::int AS g100000, (hash(i, 1) % 1000)::int AS g1000, (hash(i, 2) % 1000000)::int AS g1000000,
    (hash(i, 3) % 100000)::int - 50000 AS v, (hash(i, 4) % 1000000000000)::bigint AS w, (hash(i, 5) % 100000) / 4 AS x,
    'text ' || (hash(i, 6) % 100000) AS t
FROM range({rows}) r(i)"""

# Of tables of arrays; LENGTH is how many elements they have.
OF_ARRAYS = {
    "sum-unnest-int": "SELECT sum(x) FROM (SELECT unnest(ints) AS x FROM TABLE) t",
    "sum-unnest-bigint": "SELECT sum(x) FROM (SELECT unnest(bigints) AS x FROM TABLE) t",
    "sum-unnest-double": "SELECT sum(x) FROM (SELECT unnest(doubles) AS x FROM TABLE) t",
    "max-unnest-text": "SELECT max(x) FROM (SELECT unnest(texts) AS x FROM TABLE) t",
    "group-unnest-int": "SELECT sum(n * n) FROM (SELECT x % 1000 AS k, count(*) AS n FROM (SELECT unnest(ints) AS x FROM TABLE) t GROUP BY 1) u",
    "any-int": "SELECT count(*) FROM TABLE WHERE 77 = ANY(ints)",
    "any-row-int": "SELECT count(*) FROM TABLE WHERE key = ANY(ints)",
    "any-bigint": "SELECT count(*) FROM TABLE WHERE 77 = ANY(bigints)",
    "any-less-int": "SELECT count(*) FROM TABLE WHERE 49990 < ANY(ints)",
    "contains-double": "SELECT count(*) FROM TABLE WHERE list_contains(doubles, 77.25::double precision)",
    "contains-text": "SELECT count(*) FROM TABLE WHERE list_contains(texts, 'text 77')",
    "subscript-int": "SELECT sum(ints[3]) FROM TABLE",
    "subscript-row-bigint": "SELECT sum(bigints[1 + id % LENGTH]) FROM TABLE",
    "subscript-text": "SELECT max(texts[3]) FROM TABLE",
    "len-int": "SELECT sum(len(ints)) FROM TABLE",
    "len-text": "SELECT sum(len(texts)) FROM TABLE",
    "list-sum-int": "SELECT sum(list_sum(ints)) FROM TABLE",
    "list-sum-bigint": "SELECT sum(list_sum(bigints)) FROM TABLE",
    "list-sum-double": "SELECT sum(list_sum(doubles)) FROM TABLE",
    "list-max-bigint": "SELECT sum(list_max(bigints)) FROM TABLE",
    "position-int": "SELECT sum(array_position(ints, 77)) FROM TABLE",
    "position-row-bigint": "SELECT sum(array_position(bigints, bigints[1 + id % LENGTH])) FROM TABLE",
    "has-all-int": "SELECT count(*) FROM TABLE WHERE list_has_all(ints, ARRAY[77, 78])",
    "has-any-int": "SELECT count(*) FROM TABLE WHERE list_has_any(ints, ARRAY[77, 78])",
}
# Of rows that become arrays.
OF_ROWS = {
    "agg-int-100000-groups": "SELECT sum(len(l)) FROM (SELECT g100000, array_agg(v) AS l FROM rows GROUP BY 1) t",
    "agg-int-1000-groups": "SELECT sum(len(l)) FROM (SELECT g1000, array_agg(v) AS l FROM rows GROUP BY 1) t",
    "agg-bigint-100000-groups": "SELECT sum(len(l)) FROM (SELECT g100000, array_agg(w) AS l FROM rows GROUP BY 1) t",
    "agg-bigint-1000-groups": "SELECT sum(len(l)) FROM (SELECT g1000, array_agg(w) AS l FROM rows GROUP BY 1) t",
    "agg-double-100000-groups": "SELECT sum(len(l)) FROM (SELECT g100000, array_agg(x) AS l FROM rows GROUP BY 1) t",
    "agg-double-1000-groups": "SELECT sum(len(l)) FROM (SELECT g1000, array_agg(x) AS l FROM rows GROUP BY 1) t",
    "agg-text-100000-groups": "SELECT sum(len(l)) FROM (SELECT g100000, array_agg(t) AS l FROM rows GROUP BY 1) t",
    "agg-text-1000-groups": "SELECT sum(len(l)) FROM (SELECT g1000, array_agg(t) AS l FROM rows GROUP BY 1) t",
    "agg-int-1e6-groups": "SELECT sum(len(l)) FROM (SELECT g1000000, array_agg(v) AS l FROM rows GROUP BY 1) t",
    "agg-ordered-int": "SELECT sum(l[1]) FROM (SELECT g1000, array_agg(v ORDER BY w) AS l FROM rows GROUP BY 1) t",
    "string-agg": "SELECT sum(length(l)) FROM (SELECT g1000, string_agg(t, ', ') AS l FROM rows GROUP BY 1) t",
    "agg-distinct-int": "SELECT sum(len(l)) FROM (SELECT g1000, array_agg(DISTINCT v % 100) AS l FROM rows GROUP BY 1) t",
    "agg-distinct-bigint": "SELECT sum(len(l)) FROM (SELECT array_agg(DISTINCT w % 1000) AS l FROM rows) t",
    "make-int": "SELECT sum(len(ARRAY[v, g1000])) FROM rows",
    "make-bigint": "SELECT sum((ARRAY[w, w + 1, w + 2])[1 + v % 2]) FROM rows",
}
LENGTHS = (100, 5)

# What DuckDB is asked instead: it makes a join of ANY over a list.
THEIRS = {
    "77 = ANY(ints)": "list_contains(ints, 77)",
    "key = ANY(ints)": "list_contains(ints, key)",
    "77 = ANY(bigints)": "list_contains(bigints, 77)",
    "49990 < ANY(ints)": "len(list_filter(ints, lambda x: 49990 < x)) > 0",
}


class Lists(DuckDB):
    def run(self, sql):
        for ours, theirs in THEIRS.items():
            sql = sql.replace(ours, theirs)
        return super().run(sql)


def queries(wanted):
    """{name: SQL} of the patterns in a list."""
    every = {}
    for length in LENGTHS:
        for name, sql in OF_ARRAYS.items():
            every[f"{name}-{length}"] = sql.replace("TABLE", f"arrays{length}").replace("LENGTH", str(length))
    every.update(OF_ROWS)
    patterns = [pattern.strip() for pattern in wanted.split(",")]
    return {name: sql for name, sql in every.items() if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)}


def made(folder, elements):
    """The Parquet files, by table; what is there is taken as it is."""
    texts = {f"arrays{length}": LISTS.format(length=length, rows=elements // length) for length in LENGTHS}
    texts["rows"] = ROWS.format(rows=elements)
    con = None
    files = {}
    for table, sql in texts.items():
        path = folder / f"{table}.parquet"
        if not path.exists():
            con = con or DuckDB(2).con
            con.execute(f"copy ({sql}) to {quoted(str(path))} (format parquet)")
        files[table] = str(path)
    return files


def needed(files, chosen):
    return {table: path for table, path in files.items() if any(f"FROM {table}" in sql for sql in chosen.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--work", metavar="DIR", help="where to put the data, and keep it (default: a temporary folder)")
    add("--elements", type=int, default=10_000_000, metavar="N", help="of each kind (default: ten million)")
    add_engines(add)
    add("--queries", default="*", metavar="A,B", help="names of queries, also with * (default: all)")
    options = parser.parse_args()
    chosen = queries(options.queries)
    if not chosen:
        parser.error(f"no query is called {options.queries}; there are {', '.join(queries('*'))}")
    settle(options.threads)
    with contextlib.ExitStack() as stack:
        folder = options.work or stack.enter_context(tempfile.TemporaryDirectory(prefix="arrays-"))
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        files = needed(made(pathlib.Path(folder), options.elements), chosen)
        engines = {"duckdb": Lists(options.threads)}
        print(f"DuckDB {engines['duckdb'].version}, threads: {options.threads}, runs: {options.runs}, elements: {options.elements}\n")
        for table, path in files.items():
            engines["duckdb"].load(table, path)
        for name, program in {"ours": options.program, "old": options.old}.items():
            if program:
                engines[name] = Multiloop(options.threads, program, options.timeout)
                engines[name].tables = files
                stack.callback(engines[name].close)
        rows = table_of(engines, chosen, options)
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    if ratios:
        below = sum(ratio < 1 for ratio in ratios)
        print(f"\nGeometric mean {statistics.geometric_mean(ratios):.2f} of {len(ratios)} queries; {below} are below 1.")
    return 1 if any(row["wrong"] for row in rows) else 0


def table_of(engines, chosen, options):
    """Runs the queries, and prints a line of a table for each."""
    has_old = "old" in engines
    print("| | DuckDB | Multiloop | ratio |" + (" old | new / old |" if has_old else ""))
    print("|---|---|---|---|" + ("---|---|" if has_old else ""), flush=True)
    rows = []
    for name, sql in chosen.items():
        row = row_of(name, "arrays", sql, in_turns(engines, sql, options))
        cells = [f"`{name}`", number(row["duckdb_ms"], 1), number(row["ours_ms"], 1), number(row["ratio"], 2)]
        if has_old:
            cells += [number(row["old_ms"], 1), number(row["new_old"], 2)]
        print(f"| {' | '.join(cells)} |" + (f" WRONG: {row['wrong']}" if row["wrong"] else ""), flush=True)
        rows.append(row)
    return rows


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


if __name__ == "__main__":
    sys.exit(main())
