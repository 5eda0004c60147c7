"""Draws `docs/tpch.svg`: the time that each engine takes for the 22 queries, of a page of results.

    python3 tpch/peers/totals_plot.py tpch/results/2026-11-25-where-it-stands.md > docs/tpch.svg

The page's first table has a column a setting (SF1 on one thread, …) and a row an engine, in ms; Multiloop's is "total".
Date, machine, commit and versions are read from the page's first lines. Nothing is measured here.
"""

import re
import sys
from pathlib import Path

ENGINES = ["Multiloop", "DuckDB", "Polars", "DataFusion", "Hyper", "chDB"]
OURS, THEIRS = "#0072b2", "#b8c4d0"
LEFT, PANEL, GAP, TOP, BAR, STEP = 24, 262, 22, 74, 17, 25
NAME, VALUE = 78, 54  # Room for names and for figures beside the bars.


def totals(page):
    """The settings, and for each engine its milliseconds in them; None where it was not run."""
    lines = page.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith("| | SF")), None)
    if start is None:
        sys.exit("the page has no table of settings")
    cells = lambda line: [cell.strip() for cell in line.strip().strip("|").split("|")]
    settings, rows = cells(lines[start])[1:], {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        name, *values = cells(line)
        name = "Multiloop" if name.startswith("total") else name
        if name in ENGINES:
            rows[name] = [float(value) if value else None for value in values]
    missing = [name for name in ENGINES if name not in rows]
    if missing:
        sys.exit(f"the page has no row of {', '.join(missing)}")
    return settings, rows


def source(page):
    """Date, commit and machine; the other engines' versions."""
    text = re.sub(r" \([^)]*\)", "", " ".join(page.split()))
    date = re.search(r"20\d\d-\d\d-\d\d", text)
    commit = re.search(r"Multiloop at ([0-9a-f]{7})", text)
    machine = re.search(r"\d+-core [^;.]*", text)
    versions = re.search(r"DuckDB [0-9.]+[^;]*?(?=\. )", text)
    if not (date and commit and machine and versions):
        sys.exit("the page does not say date, commit, machine and versions")
    return [f"{date[0]}, {machine[0]}", f"Multiloop {commit[1]}, {versions[0]}"]


def seconds(milliseconds):
    """As people read it: 157 ms, 1.7 s."""
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def svg(page):
    settings, rows = totals(page)
    width = LEFT * 2 + PANEL * len(settings) + GAP * (len(settings) - 1)
    height = TOP + STEP * len(ENGINES) + 50
    text = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="26" font-size="15" font-weight="bold">TPC-H: time for all 22 queries, data in memory; '
        "less is better</text>",
    ]
    for panel, setting in enumerate(settings):
        x = LEFT + panel * (PANEL + GAP)
        longest = max(values[panel] or 0 for values in rows.values())
        text.append(f'<text x="{x}" y="{TOP - 18}" font-weight="bold">{setting}</text>')
        for row, name in enumerate(ENGINES):
            value, y = rows[name][panel], TOP + row * STEP
            middle = y + BAR / 2 + 4
            text.append(f'<text x="{x + NAME - 6}" y="{middle:.1f}" text-anchor="end">{name}</text>')
            if value is None:
                text.append(f'<text x="{x + NAME}" y="{middle:.1f}" fill="#777777">not run</text>')
                continue
            length = max(1.0, value / longest * (PANEL - NAME - VALUE))
            fill = OURS if name == "Multiloop" else THEIRS
            text.append(f'<rect x="{x + NAME}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{fill}"/>')
            text.append(f'<text x="{x + NAME + length + 5:.1f}" y="{middle:.1f}">{seconds(value)}</text>')
    for number, line in enumerate(source(page)):
        y = TOP + STEP * len(ENGINES) + 22 + 16 * number
        text.append(f'<text x="{LEFT}" y="{y}" fill="#555555" font-size="11">{line}</text>')
    return "\n".join(text + ["</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(svg(Path(sys.argv[1]).read_text(encoding="utf-8")))
