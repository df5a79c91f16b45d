"""Two models on the same documents of one task."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lm_eval_ifeval_pt.analysis import comparability, pairing
from lm_eval_ifeval_pt.analysis.clusters import population
from lm_eval_ifeval_pt.analysis.pairing import NotComparable
from lm_eval_ifeval_pt.results import Item, Run
from lm_eval_ifeval_pt.statistics import Estimate, benjamini_hochberg, detectable_difference, mcnemar, paired_difference


class Pair(NamedTuple):
    """One document (or instruction of one) as A and as B scored it; `change` is positive where B is better."""

    a: Item
    b: Item
    a_score: float
    b_score: float
    change: float


@dataclass(frozen=True, slots=True)
class RestrictionChange:
    """One restriction in both runs: how many follow it, how many began and ceased to."""

    restriction: str
    n: int
    a: int
    b: int
    improved: int
    regressed: int
    p_value: float
    q_value: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """B compared with A.

    Attributes:
        a: The one run.
        b: The other.
        metric: What is compared.
        filter: Under which filter.
        pairs: Every shared document, or instruction of one.
        a_mean: The mean score of A.
        b_mean: The mean score of B.
        difference: How much better B is (for metrics of which less is better: A - B), paired, clustered by base task:
            for other base tasks with the same restrictions.
        population: What other ones the interval of the difference speaks of (`clusters.population`).
        elsewhere: The same clustered by restriction too: for other restrictions of the kind. None where the scores
            are not those of one restriction each.
        p_value: McNemar's exact test where all scores are 0 or 1, else that of the paired difference.
        is_binary: Whether all scores are 0 or 1.
        reasons: Why these should not be compared; empty unless that was forced.
        remarks: What else differs between the runs.
    """

    a: Run
    b: Run
    metric: str
    filter: str
    pairs: tuple[Pair, ...]
    a_mean: float
    b_mean: float
    difference: Estimate
    population: str
    elsewhere: Estimate | None
    p_value: float
    is_binary: bool
    reasons: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def improved(self) -> tuple[Pair, ...]:
        """The pairs in which B is better."""
        return tuple(pair for pair in self.pairs if pair.change > 0)

    @property
    def regressed(self) -> tuple[Pair, ...]:
        """The pairs in which A is better."""
        return tuple(pair for pair in self.pairs if pair.change < 0)

    @property
    def detectable(self) -> float:
        """The difference that would be found with 80 % chance on these documents; NaN where nothing changed."""
        error = self.difference.stderr
        return detectable_difference(1, error**2) if error > 0 else math.nan

    def is_different(self, p_value: float | None = None, alpha: float = 0.05) -> bool:
        """Whether the models differ: by the test, and by the clustered interval, which must not hold 0.

        Args:
            p_value: That of the test after correction for other comparisons; by default as it is.
            alpha: The error rate.
        """
        interval = self.difference.interval(1 - alpha)
        is_beyond = interval.low > 0 or interval.high < 0
        return is_beyond and (self.p_value if p_value is None else p_value) <= alpha


def compare(
    a: Run,
    b: Run,
    *,
    metric: str | None = None,
    filter: str | None = None,
    cluster: str | None = None,
    force: bool = False,
) -> Comparison:
    """Compare two runs of one task on the documents that both have.

    Args:
        a: The one run.
        b: The other.
        metric: What to compare; by default the task's preferred metric.
        filter: Under which filter; by default the first that both have.
        cluster: The field of the documents to cluster by; see `clusters.clusters`.
        force: Compare also what was asked differently.

    Raises:
        ResultsError: metric, filter or field is not there.
        NotComparable: the runs asked different things, and it was not forced.
    """
    shared = pairing.share([a, b], metric, filter, cluster, by_place=force)
    reasons, remarks = comparability.check(a, b, shared)
    if reasons and not force:
        raise NotComparable(f"{a.task}: {'; '.join(reasons)}; --force compares them nonetheless")
    sign = 1 if pairing.is_higher_better([a, b], shared.metric) else -1
    a_scores, b_scores = (np.array(scores) for scores in shared.scores)
    changes = sign * (b_scores - a_scores)
    difference = paired_difference(changes, shared.base_task)
    pairs = tuple(
        Pair(shared.items[number][0], shared.items[number][1], float(a_score), float(b_score), float(change))
        for number, a_score, b_score, change in zip(shared.unit_of, a_scores, b_scores, changes, strict=True)
    )
    p_value = (
        mcnemar(int((changes > 0).sum()), int((changes < 0).sum())) if shared.is_binary else difference.p_value
    )
    return Comparison(
        a=a,
        b=b,
        metric=shared.metric,
        filter=shared.filter,
        pairs=pairs,
        a_mean=float(a_scores.mean()),
        b_mean=float(b_scores.mean()),
        difference=difference,
        population=population([row[0] for row in shared.items], cluster),
        elsewhere=paired_difference(changes, shared.base_task, shared.restriction) if shared.restriction else None,
        p_value=p_value,
        is_binary=shared.is_binary,
        reasons=tuple(reasons),
        remarks=tuple(remarks),
    )


def by_restriction(pairs: Sequence[Pair]) -> list[RestrictionChange]:
    """The change of each restriction's strict verdicts; empty where the documents carry no verdicts."""
    outcomes: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for a, b in {id(pair.a): (pair.a, pair.b) for pair in pairs}.values():
        for in_a, in_b in zip(a.instructions, b.instructions, strict=False):
            outcomes[in_a.restriction].append((in_a.strict.followed, in_b.strict.followed))
    counts = {name: _counts(followed) for name, followed in outcomes.items()}
    p_values = [mcnemar(improved, regressed) for *_, improved, regressed in counts.values()]
    q_values = benjamini_hochberg(p_values)
    return [
        RestrictionChange(name, *count, p_value, q_value)
        for (name, count), p_value, q_value in zip(counts.items(), p_values, q_values, strict=True)
    ]


def _counts(followed: Sequence[tuple[bool, bool]]) -> tuple[int, int, int, int, int]:
    improved = sum(b and not a for a, b in followed)
    regressed = sum(a and not b for a, b in followed)
    return len(followed), sum(a for a, _ in followed), sum(b for _, b in followed), improved, regressed
