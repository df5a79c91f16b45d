"""Ranks by several metrics at once: each metric is a judge of duels, whose verdicts count by its weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lm_eval_ifeval_pt.analysis import pairing, ranking
from lm_eval_ifeval_pt.analysis.clusters import population
from lm_eval_ifeval_pt.analysis.duels import Duel, PlayerStrengths, judge
from lm_eval_ifeval_pt.grading import Grader, builtin
from lm_eval_ifeval_pt.results import Item, ResultsError, Run
from lm_eval_ifeval_pt.statistics import elo

VERDICTS = "verdicts"
"""The name under which a judge's verdict files are weighed; so is `judge`, where no run has a metric of that name."""

# What can be computed where a run does not have it: no option is needed.
_COMPUTED = ("exact_match", "contains", "token_f1", "numeric", "rouge_l")
_SAME = 1e-6  # strengths nearer than this are one


@dataclass(frozen=True, slots=True)
class Weighted:
    """Models by several metrics.

    Attributes:
        weights: Of each metric, as given.
        duels: How many duels each metric decides, ties included.
        judged: Strengths and ranks by all metrics with their weights.
        elo: Elo ratings after all duels in the order of the documents, K multiplied by the weight, and in the opposite
            order.
        places: Each model's place by strength, by how metrics count: `weighted`, `equal weights`, each metric alone.
        population: What other ones the intervals speak of (`clusters.population`).
        notes: What was left out, and why.
    """

    weights: Mapping[str, float]
    duels: Mapping[str, int]
    judged: PlayerStrengths
    elo: tuple[Mapping[str, float], Mapping[str, float]]
    places: Mapping[str, Mapping[str, int]]
    population: str
    notes: tuple[str, ...]


def parse_weights(text: str) -> dict[str, float]:
    """The weights in `exact_match=1,token_f1=.5`.

    Raises:
        ValueError: what is wrong.
    """
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = (side.strip() for side in part.partition("="))
        try:
            weight = float(value)
        except ValueError:
            weight = -1.0
        if not name or not equals or not 0 <= weight < float("inf"):
            raise ValueError(
                f"{part!r}: metric=weight is expected, with a weight from 0 on, as in exact_match=1,judge=2"
            )
        if name in weights:
            raise ValueError(f"{name} has two weights")
        weights[name] = weight
    if not any(weights.values()):
        raise ValueError("some weight must be above 0")
    return weights


