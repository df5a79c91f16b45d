"""Scores of tasks as the different formats of result files write them.

Read are the harness's results_*.json (0.4 and 0.3), the files of the Open Portuguese LLM Leaderboard
(`harness|task|task|None|3` keys, filter `all`) and Polygl0t's YAML (`<task>_<metric>` keys).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from lm_eval_ifeval_pt.results.records import Measure


def by_task(results: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Measure]]]:
    """The tasks of a result file's `results` with their measures, whatever the nesting."""
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
    for task, values in tasks.items():
        yield task, _measures(values)
