"""Which models of a task differ: ranks with ties, and every pair compared on the same documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lm_eval_ifeval_pt.analysis import comparison, ranking
from lm_eval_ifeval_pt.analysis.comparison import Comparison
from lm_eval_ifeval_pt.analysis.pairing import NotComparable
from lm_eval_ifeval_pt.results import ResultsError, Run

_RESAMPLES = 1  # of strengths, which the report does not show


@dataclass(frozen=True, slots=True)
class PairOfModels:
    """Two models on one task.

    Attributes:
        better: The one with the higher score.
        worse: The other.
        comparison: How much better.
        p_value: Of "they do not differ", after Holm over all pairs of the task.
    """

    better: str
    worse: str
    comparison: Comparison
    p_value: float

    @property
    def is_different(self) -> bool:
        """Whether the two can be told apart: by the test and by the clustered interval."""
        return self.comparison.is_different(self.p_value)

    @property
    def is_share(self) -> bool:
        """Whether the scores are shares, so that their difference can be given in points."""
        return all(0 <= score <= 1 for pair in self.comparison.pairs for score in (pair.a_score, pair.b_score))


@dataclass(frozen=True, slots=True)
class Paired:
    """All pairs of the models of one task.

    Attributes:
        ranks: 1 + the number of models that are significantly better.
        ties: Groups of two models or more that cannot be told apart.
        duels: Every pair.
        notes: What a reader must know.
    """

    ranks: Mapping[str, int]
    ties: tuple[tuple[str, ...], ...]
    duels: tuple[PairOfModels, ...]
    notes: tuple[str, ...]


def pair(runs: Mapping[str, Run]) -> Paired:
    """Compare the models of one task; what cannot be compared is a note.

    Args:
        runs: The run of each model, by label.
    """
    if len(runs) < 2:
        return Paired({}, (), (), ())
    label_of = dict(zip(ranking.labels(list(runs.values())), runs, strict=True))
    try:
        ranked = ranking.rank(list(runs.values()), resamples=_RESAMPLES)
        duels = tuple(
            PairOfModels(better, worse, comparison.compare(runs[worse], runs[better]), p_value)
            for pair, p_value in ranked.p_values.items()
            for better, worse in [(label_of[pair[0]], label_of[pair[1]])]
        )
    except (NotComparable, ResultsError) as error:
        return Paired({}, (), (), (f"models are not compared: {error}",))
    return Paired(
        {label_of[one.model]: one.rank for one in ranked.standings},
        tuple(tuple(label_of[name] for name in group) for group in ranked.ties if len(group) > 1),
        duels,
        ranked.notes,
    )
