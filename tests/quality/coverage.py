"""How often 95 % intervals hold the truth, and how often equal models are told apart, by simulation.

    python -m tests.quality.coverage [REPETITIONS]

Coverage is the share of simulated data sets whose interval holds the true rate, averaged over true rates that are
equally likely between 0 and 1 ("average coverage", Newcombe 1998, Statistics in Medicine 17:857; Agresti and Coull
1998, The American Statistician 52:119). The average is needed: of n items there are n + 1 outcomes and so n + 1
intervals, and with five items no choice of six intervals holds 93 to 97 % at each single rate. Single rates are
printed too; where no interval of any kind can hold 93 to 97 % there, that is said instead: an interval holds a rate
for a run of consecutive numbers of successes, and no such run has that probability. Clustered intervals are tried
on the crossed design of ifeval_pt, 14 base tasks x 22 restrictions, each against the truth that it claims to hold:
the rate over all base tasks with these restrictions, over all restrictions with these base tasks, or over all of
both.

The family-wise error is the chance that any of four equal models is told apart from another (Holm, nominal 5 %).
Each line says whether it holds: coverage between 93 and 97 %, an error of at most 6 %. The exit code is 1 where one
does not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from lm_eval_ifeval_pt.analysis import accidental
from lm_eval_ifeval_pt.ifeval.crossing import Crossing
from lm_eval_ifeval_pt.statistics import Interval, difference_of_rates, holm, mean_of_estimates, paired_difference, rate

SEED = 1422
TASKS, RESTRICTIONS = 14, 22
TASK = [task for task in range(TASKS) for _ in range(RESTRICTIONS)]
RESTRICTION = [restriction for _ in range(TASKS) for restriction in range(RESTRICTIONS)]
GOOD = (0.93, 0.97)
LARGEST_ERROR = 0.06

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def coverage_at(n: int, true: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The chance that the interval of a rate of n independent items holds each of these true rates; exact."""
    intervals = [rate([1.0] * followed + [0.0] * (n - followed)).interval() for followed in range(n + 1)]
    low, high = (np.array(bounds) for bounds in zip(*intervals, strict=True))
    holds = (low[:, None] <= true) & (true <= high[:, None])
    return np.asarray((binom.pmf(np.arange(n + 1)[:, None], n, true) * holds).sum(axis=0))


def average_coverage(n: int) -> tuple[float, float, float]:
    """The average over true rates between 0 and 1, and the least and greatest at one rate between .05 and .95."""
    every = (np.arange(2000) + 0.5) / 2000
    inner = coverage_at(n, np.linspace(0.05, 0.95, 901))
    return float(coverage_at(n, every).mean()), float(inner.min()), float(inner.max())


def can_cover(n: int, true: float) -> bool:
    """Whether any interval of n independent items can hold this rate in 93 to 97 % of samples."""
    below = np.concatenate([[0.0], binom.cdf(np.arange(n + 1), n, true)])
    shares = below[None, :] - below[:, None]  # of each run of consecutive numbers of successes
    return bool(((shares >= GOOD[0]) & (shares <= GOOD[1])).any())


def difference_coverage(n: int, repetitions: int) -> float:
    """The share of intervals of paired differences that hold the true one; rates and their dependence are drawn."""
    generator = np.random.default_rng(SEED)

    @cache
    def interval(up: int, down: int) -> Interval:
        return paired_difference([1.0] * up + [-1.0] * down + [0.0] * (n - up - down)).interval()

    held = 0
    for _ in range(repetitions):
        both, up, down, neither = generator.dirichlet([1, 1, 1, 1])
        counts = generator.multinomial(n, [both, up, down, neither])
        low, high = interval(int(counts[1]), int(counts[2]))
        held += low <= up - down <= high
    return held / repetitions


def _logistic(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-values)))


def clustered_coverage(of_task: float, of_restriction: float, repetitions: int) -> dict[str, float]:
    """The share of clustered intervals that hold what they claim to; deviations are those of the logits."""
    generator = np.random.default_rng(SEED)
    held = {"base tasks": 0, "restrictions": 0, "both": 0}
    for _ in range(repetitions):
        level = generator.normal(0, 1.5)
        tasks = generator.normal(0, of_task, TASKS)
        restrictions = generator.normal(0, of_restriction, RESTRICTIONS)
        chances = _logistic(level + tasks[:, None] + restrictions[None, :])
        outcomes = (generator.random(chances.shape) < chances).ravel()
        other_tasks = _logistic(level + of_task * _NODES[:, None] + restrictions[None, :])
        other_restrictions = _logistic(level + tasks[:, None] + of_restriction * _NODES[None, :])
        of_both = _logistic(level + of_task * _NODES[:, None] + of_restriction * _NODES[None, :])
        claims = {
            "base tasks": ((TASK,), float((_WEIGHTS @ other_tasks).mean())),
            "restrictions": ((RESTRICTION,), float((other_restrictions @ _WEIGHTS).mean())),
            "both": ((TASK, RESTRICTION), float(_WEIGHTS @ of_both @ _WEIGHTS)),
        }
        for name, (clustering, truth) in claims.items():
            low, high = rate(outcomes, *clustering).interval()
            held[name] += low <= truth <= high
    return {name: count / repetitions for name, count in held.items()}


