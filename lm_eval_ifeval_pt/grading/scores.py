"""Scores of samples, and what is made of all of them: means, shares, and metrics that belong to the whole.

Macro-F1 and corpus BLEU are no means. Their samples are scored with a number of their own (right or wrong, sentence
BLEU), which files, differences and tables can show, and which remembers the texts that the whole needs.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence


class Compared(float):
    """The score of one sample that remembers what was compared.

    Attributes:
        output: The output, or the label read from it.
        references: The expected text, or texts of which one is enough.
    """

    output: str
    references: tuple[str, ...]

    def __new__(cls, score: float, output: str, references: Sequence[str]) -> Compared:
        """A float with two texts."""
        made = super().__new__(cls, score)
        made.output, made.references = output, tuple(references)
        return made

    def __getnewargs__(self) -> tuple[float, str, tuple[str, ...]]:  # type: ignore[override]  # a float has one
        """For copies, also those that processes exchange."""
        return float(self), self.output, self.references


def median(scores: Sequence[float]) -> float:
    """The median."""
    return float(statistics.median(scores))


def std(scores: Sequence[float]) -> float:
    """The sample standard deviation (n - 1); 0 of a single score."""
    return float(statistics.stdev(scores)) if len(scores) > 1 else 0.0


def least(scores: Sequence[float]) -> float:
    """The least score."""
    return float(min(scores))


def greatest(scores: Sequence[float]) -> float:
    """The greatest score."""
    return float(max(scores))


def checked(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores of one sample, all of them finite numbers.

    Raises:
        ValueError: one is NaN, infinite or no number.
    """
    for name, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
            raise ValueError(f"the score {name} is {score!r}, not a finite number")
    return dict(scores)
