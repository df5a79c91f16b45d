"""Did the last checkpoints change anything: paired over items, which two averages cannot say."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lm_eval_ifeval_pt.analysis.pairing import NotComparable, share
from lm_eval_ifeval_pt.curves import signal
from lm_eval_ifeval_pt.curves.points import Curve, Point
from lm_eval_ifeval_pt.results import ResultsError, Run, read
from lm_eval_ifeval_pt.statistics import Estimate, holm, mean

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Change:
    """One task over the last checkpoints of one training.

    Attributes:
        run: The training.
        task: The task.
        metric: What is measured.
        steps: The checkpoints compared.
        items: Units that all of them have.
        difference: Last less first of them, paired, as a share.
        trend: The change over all of them by a straight line through each item's scores, paired, as a share.
        moved: p-value of "all of them solve equally many items" (Cochran's Q), for outcomes of 0 or 1; else NaN.
        p_value: Of "there is no trend", after Holm over all tasks and trainings.
    """

    run: str
    task: str
    metric: str
    steps: tuple[int, ...]
    items: int
    difference: Estimate
    trend: Estimate
    moved: float
    p_value: float

    @property
    def is_change(self) -> bool:
        """Whether the score has a trend that the items do not explain by accident."""
        return self.p_value <= ALPHA


def changes(curves: Iterable[Curve], last: int) -> tuple[list[Change], list[str]]:
    """The change over the last so many checkpoints of each curve, and a note on each curve without items to compare."""
    changed: list[Change] = []
    notes: list[str] = []
    for curve in curves:
        if curve.is_average or len(curve.points) < 2:
            continue
        try:
            changed.append(_change(curve, last))
        except (ResultsError, NotComparable) as error:
            notes.append(f"{curve.run}, {curve.task}: the last checkpoints are not compared by item: {error}")
    adjusted = holm([change.p_value for change in changed])
    return [replace(change, p_value=p) for change, p in zip(changed, adjusted, strict=True)], notes


def _change(curve: Curve, last: int) -> Change:
    points = curve.points[-last:]
    shared = share([run_of(point, curve.task) for point in points], metric=curve.metric)
    scores = np.array(shared.scores)
    weights = np.arange(len(points)) - (len(points) - 1) / 2
    trend = mean((len(points) - 1) * (weights @ scores) / float((weights**2).sum()), shared.base_task)
    return Change(
        run=curve.run,
        task=curve.task,
        metric=shared.metric,
        steps=tuple(point.step for point in points),
        items=scores.shape[1],
        difference=mean(scores[-1] - scores[0], shared.base_task),
        trend=trend,
        moved=signal.cochran_q(scores) if shared.is_binary else math.nan,
        p_value=trend.p_value,
    )


def run_of(point: Point, task: str) -> Run:
    """The items behind a point.

    Raises:
        ResultsError: there are no samples of it.
    """
    runs = [run for run in read([_samples(point.path, task)]).runs if run.task == task]
    if not runs:
        raise ResultsError(f"{point.path}: no samples of {task}")
    return runs[-1]


def _samples(result: Path, task: str) -> Path:
    """The sample file of a task beside a result; the result itself where the names do not say it."""
    beside = sorted(result.parent.glob(f"samples_{task}_*.jsonl"))
    return beside[0] if len(beside) == 1 else result
