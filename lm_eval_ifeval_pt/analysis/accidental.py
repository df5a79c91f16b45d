"""How often a restriction is met when nobody asked for it, and what a score is worth beyond that.

IFEval-pt is crossed: every base task is asked with every restriction. So the answers to the other prompts of a base
task, of which none asked for this restriction, show how often it is met by accident, without a further answer of the
model. Compared are only answers to restrictions that say nothing about this one (`conflicts.related`).
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.ifeval.crossing import Crossing, cells_of
from lm_eval_ifeval_pt.results import Item
from lm_eval_ifeval_pt.statistics import (
    Estimate,
    Interval,
    benjamini_hochberg,
    jackknife,
    mean,
    rate,
    upper_tail,
    wilson,
)

CANNOT_BE_FAILED = 0.95
"""Accidental rate above which a restriction tells nothing of a model, and has no corrected score of its own."""


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


def cells(items: Sequence[Item], in_own_words: bool = False) -> list[Crossing]:
    """The same as `cells_of` for the verified documents of one run; their recorded verdicts are not used."""
    return cells_of([(item.doc, item.response) for item in items], in_own_words)


def by_restriction(answered: Sequence[Crossing]) -> list[Accident]:
    """A row per restriction, in the order of the documents."""
    groups: dict[tuple[str, str], list[Crossing]] = defaultdict(list)
    for cell in answered:
        groups[cell.restriction, cell.kind].append(cell)
    p_values = [_p_value(group) for group in groups.values()]
    return [
        _accident(name, kind, group, p_value, q_value)
        for ((name, kind), group), p_value, q_value in zip(
            groups.items(), p_values, benjamini_hochberg(p_values), strict=True
        )
    ]


def _p_value(group: Sequence[Crossing]) -> float:
    chances = [(cell.met + cell.asked) / (cell.compared + 1) for cell in group]
    return upper_tail(chances, sum(cell.asked for cell in group))


def _accident(name: str, kind: str, group: Sequence[Crossing], p_value: float, q_value: float) -> Accident:
    rows = np.array([(cell.asked, cell.accidental) for cell in group], dtype=float)
    asked, accidental = (float(share) for share in rows.mean(axis=0))
    lift = mean(rows[:, 0] - rows[:, 1])
    lift = lift._replace(bounds=_bounds(rows, lift.value, operator.sub))
    corrected = jackknife(_kappa, rows) if accidental <= CANNOT_BE_FAILED else None
    if corrected is not None:
        corrected = corrected._replace(bounds=_bounds(rows, corrected.value, chance_corrected))
    return Accident(name, kind, len(group), asked, accidental, lift, corrected, p_value, q_value)


def _bounds(rows: npt.NDArray[Any], value: float, of: Callable[[float, float], float]) -> Interval:
    """The interval of a function of two rates from the intervals of both (method of variance estimates recovery).

    The variance alone would be 0 where all base tasks have the restriction followed.

    Source: Zou and Donner 2008, Statistics in Medicine 27:1693.
    """
    asked, accidental = (float(share) for share in rows.mean(axis=0))
    low, high = rate(rows[:, 0]).interval()
    of_accidental = mean(rows[:, 1])
    accidental_low, accidental_high = (
        of_accidental.interval() if of_accidental.stderr > 0 else wilson(accidental * len(rows), len(rows))
    )
    downward = math.hypot(value - of(low, accidental), value - of(asked, min(accidental_high, 1.0)))
    upward = math.hypot(of(high, accidental) - value, of(asked, max(accidental_low, 0.0)) - value)
    return Interval(value - downward, min(value + upward, 1.0))


def _kappa(rows: npt.NDArray[Any]) -> float:
    asked, accidental = rows.mean(axis=0)
    return chance_corrected(float(asked), float(accidental))


def chance_corrected(rate: float, chance: float) -> float:
    """A rate corrected for chance: (rate - chance) / (1 - chance); NaN where chance is 1.

    Source: Abbott 1925, Journal of Economic Entomology 18:265; it is the form of Cohen's kappa, and of NPM.
    """
    return (rate - chance) / (1 - chance) if chance < 1 else math.nan
