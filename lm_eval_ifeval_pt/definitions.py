"""The definitions of tasks and groups that come with the package (YAML), as data: what they name is not imported."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.paths import bundled

Definition = dict[str, Any]


def tasks() -> list[Definition]:
    """The task and group definitions, by file, with what they include."""
    return [definition for _, definition in _files()]


def members(group: str) -> tuple[str, ...]:
    """The tasks of a group, also those of the groups in it, in order.

    Raises:
        KeyError: there is no such group.
    """
    groups = {definition["group"]: definition["task"] for _, definition in _files() if "group" in definition}
    named: dict[str, None] = {}
    for name in groups[group]:
        named |= dict.fromkeys(members(name) if name in groups else (name,))
    return tuple(named)


def folders() -> dict[str, str]:
    """The name of the folder that each task is defined in: that of its benchmark."""
    return {
        definition["task"]: path.parent.name for path, definition in _files() if isinstance(definition.get("task"), str)
    }


@cache
def _files() -> tuple[tuple[Path, Definition], ...]:
    read = ((path, _read(path)) for path in sorted(bundled("tasks").rglob("*.yaml")))
    return tuple((path, definition) for path, definition in read if "task" in definition or "group" in definition)


def _read(path: Path) -> Definition:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # known when PyYAML is
        """Reads what `!function` names as a string."""

    Loader.add_multi_constructor("!", lambda loader, suffix, node: node.value)
    definition: Definition = yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)
    if "include" not in definition:
        return definition
    return _read(path.parent / definition.pop("include")) | definition
