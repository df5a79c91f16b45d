"""Writes the task definitions (YAML) of the benchmarks: `make definitions`."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from lm_eval_ifeval_pt import benchmarks
from lm_eval_ifeval_pt.benchmarks.benchmark import Benchmark, Metric, Task
from lm_eval_ifeval_pt.benchmarks.definition import Function, as_yaml
from lm_eval_ifeval_pt.paths import bundled

_VERSION = 1.0
_SHOTS = f"{benchmarks.__name__}.shots"
_TASKS = f"{benchmarks.__name__}.task"


def main() -> None:
    """Write all definitions, and the members of the suite's groups."""
    for path, text in files(bundled("tasks")).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def files(folder: Path) -> dict[Path, str]:
    """The files that are generated below a folder of definitions, with what they should hold."""
    everything = [(module, benchmark) for module in modules() for benchmark in held(module)]
    written = {
        folder / benchmark.name / f"{task.form.task}.yaml": text(definition(task, module), module)
        for module, benchmark in everything
        for task in benchmark.tasks
    }
    for group, tasks in suite([benchmark for _, benchmark in everything]).items():
        path = folder / "tucano2" / f"{group}.yaml"
        written[path] = with_members(path.read_text(encoding="utf-8"), tasks)
    return written


def modules() -> Iterator[ModuleType]:
    """The modules of this package."""
    for info in pkgutil.iter_modules(benchmarks.__path__):
        if not info.ispkg:
            yield importlib.import_module(f"{benchmarks.__name__}.{info.name}")


def held(module: ModuleType) -> list[Benchmark]:
    """The benchmarks that a module defines."""
    return [value for value in vars(module).values() if isinstance(value, Benchmark)]


def suite(all_benchmarks: list[Benchmark]) -> dict[str, list[str]]:
    """The tasks of the suite's groups that are made of single tasks."""
    groups: dict[str, list[str]] = {}
    for benchmark in all_benchmarks:
        if benchmark.suite is not None:
            groups.setdefault(f"tucano2_{benchmark.suite}", []).append(benchmark.name)
            for form in benchmark.formats:
                if form.form is not None:
                    groups.setdefault(f"tucano2_suite_{form.form}", []).append(form.task)
    return groups


def with_members(text: str, tasks: list[str]) -> str:
    """A group's definition with these members: those that are there stay in their order, new ones follow."""
    listed = yaml.safe_load(text)["task"]
    ordered = [*(task for task in listed if task in tasks), *(task for task in tasks if task not in listed)]
    lines = "".join(f"  - {task}\n" for task in ordered)
    return re.sub(r"^task:\n(?:  - .*\n)+", lambda _: f"task:\n{lines}", text, count=1, flags=re.M)


def definition(task: Task, module: ModuleType) -> dict[str, Any]:
    """A task as the harness's definitions have it.

    Args:
        task: The task.
        module: The module that names its functions.

    Raises:
        ValueError: the module does not name one of them.
    """
    rows, form, benchmark = task.benchmark.rows, task.form, task.benchmark
    shots = form.shots or benchmark.shots
    shown = {
        "sampler": shots.sampler if shots.sampler in (None, "first_n") else Function(f"{_SHOTS}.{shots.sampler}"),
        "samples": shots.samples,
        "process_docs": task.pool if form.pool else None,
    }
    own_format = f"own format of the rows of {benchmark.name}; no published scores"
    is_first = form is benchmark.formats[0]
    entries = {
        "task": form.task,
        "class": Function(f"{_TASKS}.{'FittingTask' if form.fits else 'PlacedTask'}"),
        "dataset_path": rows.path,
        "dataset_name": rows.name,
        "output_type": form.output_type,
        "training_split": rows.training,
        "validation_split": rows.validation,
        "test_split": rows.test,
        "fewshot_split": shots.split,
        "fewshot_config": {name: value for name, value in shown.items() if value is not None} or None,
        "num_fewshot": shots.number,
        "process_docs": task.docs,
        "doc_to_text": "query",
        "doc_to_target": form.target,
        **form.settings,
        "process_results": task.process_results,
        "metric_list": [
            {"metric": metric.name, "aggregation": metric.aggregation, "higher_is_better": metric.higher_is_better}
            for metric in (*form.metrics, Metric("npm"))
        ],
        "metadata": {
            "version": _VERSION,
            "prompt": form.prompt,
            "source": form.source or (benchmark.source if is_first else own_format),
            "licence": rows.licence,
            **({"shots": shots.about} if shots.about else {}),
            "npm": {
                "metric": form.metric,
                "random": benchmark.chance,
                "max": 1.0,
                **({"set": benchmark.suite} if is_first and benchmark.suite else {}),
            },
        },
    }
    return {name: _named(value, module) for name, value in entries.items() if value is not None}


def _named(value: Any, module: ModuleType) -> Any:
    """A value with functions in it as their full names."""
    if isinstance(value, Mapping):
        return {key: _named(part, module) for key, part in value.items()}
    if isinstance(value, list):
        return [_named(part, module) for part in value]
    return Function(_name(value, module)) if callable(value) else value


def _name(function: Callable[..., Any], module: ModuleType) -> str:
    for name, value in vars(module).items():
        if callable(value) and value == function:
            return f"{module.__name__}.{name}"
    home = importlib.import_module(getattr(function, "__module__", module.__name__))
    name = getattr(function, "__qualname__", "")
    if getattr(home, name, None) is not function:
        raise ValueError(f"{module.__name__} gives no name to {function}, which a definition needs")
    return f"{home.__name__}.{name}"


def text(definition: Mapping[str, Any], module: ModuleType) -> str:
    """A definition as YAML."""
    source = module.__name__.replace(".", "/")
    return f"# Written by `make definitions` from {source}.py, which is to be edited.\n{as_yaml(definition)}"


if __name__ == "__main__":
    main()
