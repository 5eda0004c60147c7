"""A shop's data, and queries that nobody has tuned for: does Multiloop beat DuckDB on each? Are the answers right?

    python shapes.py --program target/release/multiloop [--data DIR] [--old another/multiloop]

shapes/shop.sql makes the data: sales and returns in stores, by catalog and on the web. shapes/decisions.sql has the
questions of somebody who runs that shop, in the manner of decision-support benchmarks; shapes/everyday.sql has what
people ask of a table every day; shapes/techniques.sql has, for each technique of Multiloop, the query that it could hurt.

Both engines load the same Parquet files into memory, and run each query in turns. Exits with 1 if an answer is wrong or
missing, with 2 if there is nothing to run on; a query that DuckDB is faster on is only marked.
"""
import argparse
import contextlib
import datetime
import decimal
import fnmatch
import importlib.util
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile
import threading
import time

from engines import DuckDB, Multiloop, quoted
from peer import first_difference, settle, text

FOLDER = pathlib.Path(__file__).resolve().parent / "shapes"
GROUPS = ("decisions", "techniques", "everyday")
SLOWER = 1.10  # new / old above it is slower than noise
BUDGET_S = 4.0  # what takes longer in all engines together is not run again


class Refused(Exception):
    """What the user has to change before anything can run."""


def main():
    options = arguments()
    try:
        queries = check(options)
    except Refused as refused:
        print(f"error: {refused}", file=sys.stderr)
        return 2
    settle(options.threads)
    with contextlib.ExitStack() as stack:
        if options.data:
            files = files_in(options.data)
        else:
            work = options.work or stack.enter_context(tempfile.TemporaryDirectory(prefix="shapes-"))
            files = made(options, pathlib.Path(work))
        results = compare(options, files, queries)
    summary(results)
    if options.json:
        report = {"threads": options.threads, "runs": options.runs, "scale": options.scale, "queries": results}
        pathlib.Path(options.json).write_text(json.dumps(report, indent=1) + "\n")
    return 1 if any(row["wrong"] for row in results) else 0


def add_engines(add):
    """The arguments that say what runs, and how often."""
    release = pathlib.Path(__file__).resolve().parents[2] / "target" / "release" / "multiloop"
    add("--program", default=str(release), metavar="FILE", help="the program `multiloop` (default: the release build)")
    add("--old", metavar="FILE", help="another build of the program, to run in turns with it")
    add("--threads", type=int, default=1, metavar="N", help="of each engine (default: 1)")
    add("--runs", type=int, default=5, metavar="N", help="timed runs after a warm-up; the median counts (default: 5)")
    add("--timeout", type=float, default=120, metavar="S", help="for a run of a query (default: 120)")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    add = parser.add_argument
    add("--data", metavar="DIR", help="a folder that --work has kept (default: make the data)")
    add("--work", metavar="DIR", help="where to put the data, and keep it (default: a temporary folder)")
    add("--scale", type=float, default=1, metavar="X", help="1 is three million facts (default: 1)")
    add("--seed", type=int, default=1, metavar="N", help="other data of the same kind (default: 1)")
    add_engines(add)
    add("--queries", default="*", metavar="A,B", help="names of groups or queries; also with * (default: all)")
    add("--json", metavar="FILE", help="write all results there")
    return parser.parse_args()


def check(options):
    """Refuses what cannot work, before minutes have passed; gives the queries that are wanted."""
    lacking = [module for module in DuckDB.modules if importlib.util.find_spec(module) is None]
    if lacking:
        raise Refused(f"this Python lacks {', '.join(lacking)}: pip install {' '.join(lacking)}")
    for option, program in (("--program", options.program), ("--old", options.old)):
        if program and (not os.access(program, os.X_OK) or os.path.isdir(program)):
            raise Refused(f"cannot run {program}: build it with `cargo build --release`, or name another by {option}")
    if options.threads < 1 or options.runs < 1:
        raise Refused("--threads and --runs are at least 1")
    if not 0.001 <= options.scale <= 1000:
        raise Refused("--scale is from 0.001 to 1000")
    if options.data and not files_in(options.data):
        raise Refused(f"no Parquet files in {options.data}")
    try:
        if options.work:
            pathlib.Path(options.work).mkdir(parents=True, exist_ok=True)
        if options.json:
            pathlib.Path(options.json).touch()
    except OSError as error:
        raise Refused(str(error)) from error
    return chosen(options.queries)


def chosen(names):
    """The queries that a list names: {name: (group, SQL)}."""
    every = {name: (group, sql) for group in GROUPS for name, sql in texts(group).items()}
    wanted = {}
    for pattern in filter(None, (name.strip() for name in names.split(","))):
        found = {name for name, (group, _) in every.items() if fnmatch.fnmatch(name, pattern) or group == pattern}
        if not found:
            raise Refused(f"no query is called {pattern}; there are {', '.join(every)}")
        wanted.update(dict.fromkeys(found))
    return {name: of for name, of in every.items() if name in wanted}


