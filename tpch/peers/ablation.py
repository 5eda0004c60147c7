"""What is each technique and each rule worth? Times of TPC-H with one of them off at a time, as a table in Markdown.

    python ablation.py --data tpch-sf1/ --program target/release/multiloop

Techniques of execution are left out by MULTILOOP_WITHOUT, rewrite rules by `multiloop tpch --rules`. In every round each
of them is a process of its own, and so is the base, with everything on, twice. Of a query the fastest of all runs counts,
and

    ratio = time without it / time with everything on

as the geometric mean over the queries. Most of what can be left out leaves most queries alone: so where much was
measured, the time of a query with everything on is the median of what it took in all these cases, which no process that
was lucky or not spoils. The ratios of the base itself then say what noise is. Exits with 1 if an answer is wrong or
missing, with 2 if there is nothing to run on.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUERIES = range(1, 23)
BASE, CONTROL = "nothing", "nothing, again"
SCOUT_SF = "0.01"
MANY = 12  # so many cases have a median to go by
SLOW, SLOW_MS = 10.0, 10.0  # at the scout's scale: so many times slower and so long is perhaps quadratic


class Refused(Exception):
    """What the user has to change before anything can run."""


class Case:
    """Something that is left out, and what was measured without it."""

    def __init__(self, kind, name, variables=(), arguments=()):
        self.kind, self.name = kind, name
        self.variables, self.arguments = dict(variables), list(arguments)
        self.best = {}  # the fastest run in ms, by query
        self.alone = {}  # of queries that run in a process of their own, once
        self.problems = {}  # what went wrong, by query


def main():
    options = arguments()
    try:
        check(options)
        chosen = cases(options)
    except Refused as refused:
        print(f"error: {refused}", file=sys.stderr)
        return 2
    with contextlib.suppress(AttributeError, OSError):  # not on every system
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: options.threads]))
    scout(options, chosen)
    for number in range(1, options.rounds + 1):
        for case in chosen:
            if number == 1:
                for query in case.alone:
                    measure_alone(options, case, query, case.alone)
            measure(options, case)
            print(f"round {number}: {case.name}", file=sys.stderr, flush=True)
        if options.json:
            figures = [vars(case) for case in chosen]
            pathlib.Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    print(table(chosen))
    return 1 if any(case.problems for case in chosen) else 0


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    release = ROOT / "target" / "release" / "multiloop"
    add = parser.add_argument
    add("--data", required=True, metavar="DIR", help="a folder with TPC-H's Parquet files")
    add("--sf", default="1", help="the scale factor of the data (default: 1)")
    add("--program", default=str(release), metavar="FILE", help="the program `multiloop` (default: the release build)")
    add("--only", metavar="A,B", help="techniques and rules (default: all of them)")
    add("--threads", type=int, default=1, metavar="N", help="worker threads (default: 1)")
    add("--rounds", type=int, default=3, metavar="N", help="processes for each of them (default: 3)")
    add("--runs", type=int, default=3, metavar="N", help="timed runs of a query in a process (default: 3)")
    add("--timeout", type=float, default=60, metavar="S", help="for a process (default: 60)")
    add("--json", metavar="FILE", help="write all results there, after each round")
    return parser.parse_args()


def check(options):
    """Refuses what cannot work, before minutes have passed."""
    if not (pathlib.Path(options.data) / "lineitem.parquet").is_file():
        raise Refused(f"no lineitem.parquet in {options.data}")
    if not os.access(options.program, os.X_OK) or os.path.isdir(options.program):
        raise Refused(f"cannot run {options.program}: build it with `cargo build --release`, or name it by --program")
    if options.threads < 1 or options.rounds < 1 or options.runs < 1:
        raise Refused("--threads, --rounds and --runs are at least 1")


def cases(options):
    """The base, all that is left out, and the base again. Names are those of the sources beside this script."""
    techniques = re.findall(r'^    \w+ = "([a-z-]+)",$', (ROOT / "exec/src/technique.rs").read_text(), re.MULTILINE)
    rules = re.findall(r'\brule\(\s*"(\w+)"', (ROOT / "planner/src/rewrite/rules/mod.rs").read_text())
    found = [Case("technique", name, [("MULTILOOP_WITHOUT", name)]) for name in techniques]
    found.append(Case("all", "all techniques", [("MULTILOOP_WITHOUT", "all")]))
    found += [Case("all", f"{missing}: `MULTILOOP_CPU={level}`", [("MULTILOOP_CPU", level)])
              for missing, level in (("AVX-512", "avx2"), ("AVX2 and AVX-512", "portable"))]
    found += [Case("rule", name, (), ["--rules", name]) for name in rules]
    if options.only:
        wanted = options.only.split(",")
        unknown = [name for name in wanted if name not in techniques + rules]
        if unknown:
            raise Refused(f"nothing is called {', '.join(unknown)}; there are {', '.join(techniques + rules)}")
        found = [case for case in found if case.name in wanted]
    return [Case("base", BASE), *found, Case("base", CONTROL)]


def scout(options, chosen):
    """Finds, on little data, the queries that are much slower without something: these run alone, with a timeout."""
    base = None
    for case in chosen:
        found, failure = process(options, case, QUERIES, ["--sf", SCOUT_SF], runs=3)
        base = base or found
        if failure:
            case.problems["sf " + SCOUT_SF] = failure
        for query, report in found.items():
            if report["min_ms"] > max(SLOW_MS, SLOW * base[query]["min_ms"]):
                case.alone[query] = None


def measure(options, case):
    """All queries but the slow ones, in one process. If that does not end well, one by one, to see which are slow."""
    queries = [query for query in QUERIES if query not in case.alone]
    found, failure = process(options, case, queries, full(options), options.runs)
    note(case, found, case.best)
    if failure:
        for query in queries:
            if not measure_alone(options, case, query, case.best):
                case.alone[query] = None


def measure_alone(options, case, query, times):
    """One query, once; whether it ended well."""
    found, failure = process(options, case, [query], full(options), runs=1)
    note(case, found, times)
    if failure:
        case.problems[query] = failure
    return failure is None


def full(options):
    return ["--sf", options.sf, "--data", options.data]


def note(case, found, times):
    for query, report in found.items():
        times[query] = min(times.get(query) or math.inf, report["min_ms"])
        if report.get("difference") or not report.get("verified"):
            case.problems[query] = report.get("difference") or "not verified"


def process(options, case, queries, arguments, runs):
    """What the program says of each query, and how it failed, if it did."""
    with tempfile.TemporaryDirectory(prefix="ablation-") as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [options.program, "tpch", "--threads", str(options.threads), "--runs", str(runs), "--verify"]
        command += ["--queries", ",".join(map(str, queries)), "--json", str(report), *arguments, *case.arguments]
        try:
            done = subprocess.run(
                command, env={**os.environ, **case.variables}, capture_output=True, text=True, timeout=options.timeout
            )
        except subprocess.TimeoutExpired:
            return {}, f"not finished after {options.timeout:g} s"
        if not report.is_file():
            return {}, " ".join(done.stderr.split())[-300:] or f"exit code {done.returncode}"
        return {query["query"]: query for query in json.loads(report.read_text())["queries"]}, None


def usual(chosen):
    """The time of each query with everything on."""
    if len(chosen) < MANY:
        return chosen[0].best
    return {query: statistics.median(case.best[query] for case in chosen if query in case.best) for query in QUERIES}


def table(chosen):
    base = usual(chosen)
    lines = [f"everything on: {sum(base.values()):.1f} ms"]
    for title, kinds in (("technique left out", ("technique", "all", "base")), ("rule left out", ("rule",))):
        rows = sorted((row(base, case) for case in chosen if case.kind in kinds), key=lambda of: -of[0])
        if rows:
            lines += ["", f"| {title} | total ms | ratio | slower | faster | answers |", "|---|---|---|---|---|---|"]
            lines += [text for _, text in rows]
    return "\n".join(lines)


def row(base, case):
    """The ratio and the line of a table."""
    times = {**case.best, **{query: time for query, time in case.alone.items() if time}}
    ratios = {query: time / base[query] for query, time in times.items() if base.get(query)}
    if not ratios:
        return math.inf, f"| {case.name} | | | | | {said(case)} |"
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    by_ratio = sorted(ratios, key=ratios.get)
    slower = ", ".join(f"Q{query} {ratios[query]:.2f}" for query in by_ratio[:-4:-1] if ratios[query] >= 1.05)
    faster = ", ".join(f"Q{query} {ratios[query]:.2f}" for query in by_ratio[:2] if ratios[query] <= 0.95)
    total = f"{sum(times.values()):.1f}" + (f" ({len(times)} queries)" if len(times) < len(QUERIES) else "")
    return mean, f"| {case.name} | {total} | {mean:.3f} | {slower} | {faster} | {said(case)} |"


def said(case):
    problems = [f"Q{query}: {what}" if isinstance(query, int) else what for query, what in case.problems.items()]
    return "; ".join(problems) or "right"


if __name__ == "__main__":
    sys.exit(main())
