"""Does a change of the data slow Multiloop more than it slows DuckDB? And are the answers still right?

    python variants.py --data tpch-sf1/ --program target/release/multiloop [--old another/multiloop]

For each variant of the data (variant_cases.py) and each query q, both engines run q on the base tables and on the
variant's, and

    quotient = (Multiloop on variant / Multiloop on base) / (DuckDB on variant / DuckDB on base)

says how much worse the change is for Multiloop. A variant has as many rows as the base, so times are times per row.
Answers are compared too. Exits with 1 if one is wrong or missing, with 2 if there is nothing to run on; a quotient
above 3 is only marked.

--old names another build of Multiloop, which runs each query in turns with the program. new / old then says what has
become of it, on the base and on the variant; a ratio above 1.10 is marked, and nothing else is asked of the old one.
"""
import argparse
import contextlib
import importlib.util
import json
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

import variant_cases as cases
from engines import DuckDB, Multiloop, quoted
from peer import first_difference, settle, text

CLIFF = 3.0  # a quotient above it is a cliff
SHOWN = 2.0  # and above this one, the loops are printed
SLOWER = 1.10  # new / old above it is slower than noise
BUDGET_S = 1.5  # what takes longer in an engine, all runs together, is not run again


class Refused(Exception):
    """What the user has to change before anything can run."""


def main():
    options = arguments()
    try:
        check(options)
    except Refused as refused:
        print(f"error: {refused}", file=sys.stderr)
        return 2
    settle(options.threads)
    with contextlib.ExitStack() as stack:
        work = options.work or stack.enter_context(tempfile.TemporaryDirectory(prefix="variants-"))
        results = compare(options, pathlib.Path(work))
    summary(results)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    return 1 if any(row["wrong"] for rows in results.values() for row in rows) else 0


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    release = pathlib.Path(__file__).resolve().parents[2] / "target" / "release" / "multiloop"
    add = parser.add_argument
    add("--data", required=True, metavar="DIR", help="a folder with TPC-H's lineitem.parquet, orders.parquet, …")
    add("--program", default=str(release), metavar="FILE", help="the program `multiloop` (default: the release build)")
    add("--old", metavar="FILE", help="another build of the program, to run in turns with it")
    add("--work", metavar="DIR", help="where to put variants, and keep them (default: a temporary folder)")
    add("--variants", default=",".join(cases.VARIANTS), metavar="A,B", help="default: %(default)s")
    add("--queries", default=",".join(cases.QUERIES), metavar="A,B", help="default: %(default)s")
    add("--threads", type=int, default=1, metavar="N", help="of each engine (default: 1)")
    add("--runs", type=int, default=5, metavar="N", help="timed runs after a warm-up; the median counts (default: 5)")
    add("--timeout", type=float, default=120, metavar="S",
        help="for a query: a run in Multiloop, the first with loading; all runs in DuckDB (default: 120)")
    add("--json", metavar="FILE", help="write all results there")
    return parser.parse_args()


def check(options):
    """Refuses what cannot work, before minutes have passed."""
    lacking = [module for module in DuckDB.modules if importlib.util.find_spec(module) is None]
    if lacking:
        raise Refused(f"this Python lacks {', '.join(lacking)}: pip install {' '.join(lacking)}")
    for given, known, kind in (
        (options.variants, cases.VARIANTS, "variant"),
        (options.queries, cases.QUERIES, "query"),
    ):
        unknown = [name for name in given.split(",") if name not in known]
        if unknown:
            raise Refused(f"no {kind} is called {', '.join(unknown)}; there are {', '.join(known)}")
    missing = [table for table in cases.TABLES if not (pathlib.Path(options.data) / f"{table}.parquet").is_file()]
    if missing:
        raise Refused(f"no {', '.join(table + '.parquet' for table in missing)} in {options.data}")
    for option, program in (("--program", options.program), ("--old", options.old)):
        if program and (not os.access(program, os.X_OK) or os.path.isdir(program)):
            raise Refused(f"cannot run {program}: build it with `cargo build --release`, or name another by {option}")
    if options.threads < 1 or options.runs < 1:
        raise Refused("--threads and --runs are at least 1")
    try:
        if options.work:
            pathlib.Path(options.work).mkdir(parents=True, exist_ok=True)
        if options.json:
            pathlib.Path(options.json).touch()
    except OSError as error:
        raise Refused(str(error)) from error