def texts(group):
    """The queries of a file, {name: SQL}. Each begins with a line `-- name: what is asked`."""
    parts = re.split(r"^-- ([a-z0-9-]+): ", (FOLDER / f"{group}.sql").read_text(), flags=re.MULTILINE)
    return {name: sql.partition("\n")[2].strip().rstrip(";") for name, sql in zip(parts[1::2], parts[2::2])}


def files_in(folder):
    return {path.stem: str(path) for path in sorted(pathlib.Path(folder).glob("*.parquet"))}


def made(options, folder):
    """Makes the shop's tables, and a file of each."""
    at = time.perf_counter()
    duckdb = DuckDB(options.threads)
    duckdb.con.execute(f"set variable scale = {options.scale}::double")
    duckdb.con.execute(f"set variable seed = {options.seed}")
    duckdb.con.execute((FOLDER / "shop.sql").read_text())
    tables = [name for name, in duckdb.con.execute("select table_name from duckdb_tables()").fetchall()]
    for table in tables:
        path = str(folder / f"{table}.parquet")
        duckdb.con.execute(f"copy {table} to {quoted(path)} (format parquet)")
    print(f"made {len(tables)} tables in {time.perf_counter() - at:.0f} s", flush=True)
    return files_in(folder)


def compare(options, files, queries):
    """A row of the report for each query."""
    duckdb = DuckDB(options.threads)
    duckdb.con.execute("set default_null_order = 'nulls_last_on_asc_first_on_desc'")  # PostgreSQL's, and Multiloop's
    duckdb.con.execute("set error_on_division_by_zero = false")  # it divides for groups that nobody asks for
    print(f"DuckDB {duckdb.version}, threads: {options.threads}, runs: {options.runs}")
    print(f"new: {options.program}, old: {options.old}" if options.old else options.program, flush=True)
    for table, path in files.items():
        duckdb.load(table, path)
    programs = {"ours": options.program, "old": options.old}
    results, shown = [], None
    with contextlib.ExitStack() as stack:
        engines = {"duckdb": duckdb}
        for name in filter(programs.get, programs):
            engines[name] = Multiloop(options.threads, programs[name], options.timeout)
            engines[name].tables = files
            stack.callback(engines[name].close)
        for query, (group, sql) in queries.items():
            row = row_of(query, group, sql, in_turns(engines, sql, options))
            show(row, heading=group != shown)
            results.append(row)
            shown = group
    return results


def in_turns(engines, sql, options):
    """{engine: {"times_ms", "rows"}, or with an error}: a run in each, then the next; who is first changes.

    Multiloop prints times of EXPLAIN ANALYZE only; so a query runs as it is, which warms up and gives the answer, and
    then so. Both bring the whole result into Arrow batches.
    """
    found = {name: attempt(lambda: {"times_ms": [], "rows": answer(engine, sql, options)})
             for name, engine in engines.items()}
    for turn in range(options.runs):
        for name in list(engines)[:: -1 if turn % 2 else 1]:
            if "error" not in found[name]:
                ran = attempt(lambda: {"ms": timed(engines[name], sql, options)})
                if "error" in ran:
                    found[name] = ran
                else:
                    found[name]["times_ms"].append(ran["ms"])
        if sum(sum(of.get("times_ms", ())) for of in found.values()) > BUDGET_S * 1e3:
            break
    return found


def attempt(what):
    try:
        return what()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def answer(engine, sql, options):
    with limit(engine, options.timeout):
        result = (sql, None) if isinstance(engine, Multiloop) else engine.run(sql)
        return [[cell(value) for value in row] for row in engine.rows(result)]


def timed(engine, sql, options):
    with limit(engine, options.timeout):
        at = time.perf_counter()
        result = engine.run(sql)
        return engine.took(result, (time.perf_counter() - at) * 1e3)


@contextlib.contextmanager
def limit(engine, seconds):
    """Ends a run of DuckDB in time; Multiloop's does so by itself."""
    timer = threading.Timer(seconds, engine.con.interrupt) if isinstance(engine, DuckDB) else None
    if timer:
        timer.start()
    try:
        yield
    finally:
        if timer:
            timer.cancel()


def cell(value):
    """One cell as text, so that types do not matter: of a number two decimals, of a timestamp all of it."""
    if isinstance(value, datetime.datetime):
        value = value.isoformat()
    return re.sub(r"(T\d\d:\d\d:\d\d\.\d*?)0+$", r"\1", value) if isinstance(value, str) else text(value)


