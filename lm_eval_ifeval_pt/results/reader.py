"""From paths to runs, and what must be said about them."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.results import cache, identity, origin
from lm_eval_ifeval_pt.results.errors import ResultsError
from lm_eval_ifeval_pt.results.files import SampleFile, sample_files
from lm_eval_ifeval_pt.results.records import Run
from lm_eval_ifeval_pt.results.samples import read_items

CACHED_FROM = 8_000_000
"""Bytes of a sample file from which its items are kept as Parquet beside it; smaller ones are read in no time."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read.

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
    for run in kept:
        notes.extend(run.notes)
        if run.result is None and run.path.suffix != ".parquet":
            notes.append(f"{run.path}: no result file goes with it; the model is called by its folder's name")
        if (partial := _partial(run)) is not None:
            notes.append(partial)
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
    """What changes when a file does: its name, size and time of change."""
    paths = [path for path in (file.path, file.result) if path is not None]
    return "; ".join(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in paths)


def _run(file: SampleFile, result: Mapping[str, Any]) -> Run:
    items, notes = read_items(file.path)
    task = file.task
    config = origin.mapping(_of_task(result, "configs", task))
    metadata = origin.mapping(config.get("metadata"))
    settings = {
        "n-shot": _of_task(result, "n-shot", task),
        "metadata": metadata,
        "generation_kwargs": config.get("generation_kwargs"),
        "system_instruction": result.get("system_instruction"),
        "chat_template": result.get("chat_template_sha"),
        "fewshot_as_multiturn": result.get("fewshot_as_multiturn"),
    }
    version = _of_task(result, "versions", task)
    return Run(
        model=origin.model_name(result, file.result) if file.result else file.path.parent.name,
        task=task,
        path=file.path,
        items=items,
        date=file.date or (origin.date(result, file.result) if file.result else ""),
        result=file.result,
        version="" if version is None else str(version),
        groups=tuple(
            group
            for group, tasks in origin.mapping(result.get("group_subtasks")).items()
            if group != task and isinstance(tasks, (list, dict)) and task in tasks
        ),
        limit=origin.limit(result),
        documents=_whole(_of_task(result, "n-samples", task)),
        settings={name: value for name, value in settings.items() if value is not None and value != {}},
        higher_is_better=origin.mapping(_of_task(result, "higher_is_better", task)),
        notes=notes,
        variant=origin.variant(result),
    )


def _whole(counts: Any) -> int | None:
    """How many documents a task has."""
    original = origin.mapping(counts).get("original")
    return original if isinstance(original, int) else None


def _of_task(result: Mapping[str, Any], part: str, task: str) -> Any:
    by_task = result.get(part)
    return by_task.get(task) if isinstance(by_task, dict) else None


def _latest(runs: list[Run], notes: list[str]) -> list[Run]:
    """Of the runs of one model on one task in one folder, the latest."""
    rivals: dict[tuple[Path, str, str], list[Run]] = defaultdict(list)
    for run in runs:
        rivals[run.path.parent, run.model, run.task].append(run)
    kept = []
    for (folder, model, task), found in rivals.items():
        found.sort(key=lambda run: (run.date, run.path))
        kept.append(found[-1])
        if len(found) > 1:
            notes.append(f"{folder}: {len(found)} runs of {model} on {task}; the latest counts, {found[-1].path.name}")
    return kept


def _partial(run: Run) -> str | None:
    """What to say of a run that is not one on the whole task."""
    found = len({item.doc_id for item in run.items})
    of = f"{found} of {run.documents} documents" if run.documents else f"{found} documents"
    if run.limit is not None:
        return f"{run.path}: run with --limit {run.limit:g} ({of}): no score on the task"
    if run.documents is not None and found < run.documents:
        return f"{run.path}: only {of}: no score on the task"
    return None
