"""Files where they lie: is a shell that is started for one query faster than DuckDB?

    python files.py --data DIR --program target/release/multiloop [--old another/multiloop] [--threads N] [--runs N]

DIR has TPC-H's Parquet files. Each query runs in a process of its own, of each engine in turns; what a process takes that asks for
nothing of a file is taken off. The page cache is warm: each runs once before. Prints a table in Markdown; ratio = DuckDB / Multiloop.
Exits with 1 if an answer is wrong or missing.
"""
import argparse
import csv
import io
import math
import pathlib
import statistics
import subprocess
import sys
import time

from peer import settle, text

TEXTS = pathlib.Path(__file__).parent.parent / "queries"


def standard(name):
    """A text of TPC-H over the file of lineitem."""
    return (TEXTS / f"{name}.sql").read_text().rstrip().rstrip(";").replace("lineitem", "'lineitem.parquet'")


NOTHING = "SELECT 1"
QUERIES = {
    "count of lines": "SELECT count(*) FROM 'lineitem.parquet'",
    "Q1": standard("q01"),
    "Q6": standard("q06"),
    "five lines": "SELECT * FROM 'lineitem.parquet' LIMIT 5",
    "comments of an order": "SELECT l_comment FROM 'lineitem.parquet' WHERE l_orderkey = 1000000",
    "different comments": "SELECT count(DISTINCT l_comment) FROM 'lineitem.parquet'",
    "lines by their order's priority": "SELECT o_orderpriority, count(*), sum(l_extendedprice) FROM 'orders.parquet'"
    " JOIN 'lineitem.parquet' ON l_orderkey = o_orderkey GROUP BY 1",
    "count and sum of orders": "SELECT count(*), sum(o_totalprice) FROM 'orders.parquet'",
}
DUCKDB = """
import csv, duckdb, sys, time
con = duckdb.connect()
con.execute(f"SET threads = {sys.argv[1]}; SET enable_progress_bar = false")
at = time.perf_counter()
rows = con.execute(sys.argv[2]).fetchall()
print(time.perf_counter() - at)
csv.writer(sys.stdout).writerows(rows)
"""


def rows(lines):
    """Rows of CSV as a bag, numbers rounded to two decimals."""

    def cell(value):
        try:
            return text(float(value))
        except ValueError:
            return value.rstrip()

    return sorted([cell(value) for value in row] for row in csv.reader(lines))


def duckdb(folder, threads, sql):
    """Milliseconds of a query in a new process, without those of its start, and its rows."""
    command = [sys.executable, "-c", DUCKDB, str(threads), sql]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    took, *lines = done.stdout.splitlines()
    return float(took) * 1000, rows(lines)


def multiloop(program, folder, threads, sql):
    """Milliseconds of a whole process, and its rows."""
    command = [program, "--threads", str(threads), "--csv", "-c", sql]
    at = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return (time.perf_counter() - at) * 1000, rows(io.StringIO(done.stdout).readlines()[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="a folder with TPC-H's Parquet files")
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the program `multiloop`")
    parser.add_argument("--old", type=pathlib.Path, help="another build of the program")
    parser.add_argument("--threads", type=int, default=1, help="of each engine (default: 1)")
    parser.add_argument("--runs", type=int, default=5, help="timed runs after a warm-up; the median counts (default: 5)")
    arguments = parser.parse_args()
    settle(arguments.threads)
    programs = [path.resolve() for path in [arguments.program, arguments.old] if path]
    starts = [
        statistics.median(multiloop(program, arguments.data, arguments.threads, NOTHING)[0] for _ in range(2 * arguments.runs))
        for program in programs
    ]
    print("| | DuckDB, ms | Multiloop, ms | ratio |" + (" old, ms | new / old |" if arguments.old else ""))
    print("|---|---|---|---|" + ("---|---|" if arguments.old else ""))
    ratios, wrong = [], 0
    for name, sql in QUERIES.items():
        times = [[] for _ in range(1 + len(programs))]
        for run in range(1 + arguments.runs):
            answers = [duckdb(arguments.data, arguments.threads, sql)]
            answers += [multiloop(program, arguments.data, arguments.threads, sql) for program in programs]
            if run > 0:
                for own, (took, _) in zip(times, answers):
                    own.append(took)
        # Which five lines is nobody's promise.
        differs = "LIMIT" not in sql and any(found != answers[0][1] for _, found in answers[1:])
        wrong += differs
        theirs, *ours = [statistics.median(own) for own in times]
        # Starts differ by about a millisecond.
        ours = [max(own - start, 1) for own, start in zip(ours, starts)]
        ratios.append(theirs / ours[0])
        more = f" {ours[1]:.1f} | {ours[0] / ours[1]:.2f} |" if arguments.old else ""
        mark = " WRONG" if differs else ""
        print(f"| {name}{mark} | {theirs:.1f} | {ours[0]:.1f} | {ratios[-1]:.2f} |{more}", flush=True)
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
    print(f"\nGeometric mean {mean:.2f} of {len(ratios)}; {sum(ratio < 1 for ratio in ratios)} below 1. A start takes {starts[0]:.1f} ms.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
