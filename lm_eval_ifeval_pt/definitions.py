"""The definitions of tasks and groups (YAML), of the package and of others, as data: what they name is not imported."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.nearest import did_you_mean
from lm_eval_ifeval_pt.paths import bundled

Definition = dict[str, Any]


class DefinitionError(ValueError):
    """There is no such definition, or it cannot be read."""


def tasks(include_path: Sequence[Path] = ()) -> list[Definition]:
    """The task and group definitions, by file, with what they include: the package's own, then those of other folders.

    Raises:
        DefinitionError: a definition in one of the other folders cannot be read.
    """
    return [definition for folder in (bundled("tasks"), *include_path) for _, definition in _files(folder)]


def find(name: str, include_path: Sequence[Path] = ()) -> Definition:
    """The definition of a task by its name, or in a file (*.yaml).

    Raises:
        DefinitionError: there is none, or it cannot be read.
    """
    if name.endswith((".yaml", ".yml")):
        return _read(Path(name))
    named = {definition["task"]: definition for definition in tasks(include_path) if _is_task(definition)}
    if name not in named:
        hint = did_you_mean(name, named) or "`lm-eval-pt ls tasks --include-path …` lists them"
        raise DefinitionError(f"no task {name!r}; {hint}")
    return named[name]


def members(group: str) -> tuple[str, ...]:
    """The tasks of a group of the package, also those of the groups in it, in order.

    Raises:
        KeyError: there is no such group.
    """
    groups = {definition["group"]: definition["task"] for definition in tasks() if "group" in definition}
    named: dict[str, None] = {}
    for name in groups[group]:
        named |= dict.fromkeys(members(name) if name in groups else (name,))
    return tuple(named)


def folders() -> dict[str, str]:
    """The name of the folder that each task of the package is defined in: that of its benchmark."""
    return {
        definition["task"]: path.parent.name for path, definition in _files(bundled("tasks")) if _is_task(definition)
    }


def _is_task(definition: Definition) -> bool:
    return isinstance(definition.get("task"), str)


@cache
def _files(folder: Path) -> tuple[tuple[Path, Definition], ...]:
    read = ((path, _read(path)) for path in sorted(folder.rglob("*.yaml")))
    return tuple((path, definition) for path, definition in read if "task" in definition or "group" in definition)


@cache
def _read(path: Path) -> Definition:
    """A definition with what it includes; a template that many include is parsed once."""
    import yaml

    try:
        definition = yaml.load(path.read_bytes(), Loader=_loader())
    except OSError as error:
        raise DefinitionError(f"{path}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise DefinitionError(f"{path}: no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(definition, dict):
        raise DefinitionError(f"{path}: a task definition is a mapping, `task: …`")
    included = definition.pop("include", None)
    return definition if included is None else _read(path.parent / included) | definition


@cache
def _loader() -> Any:
    """The YAML loader, that of libyaml where it is there, which reads what `!function` names as a string."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # known when PyYAML is
        pass

    Loader.add_multi_constructor("!", lambda loader, suffix, node: node.value)
    return Loader
