"""From the task scores of many models to their NPM: which score counts, on which scale, and what is said about it."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from lm_eval_ifeval_pt.npm.baselines import ALIASES, BASELINES, THEIRS, Baseline
from lm_eval_ifeval_pt.npm.formula import NpmEstimate, task_npm
from lm_eval_ifeval_pt.results import Measure, ResultsError, TaskScore
from lm_eval_ifeval_pt.statistics import agresti_coull_error

Scale = Literal["share", "percent"]


@dataclass(frozen=True, slots=True)
class Entry:
    """The score that counts for one model on one task.

    Attributes:
        score: The preferred metric as a share (0 to 1).
        stderr: Its standard error as a share.
        npm: The same on the NPM scale.
        part: Why this is no score on the whole task; empty where it is one.
        protocol: How it was asked (`TaskScore.protocol`).
        path: The file it comes from.
    """

    score: float
    stderr: float | None
    npm: NpmEstimate
    path: Path
    part: str = ""
    protocol: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The scores that count, by model and task, and everything a reader must know about them."""

    entries: Mapping[str, Mapping[str, Entry]]
    notes: tuple[str, ...]


def read_baselines(path: Path) -> dict[str, Baseline]:
    """Baselines of the user's own tasks: `{"my_task": {"metric": "acc", "random": 0.25, "max": 1.0}}` as JSON or YAML.

    `metric` may name a filter too (`exact_match,strict-match`).

    Raises:
        ResultsError: the file cannot be read or an entry is not of that form.
    """
    import yaml

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))  # JSON is YAML
    except (OSError, yaml.YAMLError) as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise ResultsError(f"{path}: a mapping from task to baseline is expected")
    return {task: _baseline(entry, f"{path}, task {task}") for task, entry in data.items()}


def _baseline(entry: Any, where: str) -> Baseline:
    try:
        baseline = Baseline(str(entry["metric"]), float(entry["random"]), float(entry.get("max", 1.0)))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        wanted = '{"metric": "acc", "random": 0.25, "max": 1.0}'
        raise ResultsError(f"{where}: {json.dumps(entry)} is no baseline; it must look like {wanted}") from error
    if not baseline.random < baseline.max:
        raise ResultsError(f"{where}: random ({baseline.random}) must be below max ({baseline.max})")
    return baseline


def build(
    scores: Iterable[TaskScore], own: Mapping[str, Baseline] | None = None, scale: Scale | None = None
) -> Leaderboard:
    """Choose the score that counts for every model and task.

    Args:
        scores: Task scores of any number of models and files.
        own: Baselines of the user's own tasks; they also replace those of known tasks.
        scale: The scale of all files; by default each file's own, told by a score above 1.
    """
    own = own or {}
    notes: list[str] = []
    candidates: dict[tuple[str, str], list[tuple[TaskScore, Entry]]] = defaultdict(list)
    unknown: dict[str, set[Path]] = defaultdict(set)
    by_file: dict[Path, list[TaskScore]] = defaultdict(list)
    for score in scores:
        by_file[score.path].append(score)
    for path, file_scores in by_file.items():
        chosen: list[tuple[TaskScore, str, Baseline, Measure]] = []
        for score in file_scores:
            task = score.task if score.task in own else _ours(score)
            baseline = own.get(task) or _stated(score, notes) or BASELINES.get(task)
            if baseline is None:
                unknown[score.task].add(path)
            elif (measure := _preferred(score, baseline, notes)) is not None:
                chosen.append((score, task, baseline, measure))
        if parts := dict.fromkeys(score.part for score in file_scores if score.part):
            notes.append(f"{path}: was run on parts of tasks ({', '.join(parts)}): shown but not ranked")
        percent = _is_percent(path, [measure for *_, measure in chosen], scale, notes)
        for score, task, baseline, measure in chosen:
            if (entry := _entry(score, baseline, measure, percent, scale, notes)) is not None:
                candidates[score.model, task].append((score, entry))
    of_files: dict[str, list[str]] = defaultdict(list)
    for task, paths in sorted(unknown.items()):
        of_files[_files(paths)].append(task)
    for files, tasks in of_files.items():
        named = f"task {tasks[0]} is" if len(tasks) == 1 else f"tasks {', '.join(tasks)} are"
        notes.append(f"{files}: {named} unknown and left out; --baselines FILE can define it")
    entries: dict[str, dict[str, Entry]] = defaultdict(dict)
    superseded: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for (model, task), runs in candidates.items():
        if (entry := _that_counts(model, task, runs, notes, superseded)) is not None:
            entries[model][task] = entry
    for (model, files, counting), tasks in superseded.items():
        notes.append(f"{files}: several runs of {model} on {', '.join(tasks)}; {counting}")
    return Leaderboard(entries, tuple(dict.fromkeys(notes)))