def compare(options, work):
    """All variants, one after another: {variant: [a row per query]}."""
    wanted = options.queries.split(",")
    duckdb = DuckDB(options.threads)
    duckdb.con.execute("set default_null_order = 'nulls_last_on_asc_first_on_desc'")  # PostgreSQL's, and Multiloop's
    print(f"DuckDB {duckdb.version}, threads: {options.threads}, runs: {options.runs}")
    print(f"new: {options.program}, old: {options.old}" if options.old else options.program, flush=True)
    for table, columns in cases.TABLES.items():
        path = pathlib.Path(options.data) / f"{table}.parquet"
        wanted_columns = ", ".join(columns)
        duckdb.con.execute(f"create table {table} as select {wanted_columns} from read_parquet({quoted(str(path))})")
    base_files = {table: write(duckdb, table, work / "base") for table in cases.TABLES}
    base = measure(options, duckdb, base_files, {query: cases.QUERIES[query] for query in wanted})
    results = {"base": [row_of(query, base[query], base[query]) for query in wanted]}
    show("base", results["base"])
    for variant in filter(None, options.variants.split(",")):
        at = time.perf_counter()
        make, senseless = cases.VARIANTS[variant]
        files = {**base_files, **made(duckdb, make(), work / variant)}
        queries = {query: cases.sql_for(variant, query) for query in wanted if query not in senseless}
        found = measure(options, duckdb, files, queries)
        results[variant] = [row_of(query, base[query], found[query]) for query in queries]
        show(variant, results[variant])
        print(f"  ({time.perf_counter() - at:.0f} s)", flush=True)
        if not options.work:
            for path in (work / variant).iterdir():
                path.unlink()
    return results


def made(duckdb, tables, folder):
    """Makes a variant's tables, which from now on hide those of the base, and their files."""
    duckdb.con.execute("set search_path = 'main'")
    duckdb.con.execute("drop schema if exists variant cascade")
    duckdb.con.execute("create schema variant")
    for table, sql in tables.items():
        duckdb.con.execute(f"create table variant.{table} as {sql}")
    duckdb.con.execute("set search_path = 'variant,main'")
    return {table: write(duckdb, table, folder) for table in tables}


def write(duckdb, table, folder):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{table}.parquet"
    duckdb.con.execute(f"copy {table} to {quoted(str(path))} (format parquet)")
    return path


def measure(options, duckdb, files, queries):
    """{query: {"ours": …, "old" if there is one: …, "duckdb": …}}, each with times_ms and rows, or with an error."""
    multiloop = run_multiloop(options, files, queries)
    theirs = run_duckdb(options, duckdb, queries)
    return {query: {**multiloop[query], "duckdb": theirs[query]} for query in queries}


def run_duckdb(options, duckdb, queries):
    results = {}
    for query, sql in queries.items():
        times, table = [], None
        timer = threading.Timer(options.timeout, duckdb.con.interrupt)
        timer.start()
        try:
            while len(times) <= options.runs:
                table = None  # the memory of the last run is not the next one's burden
                at = time.perf_counter()
                table = duckdb.run(sql)
                times.append((time.perf_counter() - at) * 1e3)
                if len(times) > 1 and sum(times) > BUDGET_S * 1e3:
                    break
            rows = [[text(value) for value in row] for row in duckdb.rows(table)]
            results[query] = {"times_ms": times[1:], "rows": rows}
        except Exception as error:
            results[query] = failure(error)
        finally:
            timer.cancel()
    return results


def run_multiloop(options, files, queries):
    """Each program is a process that keeps the tables; one more after each query that fails, for those after it."""
    programs = {"ours": options.program, "old": options.old}
    with contextlib.ExitStack() as stack:
        engines = {}
        for name in filter(programs.get, programs):
            engines[name] = Multiloop(options.threads, programs[name], options.timeout)
            engines[name].tables = {table: str(path) for table, path in files.items()}
            stack.callback(engines[name].close)
        return {query: in_turns(engines, sql, options.runs) for query, sql in queries.items()}


def in_turns(engines, sql, runs):
    """{engine: {"times_ms", "rows", "loops"}, or with an error}: a run in each, then the next; who is first changes.

    The program prints times of EXPLAIN ANALYZE only; so a query runs as it is, which warms up and gives the answer, and
    then so. Both bring the whole result into Arrow batches.
    """
    found = {}
    for name, engine in engines.items():
        try:
            rows = [[text(value) for value in row] for row in engine.rows((sql, None))]
            found[name] = {"times_ms": [], "rows": rows}
        except Exception as error:
            found[name] = failure(error)
    for turn in range(runs):
        for name in list(engines)[:: -1 if turn % 2 else 1]:
            if "error" in found[name]:
                continue
            try:
                result = engines[name].run(sql)
                found[name]["times_ms"].append(engines[name].took(result, None))
                found[name]["loops"] = result[1]
            except Exception as error:
                found[name] = failure(error)
        if sum(sum(of.get("times_ms", ())) for of in found.values()) > BUDGET_S * 1e3 * len(found):
            break
    return found


def failure(error):
    return {"error": f"{type(error).__name__}: {error}"[:300]}


