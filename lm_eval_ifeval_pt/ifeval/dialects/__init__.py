"""What differs between the data sets that ask for the same constraints: their ids, arguments, loose texts and columns.

A published number can only be compared with the counter that made it, so each data set has its dialect, and a
dialect has modes: `pt` (right for Portuguese) and, where a published checker is an oracle, `compat` (its
verdicts). One module per family of data sets: each `Dialect` and `Source` that a module of this package defines is
known.
"""

from __future__ import annotations

import dataclasses
import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import Bound, Constraint, UnknownConstraint
from lm_eval_ifeval_pt.ifeval.dialects.dialect import Dialect, DialectError, unmarked
from lm_eval_ifeval_pt.nearest import did_you_mean

__all__ = [
    "DIALECTS",
    "Dialect",
    "DialectError",
    "bind",
    "constraint",
    "get",
    "held",
    "of_task",
    "unmarked",
    "with_aliases",
]

_Value = TypeVar("_Value")


def held(kind: type[_Value]) -> list[_Value]:
    """The values of a type that the modules of this package define, by module."""
    modules = [import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    values = {id(value): value for module in modules for value in vars(module).values() if isinstance(value, kind)}
    return list(values.values())


DIALECTS = tuple(sorted(held(Dialect), key=lambda dialect: dialect.name != "ifeval_pt"))
"""All dialects, that of the package's own rows first."""


def get(name: str, mode: str = "pt") -> Dialect:
    """The dialect of that name in that mode.

    Raises:
        DialectError: with what there is.
    """
    for dialect in DIALECTS:
        if (dialect.name, dialect.mode) == (name, mode):
            return dialect
    there_are = ", ".join(f"{dialect.name} ({dialect.mode})" for dialect in DIALECTS)
    raise DialectError(f"no dialect {name!r} in mode {mode!r}; there are: {there_are}")


def of_task(metadata: Mapping[str, Any]) -> Dialect:
    """The dialect of a task, from its metadata: `dialect`, `mode` and `aliases`.

    Raises:
        DialectError: there is no such dialect or mode.
    """
    spoken = get(str(metadata.get("dialect", "ifeval_pt")), str(metadata.get("mode", "pt")))
    return with_aliases(spoken, metadata.get("aliases") or {})


def with_aliases(dialect: Dialect, aliases: Mapping[str, str]) -> Dialect:
    """A dialect that knows further instruction ids."""
    return dataclasses.replace(
        dialect,
        canonical=lambda id, kwargs: dialect.canonical(aliases.get(id, id), kwargs),
        names={**dialect.names, **{alias: dialect.names.get(id, id) for alias, id in aliases.items()}},
    )


def bind(id: str, kwargs: Mapping[str, Any] | None, dialect: Dialect) -> Bound:
    """The verifier of one instruction.

    Raises:
        UnknownConstraint: the dialect does not know the id; those that do are named.
        BadKwargs: the arguments do not fit.
    """
    return _named(id, dialect, lambda spoken: spoken.bind(id, kwargs))


def constraint(id: str, dialect: Dialect) -> Constraint:
    """The constraint that an id stands for in a dialect.

    Raises:
        UnknownConstraint: the dialect does not know the id; those that do are named.
    """
    return _named(id, dialect, lambda spoken: spoken.constraint(id))


_Result = TypeVar("_Result")


def _named(id: str, dialect: Dialect, look: Callable[[Dialect], _Result]) -> _Result:
    """The result of `look`; its error names the dialects that know the id, or else the ids most like it."""
    try:
        return look(dialect)
    except UnknownConstraint as error:
        spoken = f"unknown constraint {id!r} in dialect {dialect.name} ({dialect.mode})"
        if others := [f"{known.name} ({known.mode})" for known in DIALECTS if _knows(known, id)]:
            raise UnknownConstraint(f"{spoken}; known in: {', '.join(others)}") from error
        if hint := did_you_mean(id, {**dialect.names, **registry.constraints()}):
            raise UnknownConstraint(f"{spoken}; {hint}") from error
        raise


def _knows(dialect: Dialect, id: str) -> bool:
    try:
        dialect.constraint(id)
    except UnknownConstraint:
        return False
    return True
