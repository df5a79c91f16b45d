"""Power: the number of items that a difference needs, and the difference that some items can show."""

from __future__ import annotations

import math
from statistics import NormalDist


def items_needed(
    difference: float,
    variance: float,
    within: tuple[float, float] = (0.0, 0.0),
    repeats: tuple[int, int] = (1, 1),
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """Items for which two models that differ by `difference` are told apart with the chance `power`.

    n = (z_(1-alpha/2) + z_power)² (variance + within_A / repeats_A + within_B / repeats_B) / difference²

    Args:
        difference: The difference of the two scores.
        variance: Of the items' differences of expected scores (with one greedy answer: of the differences themselves).
        within: Of the scores of several answers to one item, for either model.
        repeats: Answers per item, for either model.
        alpha: The two-sided error rate.
        power: The chance to find the difference.

    Source: Miller 2024, arXiv:2411.00640, section 5.
    """
    return _factor(alpha, power) * _total(variance, within, repeats) / difference**2


def detectable_difference(
    items: float,
    variance: float,
    within: tuple[float, float] = (0.0, 0.0),
    repeats: tuple[int, int] = (1, 1),
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """The difference that so many items can show (minimum detectable effect); arguments as of `items_needed`."""
    return math.sqrt(_factor(alpha, power) * _total(variance, within, repeats) / items)


def mcnemar_items_needed(discordant: float, difference: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Items for McNemar's test.

    Args:
        discordant: The share of items on which the models differ.
        difference: The difference of their rates, at most `discordant`.
        alpha: The two-sided error rate.
        power: The chance to find the difference.

    Source: Connor 1987, Biometrics 43:207.
    """
    z_alpha, z_power = NormalDist().inv_cdf(1 - alpha / 2), NormalDist().inv_cdf(power)
    root = math.sqrt(discordant - difference**2)
    return (z_alpha * math.sqrt(discordant) + z_power * root) ** 2 / difference**2


def _factor(alpha: float, power: float) -> float:
    return (NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)) ** 2


def _total(variance: float, within: tuple[float, float], repeats: tuple[int, int]) -> float:
    return variance + within[0] / repeats[0] + within[1] / repeats[1]
