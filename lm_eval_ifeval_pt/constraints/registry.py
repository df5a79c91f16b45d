"""The constraints by id, and how the arguments of a data row are bound to them.

    ConstraintError(ValueError)
    ├── UnknownConstraint   no constraint has this id
    └── BadKwargs           an argument is missing, unknown or of the wrong type
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.nearest import did_you_mean
from lm_eval_ifeval_pt.text import Text

Kind = Literal["active", "passive"]
"""`active`: something must be produced. `passive`: something must be left out, as a short answer does by accident."""

Check = Callable[..., Verdict]


class ConstraintError(ValueError):
    """A data row asks for something that cannot be verified."""


class UnknownConstraint(ConstraintError):
    """No constraint has this id."""


class BadKwargs(ConstraintError):
    """An argument of a constraint is missing, unknown, mistyped or out of range."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text with the arguments under which it follows, or breaks, a constraint."""

    text: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Constraint:
    """One verifiable instruction.

    Attributes:
        id: Instruction id as data rows write it, `family:name`.
        wording: The instruction in Portuguese, with `{parameter}` slots; or a function of the arguments.
        kind: `active` or `passive`; a function of the arguments where they decide.
        follows: Texts that satisfy it.
        breaks: Texts that do not.
        check: The verifier: a `Text`, then keyword-only parameters, to a `Verdict`.
        rule: What is verified, in English (the docstring of `check`).
        parameters: The keyword-only parameters of `check`, their types resolved: the schema of a row's kwargs.
        reads_words: Whether `check` is given the text without marks of emphasis (`Text.plain`), since it looks for
            words: "não **me** diga", "**lix**o".
    """

    id: str
    wording: str | Callable[..., str]
    kind: Kind | Callable[..., Kind]
    follows: tuple[Example, ...]
    breaks: tuple[Example, ...]
    check: Check
    rule: str
    parameters: Mapping[str, inspect.Parameter]
    reads_words: bool = False

    @property
    def schema(self) -> dict[str, str]:
        """The type or the values of each argument, in words; optional ones say so."""
        return {
            name: _spell(parameter.annotation)
            + ("" if parameter.default is inspect.Parameter.empty else " (optional)")
            for name, parameter in self.parameters.items()
        }

    def bind(self, kwargs: Mapping[str, Any] | None) -> Bound:
        """Check the arguments of a data row; `None` values are absent, integral floats are integers.

        Raises:
            BadKwargs: naming the constraint, the argument, the value and what is allowed.
        """
        given = {name: value for name, value in (kwargs or {}).items() if value is not None}
        for name in given:
            if name not in self.parameters:
                allowed = ", ".join(self.parameters) or "none"
                raise BadKwargs(f"{self.id}: unknown argument {name!r}; it takes: {allowed}")
        bound = {}
        for name, parameter in self.parameters.items():
            if name in given:
                bound[name] = _coerce(self.id, name, given[name], parameter.annotation)
            elif parameter.default is inspect.Parameter.empty:
                raise BadKwargs(f"{self.id}: argument {name!r} ({_spell(parameter.annotation)}) is missing")
        kind = self.kind(**bound) if callable(self.kind) else self.kind
        return Bound(self, bound, kind)


@dataclass(frozen=True, slots=True)
class Bound:
    """A constraint with valid arguments, ready to verify any number of responses."""

    constraint: Constraint
    kwargs: Mapping[str, Any]
    kind: Kind

    @property
    def wording(self) -> str:
        """The instruction in Portuguese, with its arguments filled in."""
        wording = self.constraint.wording
        return wording(**self.kwargs) if callable(wording) else wording.format(**self.kwargs)

    def verify(self, text: Text) -> Verdict:
        """The verdict on one response; an empty response follows nothing."""
        if text.is_blank:
            return Verdict(False, (), "A resposta está vazia.")
        return self.constraint.check(text.plain if self.constraint.reads_words else text, **self.kwargs)

    def is_followed(self, text: Text) -> bool:
        """Whether one response follows it: as `verify` says, in less time, since no evidence is put together."""
        text.is_located = False
        try:
            return self.verify(text).followed
        finally:
            text.is_located = True


_CONSTRAINTS: dict[str, Constraint] = {}


