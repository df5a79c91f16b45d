"""How far to trust a judge: agreement with people, position bias, length bias."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from lm_eval_ifeval_pt.statistics import Interval, spearman, wilson

Level = Literal["nominal", "ordinal", "interval"]
Ratings = Mapping[Hashable, float]


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge beside people.

    Attributes:
        n: Items that both rated.
        same: The share on which both say the same.
        kappa: Cohen's kappa; of scores weighted by the square of their distance. NaN where one value is all there is.
        alpha: Krippendorff's alpha of the judge and all people; None where `krippendorff` is not installed.
        correlation: Spearman's, of scores; NaN where one side never varies.
        people: How many people.
    """

    n: int
    same: float
    kappa: float
    alpha: float | None
    correlation: float
    people: int


def agreement(judge: Ratings, people: Mapping[str, Ratings], level: Level) -> Agreement | None:
    """The agreement of a judge with people; None where they have no item in common.

    With several people, `same`, `kappa` and `correlation` are over all pairs of the judge with one of them.

    Args:
        judge: The judge's value of each item.
        people: The same of each person.
        level: `nominal` for winners, `ordinal` or `interval` for scores.
    """
    pairs = [(judge[item], value) for of_one in people.values() for item, value in of_one.items() if item in judge]
    if not pairs:
        return None
    own, theirs = zip(*pairs, strict=True)
    return Agreement(
        n=len(pairs),
        same=sum(mine == other for mine, other in pairs) / len(pairs),
        kappa=cohen_kappa(own, theirs, level != "nominal"),
        alpha=krippendorff_alpha([judge, *people.values()], level),
        correlation=spearman(own, theirs) if level != "nominal" else math.nan,
        people=len(people),
    )


def cohen_kappa(first: Sequence[float], second: Sequence[float], is_weighted: bool) -> float:
    """Cohen's kappa of two raters, weighted by squared distance where asked.

    Source: Cohen 1960, Educational and Psychological Measurement 20:37; 1968, Psychological Bulletin 70:213.
    """
    import numpy as np

    values = sorted({*first, *second})
    if len(values) < 2:
        return math.nan
    table = np.zeros((len(values), len(values)))
    for mine, theirs in zip(first, second, strict=True):
        table[values.index(mine), values.index(theirs)] += 1
    scale = np.array(values)
    weights = (scale[:, None] - scale[None, :]) ** 2 if is_weighted else 1 - np.eye(len(values))
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(1 - (weights * table).sum() / (weights * expected).sum())


def krippendorff_alpha(raters: Sequence[Ratings], level: Level) -> float | None:
    """Krippendorff's alpha, which allows for missing ratings; None without the library, NaN without any variation.

    Source: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"; the library `krippendorff`.
    """
    try:
        import krippendorff
        import numpy as np
    except ImportError:
        return None
    items = list(dict.fromkeys(item for ratings in raters for item in ratings))
    table = np.array([[ratings.get(item, np.nan) for item in items] for ratings in raters], dtype=float)
    is_paired = (~np.isnan(table)).sum(axis=0) > 1
    if len(np.unique(table[:, is_paired])) < 2:
        return math.nan
    return float(krippendorff.alpha(reliability_data=table, level_of_measurement=level))


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % interval (Wilson).

    Attributes:
        count: How many.
        of: Of how many.
    """

    count: int
    of: int

    @property
    def value(self) -> float:
        """The share; NaN of nothing."""
        return self.count / self.of if self.of else math.nan

    @property
    def interval(self) -> Interval:
        """From and to."""
        return wilson(self.count, self.of) if self.of else Interval(math.nan, math.nan)


def changes_with_order(orders: Sequence[tuple[float, float]]) -> Share:
    """Position bias: pairs whose winner is another one after the answers have changed places.

    Args:
        orders: Of each pair, the result of the first answer (1 it won, 0.5 tie, 0 it lost) when it stood first, and
            when it stood second.
    """
    return Share(sum(first != second for first, second in orders), len(orders))


def first_wins(orders: Sequence[tuple[float, float]]) -> Share:
    """Of the verdicts that name a winner, those for the answer that stood first; without bias it is half of them."""
    decided = [result for first, second in orders for result in (first, 1 - second) if result != 0.5]
    return Share(sum(result == 1 for result in decided), len(decided))


def longer_wins(pairs: Sequence[tuple[float, int, int]]) -> Share:
    """Length bias: of the pairs with a winner and two lengths, those that the longer answer won.

    It is no proof of bias: longer answers may be better. Compare it with people's verdicts.

    Args:
        pairs: Of each pair, the first answer's result, its length and the other's.
    """
    decided = [(result, first - second) for result, first, second in pairs if result != 0.5 and first != second]
    return Share(sum((result > 0.5) == (excess > 0) for result, excess in decided), len(decided))
