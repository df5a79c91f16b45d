"""Strengths from wins: Bradley and Terry's model, and Elo for comparison with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_RIDGE = 1e-8
_STEPS = 100


class Strengths(NamedTuple):
    """The strengths of players: logit P(i beats j) = strength_i - strength_j; the reference has 0.

    Attributes:
        values: One strength per player.
        stderrs: Their standard errors, from the observed information; games count as independent.
        is_connected: Whether each player has, directly or through others, beaten and been beaten by every other:
            without this no finite strengths fit best, and these are arbitrary.
    """

    values: npt.NDArray[np.float64]
    stderrs: npt.NDArray[np.float64]
    is_connected: bool


def bradley_terry(wins: Sequence[Sequence[float]] | npt.NDArray[Any], reference: int = 0) -> Strengths:
    """The maximum-likelihood strengths.

    Args:
        wins: How often row beat column; a tie is half a win for each. The diagonal is not looked at.
        reference: The player whose strength is 0.

    Source: Bradley and Terry 1952, Biometrika 39:324; Agresti 2002, Categorical Data Analysis, section 10.6.
    """
    matrix = np.array(wins, dtype=float)
    np.fill_diagonal(matrix, 0.0)
    (values,) = strengths_of_samples(matrix[None], reference)
    free = np.arange(len(matrix)) != reference
    _, information = _derivatives(matrix, values)
    stderrs = np.zeros(len(matrix))
    stderrs[free] = np.sqrt(np.diag(np.linalg.inv(information[np.ix_(free, free)])))
    return Strengths(values, stderrs, _is_connected(matrix))


def strengths_of_samples(wins: npt.NDArray[np.float64], reference: int = 0) -> npt.NDArray[np.float64]:
    """The maximum-likelihood strengths of many samples of games at once, by Newton's method: samples x players.

    Args:
        wins: How often row beat column in each sample: samples x players x players, 0 in the diagonals.
        reference: The player whose strength is 0.
    """
    samples, players, _ = wins.shape
    values = np.zeros((samples, players))
    free = np.flatnonzero(np.arange(players) != reference)
    moving = np.arange(samples)
    for _ in range(_STEPS):
        gradient, information = _derivatives(wins[moving], values[moving])
        inner = information[:, free[:, None], free]
        step = np.linalg.solve(inner, (gradient - _RIDGE * values[moving])[:, free, None])[..., 0]
        values[moving[:, None], free] += np.clip(step, -2, 2)
        moving = moving[np.abs(step).max(axis=1, initial=0.0) >= 1e-10]
        if not len(moving):
            break
    return values


def _derivatives(
    wins: npt.NDArray[np.float64], values: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The gradient of the log-likelihood and the observed information, of one sample of games or of each of many."""
    games = wins + wins.swapaxes(-1, -2)
    chances = 1 / (1 + np.exp(values[..., None, :] - values[..., :, None]))
    weights = games * chances * (1 - chances)
    diagonal = np.eye(wins.shape[-1]) * (weights.sum(axis=-1) + _RIDGE)[..., None]
    return (wins - games * chances).sum(axis=-1), diagonal - weights


def clustered_covariance(wins: npt.NDArray[Any], values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The covariance of strengths, all but the first, when games of one cluster are not independent (sandwich).

    Args:
        wins: How often row beat column in each cluster: clusters x players x players.
        values: The strengths that fit the sum of these.

    Source: Cameron and Miller 2015, Journal of Human Resources 50:317, section II.B.
    """
    games = wins + wins.transpose(0, 2, 1)
    chances = 1 / (1 + np.exp(values[None, :] - values[:, None]))
    scores = (wins - games * chances).sum(axis=2)[:, 1:]
    weights = games.sum(axis=0) * chances * (1 - chances)
    information = (np.diag(weights.sum(axis=1)) - weights)[1:, 1:] + _RIDGE * np.eye(len(values) - 1)
    bread = np.linalg.inv(information)
    correction = len(wins) / max(len(wins) - 1, 1)
    return np.asarray(correction * bread @ scores.T @ scores @ bread)


def _is_connected(wins: npt.NDArray[Any]) -> bool:
    """Ford's condition (1957, American Mathematical Monthly 64:28): a chain of wins from each player to each."""
    reached = np.eye(len(wins), dtype=bool) | (wins > 0)
    for _ in range(len(wins).bit_length()):  # each product doubles the length of the chains
        reached = reached @ reached
    return bool(reached.all())


def elo(
    games: Iterable[tuple[str, str, float]],
    k: float = 32,
    start: float = 1500,
    scale: float = 400,
    weights: Iterable[float] | None = None,
) -> dict[str, float]:
    """Elo ratings after some games in their order, on which they depend: no estimate of a strength.

    Args:
        games: Two players and the result of the first: 1 won, 0.5 tied, 0 lost.
        k: How far one game moves a rating.
        start: The rating before the first game.
        scale: The difference at which the better one wins ten of eleven games.
        weights: What `k` is multiplied by in each game; by default 1.

    Source: Elo 1978, The Rating of Chessplayers.
    """
    ratings: dict[str, float] = {}
    for (first, second, result), weight in zip(games, repeat(1.0) if weights is None else weights, strict=False):
        a, b = ratings.get(first, start), ratings.get(second, start)
        gain = k * weight * (result - 1 / (1 + math.pow(10, (b - a) / scale)))
        ratings[first], ratings[second] = a + gain, b - gain
    return ratings
