"""How often 95 % intervals hold the truth, by simulation.

    python -m tests.quality.coverage [REPETITIONS]

Wilson's interval on independent items; t intervals of means with none, one or two clusterings on a crossed design of
14 base tasks x 22 restrictions, whose outcomes depend on both. Nominal is 95 %; between 93 and 97 % is called good.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.statistics import mean, wilson

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
            interval = mean(outcomes, *clustering).interval()
            held[name] += interval.low <= 0.5 <= interval.high
    return {name: count / repetitions for name, count in held.items()}


def main() -> None:
    """Print the shares."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    print(f"seed {SEED}, {repetitions} repetitions; standard error of a share near 95 %: "
          f"{100 * (0.95 * 0.05 / repetitions) ** 0.5:.1f} points")
    for n in (14, 98, 308):
        print(f"Wilson, n = {n}: {100 * wilson_coverage(n, repetitions):.1f} %")
    for of_task, of_restriction in ((0.0, 0.0), (1.0, 0.0), (0.0, 2.0), (1.0, 1.0), (0.5, 2.0)):
        shares = clustered_coverage(of_task, of_restriction, repetitions)
        listed = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items())
        print(f"clustered mean, logits vary by {of_task} over tasks and {of_restriction} over restrictions: {listed}")


if __name__ == "__main__":
    main()
