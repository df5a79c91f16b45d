"""How often a restriction is met when nobody asked for it, and what a score is worth beyond that.

IFEval-pt is crossed: every base task is asked with every restriction. So the answers to the other prompts of a base
task, of which none asked for this restriction, show how often it is met by accident, without a further answer of the
model. Compared are only answers to restrictions that say nothing about this one (`conflicts.related`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt import ifeval
from lm_eval_ifeval_pt.analysis.clusters import base_tasks
from lm_eval_ifeval_pt.analysis.conflicts import related
from lm_eval_ifeval_pt.registry import Bound
from lm_eval_ifeval_pt.results import Item, restriction
from lm_eval_ifeval_pt.statistics import Estimate, benjamini_hochberg, jackknife, mean, upper_tail
from lm_eval_ifeval_pt.text import Text

CANNOT_BE_FAILED = 0.95
"""Accidental rate above which a restriction tells nothing of a model, and has no corrected score of its own."""


class NotCrossed(ValueError):
    """The documents do not ask each base task with several restrictions, one at a time."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One base task with one restriction.

    Attributes:
        task: The base task.
        restriction: The restriction.
        kind: `active` or `passive`.
        asked: Whether the answer that was asked for it follows it.
        met: How many of the compared answers, which were not asked for it, follow it too.
        compared: How many answers those are.
    """

    task: str
    restriction: str
    kind: str
    asked: bool
    met: int
    compared: int

    @property
    def accidental(self) -> float:
        """The share of the compared answers that follow it."""
        return self.met / self.compared


@dataclass(frozen=True, slots=True)
class Accident:
    """One restriction, over its base tasks.

    Attributes:
        restriction: The restriction.
        kind: `active` or `passive`.
        n: Base tasks.
        asked: The rate when asked for.
        accidental: The rate when not, the mean over base tasks.
        lift: The difference, paired over base tasks.
        corrected: (asked - accidental) / (1 - accidental): 0 is accident, 1 always; negative values are kept. None
            where the accidental rate is above `CANNOT_BE_FAILED`.
        p_value: Exact and one-sided, of "asking makes no difference": the chance that as many of the answers that were
            asked for it follow it, if in each base task any of the compared answers had been the asked one
            (Poisson-binomial).
        q_value: The same after Benjamini and Hochberg over all restrictions.
    """

    restriction: str
    kind: str
    n: int
    asked: float
    accidental: float
    lift: Estimate
    corrected: Estimate | None
    p_value: float
    q_value: float


def cells(items: Sequence[Item]) -> list[Cell]:
    """The same as `cells_of` for the verified documents of one run; their recorded verdicts are not used."""
    return cells_of([(item.doc, item.response) for item in items])


def cells_of(answered: Sequence[tuple[Mapping[str, Any], str]]) -> list[Cell]:
    """Verify every restriction of a base task on all its answers.

    Args:
        answered: Documents of `ifeval.load_dataset`, each with its response.

    Raises:
        NotCrossed: a document has several restrictions, or no base task has two that can be compared.
    """
    if any(len(doc["instruction_id_list"]) != 1 for doc, _ in answered):
        raise NotCrossed("the documents have several restrictions each, so none can be looked at alone")
    asked = [ifeval.instructions(doc)[0] for doc, _ in answered]
    names = [restriction(bound.constraint.id, bound.kwargs) for bound in asked]
    tasks = base_tasks([str(doc["prompt"]) for doc, _ in answered], names)
    by_task: dict[str, list[tuple[str, Bound, Text]]] = defaultdict(list)
    for task, name, bound, (doc, response) in zip(tasks, names, asked, answered, strict=True):
        by_task[task].append((name, bound, ifeval.graded(doc, response)))
    found = [
        cell
        for task, answers in by_task.items()
        for index in range(len(answers))
        if (cell := _cell(task, index, answers)) is not None
    ]
    if not found:
        raise NotCrossed("no two documents ask the same base task with different restrictions")
    return found


def _cell(task: str, index: int, answers: Sequence[tuple[str, Bound, Text]]) -> Cell | None:
    name, bound, own = answers[index]
    others = [
        text for place, (_, other, text) in enumerate(answers) if place != index and not related(bound, other)
    ]
    if not others:
        return None
    met = sum(bound.verify(text).followed for text in others)
    return Cell(task, name, bound.kind, bound.verify(own).followed, met, len(others))


def by_restriction(found: Sequence[Cell]) -> list[Accident]:
    """A row per restriction, in the order of the documents."""
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in found:
        groups[cell.restriction, cell.kind].append(cell)
    p_values = [_p_value(group) for group in groups.values()]
    return [
        _accident(name, kind, group, p_value, q_value)
        for ((name, kind), group), p_value, q_value in zip(
            groups.items(), p_values, benjamini_hochberg(p_values), strict=True
        )
    ]


def _p_value(group: Sequence[Cell]) -> float:
    chances = [(cell.met + cell.asked) / (cell.compared + 1) for cell in group]
    return upper_tail(chances, sum(cell.asked for cell in group))


def _accident(name: str, kind: str, group: Sequence[Cell], p_value: float, q_value: float) -> Accident:
    rows = np.array([(cell.asked, cell.accidental) for cell in group], dtype=float)
    asked, accidental = (float(one) for one in rows.mean(axis=0))
    corrected = jackknife(_kappa, rows) if accidental <= CANNOT_BE_FAILED else None
    lift = mean(rows[:, 0] - rows[:, 1])
    return Accident(name, kind, len(group), asked, accidental, lift, corrected, p_value, q_value)


def _kappa(rows: npt.NDArray[Any]) -> float:
    asked, accidental = rows.mean(axis=0)
    return chance_corrected(float(asked), float(accidental))


def chance_corrected(rate: float, chance: float) -> float:
    """What a rate is worth beyond chance: (rate - chance) / (1 - chance); NaN where chance is 1.

    Source: Abbott 1925, Journal of Economic Entomology 18:265; it is the form of Cohen's kappa, and of NPM.
    """
    return (rate - chance) / (1 - chance) if chance < 1 else math.nan


def overall(found: Sequence[Cell]) -> Estimate:
    """`ifeval_pt_corrected`: what asking adds, as a share of what was left to add, over all restrictions at once.

    The sum of (asked - accidental) over the sum of (1 - accidental): a restriction counts by the room that accident
    leaves. A mean of the restrictions' corrected scores would be ruled by those that can hardly be failed, where one
    answer more moves the score by its whole range. The standard error is that of a ratio, clustered by base task and
    by restriction.
    """
    asked = np.array([cell.asked for cell in found], dtype=float)
    accidental = np.array([cell.accidental for cell in found])
    room = float((1 - accidental).mean())
    if room == 0:
        return Estimate(math.nan, math.nan, 0, len(found))
    value = float((asked - accidental).mean()) / room
    residuals = (asked - accidental - value * (1 - accidental)) / room
    error = mean(residuals, [cell.task for cell in found], [cell.restriction for cell in found])
    return Estimate(value, error.stderr, error.df, len(found))
