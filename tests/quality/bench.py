"""All that is measured of speed, as one table of ratios.

    python -m tests.quality.bench [--only NAME ...] [--all] [-o bench.json]
    python -m tests.quality.bench --diff OLD.json NEW.json

Each row has our figure, that of a peer or of a calibration of the same minute, their ratio, and the goal. Seconds of
two machines, or of a busy and a quiet hour, cannot be compared; ratios can. Each work has a process of its own. Those
that take many minutes are left out unless they are named, or with --all.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_ifeval_pt.cli import printing
from lm_eval_ifeval_pt.cli.layout import Table
from tests.quality.row import NotMeasured, Row


class Work(NamedTuple):
    """A module whose `bench_rows` measures something, and whether that takes many minutes."""

    module: str
    is_slow: bool = False


WORKS = {
    "commands": Work("commands_bench"),
    "verifiers": Work("peer"),
    "hostile": Work("speed"),
    "aggregation": Work("aggregation"),
    "contamination": Work("contamination"),
    "humaneval": Work("humaneval_bench"),
    "report": Work("report_bench"),
    "requests": Work("requests_bench"),
    "ruler": Work("ruler_bench"),
    "shared-prefix": Work("shared_prefix_bench", is_slow=True),
    "suite": Work("suite_bench"),
    "sweep": Work("sweep_bench", is_slow=True),
}
NOTABLE = 0.15
"""The share by which a ratio must change to be marked: less is noise of a busy machine."""


class Measurement(NamedTuple):
    """The rows of one work, or why there are none."""

    name: str
    rows: tuple[Row, ...] = ()
    reason: str = ""


def measure(name: str) -> Measurement:
    """Measure one work in a process of its own."""
    code = f"from tests.quality import bench; bench.worker({name!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        return Measurement(name, reason=(done.stderr.strip() or "it failed").splitlines()[-1])
    data = json.loads(done.stdout.splitlines()[-1])
    return Measurement(name, tuple(map(Row.read, data["rows"])), data["reason"])


def worker(name: str) -> None:
    """Print the rows of a work as the last line of the output, as JSON."""
    module: Any = importlib.import_module(f"tests.quality.{WORKS[name].module}")
    try:
        rows, reason = module.bench_rows(), ""
    except NotMeasured as error:
        rows, reason = [], str(error)
    print(json.dumps({"rows": [asdict(row) for row in rows], "reason": reason}))


def table(rows: Sequence[Row]) -> Table:
    """Each work with its two figures, their ratio and the goal."""
    made = printing.table("", "work", "beside", "unit", "ours", "theirs", "ratio", "goal", "met", left=3)
    for row in rows:
        goal = "–" if row.goal is None else f"{'>=' if row.is_least else '<='} {row.goal:g}"
        met = {None: "–", True: "yes", False: "NO"}[row.is_met]
        figures = (f"{row.ours:.3g}", f"{row.theirs:.3g}", f"{row.ratio:.3g}")
        made.add_row(row.work, row.beside, row.unit, *figures, goal, met, style="red" if row.is_met is False else "")
    return made


def compared(old: Sequence[Row], new: Sequence[Row]) -> Table:
    """The ratios of two versions, and what got notably better or worse."""
    made = printing.table("", "work", "beside", "old ratio", "new ratio", "change %", "", left=2)
    before = {(row.work, row.beside): row for row in old}
    for row in new:
        was = before.pop((row.work, row.beside), None)
        if was is None:
            made.add_row(row.work, row.beside, "–", f"{row.ratio:.3g}", "–", "new")
            continue
        change = row.ratio / was.ratio - 1
        is_better = (change > 0) == row.is_least
        verdict = "" if abs(change) < NOTABLE else "better" if is_better else "WORSE"
        made.add_row(row.work, row.beside, f"{was.ratio:.3g}", f"{row.ratio:.3g}", f"{100 * change:+.0f}", verdict)
    for row in before.values():
        made.add_row(row.work, row.beside, f"{row.ratio:.3g}", "–", "–", "gone")
    return made


def write(path: Path, measurements: Sequence[Measurement]) -> None:
    """Write the rows as JSON."""
    data = {
        "python": platform.python_version(),
        "processor": platform.machine(),
        "rows": [asdict(row) | {"is_met": row.is_met} for done in measurements for row in done.rows],
        "not_measured": {done.name: done.reason for done in measurements if done.reason},
    }
    path.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def read(path: Path) -> list[Row]:
    """The rows of a written file."""
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return [Row.read({name: value for name, value in row.items() if name != "is_met"}) for row in rows]


def main() -> None:
    """Measure and print, or compare two files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=list(WORKS), metavar="NAME", help=", ".join(WORKS))
    parser.add_argument("--all", action="store_true", help="also what takes many minutes")
    parser.add_argument("-o", "--output", type=Path, help="write the rows as JSON")
    parser.add_argument("--diff", nargs=2, type=Path, metavar=("OLD", "NEW"), help="compare two such files")
    options = parser.parse_args()
    if options.diff:
        printing.console().print(compared(*map(read, options.diff)))
        return
    names = options.only or [name for name, work in WORKS.items() if options.all or not work.is_slow]
    measurements = []
    for name in names:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        measurements.append(measure(name))
    console = printing.console()
    console.print(table([row for done in measurements for row in done.rows]))
    for done in measurements:
        if done.reason:
            console.print(f"{done.name}: not measured: {done.reason}")
    if left_out := [name for name in WORKS if name not in names]:
        console.print(f"left out: {', '.join(left_out)} (--only NAME, --all)")
    if options.output:
        write(options.output, measurements)


if __name__ == "__main__":
    main()
