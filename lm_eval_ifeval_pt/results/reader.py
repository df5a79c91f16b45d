"""From paths to runs and scores, and what must be said about them: the one reader of what the harness writes."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.results import cache, identity, measures, origin
from lm_eval_ifeval_pt.results.errors import ResultsError
from lm_eval_ifeval_pt.results.files import SampleFile, result_files, sample_files
from lm_eval_ifeval_pt.results.records import DocumentCount, Run, TaskScore
from lm_eval_ifeval_pt.results.samples import read_items

CACHED_FROM = 8_000_000
"""Bytes of a sample file from which its items are kept as Parquet beside it; smaller ones are read in no time."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The runs that were read.

    Attributes:
        runs: One run per model and task, in the order of the paths.
        notes: What a reader must know: what was skipped and why, which of several runs counts, what is partial.
    """

    runs: tuple[Run, ...]
    notes: tuple[str, ...]


def read(paths: Iterable[Path], *, every_run: bool = False) -> Reading:
    """The runs behind folders, result files and sample files of any number of models.

    Args:
        paths: Output folders of lm_eval, results_*.json, samples_*.jsonl, or Parquet files of `cache`.
        every_run: Give every run of a model on a task, as repeats; by default the latest in a folder counts.

    Raises:
        ResultsError: a path leads to no sample file, or none of the files can be read.
    """
    results: dict[Path, Mapping[str, Any]] = {}
    runs: list[Run] = []
    notes: list[str] = []
    with cache.without_collection():
        for file in sample_files(paths):
            if file.result is not None and file.result not in results:
                try:
                    results[file.result] = origin.parse(file.result)
                except ResultsError as error:
                    notes.append(f"{error}; its samples are read without it")
                    results[file.result] = {}
            try:
                runs.append(_read(file, results[file.result] if file.result else {}))
            except ResultsError as error:
                notes.append(f"{error}; skipped")
    if not runs:
        raise ResultsError("; ".join(notes))
    runs = identity.tell_apart(runs)
    kept = runs if every_run else _latest(runs, notes)
    notes.extend(_remarks(kept))
    return Reading(tuple(kept), tuple(dict.fromkeys(notes)))


def _read(file: SampleFile, result: Mapping[str, Any]) -> Run:
    """The run of one sample file, from its Parquet file where that is as new."""
    if file.path.suffix == ".parquet":
        return cache.read(file.path)
    parquet, stamp = file.path.with_suffix(".parquet"), _stamp(file)
    is_large = file.path.stat().st_size >= CACHED_FROM
    if is_large and parquet.is_file() and cache.stamp_of(parquet) == stamp:
        return replace(cache.read(parquet), path=file.path, result=file.result)
    run = _run(file, result)
    if is_large:
        with contextlib.suppress(OSError):  # a folder that cannot be written to costs time, nothing else
            cache.write(run, parquet, stamp)
    return run


def _stamp(file: SampleFile) -> str:
    """A file's name, size and time of change, which differ when the file does."""
    paths = [path for path in (file.path, file.result) if path is not None]
    return "; ".join(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in paths)


def _run(file: SampleFile, result: Mapping[str, Any]) -> Run:
    task = file.task
    samples = read_items(file.path)
    stated = origin.documents(result, task)
    written = len({item.doc_id for item in samples.items})
    settings = {
        "n-shot": origin.of_task(result, "n-shot", task),
        "metadata": origin.mapping(origin.mapping(origin.of_task(result, "configs", task)).get("metadata")),
        "chat_template": result.get("chat_template_sha"),
    }
    return Run(
        model=origin.model_name(result, file.result) if file.result else file.path.parent.name,
        task=task,
        path=file.path,
        items=samples.items,
        date=file.date or (origin.date(result, file.result) if file.result else ""),
        result=file.result,
        groups=tuple(
            group
            for group, tasks in origin.mapping(result.get("group_subtasks")).items()
            if group != task and isinstance(tasks, (list, dict)) and task in tasks
        ),
        limit=origin.limit(result),
        documents=DocumentCount(min(written, stated.answered or written), stated.whole),
        protocol=origin.protocol(result, task),
        settings={name: value for name, value in settings.items() if value is not None and value != {}},
        measures=dict(measures.by_task(origin.mapping(result.get("results")))).get(task, {}),
        higher_is_better=origin.mapping(origin.of_task(result, "higher_is_better", task)),
        variant=origin.variant(result),
        bad_rows=samples.bad_rows,
        left_out=samples.left_out,
    )