def weigh(
    runs: Sequence[Run],
    verdicts: Sequence[Duel],
    weights: Mapping[str, float],
    *,
    tasks: Sequence[str] = (),
    filter: str | None = None,
    cluster: str | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Weighted:
    """Rank models by duels on every document under every metric.

    A metric's duels count by its weight, however many documents it has: the weights of a pair's duels under one metric
    add up to its share of the whole.

    Args:
        runs: The runs of at least two models, with the metrics; some are computed where a run lacks them.
        verdicts: A judge's verdicts on pairs, which count under the name `verdicts` or `judge`.
        weights: Of each metric; one of weight 0 is shown and does not count.
        tasks: As of `ranking.rank`.
        filter: As of `ranking.rank`.
        cluster: As of `ranking.rank`.
        resamples: Of the bootstrap.
        seed: Of the bootstrap.

    Raises:
        ResultsError: there are not two models, or one lacks a metric.
        NotComparable: they share no document.
    """
    notes: list[str] = []
    by_task = ranking.complete(runs, tasks, notes)
    models = list(next(iter(by_task.values())))
    cluster_of = _document_clusters(by_task, filter, cluster)
    of_metric: dict[str, list[Duel]] = {}
    for name in weights:
        if _is_of_files(name, by_task, verdicts):
            of_metric[name] = _known(verdicts, models, cluster_of, notes)
        else:
            of_metric[name] = _of_runs(name, by_task, models, filter, cluster, notes)
    if empty := [name for name, duels in of_metric.items() if not duels]:
        raise ResultsError(f"{empty[0]}: it decides no duel of these models")
    combined = _combined(of_metric, weights)
    games = [(duel.first, duel.second, duel.result) for duel in combined]
    factors = [duel.weight for duel in combined]
    equal = _combined(of_metric, {name: float(weight > 0) for name, weight in weights.items()})
    judged = judge(combined, resamples, seed)
    if any(run.part for of_task in by_task.values() for run in of_task.values()):
        judged = judged._replace(ranks={}, ties=[])
    first_runs = [next(iter(of_task.values())) for of_task in by_task.values()]
    return Weighted(
        weights=dict(weights),
        duels={name: len(duels) for name, duels in of_metric.items()},
        judged=judged,
        elo=(elo(games, weights=factors), elo(games[::-1], weights=factors[::-1])),
        places={
            "weighted": _places(judged),
            "equal weights": _places(judge(equal, 1, seed)),
            **{name: _places(judge(duels, 1, seed)) for name, duels in of_metric.items()},
        },
        population=" and ".join(
            dict.fromkeys(population(run.under(run.filters[0]), cluster) for run in first_runs)
        ),
        notes=tuple(dict.fromkeys(notes)),
    )


def _is_of_files(name: str, by_task: Mapping[str, Mapping[str, Run]], verdicts: Sequence[Duel]) -> bool:
    has_metric = any(name in run.metrics for of_task in by_task.values() for run in of_task.values())
    if name not in (VERDICTS, "judge") or (name == "judge" and has_metric):
        return False
    if not verdicts:
        raise ResultsError(f"{name}: no run has this metric; name a judge's verdicts on pairs with --verdicts")
    return True


def _document_clusters(
    by_task: Mapping[str, Mapping[str, Run]], filter: str | None, cluster: str | None
) -> dict[str, str]:
    """The cluster of each document by the name that `lm-eval-pt judge` gives it, so that all metrics have the same."""
    cluster_of = {}
    for task, of_task in by_task.items():
        shared = pairing.share(list(of_task.values()), None, filter, cluster)
        for unit, index in enumerate(shared.unit_of):
            cluster_of[f"{task}/{shared.items[index][0].doc_id}"] = f"{task}\0{shared.base_task[unit]}"
    return cluster_of


def _known(
    verdicts: Sequence[Duel], models: Sequence[str], clusters: Mapping[str, str], notes: list[str]
) -> list[Duel]:
    """The verdicts on these models."""
    known = [duel for duel in verdicts if duel.first in models and duel.second in models]
    if others := sorted({name for duel in verdicts for name in (duel.first, duel.second)} - set(models)):
        notes.append(
            f"verdicts on {', '.join(others)} are left out, since no run is of that name ({', '.join(models)} are)"
        )
    return [duel._replace(cluster=clusters.get(duel.cluster, duel.cluster)) for duel in known]


def _of_runs(
    name: str,
    by_task: Mapping[str, Mapping[str, Run]],
    models: Sequence[str],
    filter: str | None,
    cluster: str | None,
    notes: list[str],
) -> list[Duel]:
    shared, values = {}, {}
    for task, of_task in by_task.items():
        runs = list(of_task.values())
        if any(name not in run.metrics for run in runs) and name in _COMPUTED:
            runs = [with_metric(run, builtin(name)) for run in runs]
            notes.append(f"{task}: {name} is computed here, since not every run has it")
        if any(name not in run.metrics for run in runs):
            has = ", ".join(dict.fromkeys(metric for run in runs for metric in run.metrics))
            raise ResultsError(
                f"{task}: not every run has the metric {name}; there are: {has}. `lm-eval-pt score --metrics` and "
                "`lm-eval-pt judge` add some"
            )
        shared[task] = pairing.share(runs, name, filter, cluster)
        sign = 1 if pairing.is_higher_better(runs, name) else -1
        values[task] = sign * np.array(shared[task].scores, dtype=float)
    return ranking.duels_of(models, shared, values)


def with_metric(run: Run, grader: Grader) -> Run:
    """A run whose items also have the scores of a grader; an item that cannot be graded stays without."""
    return replace(run, items=tuple(_graded(item, grader) for item in run.items))


def _graded(item: Item, grader: Grader) -> Item:
    if not item.responses:
        return item
    try:
        scores = grader(item.answer or item.response, item.target, item.doc)
    except ValueError:
        return item
    return replace(item, metrics={**item.metrics, **scores})


def _combined(of_metric: Mapping[str, Sequence[Duel]], weights: Mapping[str, float]) -> list[Duel]:
    """All duels in the order of their documents, each metric's adding up to its share of the weights."""
    total = sum(weights.values())
    most = max(sum(duel.weight for duel in duels) for duels in of_metric.values())
    weighed: list[Duel] = []
    for name, duels in of_metric.items():
        own = sum(duel.weight for duel in duels)
        factor = weights[name] / total * most / own
        weighed += [duel._replace(weight=duel.weight * factor) for duel in duels if factor]
    order = {cluster: number for number, cluster in enumerate(dict.fromkeys(duel.cluster for duel in weighed))}
    return sorted(weighed, key=lambda duel: order[duel.cluster])


def _places(judged: PlayerStrengths) -> dict[str, int]:
    """1 + the number of models that are stronger."""
    values = {model: strength.value for model, strength in judged.strengths.items()}
    return {model: 1 + sum(stronger > value + _SAME for stronger in values.values()) for model, value in values.items()}
