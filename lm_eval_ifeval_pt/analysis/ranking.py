"""Many models on the same documents: their order, as far as the documents allow one."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.analysis import comparability, pairing
from lm_eval_ifeval_pt.analysis.clusters import population
from lm_eval_ifeval_pt.analysis.duels import UNKNOWN, Duel, Strength, strengths
from lm_eval_ifeval_pt.analysis.pairing import Shared
from lm_eval_ifeval_pt.npm import formula as npm
from lm_eval_ifeval_pt.results import ResultsError, Run
from lm_eval_ifeval_pt.statistics import (
    Estimate,
    difference_of_rates,
    holm,
    mcnemar,
    mean,
    mean_of_estimates,
    mean_score,
    ranks,
    tie_groups,
)
from lm_eval_ifeval_pt.statistics.multiplicity import Pair


@dataclass(frozen=True, slots=True)
class Standing:
    """One model.

    Attributes:
        model: Its name; with its folder where two runs have the same name.
        rank: 1 + the number of models that are significantly better; None where a task was run in part only.
        score: The mean over tasks, on the NPM scale (0 is chance, 100 the maximum).
        tasks: The same per task.
        strength: Bradley and Terry's strength from wins per document.
    """

    model: str
    rank: int | None
    score: Estimate
    tasks: dict[str, Estimate]
    strength: Strength


@dataclass(frozen=True, slots=True)
class Ranking:
    """Models from the best.

    Attributes:
        standings: One per model.
        ties: The largest groups of models of which no two can be told apart; none where there are no ranks.
        p_values: For each pair, the better one first: of "they do not differ", after Holm over all pairs.
        documents: How many documents of each task all models have answered.
        population: What other ones the intervals speak of (`clusters.population`).
        notes: What a reader must know.
    """

    standings: tuple[Standing, ...]
    ties: tuple[tuple[str, ...], ...]
    p_values: dict[Pair, float]
    documents: dict[str, int]
    population: str
    notes: tuple[str, ...]


def rank(
    runs: Sequence[Run],
    *,
    tasks: Sequence[str] = (),
    metric: str | None = None,
    filter: str | None = None,
    cluster: str | None = None,
    resamples: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
) -> Ranking:
    """Rank models by the tasks that all of them have.

    Two models differ if the paired difference of their scores, clustered by base task, does (t test) and, where there
    is one task whose scores are 0 or 1, if McNemar's exact test agrees; after Holm's correction for all pairs.

    Args:
        runs: One run per model and task.
        tasks: Only these.
        metric: As for `pairing.metric_of`.
        filter: As for `pairing.filter_of`.
        cluster: The field of the documents to cluster by.
        resamples: Of the bootstrap of strengths; with 0 strengths are not computed.
        seed: Of the bootstrap.
        alpha: The error rate.

    Raises:
        ResultsError: there are not two models, or no task that all have.
        NotComparable: the models share no document of a task.
    """
    notes: list[str] = []
    by_task = complete(runs, tasks, notes)
    shared = {
        task: pairing.share(list(of_task.values()), metric, filter, cluster) for task, of_task in by_task.items()
    }
    return rank_shared(by_task, shared, cluster=cluster, resamples=resamples, seed=seed, alpha=alpha, notes=notes)


def rank_shared(
    by_task: Mapping[str, Mapping[str, Run]],
    shared: Mapping[str, Shared],
    *,
    cluster: str | None = None,
    resamples: int = 0,
    seed: int = 0,
    alpha: float = 0.05,
    notes: Sequence[str] = (),
) -> Ranking:
    """Rank models whose scores have been put together already, and which can be compared (`comparability`).

    Args:
        by_task: The run of each model on each task; the same models on all.
        shared: What they share of each task, in the order of these models.
        cluster: The field of the documents that `shared` is clustered by.
        resamples: As of `rank`.
        seed: As of `rank`.
        alpha: As of `rank`.
        notes: What a reader must know already.
    """
    notes = list(notes)
    models = list(next(iter(by_task.values())))
    told: dict[str, list[str]] = defaultdict(list)  # the tasks of which something is to be said
    scales = {task: _npm_scale(next(iter(by_task[task].values())), table, told) for task, table in shared.items()}
    for task, table in shared.items():
        for remark in _remarks(list(by_task[task].values()), table):
            told[remark].append(task)
    notes.extend(f"{', '.join(of_remark)}: {remark}" for remark, of_remark in told.items())
    scores = {
        model: {
            task: mean_score(table.scores[number], table.cluster_numbers).scaled(*scales[task])
            for task, table in shared.items()
        }
        for number, model in enumerate(models)
    }
    overall = {model: mean_of_estimates(list(by_task.values())) for model, by_task in scores.items()}
    order = sorted(models, key=lambda model: -overall[model].value)
    pairs = [(better, worse) for index, better in enumerate(order) for worse in order[index + 1 :]]
    is_binary = len(shared) == 1 and next(iter(shared.values())).is_binary
    number_of = {model: number for number, model in enumerate(models)}
    raw = [_p_value(number_of[better], number_of[worse], shared, scales, is_binary) for better, worse in pairs]
    p_values = dict(zip(pairs, holm(raw), strict=True))
    signed = {task: np.sign(scales[task].factor) * table.matrix for task, table in shared.items()}
    strength_of = (
        strengths(duels_of(models, shared, signed), resamples, seed) if resamples else dict.fromkeys(models, UNKNOWN)
    )
    is_whole = not any(run.part for of_task in by_task.values() for run in of_task.values())
    rank_of = ranks(models, p_values, alpha) if is_whole else {}
    standings = [
        Standing(model, rank_of.get(model), overall[model], scores[model], strength_of[model]) for model in order
    ]
    return Ranking(
        standings=tuple(sorted(standings, key=lambda standing: (-standing.score.value, standing.rank or 0))),
        ties=tuple(tie_groups(order, p_values, alpha)) if is_whole else (),
        p_values=p_values,
        documents={task: len(table.items) for task, table in shared.items()},
        population=" and ".join(
            dict.fromkeys(population([row[0] for row in table.items], cluster) for table in shared.values())
        ),
        notes=tuple(dict.fromkeys(notes)),
    )


def labels(runs: Sequence[Run]) -> list[str]:
    """A name for each run's model: with the folder where one name stands for runs of several folders."""
    folders: dict[str, set[Path]] = defaultdict(set)
    for run in runs:
        folders[run.model].add(run.path.parent)
    return [run.model if len(folders[run.model]) == 1 else f"{run.model} ({run.path.parent})" for run in runs]