def row_of(query, group, sql, found):
    """One line of the report, as a dictionary."""
    row = {"query": query, "group": group, "wrong": difference(sql, found["ours"], found["duckdb"])}
    row["rows"] = len(found["duckdb"].get("rows", ()))
    for engine, of in found.items():
        times = of.get("times_ms")
        row[f"{engine}_ms"] = round(statistics.median(times), 3) if times else None
        row[f"{engine}_times_ms"] = [round(ms, 3) for ms in times or ()]
    ours, theirs, old = row["ours_ms"], row["duckdb_ms"], row.get("old_ms")
    row["ratio"] = round(theirs / ours, 4) if ours and theirs else None
    if "old" in found:
        row["new_old"] = round(ours / old, 4) if ours and old else None
        row["old_error"] = found["old"].get("error")
    return row


def difference(sql, ours, theirs):
    """What is wrong with our answer, in words; None if nothing is."""
    if "error" in ours:
        return f"Multiloop failed: {ours['error']}"
    if "error" in theirs:
        return f"DuckDB failed, so nothing is known: {theirs['error']}"
    mine, expected = ours["rows"], theirs["rows"]
    if same(mine, expected):
        return None
    if same(sorted(mine), sorted(expected)):
        return "the rows are right, their order is not" if is_ordered(sql) else None
    if len(mine) != len(expected):
        return f"{len(mine)} rows, {len(expected)} in DuckDB; {first_difference(mine, expected)}"
    return first_difference(mine, expected)


def same(mine, expected):
    return len(mine) == len(expected) and all(
        len(a) == len(b) and all(map(alike, a, b)) for a, b in zip(mine, expected)
    )


def alike(mine, expected):
    """Whether two cells are equal. Numbers that were close to half a cent may have been rounded to either side, and what
    is a numeric in one engine may be a double in the other, which has fifteen digits."""
    if mine == expected:
        return True
    try:
        mine, expected = decimal.Decimal(mine), decimal.Decimal(expected)
        return abs(mine - expected) <= max(decimal.Decimal("0.01"), abs(expected).scaleb(-14))
    except decimal.InvalidOperation:
        return False


def is_ordered(sql):
    """Whether the whole has an order: the last ORDER BY stands in no brackets."""
    head, _, tail = re.sub(r"--.*", "", sql).lower().rpartition("order by")
    return bool(head) and tail.count("(") == tail.count(")")


COLUMNS = [
    ("rows", "rows", 9, 0),
    ("ms", "ours_ms", 10, 1),
    ("DuckDB ms", "duckdb_ms", 11, 1),
    ("ratio", "ratio", 8, 2),
]
OLD_COLUMNS = [("old ms", "old_ms", 10, 1), ("new/old", "new_old", 9, 2)]


def show(row, heading):
    columns = COLUMNS + (OLD_COLUMNS if "new_old" in row else [])
    if heading:
        print(f"\n{row['group']}")
        print(f"  {'query':28}" + "".join(f"{title:>{width}}" for title, _, width, _ in columns))
    line = "".join(
        "-".rjust(width) if row[key] is None else f"{row[key]:{width}.{digits}f}" for _, key, width, digits in columns
    )
    marks = "  BELOW" if (row["ratio"] or 1) < 1 else ""
    marks += "  SLOWER" if (row.get("new_old") or 0) > SLOWER else ""
    marks += f"  WRONG: {row['wrong']}" if row["wrong"] else ""
    marks += f"  the old one failed: {row['old_error']}" if row.get("old_error") else ""
    print(f"  {row['query']:28}{line}{marks}", flush=True)


def summary(results):
    print("\nDuckDB / Multiloop, geometric means")
    for group in (*GROUPS, "all"):
        of = [row for row in results if group in (row["group"], "all")]
        ratios = [row["ratio"] for row in of if row["ratio"]]
        if ratios:
            print(f"  {group:15}{statistics.geometric_mean(ratios):7.2f} of {len(ratios)}")
    below = [f"{row['query']} ({row['ratio']:.2f})" for row in results if (row["ratio"] or 1) < 1]
    print(f"below 1: {', '.join(below) or 'none'}")
    print(f"wrong or missing answers: {', '.join(row['query'] for row in results if row['wrong']) or 'none'}")
    olds = [row["new_old"] for row in results if row.get("new_old")]
    if olds:
        slower = [f"{row['query']} ({row['new_old']:.2f})" for row in results if (row.get("new_old") or 0) > SLOWER]
        print(f"new / old, geometric mean: {statistics.geometric_mean(olds):.3f} of {len(olds)}")
        print(f"new / old above {SLOWER:.2f}: {', '.join(slower) or 'none'}")


if __name__ == "__main__":
    sys.exit(main())
