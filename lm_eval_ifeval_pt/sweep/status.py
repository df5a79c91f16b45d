"""How far a sweep is: a state for each cell, what is left, and what looks wrong."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_ifeval_pt.sweep.folder import Folder, State, read_cell
from lm_eval_ifeval_pt.sweep.plan import Cell, Plan, differing

_JUMP = 1.5
"""How many times the bits per byte of both neighbours are suspicious."""


@dataclass(frozen=True)
class CellStatus:
    """A cell and how far it is."""

    cell: Cell
    state: State


def lines(folder: Folder) -> list[CellStatus]:
    """The cells of all plans of a sweep; of two plans on one checkpoint and task the later one counts.

    Raises:
        SweepError: there is no sweep in the folder.
    """
    folder.index()
    seen: dict[tuple[str, str], CellStatus] = {}
    for plan in folder.plans():
        for line in of_plan(folder, plan):
            seen.setdefault((line.cell.checkpoint.label, line.cell.task), line)
    return list(seen.values())


def of_plan(folder: Folder, plan: Plan) -> list[CellStatus]:
    """The cells of one plan."""
    cells = plan.cells(folder.checkpoints(plan))
    return [CellStatus(cell, folder.state(cell, plan.retries)) for cell in cells]


def seconds_left(lines: Sequence[CellStatus], workers: int) -> float | None:
    """An estimate of the time that the cells not done will take; None while nothing tells.

    A task takes the median of what it took, of two the less: the first has the start of its worker in it. One that has
    not been evaluated takes the median of all.
    """
    taken: dict[str, list[float]] = {}
    for line in lines:
        if line.state.result is not None:
            data = read_cell(line.state.result)
            taken.setdefault(str(data["task"]), []).append(float(data["seconds"]))
    if not taken:
        return None
    by_task = {task: statistics.median_low(seconds) for task, seconds in taken.items()}
    usual = statistics.median_low(by_task.values())
    left = {line.cell.key: line.cell.task for line in lines if line.state.status in ("missing", "running")}
    return sum(by_task.get(task, usual) for task in left.values()) / max(1, workers)


def suspicious(lines: Sequence[CellStatus]) -> Iterator[str]:
    """Checkpoints whose bits per byte of the fixed text jump out: weights that were perhaps loaded wrong."""
    known: dict[str, dict[str, tuple[tuple[str, float, str], float]]] = {}
    for line in lines:
        if line.state.result is not None and (value := read_cell(line.state.result).get("bits_per_byte")) is not None:
            checkpoint = line.cell.checkpoint
            known.setdefault(checkpoint.run, {})[checkpoint.name] = checkpoint.order, float(value)
    for run, values in known.items():
        series = sorted((order, name, value) for name, (order, value) in values.items())
        for index, (_, name, value) in enumerate(series):
            beside = [series[other][2] for other in (index - 1, index + 1) if 0 <= other < len(series)]
            if index == 0 or not beside:  # the first has learnt least
                continue
            if math.isnan(value) or value > _JUMP * max(beside):
                told = " and ".join(f"{neighbour:.2f}" for neighbour in beside)
                yield (
                    f"{run}/{name}: {value:.2f} bits per byte of the fixed text, its neighbours {told}: "
                    "were its weights loaded right?"
                )


def explanation(folder: Folder, line: CellStatus) -> str:
    """Why a cell has no result: nothing was there, or a result under another key, and what differs."""
    others = sorted(folder.others(line.cell), key=lambda data: -float(data.get("finished", 0)))
    if not others:
        return "no result of this checkpoint on this task"
    parts = differing(line.cell.parts, others[0]["parts"])
    told = "; ".join(f"{name}: {_short(was)} -> {_short(now)}" for name, (was, now) in parts.items())
    return f"there is a result with other settings, which stays: {told}"


def reason(line: CellStatus) -> str:
    """The last line of what a failed cell said, and where the log is."""
    last = line.state.failures[-1] if line.state.failures else {}
    text = str(last.get("message", "")).strip().splitlines()
    return f"{text[-1] if text else 'no message'} ({last.get('kind', '?')}; log: {last.get('log', 'none')})"


def _short(value: Any) -> str:
    text = str(value)
    return text[:12] if len(text) == 64 and text.isalnum() else text if len(text) <= 60 else text[:57] + "..."


def exit_code(lines: Sequence[CellStatus]) -> int:
    """0 when all is done, 3 when some cells failed for good, 4 when some are still to be done."""
    statuses = {line.state.status for line in lines}
    return 3 if "failed" in statuses else 4 if statuses & {"missing", "running"} else 0


