"""A page per task and group, from its definition as the harness reads it, with a prompt rendered from a bundled row."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.paths import bundled

ROOT = Path(__file__).parents[2]
_LONGEST = 2500  # characters of a rendered prompt; its end, where the question is, is always shown


def texts() -> Iterator[tuple[str, str]]:
    """Name and page of every task and group of this package, groups first, then by name."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    logging.disable(logging.WARNING)
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(bundled("tasks")), include_defaults=False)
    groups = sorted(manager.all_groups)
    with contextlib.chdir(bundled("data") / "samples"):  # the definitions' data sets are found as folders there
        for name in groups:
            yield name, _group(name, manager)
        for name in sorted(set(manager.all_subtasks)):
            yield name, _task(name, manager)
    logging.disable(logging.NOTSET)


def _definition(name: str, manager: Any) -> str:
    path = Path(manager.task_index[name].yaml_path)
    return f"Definition: `tasks/{path.relative_to(bundled('tasks').resolve()).as_posix()}`"


def _group(name: str, manager: Any) -> str:
    entry = manager.task_index[name].cfg
    members = [member if isinstance(member, str) else member.get("task", "") for member in entry["task"]]
    lines = [f"# {name}", f"A group of {len(members)}. {_definition(name, manager)}", ""]
    lines += [f"- [{member}]({member}.md)" if member in manager.task_index else f"- {member}" for member in members]
    metrics = entry.get("aggregate_metric_list") or []
    for metric in [metrics] if isinstance(metrics, dict) else metrics:
        weighted = "weighted by rows" if metric.get("weight_by_size", True) else "unweighted"
        lines += ["", f"Its `{metric['metric']}` is their mean, {weighted}."]
    return "\n".join([*lines, *_about(entry.get("metadata") or {})])


def _task(name: str, manager: Any) -> str:
    lines = [f"# {name}", _definition(name, manager), ""]
    try:
        task = next(iter(manager.load([name])["tasks"].values()))
    except Exception as error:  # rows that are not bundled: whatever a loader raises, the page says that there are none
        return "\n".join([*lines, *_settings(manager.task_index[name].cfg), "", _without(error)])
    config = task.config
    lines += _settings(config.to_dict())
    lines += ["", "## A prompt", "", *_example(task)]
    return "\n".join([*lines, *_about(config.metadata or {})])


def _settings(config: dict[str, Any]) -> list[str]:
    metadata = config.get("metadata") or {}
    metrics = [entry["metric"] for entry in config.get("metric_list") or () if isinstance(entry, dict)]
    npm = metadata.get("npm") or {}
    rows = {
        "data set": " ".join(f"`{config[key]}`" for key in ("dataset_path", "dataset_name") if config.get(key)),
        "rows": config.get("test_split") or config.get("validation_split"),
        "shots": config.get("num_fewshot") or 0,
        "answer": {"multiple_choice": "the likeliest option", "generate_until": "generated"}.get(
            config.get("output_type") or "", config.get("output_type")
        ),
        "metrics": ", ".join(f"`{metric}`" for metric in dict.fromkeys(metrics)),
        "NPM": f"`{npm['metric']}`, chance {npm['random']:.4g}, maximum {npm['max']:.4g}" if npm else "",
        "licence": metadata.get("licence"),
        "version": metadata.get("version"),
        "source": metadata.get("source"),
    }
    return [
        "| setting | value |",
        "|---|---|",
        *(f"| {key} | {value} |" for key, value in rows.items() if value not in ("", None)),
    ]


def _example(task: Any) -> list[str]:
    """The first row's prompt with its shots, and what it is compared with."""
    document = next(iter(task.eval_docs))
    prompt = task.fewshot_context(document, num_fewshot=task.config.num_fewshot or 0)
    left = max(0, len(prompt) - _LONGEST)
    lines = [f"The last {_LONGEST:,} of {len(prompt):,} characters:", ""] if left else []
    lines += ["~~~~text", str(prompt)[left:], "~~~~", ""]
    choices = task.doc_to_choice(document) if task.OUTPUT_TYPE == "multiple_choice" else None
    target = task.doc_to_target(document)
    if choices:
        lines += ["The options, of which the likeliest is the answer:", ""]
        right = target if isinstance(target, int) else None
        lines += [
            f"{number + 1}. `{choice.strip()}`{' (right)' if number == right else ''}"
            for number, choice in enumerate(choices)
        ]
    elif target not in (0, "", None):
        lines += ["The answer to it:", "", "~~~~text", str(target), "~~~~"]
    return lines


def _without(error: Exception) -> str:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return f"No example: its rows do not come with this package ({reason[:160]})."


def _about(metadata: dict[str, Any]) -> list[str]:
    return ["", str(metadata["about_source"])] if metadata.get("about_source") else []
