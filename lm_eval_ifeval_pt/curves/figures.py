"""The figures beside each curve, and the order of tasks by what they tell at this scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lm_eval_ifeval_pt.curves import signal
from lm_eval_ifeval_pt.curves.points import Curve
from lm_eval_ifeval_pt.statistics import spearman

LAST = 5
"""Checkpoints at the end of a training whose spread is taken for noise; FineWeb2 takes five."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one curve; scores, errors and noises as shares (NPM / 100 for averages), NaN where unknown.

    Attributes:
        curve: The curve.
        first: The first score.
        last: The last score.
        gain: What was learnt, by the curve that never falls.
        spearman: Rank correlation of score and step: 1 for a score that never falls. FineWeb2 (arXiv:2506.20920,
            section A.5.1) calls its mean over trainings monotonicity and asks for 0.5; Tucano 2 gives that of one.
        rising_share: Rises less falls between neighbours.
        mean_absolute_change: Between neighbours.
        item_error: Standard error over items of the last score.
        step_noise: Standard deviation of the last scores.
        detrended_noise: The same around the curve that never falls.
        snr: Mean over standard deviation of all scores, as Tucano 2 has it.
        separable: `gain` over the noise of a difference, sqrt(2) * max(detrended noise, item error): how many
            differences that can be seen fit into what was learnt. The order of usefulness.
        above_chance: Step from which every checkpoint is significantly above chance; None where there is none.
        five_points: First step five points above chance.
    """

    curve: Curve
    first: float
    last: float
    gain: float
    spearman: float
    rising_share: float
    mean_absolute_change: float
    item_error: float
    step_noise: float
    detrended_noise: float
    snr: float
    separable: float
    above_chance: int | None
    five_points: int | None


def of_curve(curve: Curve, last: int = LAST) -> Figures:
    """The figures of one curve."""
    scores, steps = curve.scores, curve.steps
    errors = [signal.item_error(point.score, point.stderr, point.items) for point in curve.points]
    item_error = errors[-1]
    detrended = signal.detrended_noise(scores, last)
    noises = [noise for noise in (detrended, item_error) if not math.isnan(noise)]
    gain = signal.gain(scores)
    above = five = None
    if curve.chance is not None:
        above = signal.above_chance_from(scores, errors, curve.chance, [point.items for point in curve.points])
        five = signal.points_above_from(scores, curve.chance)
    return Figures(
        curve=curve,
        first=scores[0],
        last=scores[-1],
        gain=gain,
        spearman=spearman(steps, scores),
        rising_share=signal.rising_share(scores),
        mean_absolute_change=signal.mean_absolute_change(scores),
        item_error=item_error,
        step_noise=signal.step_noise(scores, last),
        detrended_noise=detrended,
        snr=signal.snr_of_one_training(scores),
        separable=signal.absolute_ratio(gain, math.sqrt(2) * max(noises)) if noises else math.nan,
        above_chance=None if above is None else steps[above],
        five_points=None if five is None else steps[five],
    )


@dataclass(frozen=True, slots=True)
class Between:
    """The figures of a task over several trainings, at the steps that all have.

    Attributes:
        task: The task.
        runs: The trainings.
        steps: The steps that all have.
        spread: Largest less smallest final score.
        ratio: `spread` over the median step noise of the trainings; the same for a score and its NPM.
        snr_between_models: Relative spread over relative step noise (Heineman et al. 2025), of the median training.
        snr_between_seeds: Mean over standard deviation between trainings (FineWeb2), where only their seed differs.
        agreement: At each of `steps`, Kendall's tau-a of the ranking there with the final one.
        decisions: At each of `steps`, the share of pairs in the final order.
        neighbours: Mean tau-a of rankings at neighbouring steps of the second half (FineWeb2, ordering consistency).
    """

    task: str
    runs: tuple[str, ...]
    steps: tuple[int, ...]
    spread: float
    ratio: float
    snr_between_models: float
    snr_between_seeds: float
    agreement: tuple[float, ...]
    decisions: tuple[float, ...]
    neighbours: float

    @property
    def early_decision(self) -> float:
        """The mean of `decisions` over the first half of the steps."""
        return float(np.mean(self.decisions[: max(1, len(self.decisions) // 2)]))


def between(curves: Sequence[Curve], last: int = LAST) -> Between | None:
    """The figures of a task over its trainings; None for fewer than two, or without a common step."""
    shared = sorted(set.intersection(*(set(curve.steps) for curve in curves))) if len(curves) > 1 else []
    if not shared:
        return None
    table = np.array([[dict(zip(c.steps, c.scores, strict=True))[step] for step in shared] for c in curves])
    final = table[:, -1]
    noises = [signal.step_noise(row, last) for row in table]
    median = table[int(np.argsort(noises)[len(noises) // 2])]
    spread = float(np.ptp(final))
    half = table[:, len(shared) // 2 :]
    pairs = [signal.kendall(half[:, i], half[:, i + 1]) for i in range(half.shape[1] - 1)]
    return Between(
        task=curves[0].task,
        runs=tuple(curve.run for curve in curves),
        steps=tuple(shared),
        spread=spread,
        ratio=signal.absolute_ratio(spread, float(np.median(noises))),
        snr_between_models=signal.snr_between_models(final, median[-last:]) if final.mean() > 0 else math.nan,
        snr_between_seeds=signal.snr_between_seeds(list(table)),
        agreement=tuple(signal.kendall(table[:, i], final) for i in range(len(shared))),
        decisions=tuple(signal.decision_accuracy(table[:, i], final) for i in range(len(shared))),
        neighbours=float(np.mean(pairs)) if pairs else math.nan,
    )


@dataclass(frozen=True, slots=True)
class Usefulness:
    """A task's place among the tasks.

    Attributes:
        task: The task.
        separable: Median over trainings of `Figures.separable`.
        spearman: Median over trainings.
        above_chance: How many trainings end above chance for good; None where chance is not known.
        decision: Mean share of pairs of trainings in the final order over the first half of the steps; NaN for one.
        runs: How many trainings.
    """

    task: str
    separable: float
    spearman: float
    above_chance: int | None
    decision: float
    runs: int


def usefulness(figures: Iterable[Figures], together: Iterable[Between]) -> list[Usefulness]:
    """The tasks, the most useful first: those that end above chance before those that do not, then by `separable`.

    Args:
        figures: Of every curve.
        together: What tasks say between trainings, as far as there are several.
    """
    by_task: dict[str, list[Figures]] = {}
    for of_curve in figures:
        by_task.setdefault(of_curve.curve.task, []).append(of_curve)
    early = {of_task.task: of_task.early_decision for of_task in together}
    lines = []
    for task, trainings in by_task.items():
        is_known = any(training.curve.chance is not None for training in trainings)
        lines.append(
            Usefulness(
                task=task,
                separable=_median([training.separable for training in trainings]),
                spearman=_median([training.spearman for training in trainings]),
                above_chance=sum(training.above_chance is not None for training in trainings) if is_known else None,
                decision=early.get(task, math.nan),
                runs=len(trainings),
            )
        )
    return sorted(lines, key=lambda line: (line.above_chance == 0, math.isnan(line.separable), -line.separable))


def _median(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(np.median(known)) if known else math.nan
