"""Strengths from duels: of two models on one document, or before a judge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.statistics import (
    Estimate,
    Interval,
    bradley_terry,
    clustered_covariance,
    elo,
    holm,
    ranks,
    tie_groups,
)
from lm_eval_ifeval_pt.statistics.bradley_terry import strengths_of_samples
from lm_eval_ifeval_pt.statistics.multiplicity import Pair


class Duel(NamedTuple):
    """Two models on one document.

    Attributes:
        first: A model.
        second: Another one.
        result: 1 if the first won, 0 if it lost, 0.5 for a tie; or a chance in between.
        cluster: What duels on the same document, or base task, have in common.
        weight: How much it counts.
    """

    first: str
    second: str
    result: float
    cluster: str
    weight: float = 1.0


class Strength(NamedTuple):
    """One player.

    Attributes:
        value: Bradley and Terry's strength, the mean of all being 0: logit P(i beats j) = value_i - value_j.
        interval: Its 95 % interval by a bootstrap over clusters.
        wins: Duels won, ties counting half.
        duels: Duels fought.
        elo: The Elo rating (K = 32) after all duels in their order; it depends on that order.
        elo_reversed: The same after the duels in the opposite order.
        is_finite: Whether wins and losses connect all players; where not, no finite strengths fit best.
    """

    value: float
    interval: Interval
    wins: float
    duels: float
    elo: float
    elo_reversed: float
    is_finite: bool


UNKNOWN = Strength(math.nan, Interval(math.nan, math.nan), math.nan, math.nan, math.nan, math.nan, False)
"""The strength of whoever's was not computed."""


def strengths(duels: Sequence[Duel], resamples: int = 1000, seed: int = 0) -> dict[str, Strength]:
    """The strengths of all players.

    Args:
        duels: Who fought whom, in order.
        resamples: Of the bootstrap.
        seed: Of the bootstrap.
    """
    players, by_cluster = _wins(duels)
    wins = by_cluster.sum(axis=0)
    fitted = bradley_terry(wins)
    values = fitted.values - fitted.values.mean()
    drawn = resampled(by_cluster, resamples, seed)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    games = [(duel.first, duel.second, duel.result) for duel in duels]
    forward, backward = elo(games), elo(reversed(games))
    return {
        player: Strength(
            value=float(values[index]),
            interval=Interval(float(low[index]), float(high[index])),
            wins=float(wins[index].sum()),
            duels=float((wins + wins.T)[index].sum()),
            elo=forward[player],
            elo_reversed=backward[player],
            is_finite=fitted.is_connected,
        )
        for index, player in enumerate(players)
    }


def resampled(by_cluster: npt.NDArray[Any], resamples: int, seed: int) -> npt.NDArray[np.float64]:
    """Strengths, with mean 0, in samples of clusters drawn with replacement: resamples x players."""
    generator = np.random.default_rng(seed)
    clusters = len(by_cluster)
    counts = generator.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples)
    drawn = strengths_of_samples(np.tensordot(counts, by_cluster, axes=1))
    return np.asarray(drawn - drawn.mean(axis=1, keepdims=True))


def _wins(duels: Sequence[Duel]) -> tuple[list[str], npt.NDArray[np.float64]]:
    """The players, and how often row beat column in each cluster: clusters x players x players."""
    players = list(dict.fromkeys(player for duel in duels for player in (duel.first, duel.second)))
    clusters = {cluster: number for number, cluster in enumerate(dict.fromkeys(duel.cluster for duel in duels))}
    number = {player: index for index, player in enumerate(players)}
    wins = np.zeros((len(clusters), len(players), len(players)))
    for duel in duels:
        first, second, cluster = number[duel.first], number[duel.second], clusters[duel.cluster]
        wins[cluster, first, second] += duel.weight * duel.result
        wins[cluster, second, first] += duel.weight * (1 - duel.result)
    return players, wins


class PlayerStrengths(NamedTuple):
    """Players by strength alone.

    Attributes:
        strengths: One per player, from the strongest.
        ranks: 1 + the number of players that are significantly stronger.
        ties: The largest groups of players of which no two can be told apart.
    """

    strengths: dict[str, Strength]
    ranks: dict[str, int]
    ties: list[tuple[str, ...]]


def judge(duels: Sequence[Duel], resamples: int = 1000, seed: int = 0, alpha: float = 0.05) -> PlayerStrengths:
    """Rank players by duels, where no scores say more.

    Two players differ if the difference of their strengths does, by standard errors that respect clusters (t test),
    after Holm's correction for all pairs.
    """
    by_player = strengths(duels, resamples, seed)
    players, by_cluster = _wins(duels)
    order = sorted(by_player, key=lambda player: -by_player[player].value)
    pairs = [(better, worse) for index, better in enumerate(order) for worse in order[index + 1 :]]
    p_values = dict(zip(pairs, holm(_p_values(pairs, players, by_cluster)), strict=True))
    return PlayerStrengths(
        {player: by_player[player] for player in order},
        ranks(order, p_values, alpha),
        tie_groups(order, p_values, alpha),
    )


def _p_values(pairs: Sequence[Pair], players: Sequence[str], by_cluster: npt.NDArray[Any]) -> list[float]:
    values = bradley_terry(by_cluster.sum(axis=0)).values
    covariance = np.zeros((len(players), len(players)))
    covariance[1:, 1:] = clustered_covariance(by_cluster, values)
    p_values = []
    for better, worse in pairs:
        first, second = players.index(better), players.index(worse)
        variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
        difference = float(values[first] - values[second])
        p_values.append(Estimate(difference, math.sqrt(max(variance, 0.0)), len(by_cluster) - 1, 0).p_value)
    return p_values
