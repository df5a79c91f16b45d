"""How often 95 % intervals hold the truth, by simulation.

    python -m tests.quality.coverage [REPETITIONS]

Wilson's interval on independent items; score intervals of rates with none, one or two clusterings on a crossed design
of 14 base tasks x 22 restrictions, whose outcomes depend on both; the intervals of corrected scores of one restriction;
and how often `rank` names any of several equal models better (family-wise error, nominal 5 %) with a task of few
documents. Nominal is 95 %; between 93 and 97 % is called good. With five items there are six outcomes only, so that no
interval holds 95 % at every rate: Wilson's does on average over rates.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.analysis import accidental
from lm_eval_ifeval_pt.analysis.ranking import average
from lm_eval_ifeval_pt.ifeval.crossing import Cell
from lm_eval_ifeval_pt.statistics import difference_of_rates, holm, rate, wilson

SEED = 1422
TASKS, RESTRICTIONS = 14, 22
TASK = [task for task in range(TASKS) for _ in range(RESTRICTIONS)]
RESTRICTION = [restriction for _ in range(TASKS) for restriction in range(RESTRICTIONS)]


def wilson_coverage(n: int, repetitions: int) -> float:
    """The share of Wilson intervals that hold the rate, which is anywhere between 5 and 95 %."""
    generator = np.random.default_rng(SEED)
    interval = cache(lambda followed: wilson(followed, n))
    rates = generator.uniform(0.05, 0.95, repetitions)
    followed = generator.binomial(n, rates)
    intervals = [interval(int(count)) for count in followed]
    return float(np.mean([low <= rate <= high for rate, (low, high) in zip(rates, intervals, strict=True)]))


def crossed(generator: np.random.Generator, of_task: float, of_restriction: float) -> npt.NDArray[np.bool_]:
    """Outcomes of one model, task by task; the standard deviations are those of the logits. Their mean is 1/2."""
    logits = (
        generator.normal(0, of_task, TASKS)[:, None] + generator.normal(0, of_restriction, RESTRICTIONS)[None, :]
    )
    return np.asarray(generator.random((TASKS, RESTRICTIONS)) < 1 / (1 + np.exp(-logits))).ravel()


def clustered_coverage(of_task: float, of_restriction: float, repetitions: int) -> dict[str, float]:
    """The share of intervals that hold 1/2, by what the standard error respects."""
    generator = np.random.default_rng(SEED)
    clusterings = {
        "prompts": (),
        "base tasks": (TASK,),
        "restrictions": (RESTRICTION,),
        "both": (TASK, RESTRICTION),
    }
    held = dict.fromkeys(clusterings, 0)
    for _ in range(repetitions):
        outcomes = crossed(generator, of_task, of_restriction)
        for name, clustering in clusterings.items():
            interval = rate(outcomes, *clustering).interval()
            held[name] += interval.low <= 0.5 <= interval.high
    return {name: count / repetitions for name, count in held.items()}


def rate_coverage(n: int, true: float, repetitions: int) -> float:
    """The share of a rate's intervals that hold it, for independent items."""
    generator = np.random.default_rng(SEED)
    interval = cache(lambda followed: rate([1.0] * followed + [0.0] * (n - followed)).interval())
    intervals = [interval(int(count)) for count in generator.binomial(n, true, repetitions)]
    return float(np.mean([low <= true <= high for low, high in intervals]))


def corrected_coverage(kappa: float, chance: float, repetitions: int) -> float:
    """The share of intervals of a restriction's corrected score that hold it: 14 base tasks, 20 other answers each."""
    generator = np.random.default_rng(SEED)
    asked_rate = chance + kappa * (1 - chance)
    held = 0
    for _ in range(repetitions):
        met = generator.binomial(20, chance, TASKS)
        asked = generator.random(TASKS) < asked_rate
        cells = [Cell(str(task), "r", "active", bool(asked[task]), int(met[task]), 20) for task in range(TASKS)]
        (row,) = accidental.by_restriction(cells)
        low, high = row.corrected.interval() if row.corrected else (-np.inf, np.inf)
        held += low <= kappa <= high
    return held / repetitions


def family_wise_error(documents: tuple[int, ...], models: int, repetitions: int) -> float:
    """How often any pair of equal models, each right with chance 1/2 on every document, is told apart."""
    generator = np.random.default_rng(SEED)
    wrong = 0
    for _ in range(repetitions):
        tasks = [(generator.random((models, n)) < 0.5).astype(float) for n in documents]
        p_values = [
            average([difference_of_rates(task[one] - task[other], range(task.shape[1])) for task in tasks]).p_value
            for one in range(models)
            for other in range(one + 1, models)
        ]
        wrong += min(holm([1.0 if np.isnan(p) else p for p in p_values])) <= 0.05
    return wrong / repetitions


def main() -> None:
    """Print the shares."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    print(f"seed {SEED}, {repetitions} repetitions; standard error of a share near 95 %: "
          f"{100 * (0.95 * 0.05 / repetitions) ** 0.5:.1f} points")
    for n in (14, 98, 308):
        print(f"Wilson, n = {n}: {100 * wilson_coverage(n, repetitions):.1f} %")
    for n in (5, 14, 98):
        shares = [f"p = {true}: {100 * rate_coverage(n, true, repetitions):.1f} %" for true in (0.05, 0.5, 0.9)]
        print(f"rate, n = {n}: {', '.join(shares)}")
    for kappa, chance in ((0.0, 0.3), (0.5, 0.3), (0.8, 0.3), (0.8, 0.7)):
        share = corrected_coverage(kappa, chance, min(repetitions, 1000))
        print(f"corrected score of one restriction, kappa {kappa}, accidental {chance}: {100 * share:.1f} %")
    for documents in ((100,), (2, 100), (2, 2, 2), (5, 5), (1, 50)):
        share = family_wise_error(documents, 4, min(repetitions, 1000))
        print(f"family-wise error of 4 equal models on tasks of {documents} documents: {100 * share:.1f} %")
    for of_task, of_restriction in ((0.0, 0.0), (1.0, 0.0), (0.0, 2.0), (1.0, 1.0), (0.5, 2.0)):
        shares = clustered_coverage(of_task, of_restriction, repetitions)
        listed = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items())
        print(f"clustered mean, logits vary by {of_task} over tasks and {of_restriction} over restrictions: {listed}")


if __name__ == "__main__":
    main()