def _latest(runs: list[Run], notes: list[str]) -> list[Run]:
    """Of the runs of one model on one task in one folder, the latest."""
    rivals: dict[tuple[Path, str, str], list[Run]] = defaultdict(list)
    for run in runs:
        rivals[run.path.parent, run.model, run.task].append(run)
    kept = []
    for (folder, model, task), of_one in rivals.items():
        of_one.sort(key=lambda run: (run.date, run.path))
        kept.append(of_one[-1])
        if len(of_one) > 1:
            latest = of_one[-1].path.name
            notes.append(f"{folder}: {len(of_one)} runs of {model} on {task}; the latest counts, {latest}")
    return kept


_NAMED = 3  # bad rows of a file that are named


def _remarks(runs: Iterable[Run]) -> Iterator[str]:
    """Notes on runs; one that holds for several of them is said once."""
    left_out: dict[str, list[tuple[Path, int]]] = defaultdict(list)
    unnamed: list[Path] = []
    for run in runs:
        if run.bad_rows:
            more = f" and {len(run.bad_rows) - _NAMED} more" if len(run.bad_rows) > _NAMED else ""
            yield f"{run.path}: left out: {'; '.join(run.bad_rows[:_NAMED])}{more}"
        for what, count in run.left_out.items():
            left_out[what].append((run.path, count))
        if run.result is None and run.path.suffix != ".parquet":
            unnamed.append(run.path)
        if run.part:
            yield f"{run.path}: only {run.part}: no score on the task, not ranked"
    for what, counts in left_out.items():
        yield f"{_files([path for path, _ in counts])}: left out: {what} ({sum(count for _, count in counts)}x)"
    if unnamed:
        yield f"{_files(unnamed)}: no result file goes with it; the model is called by its folder's name"


def _files(paths: Sequence[Path]) -> str:
    return str(paths[0]) + (f" and {len(paths) - 1} more files" if len(paths) > 1 else "")


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of tasks in result files.

    Attributes:
        scores: One per file and task; different models have different names.
        notes: Which files could not be read, and why.
    """

    scores: tuple[TaskScore, ...]
    notes: tuple[str, ...]


def read_scores(patterns: Iterable[str | Path], wanted: Collection[str] = ()) -> Scores:
    """The task scores of result files of any number of models and any origin; answers are not looked at.

    Args:
        patterns: Result files, folders or glob patterns.
        wanted: Groups to keep all the same, as those that the user has a baseline of.

    Raises:
        ResultsError: a pattern leads to no result file.
    """
    scores: list[TaskScore] = []
    notes: list[str] = []
    for path in result_files(map(str, patterns)):
        try:
            scores.extend(scores_in(path, wanted))
        except ResultsError as error:
            notes.append(f"{error}; skipped")
    return Scores(tuple(identity.tell_apart(scores)), tuple(notes))


def scores_in(path: Path, wanted: Collection[str] = ()) -> list[TaskScore]:
    """The task scores of one result file; groups and aggregates are left out, since they are computed anew.

    Args:
        path: The file.
        wanted: As of `read_scores`.

    Raises:
        ResultsError: the file cannot be parsed or holds no results.
    """
    data = origin.parse(path)
    results = data.get("results")
    if not isinstance(results, dict) or not results:
        raise ResultsError(f"{path}: no result file: it has no 'results' mapping")
    model, date, limit, variant = (
        origin.model_name(data, path), origin.date(data, path), origin.limit(data), origin.variant(data)
    )  # fmt: skip
    groups = {*origin.mapping(data.get("groups")), *origin.mapping(data.get("group_subtasks"))}
    groups -= {*origin.mapping(data.get("configs"))}
    scores = []
    for task, of_task in measures.by_task(results):
        if task in groups and task not in wanted:
            continue
        metadata = origin.mapping(origin.mapping(origin.of_task(data, "configs", task)).get("metadata"))
        scores.append(
            TaskScore(
                model=model,
                task=task,
                measures=of_task,
                path=path,
                date=date,
                npm=origin.mapping(metadata.get("npm")),
                limit=limit,
                documents=origin.documents(data, task),
                protocol=origin.protocol(data, task),
                variant=variant,
            )
        )
    if not scores:
        raise ResultsError(f"{path}: no task with a number in its 'results'")
    return scores
