"""One engine in a process of its own, driven over pipes by `multiloop tpch --compare`.

    python peer.py                           prints {"duckdb": [], "polars": ["polars"], …}: the modules that each lacks
    python peer.py ENGINE THREADS [PROGRAM]  reads a line of JSON, writes a line of JSON, until its input ends:

    {"tables": {"lineitem": "/…/lineitem.parquet", …},         {"version": …, "fetch": …, "load_ms": …}
     "in_place": whether files are asked where they are}
    {"sql": …, "runs": 5, "budget_s": 150}                    {"times_ms": [warm-up, run, …], "rows": [["1.00", "A"], …],
                                                               "peak_mb": most memory resident in these runs}

or {"error": …} for either.
"""
import contextlib
import datetime
import decimal
import importlib.util
import json
import math
import os
import sys
import time

from engines import ENGINES, end_in_time

decimal.getcontext().prec = 400  # the largest double has 309 digits before the point


def text(value):
    """One cell as text; every number has two decimals, so that types do not matter."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float, decimal.Decimal)):
        if isinstance(value, float) and not math.isfinite(value):
            return "NULL" if math.isnan(value) else str(value)
        cents = decimal.Decimal(str(value)).quantize(decimal.Decimal("0.01"), decimal.ROUND_HALF_UP)
        return str(abs(cents) if cents == 0 else cents)
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    return str(value).rstrip()


def settle(threads):
    """Keeps all engines to as many CPUs as there are threads, the first ones."""
    with contextlib.suppress(AttributeError, OSError):  # not on every system
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:threads]))


def first_difference(mine, expected):
    ours, theirs = ({tuple(row) for row in rows} for rows in (mine, expected))
    only = (sorted(ours - theirs)[:1] or ["nothing"], sorted(theirs - ours)[:1] or ["nothing"])
    if only == (["nothing"], ["nothing"]):
        return "the same rows, but not as often"
    return f"only Multiloop has {only[0][0]}, only DuckDB has {only[1][0]}"


def load(engine, job):
    at = time.perf_counter()
    for name, path in job["tables"].items():
        (engine.view if job["in_place"] else engine.load)(name, path)
    load_ms = (time.perf_counter() - at) * 1e3
    return {"version": engine.version, "fetch": engine.fetch, "load_ms": round(load_ms, 1)}


def processes():
    """This process and all that it has started."""
    found = [os.getpid()]
    for pid in found:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as file:
                    found += map(int, file.read().split())
    return found


def reset_peak():
    """Forgets how much memory was resident before: 5 is Linux' number for that, see proc(5)."""
    for pid in processes():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/clear_refs", "w") as file:
            file.write("5")


def peak_mb():
    """Most memory that was resident at one time since then, in MiB; none where the system does not say."""
    total = 0
    for pid in processes():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/status") as file:
            total += sum(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
    return total // 1024 or None


def measure(engine, job):
    """One warm-up, then the timed runs; fewer (at least one) when they take longer than the budget."""
    times, result = [], None
    reset_peak()
    while len(times) <= job["runs"]:
        del result  # the memory of the last run is not the next one's burden
        at = time.perf_counter()
        result = engine.run(job["sql"])
        times.append(engine.took(result, (time.perf_counter() - at) * 1e3))
        if len(times) > 1 and sum(times) > job["budget_s"] * 1e3:
            break
    peak = peak_mb()  # before rows() makes Python's objects of the result
    rows = [[text(v) for v in row] for row in engine.rows(result)]
    return {"times_ms": [round(t, 3) for t in times], "rows": rows, "peak_mb": peak}


def settle(threads):
    """Keeps to as many CPUs as there are threads, the first ones; and ends in time."""
    with contextlib.suppress(AttributeError, OSError):  # not on every system
        usable = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, set(usable[:threads]))
    end_in_time()
    with contextlib.suppress(OSError):  # if memory runs out, a peer goes first, not the machine
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")


def main():
    if len(sys.argv) == 1:
        print(json.dumps({name: lacking(engine) for name, engine in ENGINES.items()}))
        return
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever an engine prints goes to stderr
    name, threads, *program = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
    settle(threads)
    engine = None
    for line in sys.stdin:
        job = json.loads(line)
        try:
            if "tables" in job:
                engine = ENGINES[name](threads, *program)
                reply = load(engine, job)
            else:
                reply = measure(engine, job)
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"[:600]}
        out.write(json.dumps(reply) + "\n")
        out.flush()
    if engine:
        engine.close()


def lacking(engine):
    return [module for module in engine.modules if importlib.util.find_spec(module) is None]


if __name__ == "__main__":
    main()
