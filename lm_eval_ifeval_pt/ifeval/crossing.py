"""Crossed data sets: every base task is asked with every constraint, one at a time, as in IFEval-pt.

The answers to the other prompts of a base task, of which none asked for this constraint, show how often it is met by
accident, without a further answer of the model. Compared are only answers to constraints that say nothing about this
one (`conflicts.related`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lm_eval_ifeval_pt.constraints.conflicts import related
from lm_eval_ifeval_pt.constraints.registry import Bound, instruction_name
from lm_eval_ifeval_pt.ifeval.base_tasks import base_tasks
from lm_eval_ifeval_pt.ifeval.documents import graded, instructions
from lm_eval_ifeval_pt.ifeval.echo import own_words
from lm_eval_ifeval_pt.statistics import Estimate, Interval, mean, rate
from lm_eval_ifeval_pt.text import Text


class NotCrossed(ValueError):
    """The documents do not ask each base task with several restrictions, one at a time."""


@dataclass(frozen=True, slots=True)
class Crossing:
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


def cells_of(answered: Sequence[tuple[Mapping[str, Any], str]], in_own_words: bool = False) -> list[Crossing]:
    """Verify every restriction of a base task on all its answers.

    Args:
        answered: Documents of `ifeval.load_dataset`, each with its response.
        in_own_words: Whether what an answer repeats of its prompt is left out (`echo.own_words`).

    Raises:
        NotCrossed: a document has several restrictions, or no base task has two that can be compared.
    """
    if any("instruction_id_list" not in doc for doc, _ in answered):
        raise NotCrossed("some documents do not say what they ask for")
    if any(len(doc["instruction_id_list"]) != 1 for doc, _ in answered):
        raise NotCrossed("the documents have several restrictions each, so none can be looked at alone")
    asked = [instructions(doc)[0] for doc, _ in answered]
    names = [instruction_name(bound.constraint.id, bound.kwargs) for bound in asked]
    tasks = base_tasks([str(doc["prompt"]) for doc, _ in answered], names)
    by_task: dict[str, list[tuple[str, Bound, Text]]] = defaultdict(list)
    for task, name, bound, (doc, response) in zip(tasks, names, asked, answered, strict=True):
        text = graded(doc, response)
        by_task[task].append((name, bound, own_words(doc, text) if in_own_words else text))
    cells = [
        cell
        for task, answers in by_task.items()
        for index in range(len(answers))
        if (cell := _cell(task, index, answers)) is not None
    ]
    if not cells:
        raise NotCrossed("no two documents ask the same base task with different restrictions")
    return cells


def _cell(task: str, index: int, answers: Sequence[tuple[str, Bound, Text]]) -> Crossing | None:
    name, bound, own = answers[index]
    others = [
        text for position, (_, other, text) in enumerate(answers) if position != index and not related(bound, other)
    ]
    if not others:
        return None
    met = sum(bound.verify(text).followed for text in others)
    return Crossing(task, name, bound.kind, bound.verify(own).followed, met, len(others))


def overall(cells: Sequence[Crossing]) -> Estimate:
    """`ifeval_pt_corrected`: what asking adds, as a share of what was left to add, over all restrictions at once.

    The sum of (asked - accidental) over the sum of (1 - accidental): a restriction counts by the room that accident
    leaves. A mean of the restrictions' corrected scores would be ruled by those that can hardly be failed, where one
    answer more moves the score by its whole range. The standard error is that of a ratio, clustered by base task and
    by restriction.
    """
    asked = np.array([cell.asked for cell in cells], dtype=float)
    accidental = np.array([cell.accidental for cell in cells])
    room = float((1 - accidental).mean())
    if room == 0:
        return Estimate(math.nan, math.nan, 0, len(cells))
    value = float((asked - accidental).mean()) / room
    residuals = (asked - accidental - value * (1 - accidental)) / room
    clusterings = [cell.task for cell in cells], [cell.restriction for cell in cells]
    error = mean(residuals, *clusterings)
    bounds = None
    if error.stderr == 0:  # every answer follows, or none does beyond accident: only the rate says how sure that is
        low, high = (1 - (1 - bound) / room for bound in rate(asked, *clusterings).interval())
        bounds = Interval(low, high)
    return Estimate(value, error.stderr, error.df, len(cells), bounds)
