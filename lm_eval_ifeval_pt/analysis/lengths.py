"""Whether longer answers score better."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from lm_eval_ifeval_pt.analysis.clusters import clusters
from lm_eval_ifeval_pt.analysis.pairing import scores_of
from lm_eval_ifeval_pt.results import Item
from lm_eval_ifeval_pt.statistics import Estimate, mean_score, spearman

_BINS = 4


@dataclass(frozen=True, slots=True)
class LengthBin:
    """Answers of similar length.

    Attributes:
        shortest: Words of the shortest.
        longest: Words of the longest.
        documents: How many.
        score: Their mean score, clustered as the whole task is.
    """

    shortest: int
    longest: int
    documents: int
    score: Estimate


@dataclass(frozen=True, slots=True)
class LengthProfile:
    """Score against length.

    Attributes:
        bins: From the shortest answers to the longest, about as many in each; equal lengths stay together.
        median: The median number of words.
        rho: Spearman's rank correlation of words and score; NaN where one of them does not vary.
    """

    bins: tuple[LengthBin, ...]
    median: float
    rho: float


def length_profile(items: Sequence[Item], metric: str) -> LengthProfile | None:
    """The score by the number of words (parts between blanks) of the first answer; None where nothing was written.

    Args:
        items: Documents of one task under one filter.
        metric: The metric; the mean where a document has several numbers.
    """
    known: list[tuple[int, float, Hashable]] = []
    for item, cluster in zip(items, clusters(items), strict=True):
        if item.responses and metric in item.metrics and (scores := scores_of(metric, item.metrics[metric])):
            known.append((len(item.response.split()), sum(scores) / len(scores), cluster))
    if len(known) < 2:
        return None
    words = np.array([length for length, _, _ in known])
    scores_ = np.array([score for _, score, _ in known])
    edges = np.quantile(words, np.arange(1, _BINS) / _BINS)
    bin_of = np.searchsorted(edges, words, side="left")
    bins = []
    for bin in sorted(set(bin_of.tolist())):
        inside = np.flatnonzero(bin_of == bin)
        score = mean_score(scores_[inside], [known[row][2] for row in inside])
        bins.append(LengthBin(int(words[inside].min()), int(words[inside].max()), len(inside), score))
    return LengthProfile(tuple(bins), float(np.median(words)), spearman(words, scores_))
