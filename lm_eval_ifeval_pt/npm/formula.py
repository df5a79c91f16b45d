"""Normalised Preferred Metric (NPM): scores of benchmarks with different chance levels, on one scale.

    NPM = 100 * (score - random) / (maximum - random)

0 is chance, 100 the maximum, below chance is negative: nothing is clipped. An average is the unweighted mean over its
tasks. Source: Pires et al. 2023 (Sabiá), as used in Tucano 2 (arXiv:2603.03543), section 5.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from lm_eval_ifeval_pt import definitions
from lm_eval_ifeval_pt.npm.baselines import Baseline, FromDefinitions

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Scores = TypeVar("Scores", float, "npt.NDArray[np.float64]")

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "Easy": "tucano2_easy",
        "Hard": "tucano2_hard",
        "Total": "tucano2_suite",
        "K&R": "tucano2_kr",
        "Instruct": "tucano2_instruct",
        "Think": "tucano2_think",
        "CF": "tucano2_suite_cf",
        "MCF": "tucano2_suite_mcf",
    }
)
"""The averages of the Tucano 2 paper, and the groups of tasks that they are of: of base models (tables 2, 3) and after
post-training (5, 6). CF and MCF are those of the suite's other two groups."""

AVERAGES: Mapping[str, tuple[str, ...]] = FromDefinitions(
    lambda: {name: definitions.members(group) for name, group in GROUPS.items()}
)
"""The tasks of each of these averages."""


class NpmEstimate(NamedTuple):
    """A value on the NPM scale (0 to 100) with its standard error in the same points; None where it is not known."""

    value: float
    stderr: float | None


def normalised(score: Scores, random: float, maximum: float = 1.0) -> Scores:
    """A score, or an array of them, on the NPM scale.

    Args:
        score: The preferred metric, in the units of `random` and `maximum`.
        random: What guessing scores.
        maximum: The best possible score.
    """
    return 100 * (score - random) / (maximum - random)


def task_npm(score: float, stderr: float | None, baseline: Baseline) -> NpmEstimate:
    """The NPM of one task.

    Args:
        score: The task's preferred metric as a share (0 to 1).
        stderr: Its standard error as a share.
        baseline: The task's chance level and maximum.
    """
    scale = 100 / (baseline.max - baseline.random)
    value = normalised(score, baseline.random, baseline.max)
    return NpmEstimate(value, None if stderr is None else stderr * scale)


def mean_npm(estimates: Sequence[NpmEstimate]) -> NpmEstimate:
    """The unweighted mean of independent tasks: its stderr is sqrt(sum(stderr^2)) / k, unknown if any is.

    Raises:
        ValueError: there is nothing to average.
    """
    if not estimates:
        raise ValueError("no task to average")
    errors = [estimate.stderr for estimate in estimates]
    known = [error for error in errors if error is not None]
    stderr = math.sqrt(sum(error**2 for error in known)) / len(errors) if len(known) == len(errors) else None
    return NpmEstimate(sum(estimate.value for estimate in estimates) / len(estimates), stderr)


@dataclass(frozen=True, slots=True)
class Average:
    """One of the averages of one model.

    Attributes:
        estimate: The mean over the tasks that are present; None where it is withheld or nothing is present.
        present: How many of the average's tasks have a score.
        missing: The tasks that have none.
    """

    estimate: NpmEstimate | None
    present: int
    missing: tuple[str, ...]

    @property
    def is_partial(self) -> bool:
        """Whether the value leaves tasks out, so that it must not be compared with a complete one."""
        return bool(self.missing)

    @property
    def coverage(self) -> str:
        """The tasks that the average covers, e.g. "9/10 tasks: bluex missing"."""
        total = self.present + len(self.missing)
        return f"{self.present}/{total} tasks" + (f": {', '.join(self.missing)} missing" if self.missing else "")


def average(estimates: Mapping[str, NpmEstimate], tasks: Sequence[str], partial: bool = False) -> Average:
    """An average over named tasks; withheld while one is missing, since the mean of the others is another number.

    Args:
        estimates: The NPM of each task that has a score.
        tasks: The tasks of the average.
        partial: Whether to give the mean of the present tasks when some are missing.
    """
    present = [estimates[task] for task in tasks if task in estimates]
    missing = tuple(task for task in tasks if task not in estimates)
    shown = present and (partial or not missing)
    return Average(mean_npm(present) if shown else None, len(present), missing)


def npm_ranks(estimates: Mapping[str, NpmEstimate], alpha: float = 0.05) -> dict[str, int | None]:
    """Ranks that claim no more than the data: 1 + the number of models that are significantly better.

    Every pair is tested (z-test of independent estimates), Holm's correction keeps the chance of any false claim among
    all pairs below `alpha`. Models that cannot be told apart from the same better ones share a rank.

    Args:
        estimates: One value per model; a model whose stderr is unknown gets no rank, since nothing can be claimed.
        alpha: The family-wise error rate.

    Returns:
        The rank of each model, None where it has none.

    Source: Holm 1979, Scandinavian Journal of Statistics 6:65.
    """
    from lm_eval_ifeval_pt.statistics import multiplicity

    known = {model: estimate for model, estimate in estimates.items() if estimate.stderr is not None}
    models = sorted(known, key=lambda model: -known[model].value)
    pairs = [(better, worse) for index, better in enumerate(models) for worse in models[index + 1 :]]
    adjusted = multiplicity.holm([_two_sided_p(known[better], known[worse]) for better, worse in pairs])
    places = multiplicity.ranks(models, dict(zip(pairs, adjusted, strict=True)), alpha)
    return {model: places.get(model) for model in estimates}


def _two_sided_p(first: NpmEstimate, second: NpmEstimate) -> float:
    """The p-value of "no difference" for two independent normal estimates."""
    error = math.hypot(first.stderr or 0.0, second.stderr or 0.0)
    difference = abs(first.value - second.value)
    if error == 0:
        return 0.0 if difference else 1.0
    return math.erfc(difference / error / math.sqrt(2))
