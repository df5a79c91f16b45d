"""Several answers to one prompt: how often they agree, and what k of them achieve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def pairwise_agreement(counts: Sequence[Sequence[int]] | npt.NDArray[Any]) -> float:
    """The share of pairs of answers to one item that are in the same category, averaged over items.

    Args:
        counts: Items x categories; every item with at least two answers.
    """
    table = np.asarray(counts, dtype=float)
    answers = table.sum(axis=1)
    return float(((table * (table - 1)).sum(axis=1) / (answers * (answers - 1))).mean())


def fleiss_kappa(counts: Sequence[Sequence[int]] | npt.NDArray[Any]) -> float:
    """Agreement beyond what the frequencies of the categories give by chance; NaN where there is one category.

    Args:
        counts: Items x categories; every item with the same number of answers, at least two.

    Source: Fleiss 1971, Psychological Bulletin 76:378.
    """
    table = np.asarray(counts, dtype=float)
    shares = table.sum(axis=0) / table.sum()
    chance = float((shares**2).sum())
    return (pairwise_agreement(table) - chance) / (1 - chance) if chance < 1 else math.nan


def pass_at_k(n: int, correct: int, k: int) -> float:
    """The chance that at least one of k answers is right: 1 - C(n - correct, k) / C(n, k), unbiased.

    Args:
        n: Answers that were drawn.
        correct: How many of them are right.
        k: At most n.

    Source: Chen et al. 2021, arXiv:2107.03374, section 2.1.
    """
    return 1 - math.comb(n - correct, k) / math.comb(n, k)


def pass_to_the_k(n: int, correct: int, k: int) -> float:
    """The chance that all of k answers are right (pass^k): C(correct, k) / C(n, k); arguments as of `pass_at_k`.

    Source: Yao et al. 2024, arXiv:2406.12045, section 4.
    """
    return math.comb(correct, k) / math.comb(n, k)


def majority_at_k(correct: int, others: Sequence[int], k: int) -> float:
    """The chance that the most frequent of k answers is the right one (maj@k), over all subsets of k answers.

    Of answers that are equally frequent, each is taken with the same chance.

    Args:
        correct: How often the right answer was drawn.
        others: How often each of the wrong answers was drawn.
        k: At most the number of answers drawn.
    """
    total = math.comb(correct + sum(others), k)
    expected = 0.0
    for votes in range(1, min(correct, k) + 1):
        ways = {(0, 0): 1}  # (answers chosen among wrong ones, how many of these tie with the right one) -> ways
        for frequency in others:
            grown: dict[tuple[int, int], int] = {}
            for (chosen, ties), count in ways.items():
                for more in range(min(frequency, votes, k - votes - chosen) + 1):
                    key = chosen + more, ties + (more == votes)
                    grown[key] = grown.get(key, 0) + count * math.comb(frequency, more)
            ways = grown
        favourable = sum(count / (1 + ties) for (chosen, ties), count in ways.items() if chosen == k - votes)
        expected += math.comb(correct, votes) * favourable / total
    return expected
