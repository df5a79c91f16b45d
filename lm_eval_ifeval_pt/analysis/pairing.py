"""The same documents answered by several models: which metric counts, its values, and who belongs to whom."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.analysis.clusters import clusters
from lm_eval_ifeval_pt.grading import TO_100
from lm_eval_ifeval_pt.npm.baselines import ALIASES, BASELINES, Baseline
from lm_eval_ifeval_pt.results import Item, ResultsError, Run, Value, by_identity
from lm_eval_ifeval_pt.statistics import numbered

_USUAL = ("prompt_level_strict_acc", "exact_match", "acc_norm", "acc", "pass@1", "f1")
_PER_UNIT = {"word_perplexity": 1.0, "byte_perplexity": 1.0, "bits_per_byte": math.log(2)}
"""Metrics that are a log-likelihood and a number of units, and what divides their ratio."""


class NotComparable(ValueError):
    """Two runs differ in what they asked, so that their scores must not be compared."""


def baseline_of(run: Run) -> Baseline | None:
    """Preferred metric, chance and maximum of a task: of the suite, or as its own metadata state them."""
    if known := BASELINES.get(ALIASES.get(run.task, run.task)):
        return known
    stated = run.settings.get("metadata", {}).get("npm")
    if isinstance(stated, dict) and {"metric", "random"} <= stated.keys():
        return Baseline(str(stated["metric"]), float(stated["random"]), float(stated.get("max", 1.0)))
    return None


def metric_of(runs: Sequence[Run], wanted: str | None = None) -> str:
    """The metric by which runs of one task are compared: as wanted, or preferred, or the first usual one.

    Raises:
        ResultsError: some run does not have it.
    """
    of_runs = [run.metrics for run in runs]
    shared = [name for name in of_runs[0] if all(name in of_run for of_run in of_runs)]
    preferred = baseline_of(runs[0])
    for name in (wanted,) if wanted else (*([preferred.metric] if preferred else []), *_USUAL, *shared):
        if name in shared:
            return name
    raise ResultsError(
        f"{runs[0].task}: not every run has the metric {wanted}; they have: {', '.join(shared) or 'none in common'}"
    )


def filter_of(runs: Sequence[Run], wanted: str | None = None) -> str:
    """The filter under which runs of one task are compared: as wanted, or the first that all have.

    Raises:
        ResultsError: some run does not have it.
    """
    of_runs = [run.filters for run in runs]
    shared = [name for name in of_runs[0] if all(name in of_run for of_run in of_runs)]
    if (wanted is not None and wanted not in shared) or not shared:
        has = ", ".join(shared) or "none in common"
        raise ResultsError(f"{runs[0].task}: not every run has the filter {wanted}; they have: {has}")
    return wanted or shared[0]


def is_higher_better(runs: Sequence[Run], metric: str) -> bool:
    """The direction of a metric, as the result files say."""
    said = [run.higher_is_better[metric] for run in runs if metric in run.higher_is_better]
    return said[0] is not False if said else metric not in _PER_UNIT


def scores_of(metric: str, value: Value) -> tuple[float, ...]:
    """A metric of one document as numbers that can be averaged: one, or one per instruction.

    What runs to 100, as BLEU does, is taken as a share, like all other scores. Perplexities are taken as nats per word
    or byte, so that their mean is the logarithm of the task's.
    """
    if isinstance(value, float):
        return (value / 100 if metric in TO_100 else value,)
    if metric in _PER_UNIT and len(value) == 2:
        return (-value[0] / value[1] / _PER_UNIT[metric],) if value[1] else ()
    return value


@dataclass(frozen=True)
class Shared:
    """The scores of several runs on the documents that all of them have.

    Attributes:
        metric: The metric.
        filter: The filter.
        items: For each document, the item of each run.
        scores: For each run, its scores: one per unit, which is a document, or an instruction of one.
        unit_of: For each unit, its document's place in `items`.
        base_task: For each unit, its cluster.
        restriction: For each unit, its restriction; None where units have none, or several.
        left_out: For each run, how many of its documents another run lacks.
    """

    metric: str
    filter: str
    items: tuple[tuple[Item, ...], ...]
    scores: tuple[tuple[float, ...], ...]
    unit_of: tuple[int, ...]
    base_task: tuple[Hashable, ...]
    restriction: tuple[Hashable, ...] | None
    left_out: tuple[int, ...]

    @cached_property
    def matrix(self) -> npt.NDArray[np.float64]:
        """The scores: a row per run, a column per unit."""
        return np.array(self.scores, dtype=float)

    @cached_property
    def cluster_numbers(self) -> npt.NDArray[np.intp]:
        """The clusters as numbers (`statistics.numbered`)."""
        return numbered(self.base_task)

    @cached_property
    def is_binary(self) -> bool:
        """Whether every score is 0 or 1."""
        return all(score in (0, 1) for scores in self.scores for score in scores)


def share(
    runs: Sequence[Run],
    metric: str | None = None,
    filter: str | None = None,
    cluster: str | None = None,
    by_place: bool = False,
) -> Shared:
    """The scores of runs of one task on the documents that they share.

    Args:
        runs: At least one.
        metric: As for `metric_of`.
        filter: As for `filter_of`.
        cluster: The field of the documents to cluster by; see `clusters`.
        by_place: Take documents for the same by their place in the split, where their hashes differ.

    Raises:
        ResultsError: metric, filter or field is not there.
        NotComparable: they share no document.
    """
    metric, filter = metric_of(runs, metric), filter_of(runs, filter)
    own = [_with_metric(run.under(filter), metric) for run in runs]
    keyed: list[dict[Hashable, Item]] = [dict(by_identity(items).items()) for items in own]
    if by_place and not set.intersection(*map(set, keyed)):
        keyed = [{item.doc_id: item for item in items} for items in own]
    shared = [key for key in keyed[0] if all(key in by_key for by_key in keyed)]
    if not shared:
        raise NotComparable(
            f"{runs[0].task}: no document is the same in all runs: other rows, another version of the data, other "
            "metadata (dialect, mode, source); --force compares them by their place"
        )
    items = [tuple(by_key[key] for by_key in keyed) for key in shared]
    return _share(metric, filter, items, [len(by_key) - len(shared) for by_key in keyed], cluster)


def _with_metric(items: Sequence[Item], metric: str) -> list[Item]:
    return [item for item in items if metric in item.metrics]


def _share(
    metric: str, filter: str, items: list[tuple[Item, ...]], left_out: list[int], cluster: str | None
) -> Shared:
    first = [row[0] for row in items]
    tasks = clusters(first, cluster)
    scores: list[tuple[tuple[float, ...], ...]] = []
    unit_of: list[int] = []
    asked: list[Hashable] = []
    has_restrictions = cluster is None
    for index, row in enumerate(items):
        values = [scores_of(metric, item.metrics[metric]) for item in row]
        sizes = list(map(len, values))
        if len(set(sizes)) > 1:
            counts = " and ".join(map(str, sizes))
            raise NotComparable(f"document {row[0].doc_id}: {metric} has {counts} numbers")
        scores.extend(zip(*values, strict=True))
        unit_of.extend([index] * len(values[0]))
        names = [instruction.restriction for instruction in row[0].instructions]
        has_restrictions = has_restrictions and len(names) == len(values[0]) > 0
        asked.extend(names)
    return Shared(
        metric=metric,
        filter=filter,
        items=tuple(items),
        scores=tuple(zip(*scores, strict=True)),
        unit_of=tuple(unit_of),
        base_task=tuple(tasks[index] for index in unit_of),
        restriction=tuple(asked) if has_restrictions else None,
        left_out=tuple(left_out),
    )