def corrected_coverage(kappa: float, chance: float, repetitions: int) -> float:
    """The share of intervals of a restriction's corrected score that hold it: 14 base tasks, 20 other answers each."""
    generator = np.random.default_rng(SEED)
    asked_rate = chance + kappa * (1 - chance)
    held = 0
    for _ in range(repetitions):
        met = generator.binomial(20, chance, TASKS)
        asked = generator.random(TASKS) < asked_rate
        cells = [Crossing(str(task), "r", "active", bool(asked[task]), int(met[task]), 20) for task in range(TASKS)]
        (row,) = accidental.by_restriction(cells)
        low, high = row.corrected.interval() if row.corrected else (-np.inf, np.inf)
        held += low <= kappa <= high
    return held / repetitions


def family_wise_error(documents: tuple[int, ...], models: int, repetitions: int, right: float = 0.5) -> float:
    """How often any pair of equal models, each right with the same chance on every document, is told apart."""
    generator = np.random.default_rng(SEED)
    wrong = 0
    for _ in range(repetitions):
        tasks = [(generator.random((models, n)) < right).astype(float) for n in documents]
        p_values = [
            mean_of_estimates(
                [difference_of_rates(task[one] - task[other], range(task.shape[1])) for task in tasks]
            ).p_value
            for one in range(models)
            for other in range(one + 1, models)
        ]
        wrong += min(holm([1.0 if np.isnan(p) else p for p in p_values])) <= 0.05
    return wrong / repetitions


def figures(repetitions: int) -> Iterator[tuple[str, bool | None]]:
    """Lines to print, and whether their figures are good; None where no interval can make them so."""
    for n in (5, 14, 98, 308):
        average, least, most = average_coverage(n)
        line = f"rate, n = {n}: {100 * average:.1f} % on average; at one rate {100 * least:.1f} to {100 * most:.1f} %"
        yield line, GOOD[0] <= average <= GOOD[1]
    for n in (5, 14, 98, 308):
        for true in (0.05, 0.5, 0.9):
            share = float(coverage_at(n, np.array([true]))[0])
            is_good = GOOD[0] <= share <= GOOD[1]
            yield f"rate, n = {n}, at {true}: {100 * share:.1f} %", is_good if can_cover(n, true) else None
    for n in (5, 14, 98, 308):
        share = difference_coverage(n, repetitions)
        yield f"paired difference, n = {n}: {100 * share:.1f} %", GOOD[0] <= share <= GOOD[1]
    for kappa, chance in ((0.0, 0.3), (0.5, 0.3), (0.8, 0.3), (0.8, 0.7)):
        share = corrected_coverage(kappa, chance, min(repetitions, 1000))
        yield (
            f"corrected score of one restriction, kappa {kappa}, accidental {chance}: {100 * share:.1f} %",
            GOOD[0] <= share <= GOOD[1],
        )
    for of_task, of_restriction in ((0.0, 0.0), (1.0, 0.0), (0.0, 2.0), (1.0, 1.0), (0.5, 2.0)):
        shares = clustered_coverage(of_task, of_restriction, repetitions)
        listed = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items())
        yield (
            f"clustered rate, logits vary by {of_task} over tasks and {of_restriction} over restrictions: {listed}",
            all(GOOD[0] <= share <= GOOD[1] for share in shares.values()),
        )
    for documents in ((5,), (100,), (2, 100), (2, 2, 2), (5, 5), (5,) * 10, (1, 50)):
        for right in (0.5, 0.9):
            share = family_wise_error(documents, 4, min(repetitions, 1000), right)
            counts = f"{len(documents)} tasks of 5" if len(documents) == 10 else " and ".join(map(str, documents))
            yield (
                f"family-wise error, 4 equal models right with {right:g}, {counts} documents: {100 * share:.1f} %",
                share <= LARGEST_ERROR,
            )


def main() -> int:
    """Print the shares; 1 where one is not good."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    print(
        f"seed {SEED}, {repetitions} repetitions; standard error of a share near 95 %: "
        f"{100 * (0.95 * 0.05 / repetitions) ** 0.5:.1f} points"
    )
    told = {True: "holds", False: "DOES NOT HOLD", None: "no interval can hold it here"}
    judgements = []
    for line, is_good in figures(repetitions):
        print(f"{line}: {told[is_good]}", flush=True)
        judgements.append(is_good)
    return int(False in judgements)


if __name__ == "__main__":
    sys.exit(main())
