"""Figures of a score over training: monotonicity, noise, signal-to-noise ratios, the first step above chance.

Pure functions of numbers. Literature has several "signal-to-noise ratios" under one name; each has its own here, with
the noise that it means.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.statistics import agresti_coull_error, holm

Numbers = Sequence[float] | npt.NDArray[np.float64]

POINTS_ABOVE = 0.05
"""Margin from which Tucano 2 calls a score above chance: five points (arXiv:2603.03543, tables G.14 and G.17)."""


def rising_share(scores: Numbers) -> float:
    """Rises less falls, as a share of all changes between neighbours: 1 never falls; NaN where nothing changes.

    Source: Heineman et al. 2025 (arXiv:2508.13144), "monotonicity".
    """
    changes = np.sign(np.diff(scores))
    changed = int(np.count_nonzero(changes))
    return float(changes.sum()) / changed if changed else math.nan


def mean_absolute_change(scores: Numbers) -> float:
    """The mean absolute difference of neighbouring scores. Source: Tucano 2, tables G.14 and G.17."""
    return float(np.abs(np.diff(scores)).mean()) if len(scores) > 1 else math.nan


def step_noise(scores: Numbers, last: int) -> float:
    """Standard deviation (of the population) of the last so many scores, what is still learnt among it.

    Source: Heineman et al. 2025, `np.std`; FineWeb2 takes the last five.
    """
    return float(np.std(np.asarray(scores, float)[-last:])) if len(scores) > 1 else math.nan


def detrended_noise(scores: Numbers, last: int) -> float:
    """Standard deviation of the last so many scores around the best curve that never falls (isotonic regression).

    What is learnt is no noise: this is what `step_noise` leaves when it is taken away. The divisor is the number of
    scores less the levels that the curve has among them, at least 1. NaN for fewer than three scores.
    """
    if len(scores) < 3:
        return math.nan
    fitted, tail = rising_fit(scores)[-last:], np.asarray(scores, float)[-last:]
    levels = len(np.unique(fitted))
    return float(math.sqrt(((tail - fitted) ** 2).sum() / max(1, len(tail) - levels)))


def rising_fit(scores: Numbers) -> npt.NDArray[np.float64]:
    """The curve that never falls which is nearest to the scores, by least squares."""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(np.asarray(scores, float)).x, float)


# ---- three ratios that are called signal-to-noise


def snr_of_one_training(scores: Numbers) -> float:
    """Mean over standard deviation (population) of one training's checkpoints.

    It is high where nothing is learnt: FAQUAD-NLI has the highest of all and a rank correlation of .03.

    Source: Tucano 2, tables G.14 and G.17.
    """
    deviation = float(np.std(scores)) if len(scores) > 1 else math.nan
    return float(np.mean(scores)) / deviation if deviation else math.nan


def snr_between_seeds(by_training: Sequence[Numbers]) -> float:
    """Mean over steps of mean / standard deviation (population) between trainings that differ by their seed.

    Args:
        by_training: Scores at the same steps, one row for each training.

    Source: FineWeb2, section A.5.1, which asks for 20.
    """
    table = np.asarray(by_training, float)
    if table.ndim != 2 or len(table) < 2:
        return math.nan
    deviations = table.std(axis=0)
    known = deviations > 0
    return float((table.mean(axis=0)[known] / deviations[known]).mean()) if known.any() else math.nan


def snr_between_models(final: Numbers, last_of_one: Numbers) -> float:
    """Relative spread of models, (max - min) / mean of final scores, over relative step noise, std / mean of last ones.

    It depends on where the scale's zero is: the same points give another ratio as NPM. `absolute_ratio` does not.

    Args:
        final: The final score of each model.
        last_of_one: The last scores of one training.

    Source: Heineman et al. 2025, with `np.std`.
    """
    spread, noise = float(np.ptp(final)) / float(np.mean(final)), float(np.std(last_of_one) / np.mean(last_of_one))
    return spread / noise if noise else math.nan


def absolute_ratio(spread: float, noise: float) -> float:
    """Spread over noise, both in the units of the score: the same for a score and its NPM."""
    return spread / noise if noise > 0 else math.nan


def gain(scores: Numbers) -> float:
    """The last less the first value of the best curve that never falls (`rising_fit`)."""
    fitted = rising_fit(scores)
    return float(fitted[-1] - fitted[0])


# ---- above chance


def item_error(score: float, stderr: float | None, items: int | None) -> float:
    """The standard error over items; where all are solved or none is, which leaves none, that of Agresti and Coull."""
    if stderr is None or math.isnan(stderr) or (stderr == 0 and not items):
        return math.nan
    if stderr == 0 and items and score in (0, 1):
        return agresti_coull_error(score, items)
    return stderr


def above_chance_from(
    scores: Numbers, errors: Numbers, chance: float, items: Sequence[int | None], alpha: float = 0.05
) -> int | None:
    """Index of the first checkpoint from which on every one is significantly above chance; None where there is none.

    One-sided z-tests, by the larger of the score's own standard error and that of guessing; Holm's correction over all
    checkpoints, so that looking often finds nothing more often.

    Args:
        scores: As shares.
        errors: Their standard errors over items (`item_error`); NaN where unknown.
        chance: What guessing scores.
        items: How many items each score comes from; None where unknown.
        alpha: The chance of claiming anything false over the whole curve.
    """
    p_values = []
    for score, error, count in zip(scores, errors, items, strict=True):
        guessing = math.sqrt(chance * (1 - chance) / count) if count and 0 < chance < 1 else 0.0
        deviation = guessing if math.isnan(error) else max(error, guessing)
        if math.isnan(score) or deviation == 0:
            p_values.append(1.0)
        else:
            p_values.append(1 - NormalDist().cdf((score - chance) / deviation))
    return _suffix([p <= alpha for p in holm(p_values)])


def points_above_from(scores: Numbers, chance: float, points: float = POINTS_ABOVE) -> int | None:
    """Index of the first checkpoint that is so far above chance, whatever comes after. Source: Tucano 2."""
    return next((index for index, score in enumerate(scores) if score - chance >= points), None)


def _suffix(holds: Sequence[bool]) -> int | None:
    first = len(holds)
    while first and holds[first - 1]:
        first -= 1
    return first if first < len(holds) else None


# ---- agreement of rankings


def kendall(first: Numbers, second: Numbers) -> float:
    """Kendall's tau-a: pairs in the same order less pairs in the other, as a share of all pairs; a tie is neither.

    Source: Kendall 1938, Biometrika 30:81; FineWeb2, section A.5.1, "ordering consistency", between neighbouring steps.
    """
    agreed, opposed, pairs = _pairs(first, second)
    return (agreed - opposed) / pairs if pairs else math.nan


def decision_accuracy(early: Numbers, final: Numbers) -> float:
    """Share of pairs of models whose order at an early step is the final one. Source: Heineman et al. 2025."""
    agreed, _, pairs = _pairs(early, final)
    return agreed / pairs if pairs else math.nan


def _pairs(first: Numbers, second: Numbers) -> tuple[int, int, int]:
    a, b = np.asarray(first, float), np.asarray(second, float)
    upper = np.triu_indices(len(a), 1)
    products = (np.sign(a[:, None] - a) * np.sign(b[:, None] - b))[upper]
    return int((products > 0).sum()), int((products < 0).sum()), len(products)


# ---- one item, many checkpoints


def cochran_q(outcomes: npt.NDArray[np.float64]) -> float:
    """p-value of "all checkpoints solve equally many items", of outcomes 0 or 1 paired by item; NaN where none differ.

    Args:
        outcomes: Checkpoints x items.

    Source: Cochran 1950, Biometrika 37:256; with two checkpoints it is McNemar's test without correction.
    """
    from scipy.stats import chi2

    k = len(outcomes)
    by_item, by_checkpoint = outcomes.sum(axis=0), outcomes.sum(axis=1)
    total = float(outcomes.sum())
    divisor = k * total - float((by_item**2).sum())
    if divisor == 0:
        return math.nan
    q = (k - 1) * (k * float((by_checkpoint**2).sum()) - total**2) / divisor
    return float(chi2.sf(q, k - 1))