def _ours(score: TaskScore) -> str:
    """The task under our name. Runs of our own definitions carry the baseline of their task, those of others do not."""
    names = ALIASES if score.npm else {**ALIASES, **THEIRS}
    return names.get(score.task, score.task)


def _stated(score: TaskScore, notes: list[str]) -> Baseline | None:
    """The baseline that a result file carries for a task of its own."""
    if not score.npm or score.task in BASELINES or score.task in ALIASES:
        return None
    try:
        return _baseline(score.npm, f"{score.path}, metadata of task {score.task}")
    except ResultsError as error:
        notes.append(str(error))
        return None


def _preferred(score: TaskScore, baseline: Baseline, notes: list[str]) -> Measure | None:
    """The preferred metric among a task's measures: under no filter, the filter `none` or `all`, or its only one."""
    metric = baseline.metric
    for key in (metric, f"{metric},none", f"{metric},all"):
        if key in score.measures:
            return score.measures[key]
    filtered = [key for key in score.measures if key.startswith(f"{metric},")]
    if len(filtered) == 1:
        return score.measures[filtered[0]]
    has = ", ".join(score.measures)
    problem = f"has {metric} under several filters" if filtered else f"does not have {metric}"
    notes.append(f"{score.path}: task {score.task} {problem} and is left out; it has: {has}")
    return None


def _is_percent(path: Path, measures: list[Measure], scale: Scale | None, notes: list[str]) -> bool:
    if scale is not None:
        return scale == "percent"
    above = [measure.value for measure in measures if 1 < measure.value <= 100]
    if above:
        notes.append(f"{path}: scores up to {max(above):g} are read on a 0-100 scale; --scale says otherwise")
    return bool(above)


def _entry(
    score: TaskScore, baseline: Baseline, measure: Measure, percent: bool, scale: Scale | None, notes: list[str]
) -> Entry | None:
    where = f"{score.path}: task {score.task}: score {measure.value:g}"
    top = 100.0 if percent else 1.0
    if not math.isfinite(measure.value):
        notes.append(f"{where} is not a number and is left out")
        return None
    if not 0 <= measure.value <= top:
        notes.append(f"{where} lies outside 0-{top:g} and is left out")
        return None
    if percent and scale is None and 0 < measure.value <= 1:
        notes.append(
            f"{where} is left out: beside scores on a 0-100 scale it may be a share or a percentage; "
            "say --scale percent if all of the file is in percent"
        )
        return None
    share = measure.value / top
    stderr = _stderr(share, None if measure.stderr is None else measure.stderr / top, score.documents.answered)
    return Entry(share, stderr, task_npm(share, stderr, baseline), score.path, score.part, score.protocol)


def _stderr(share: float, stated: float | None, documents: int | None) -> float | None:
    """A standard error that is not 0 where all documents score alike: few or easy ones do not make a score certain.

    Of a rate of 0 or 1 it is that of Agresti and Coull; it is unknown where the number of documents is, and for any
    other score.
    """
    if stated != 0:
        return stated
    if documents is None or share not in (0.0, 1.0):
        return None
    return agresti_coull_error(share, documents)


def _that_counts(
    model: str,
    task: str,
    runs: list[tuple[TaskScore, Entry]],
    notes: list[str],
    superseded: dict[tuple[str, str, str], list[str]],
) -> Entry | None:
    """Of several runs of one model on one task, the latest; tasks of which the same is to be said share a note."""
    if len(runs) == 1:
        return runs[0][1]
    dates = sorted({score.date for score, _ in runs})
    paths = _files({score.path for score, _ in runs})
    last = [entry for score, entry in runs if score.date == dates[-1]]
    if len(last) > 1 or not dates[0]:
        if len({entry.score for _, entry in runs}) == 1:
            return runs[0][1]
        notes.append(f"{paths}: several runs of {model} on {task}, and no date says which is the latest; left out")
        return None
    superseded[model, paths, f"the one of {dates[-1]} counts ({last[0].path})"].append(task)
    return last[0]


def _files(paths: Iterable[Path]) -> str:
    ordered = sorted(paths)
    more = f" and {len(ordered) - 2} more files" if len(ordered) > 2 else ""
    return ", ".join(map(str, ordered[:2])) + more
