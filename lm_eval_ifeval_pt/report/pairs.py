"""The models of one task against each other, as far as they were asked the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lm_eval_ifeval_pt.analysis import comparability, pairing, ranking
from lm_eval_ifeval_pt.analysis.pairing import NotComparable, Shared
from lm_eval_ifeval_pt.results import ResultsError, Run
from lm_eval_ifeval_pt.statistics import Estimate, detectable_difference, paired_difference

_ALPHA = 0.05
_FEW = 10  # pairs of a task, of which all are interesting


@dataclass(frozen=True, slots=True)
class PairOfModels:
    """Two models on one task.

    Attributes:
        better: The one with the higher score.
        worse: The other.
        metric: What is compared.
        difference: How much better, paired, clustered by base task.
        elsewhere: The same clustered by restriction too; None where scores are not those of one restriction each.
        only_better: Documents on which the better one scores higher.
        only_worse: Documents on which the other does.
        is_share: Whether the scores are shares, so that their difference can be given in points.
        p_value: Of "they do not differ", after Holm over all pairs of the task.
    """

    better: str
    worse: str
    metric: str
    difference: Estimate
    elsewhere: Estimate | None
    only_better: int
    only_worse: int
    is_share: bool
    p_value: float

    @property
    def is_different(self) -> bool:
        """Whether the two can be told apart."""
        return self.p_value <= _ALPHA

    @property
    def detectable(self) -> float:
        """The difference that would be found with 80 % chance on these documents; NaN where nothing differs."""
        error = self.difference.stderr
        return detectable_difference(1, error**2) if error > 0 else math.nan


@dataclass(frozen=True, slots=True)
class Paired:
    """All pairs of the models of one task.

    Attributes:
        order: The models that are compared, from the best.
        ranks: 1 + the number of models that are significantly better.
        ties: Groups of two models or more that cannot be told apart.
        duels: Every pair.
        notes: What a reader must know.
    """

    order: tuple[str, ...]
    ranks: Mapping[str, int]
    ties: tuple[tuple[str, ...], ...]
    duels: tuple[PairOfModels, ...]
    notes: tuple[str, ...]

    @property
    def has_elsewhere(self) -> bool:
        """Whether intervals for other restrictions are known."""
        return any(duel.elsewhere for duel in self.duels)

    @property
    def interesting(self) -> tuple[PairOfModels, ...]:
        """All pairs where they are few; else each model with the next, and the best with those not told apart."""
        if len(self.duels) <= _FEW:
            return self.duels
        position = {label: number for number, label in enumerate(self.order)}
        return tuple(
            duel
            for duel in self.duels
            if abs(position[duel.better] - position[duel.worse]) == 1
            or (min(position[duel.better], position[duel.worse]) == 0 and not duel.is_different)
        )


def pair(runs: Mapping[str, Run]) -> Paired:
    """Compare the models of one task; whoever was asked something else is left out, with a note.

    Args:
        runs: The run of each model, by label.
    """
    if len(runs) < 2:
        return Paired((), {}, (), (), ())
    kept, reasons = comparability.comparable(runs)
    notes = [f"{label} is left out of ranks and pairs: {reason}" for label, reason in reasons.items()]
    if len(kept) < 2:
        return Paired((), {}, (), (), tuple(notes))
    names = ranking.labels(list(kept.values()))
    label_of = dict(zip(names, kept, strict=True))
    task = next(iter(kept.values())).task
    try:
        shared = pairing.share(list(kept.values()))
        ranked = ranking.rank_shared({task: dict(zip(names, kept.values(), strict=True))}, {task: shared})
    except (NotComparable, ResultsError) as error:
        return Paired((), {}, (), (), (*notes, f"models are not compared: {error}"))
    sign = 1 if pairing.is_higher_better(list(kept.values()), shared.metric) else -1
    scores = dict(zip(kept, sign * shared.matrix, strict=True))
    is_share = bool(((shared.matrix >= 0) & (shared.matrix <= 1)).all())
    duels = tuple(
        _duel(label_of[better], label_of[worse], scores, shared, is_share, p_value)
        for (better, worse), p_value in ranked.p_values.items()
    )
    return Paired(
        tuple(label_of[standing.model] for standing in ranked.standings),
        {label_of[standing.model]: standing.rank for standing in ranked.standings if standing.rank is not None},
        tuple(tuple(label_of[name] for name in group) for group in ranked.ties if len(group) > 1),
        duels,
        (*notes, *ranked.notes),
    )


def _duel(
    better: str, worse: str, scores: Mapping[str, np.ndarray], shared: Shared, is_share: bool, p_value: float
) -> PairOfModels:
    change = scores[better] - scores[worse]
    return PairOfModels(
        better=better,
        worse=worse,
        metric=shared.metric,
        difference=paired_difference(change, shared.cluster_numbers),
        elsewhere=paired_difference(change, shared.base_task, shared.restriction) if shared.restriction else None,
        only_better=int((change > 0).sum()),
        only_worse=int((change < 0).sum()),
        is_share=is_share,
        p_value=p_value,
    )