def complete(runs: Sequence[Run], tasks: Sequence[str], notes: list[str]) -> dict[str, dict[str, Run]]:
    """The runs by task and model, of tasks that every model has."""
    by_task: dict[str, dict[str, Run]] = defaultdict(dict)
    for run, label in zip(runs, labels(runs), strict=True):
        if not tasks or run.task in tasks:
            by_task[run.task][label] = run
    odd: dict[str, str] = {}
    for task, of_task in by_task.items():
        _, reasons = comparability.comparable(of_task)
        odd |= {label: f"{task}: {reason}" for label, reason in reasons.items() if label not in odd}
    models = list(dict.fromkeys(model for of_task in by_task.values() for model in of_task))
    if len(models) - len(odd) >= 2:  # of two models that differ neither is the odd one
        notes.extend(f"{model} is left out: {reason}" for model, reason in odd.items())
        by_task = {
            task: {model: run for model, run in of_task.items() if model not in odd}
            for task, of_task in by_task.items()
        }
        models = [model for model in models if model not in odd]
    else:
        notes.extend(f"{model} differs: {reason}" for model, reason in odd.items())
    if len(models) < 2:
        raise ResultsError(f"two models are needed to rank; there is {', '.join(models) or 'none'}")
    complete = {
        task: {model: of_task[model] for model in models}
        for task, of_task in by_task.items()
        if len(of_task) == len(models)
    }
    for task, of_task in by_task.items():
        if task not in complete:
            lacking = ", ".join(model for model in models if model not in of_task)
            notes.append(f"{task}: left out, since {lacking} lacks it")
    if not complete:
        raise ResultsError("no task that all models have; " + "; ".join(notes))
    return complete


class NpmScale(NamedTuple):
    """The linear map from a task's scores to NPM: `factor` times the score, plus `offset`."""

    factor: float
    offset: float


def _npm_scale(run: Run, shared: Shared, told: dict[str, list[str]]) -> NpmScale:
    """The scale on which 0 is chance and 100 the maximum."""
    if not pairing.is_higher_better([run], shared.metric):
        told[f"{shared.metric} counts negatively, since less of it is better"].append(run.task)
        return NpmScale(-1.0, 0.0)
    baseline = pairing.baseline_of(run)
    if baseline is None or baseline.metric != shared.metric:
        told[f"no chance level of {shared.metric} is known; it counts as 0, and the maximum as 1"].append(run.task)
        return NpmScale(100.0, 0.0)
    offset = npm.normalised(0.0, baseline.random, baseline.max)
    return NpmScale(npm.normalised(1.0, baseline.random, baseline.max) - offset, offset)


def _remarks(runs: Sequence[Run], shared: Shared) -> list[str]:
    remarks = []
    if left_out := max(shared.left_out):
        remarks.append(f"up to {left_out} documents of a model are left out, since another one lacks them")
    templates = Counter(str(run.settings.get("chat_template")) for run in runs)
    differ = sum(len({item.prompt_hash for item in row}) > 1 for row in shared.items)
    if differ and len(templates) == 1:
        remarks.append(f"{differ} prompts differ between models, and not by their chat templates")
    return remarks


def _p_value(
    better: int, worse: int, shared: Mapping[str, Shared], scales: Mapping[str, NpmScale], is_binary: bool
) -> float:
    differences = [_difference(better, worse, table, scales[task]) for task, table in shared.items()]
    p_value = mean_of_estimates(differences).p_value
    if is_binary:
        (table,) = shared.values()
        changes = table.matrix[better] - table.matrix[worse]
        p_value = max(p_value, mcnemar(int((changes > 0).sum()), int((changes < 0).sum())))
    return 1.0 if math.isnan(p_value) else p_value


def _difference(better: int, worse: int, shared: Shared, scale: NpmScale) -> Estimate:
    """The mean difference of two models on one task; where outcomes are 0 or 1, few of them do not make it certain."""
    changes = shared.matrix[better] - shared.matrix[worse]
    difference = difference_of_rates if shared.is_binary else mean
    return difference(changes, shared.cluster_numbers).scaled(scale.factor)


def duels_of(models: Sequence[str], shared: Mapping[str, Shared], values: dict[str, npt.NDArray[Any]]) -> list[Duel]:
    """Every pair on every unit; each task has the same weight in all."""
    units = sum(len(table.unit_of) for table in shared.values())
    return [
        Duel(
            models[first],
            models[second],
            result=0.5 + 0.5 * float(np.sign(values[task][first][unit] - values[task][second][unit])),
            cluster=f"{task}\0{table.base_task[unit]}",
            weight=units / len(shared) / len(table.unit_of),
        )
        for task, table in shared.items()
        for unit in range(len(table.unit_of))
        for first in range(len(models))
        for second in range(first + 1, len(models))
    ]