def constraint(
    id: str,
    *,
    wording: str | Callable[..., str],
    kind: Kind | Callable[..., Kind],
    follows: list[Example],
    breaks: list[Example],
    reads_words: bool = False,
) -> Callable[[Check], Check]:
    """Register a verifier under an instruction id; the function itself is returned untouched.

    Arguments are those of `Constraint`.

    Raises:
        TypeError: on a duplicate id, a missing docstring, too few examples or a parameter type that rows cannot hold.
    """

    def register(check: Check) -> Check:
        if id in _CONSTRAINTS:
            raise TypeError(f"constraint {id!r} is defined twice: {_CONSTRAINTS[id].check} and {check}")
        if not check.__doc__ or len(follows) < 2 or len(breaks) < 2:
            raise TypeError(f"constraint {id!r} needs a docstring and two examples of each kind")
        _CONSTRAINTS[id] = define(id, check, wording, kind, follows, breaks, reads_words)
        return check

    return register


def define(
    id: str,
    check: Check,
    wording: str | Callable[..., str],
    kind: Kind | Callable[..., Kind],
    follows: Sequence[Example] = (),
    breaks: Sequence[Example] = (),
    reads_words: bool = False,
) -> Constraint:
    """A constraint whose parameters are the keyword-only ones of its verifier; it is not registered.

    Raises:
        TypeError: on a parameter type that rows cannot hold.
    """
    parameters = {
        name: parameter
        for name, parameter in inspect.signature(check, eval_str=True).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    for name, parameter in parameters.items():
        _spell(parameter.annotation, where=f"constraint {id!r}, parameter {name!r}")
    return Constraint(
        id=id,
        wording=wording,
        kind=kind,
        follows=tuple(follows),
        breaks=tuple(breaks),
        check=check,
        rule=inspect.getdoc(check) or "",
        parameters=types.MappingProxyType(parameters),
        reads_words=reads_words,
    )


def constraints() -> Mapping[str, Constraint]:
    """All constraints by id, in the order of their modules."""
    import lm_eval_ifeval_pt.constraints.families  # noqa: F401  registers them

    return types.MappingProxyType(_CONSTRAINTS)


def get(id: str) -> Constraint:
    """The constraint with this id.

    Raises:
        UnknownConstraint: with the nearest ids.
    """
    known = constraints()
    if id in known:
        return known[id]
    hint = did_you_mean(id, known) or "`lm-eval-pt ls` lists them all."
    raise UnknownConstraint(f"unknown constraint {id!r}; {hint}")


_TOLD = ("relation", "let_relation", "capital_relation", "language")


def instruction_name(instruction_id: str, kwargs: Mapping[str, Any]) -> str:
    """A row of the table: the instruction id, with its relation and language where it has one."""
    told = [kwargs[name] for name in _TOLD if kwargs.get(name)]
    return f"{instruction_id} ({', '.join(told)})" if told else instruction_id


@cache
def _members(annotation: Any) -> list[Any]:
    """The alternatives of a type, without None."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [member for member in typing.get_args(annotation) if member is not type(None)]
    return [annotation]


def _spell(annotation: Any, where: str = "") -> str:
    """A parameter type in words; raises TypeError for a type that a JSON row cannot hold."""
    spelled = []
    for member in _members(annotation):
        if typing.get_origin(member) is Literal:
            spelled.append(" | ".join(repr(value) for value in typing.get_args(member)))
        elif member == list[str]:
            spelled.append("list of strings")
        elif member in (int, str):
            spelled.append({int: "integer", str: "string"}[member])
        else:
            raise TypeError(f"{where}: type {member!r} is not supported")
    return " or ".join(spelled)


def _coerce(id: str, name: str, value: Any, annotation: Any) -> Any:
    for member in _members(annotation):
        if typing.get_origin(member) is Literal:
            if value in typing.get_args(member):
                return value
        elif member is int:
            if isinstance(value, int) and not isinstance(value, bool):
                return value
            if isinstance(value, float) and value.is_integer():  # Arrow and pandas hold integers as floats
                return int(value)
        elif member is str:
            if isinstance(value, str) and value.strip():
                return value
        elif member == list[str] and isinstance(value, list) and value and all(
            isinstance(item, str) and item.strip() for item in value
        ):
            return list(value)
    raise BadKwargs(f"{id}: argument {name!r} is {value!r}; it must be: {_spell(annotation)}")