def row_of(query, base, variant):
    """One line of the report, as a dictionary."""
    row = {"query": query, "wrong": difference(query, variant["ours"], variant["duckdb"])}
    for engine in variant:
        for when, found in (("base", base), ("variant", variant)):
            times = found[engine].get("times_ms")
            row[f"{engine}_{when}_ms"] = round(statistics.median(times), 3) if times else None
        before, after = row[f"{engine}_base_ms"], row[f"{engine}_variant_ms"]
        row[f"{engine}_ratio"] = round(after / before, 4) if before and after else None
    if "old" in variant:
        for when in ("base", "variant"):
            new, old = row[f"ours_{when}_ms"], row[f"old_{when}_ms"]
            row[f"new_old_{when}"] = round(new / old, 4) if new and old else None
        row["old_error"] = variant["old"].get("error")
    ours, theirs = row["ours_ratio"], row["duckdb_ratio"]
    row["quotient"] = round(ours / theirs, 3) if ours is not None and theirs else None
    if (row["quotient"] or 0) > SHOWN:
        row["base_loops"], row["variant_loops"] = base["ours"]["loops"], variant["ours"]["loops"]
    return row


def difference(query, ours, theirs):
    """What is wrong with our answer, in words; None if nothing is."""
    if "error" in ours:
        return f"Multiloop failed: {ours['error']}"
    if "error" in theirs:
        return f"DuckDB failed, so nothing is known: {theirs['error']}"
    mine, expected = ours["rows"], theirs["rows"]
    if mine == expected:
        return None
    if sorted(mine) == sorted(expected):
        in_order = "order by" in cases.QUERIES[query]
        return "the rows are right, their order is not" if in_order else None
    if len(mine) != len(expected):
        return f"{len(mine)} rows, {len(expected)} in DuckDB; {first_difference(mine, expected)}"
    return first_difference(mine, expected)


COLUMNS = [
    ("base ms", "ours_base_ms", 9, 1),
    ("ms", "ours_variant_ms", 9, 1),
    ("ratio", "ours_ratio", 7, 2),
    ("DuckDB ms", "duckdb_base_ms", 11, 1),
    ("ms", "duckdb_variant_ms", 9, 1),
    ("ratio", "duckdb_ratio", 7, 2),
    ("quotient", "quotient", 10, 2),
]
OLD_COLUMNS = [
    ("old ms", "old_base_ms", 9, 1),
    ("ms", "old_variant_ms", 9, 1),
    ("new/old base", "new_old_base", 14, 2),
    ("new/old", "new_old_variant", 9, 2),
]


def show(variant, rows):
    """The table of one variant; for the base, only the times."""
    columns = COLUMNS + (OLD_COLUMNS if any("new_old_base" in row for row in rows) else [])
    print(f"\n{variant}")
    print(f"  {'query':15}" + "".join(f"{title:>{width}}" for title, _, width, _ in columns))
    for row in rows:
        line = "".join(
            "-".rjust(width) if row[key] is None else f"{row[key]:{width}.{digits}f}"
            for _, key, width, digits in columns
        )
        marks = "  CLIFF" if (row["quotient"] or 0) > CLIFF else ""
        marks += "  SLOWER" if (row.get("new_old_variant") or 0) > SLOWER else ""
        marks += f"  WRONG: {row['wrong']}" if row["wrong"] else ""
        marks += f"  the old one failed: {row['old_error']}" if row.get("old_error") else ""
        print(f"  {row['query']:15}{line}{marks}")
    for row in rows:
        for when in ("base", "variant"):
            if f"{when}_loops" in row:
                print(f"  {row['query']} on {when}:")
                print("\n".join(f"    {line}" for line in row[f"{when}_loops"]))
    sys.stdout.flush()


def summary(results):
    rows = [(variant, row) for variant, rows in results.items() if variant != "base" for row in rows]
    wrong = [f"{variant} {row['query']}" for variant, of in results.items() for row in of if row["wrong"]]
    cliffs = [
        f"{variant} {row['query']} ({row['quotient']:.1f})" for variant, row in rows if (row["quotient"] or 0) > CLIFF
    ]
    print(f"\n{len(rows)} pairs of variant and query")
    print(f"wrong or missing answers: {', '.join(wrong) or 'none'}")
    print(f"quotients above {CLIFF:g}: {', '.join(cliffs) or 'none'}")
    if any("new_old_base" in row for rows in results.values() for row in rows):
        new_beside_old(results)


def new_beside_old(results):
    """Geometric means of new / old, and each ratio that is more than noise."""
    ratios = {
        variant: {row["query"]: row["new_old_variant"] for row in rows if row["new_old_variant"]}
        for variant, rows in results.items()
    }
    groups = {variant: list(of.values()) for variant, of in ratios.items()}
    groups["all variants"] = [ratio for variant, of in groups.items() if variant != "base" for ratio in of]
    print("\nnew / old, geometric means")
    for group, of in groups.items():
        if of:
            print(f"  {group:15}{statistics.geometric_mean(of):7.3f} of {len(of)}")
    slower = [
        f"{variant} {query} ({ratio:.2f})"
        for variant, of in ratios.items()
        for query, ratio in of.items()
        if ratio > SLOWER
    ]
    print(f"new / old above {SLOWER:.2f}: {', '.join(slower) or 'none'}")


if __name__ == "__main__":
    sys.exit(main())
