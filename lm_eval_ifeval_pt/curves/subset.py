"""The smallest set of tasks, and of rows, that orders checkpoints as all tasks do, and how often it is wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.analysis.pairing import NotComparable, share
from lm_eval_ifeval_pt.curves.changes import run_of
from lm_eval_ifeval_pt.curves.points import Curves
from lm_eval_ifeval_pt.results import ResultsError
from lm_eval_ifeval_pt.statistics import NORMAL

EXHAUSTIVE = 12
"""Tasks up to which every set is tried; beyond, sets grow by the task that helps most."""

_ROWS = (50, 100, 200, 400, 800, 1600, 3200)
_DRAWS = 20
_SEED = 1234
_FEW = 20  # pairs below which a choice is not worth much

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SubsetFit:
    """The best set of tasks of one size, and its agreement with all tasks.

    Attributes:
        tasks: The set.
        agreement: Share of the pairs that all tasks tell apart which it orders alike.
        held_out: The same on checkpoints that the choice had not seen; NaN where there are too few.
        rows: Rows of each task.
    """

    tasks: tuple[str, ...]
    agreement: float
    held_out: float
    rows: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """The smallest set of tasks and rows that orders checkpoints as all tasks do.

    Attributes:
        steps: The best set of each size, the smallest first.
        chosen: The first that reaches the wanted agreement; the last where none does.
        by_rows: Of the chosen set: rows of each task at most, and the agreement with so many, over random draws.
        rows: The fewest of `by_rows` that reach the wanted agreement; None for all.
        pairs: How many pairs of checkpoints all tasks tell apart, of how many.
        all_rows: Rows of all tasks.
        notes: What was left out.
    """

    steps: tuple[SubsetFit, ...]
    chosen: SubsetFit
    by_rows: tuple[tuple[int, float], ...]
    rows: int | None
    pairs: tuple[int, int]
    all_rows: int
    notes: tuple[str, ...]


def propose(curves: Curves, wanted: float = 0.95) -> Proposal:
    """The proposal, from the items of a finished sweep.

    Each task counts by its NPM, or its score in percent where chance is not known; all tasks by their mean. Two
    checkpoints are told apart where that mean differs by more than 1.96 standard errors, paired over items.

    Raises:
        ResultsError: there are fewer than two tasks or three checkpoints, or nothing is told apart.
    """
    notes: list[str] = []
    matrices = _matrices(curves, notes)
    if len(matrices) < 2:
        why = "; ".join(notes) or "nothing to choose"
        raise ResultsError(f"fewer than two tasks have items on all checkpoints: {why}")
    names, tables = list(matrices), list(matrices.values())
    if len(tables[0]) < 3:
        raise ResultsError("fewer than three checkpoints have all tasks: nothing to order")
    pairs, signs = _told_apart(tables)
    total = len(tables[0]) * (len(tables[0]) - 1) // 2
    if not len(pairs):
        raise ResultsError(f"all tasks together tell none of {total} pairs of checkpoints apart: nothing to reproduce")
    means, rows = np.array([table.mean(axis=1) for table in tables]), [table.shape[1] for table in tables]
    if len(pairs) < _FEW:
        notes.append(f"only {len(pairs)} pairs of checkpoints are told apart: another choice may do as well next time")
    steps = [
        SubsetFit(
            tuple(names[task] for task in each),
            _agreement(means, each, pairs, signs),
            held_out,
            sum(rows[task] for task in each),
        )
        for each, held_out in zip(
            _best_sets(means, pairs, signs, rows), _held_out(means, pairs, signs, rows), strict=True
        )
    ]
    chosen_step = next((step for step in steps if min(step.agreement, _or(step.held_out, 1)) >= wanted), steps[-1])
    chosen = tuple(names.index(task) for task in chosen_step.tasks)
    by_rows = tuple(_by_rows([tables[task] for task in chosen], pairs, signs))
    enough = next((count for count, agreement in by_rows if agreement >= wanted), None)
    return Proposal(tuple(steps), chosen_step, by_rows, enough, (len(pairs), total), sum(rows), tuple(notes))


def _matrices(curves: Curves, notes: list[str]) -> dict[str, Matrix]:
    """For each task, scores in NPM points: checkpoints that all tasks have x items that all checkpoints have."""
    tasks = [task for task in curves.tasks if not curves.of(task)[0].is_average]
    points = {task: {(c.run, p.step): p for c in curves.of(task) for p in c.points} for task in tasks}
    shared = sorted(set.intersection(*map(set, points.values()))) if points else []
    matrices: dict[str, Matrix] = {}
    for task in tasks:
        curve = curves.of(task)[0]
        try:
            scores = share([run_of(points[task][key], task) for key in shared], metric=curve.metric).scores
        except (ResultsError, NotComparable, IndexError) as error:
            notes.append(f"{task}: left out: {error}")
            continue
        chance = curve.chance or 0.0
        matrices[task] = 100 * (np.array(scores) - chance) / (1 - chance)
    return matrices


def _told_apart(tables: Sequence[Matrix]) -> tuple[npt.NDArray[np.intp], Matrix]:
    """The pairs of checkpoints that all tasks tell apart, and in which direction."""
    count = len(tables[0])
    pairs, signs = [], []
    for first, second in combinations(range(count), 2):
        differences = [table[first] - table[second] for table in tables]
        mean = float(np.mean([each.mean() for each in differences]))
        variance = sum(each.var(ddof=1) / len(each) for each in differences if len(each) > 1) / len(tables) ** 2
        if abs(mean) > NORMAL * math.sqrt(variance) and mean:
            pairs.append((first, second))
            signs.append(math.copysign(1.0, mean))
    return np.array(pairs, np.intp).reshape(-1, 2), np.array(signs)


def _agreement(means: Matrix, chosen: Sequence[int], pairs: npt.NDArray[np.intp], signs: Matrix) -> float:
    score = means[list(chosen)].mean(axis=0)
    return float((np.sign(score[pairs[:, 0]] - score[pairs[:, 1]]) == signs).mean()) if len(pairs) else math.nan


def _best_sets(
    means: Matrix, pairs: npt.NDArray[np.intp], signs: Matrix, rows: Sequence[int]
) -> list[tuple[int, ...]]:
    """The best set of each size, of equally good ones that with the fewest rows; all are tried where they are few."""

    def quality(each: tuple[int, ...]) -> tuple[float, int]:
        return _agreement(means, each, pairs, signs), -sum(rows[task] for task in each)

    count = len(means)
    if count <= EXHAUSTIVE:
        return [max(combinations(range(count), size), key=quality) for size in range(1, count + 1)]
    grown: list[tuple[int, ...]] = [()]
    while len(grown[-1]) < count:
        grown.append(max(((*grown[-1], task) for task in range(count) if task not in grown[-1]), key=quality))
    return grown[1:]


def _held_out(
    means: Matrix, pairs: npt.NDArray[np.intp], signs: Matrix, rows: Sequence[int]
) -> list[float]:
    """For each size, the agreement of a set chosen by one half of the checkpoints on the pairs of the other."""
    by_half = []
    for half in (0, 1):
        inside, outside = (pairs % 2 == half).all(axis=1), (pairs % 2 != half).all(axis=1)
        if inside.any() and outside.any():
            sets = _best_sets(means, pairs[inside], signs[inside], rows)
            by_half.append([_agreement(means, each, pairs[outside], signs[outside]) for each in sets])
    return [float(value) for value in np.mean(by_half, axis=0)] if by_half else [math.nan] * len(means)


def _by_rows(tables: Sequence[Matrix], pairs: npt.NDArray[np.intp], signs: Matrix) -> list[tuple[int, float]]:
    generator = np.random.default_rng(_SEED)
    longest = max(table.shape[1] for table in tables)
    by_rows = []
    for rows in (count for count in _ROWS if count < longest):
        agreements = []
        for _ in range(_DRAWS):
            drawn = [
                table[:, generator.permutation(table.shape[1])[: min(rows, table.shape[1])]].mean(axis=1)
                for table in tables
            ]
            agreements.append(_agreement(np.array(drawn), range(len(drawn)), pairs, signs))
        by_rows.append((rows, float(np.mean(agreements))))
    return by_rows


def _or(value: float, other: float) -> float:
    return other if math.isnan(value) else value
