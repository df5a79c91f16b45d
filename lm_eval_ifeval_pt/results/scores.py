"""Task scores from result files of any origin: this harness, its older formats, its forks, published leaderboards.

Read are the harness's results_*.json (0.4 and 0.3), the files of the Open Portuguese LLM Leaderboard
(`harness|task|task|None|3` keys, filter `all`) and Polygl0t's YAML (`<task>_<metric>` keys). Every reader gives the
same records; what cannot be used is reported, never dropped silently.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_ifeval_pt.results import origin
from lm_eval_ifeval_pt.results.errors import ResultsError


class Measure(NamedTuple):
    """A metric as a file states it, with its standard error where there is one; in the file's own scale."""

    value: float
    stderr: float | None


@dataclass(frozen=True, slots=True)
class TaskScore:
    """What one file says about one task.

    Attributes:
        model: The model as the file names it.
        task: The task as the file names it.
        measures: `metric` or `metric,filter` to its value.
        path: The file.
        date: When the run was made, sortable; empty where nothing says it.
        npm: The task's own `metadata: npm` (metric, random, max), where the file carries it.
        limit: The `--limit` of the run, if any: its score is not one on the whole task.
        documents: How many documents were answered, and how many the task has; None where the file does not say.
        protocol: What else changes the prompts or the scoring, where the file says so: shots, whether a chat template
            was applied, system instruction, how shots are laid out, version of the task.
        variant: What besides its name decides the model's scores (`identity.variant`); empty where `model` says it.
    """

    model: str
    task: str
    measures: Mapping[str, Measure]
    path: Path
    date: str = ""
    npm: Mapping[str, Any] = field(default_factory=dict)
    limit: float | None = None
    documents: tuple[int, int] | None = None
    protocol: Mapping[str, str] = field(default_factory=dict)
    variant: Mapping[str, str] = field(default_factory=dict)

    @property
    def part(self) -> str:
        """Why this is no score on the whole task, in words; empty where it is one."""
        if self.limit is not None:
            return f"--limit {self.limit:g}"
        if self.documents is not None and self.documents[0] < self.documents[1]:
            return f"{self.documents[0]} of {self.documents[1]} documents"
        return ""


def read(path: Path, wanted: Collection[str] = ()) -> list[TaskScore]:
    """The task scores of one result file; groups and aggregates are left out, since they are computed anew.

    Args:
        path: The file.
        wanted: Groups to keep all the same, as those that the user has a baseline of.

    Raises:
        ResultsError: the file cannot be parsed or holds no results.
    """
    data = origin.parse(path)
    results = data.get("results")
    if not isinstance(results, dict) or not results:
        raise ResultsError(f"{path}: no result file: it has no 'results' mapping")
    model, date, limit = origin.model_name(data, path), origin.date(data, path), origin.limit(data)
    variant = origin.variant(data)
    groups = {*origin.mapping(data.get("groups")), *origin.mapping(data.get("group_subtasks"))}
    groups -= {*origin.mapping(data.get("configs"))}
    scores = []
    for task, measures in _tasks(results):
        if task in groups and task not in wanted:
            continue
        metadata = origin.mapping(origin.mapping(_of_task(data, "configs", task)).get("metadata"))
        npm = metadata.get("npm")
        scores.append(
            TaskScore(
                model=model,
                task=task,
                measures=measures,
                path=path,
                date=date,
                npm=npm if isinstance(npm, dict) else {},
                limit=limit,
                documents=_documents(data, task),
                protocol=_protocol(data, task),
                variant=variant,
            )
        )
    if not scores:
        raise ResultsError(f"{path}: no task with a number in its 'results'")
    return scores


def _documents(data: Mapping[str, Any], task: str) -> tuple[int, int] | None:
    counts = _of_task(data, "n-samples", task)
    if not isinstance(counts, dict):
        return None
    answered, whole = counts.get("effective"), counts.get("original")
    return (answered, whole) if isinstance(answered, int) and isinstance(whole, int) else None


def _of_task(data: Mapping[str, Any], part: str, task: str) -> Any:
    by_task = data.get(part)
    return by_task.get(task) if isinstance(by_task, dict) else None


def _protocol(data: Mapping[str, Any], task: str) -> dict[str, str]:
    """What a file says of how a task was asked; a file that does not say it differs from none."""
    said: dict[str, Any] = {"shots": _of_task(data, "n-shot", task), "version": _of_task(data, "versions", task)}
    if "chat_template_sha" in data or "chat_template" in data:
        said["chat template"] = "yes" if data.get("chat_template_sha") or data.get("chat_template") else "no"
    if "system_instruction" in data:
        said["system instruction"] = data["system_instruction"] or "none"
    if said["shots"]:
        said["shots as turns"] = {True: "yes", False: "no"}.get(data.get("fewshot_as_multiturn", ...))
    return {name: str(value) for name, value in said.items() if value is not None}


def _tasks(results: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Measure]]]:
    """Task names with their measures, whatever the nesting."""
    flat: dict[str, dict[str, Any]] = {}
    for key, value in results.items():
        if isinstance(value, dict) and key not in ("all", "all_grouped"):
            parts = key.split("|")
            flat.setdefault(parts[1] if len(parts) > 1 else key, {}).update(value)
        elif isinstance(value, (int, float)) and not key.startswith("all_grouped"):
            flat.setdefault("", {})[key] = value
    for task, metrics in flat.items():
        if task:
            if measures := _measures(metrics):
                yield task, measures
        else:
            yield from _flat_tasks(metrics)


def _measures(metrics: Mapping[str, Any]) -> dict[str, Measure]:
    numbers = {
        key: float(value)
        for key, value in metrics.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    measures = {}
    for key, value in numbers.items():
        name, comma, filter_name = key.partition(",")
        if not name.endswith("_stderr"):
            stderr = numbers.get(f"{name}_stderr{comma}{filter_name}")
            measures[key] = Measure(value, None if stderr is None or math.isnan(stderr) else stderr)
    return measures


_FLAT_METRICS = (
    "prompt_level_strict_acc",
    "prompt_level_loose_acc",
    "inst_level_strict_acc",
    "inst_level_loose_acc",
    "exact_match",
    "acc_norm",
    "acc_bytes",
    "acc",
    "pass@1",
    "perplexity",
    "f1",
)


def _flat_tasks(metrics: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Measure]]]:
    """Splits `arc_challenge_poly_pt_acc_norm: 0.31` into task and metric."""
    tasks: dict[str, dict[str, Any]] = {}
    for key, value in metrics.items():
        stem = key.removesuffix("_stderr")
        metric = next((metric for metric in _FLAT_METRICS if stem.endswith(f"_{metric}")), None)
        if metric is not None:
            task = stem.removesuffix(f"_{metric}")
            tasks.setdefault(task, {})[metric + key.removeprefix(stem)] = value
        else:
            tasks.setdefault(key, {})["score"] = value
    for task, found in tasks.items():
        yield task, _measures(found)
