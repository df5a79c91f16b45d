"""`lm-eval-pt ls`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import yaml
from rich import box
from rich.console import Console
from rich.table import Table

from lm_eval_ifeval_pt import catalogue, registry
from lm_eval_ifeval_pt.paths import bundled


class _Loader(yaml.SafeLoader):
    """Reads task definitions without importing what their `!function` names."""


_Loader.add_multi_constructor("!", lambda loader, suffix, node: node.value)


@click.command("ls")
@click.argument("what", type=click.Choice(["all", "constraints", "tasks"]), default="all")
def command(what: str) -> None:
    """List the constraints and the tasks of this package."""
    console = Console()
    if what != "tasks":
        table = Table("instruction id", "kind", "arguments", "wording", box=box.SIMPLE_HEAD, pad_edge=False)
        for constraint in registry.constraints().values():
            table.add_row(
                constraint.id,
                catalogue.kind(constraint),
                ", ".join(constraint.parameters),
                catalogue.wording(constraint),
            )
        console.print(table)
    if what != "constraints":
        table = Table("task", "data set", "n-shot", box=box.SIMPLE_HEAD, pad_edge=False)
        for task in tasks():
            table.add_row(
                task.get("task") if isinstance(task.get("task"), str) else f"{task['group']} (group)",
                str(task.get("dataset_path", "")),
                str(task.get("num_fewshot", "")),
            )
        console.print(table)


def tasks() -> list[dict[str, Any]]:
    """The task and group definitions of this package, by file."""
    definitions = map(_read, sorted(bundled("tasks").rglob("*.yaml")))
    return [definition for definition in definitions if "task" in definition or "group" in definition]


def _read(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8") as file:
        definition: dict[str, Any] = yaml.load(file, Loader=_Loader)
    if "include" not in definition:
        return definition
    return _read(path.parent / definition.pop("include")) | definition
