"""Templates of a manifest: `{{column}}` and four more patterns. They are not Jinja.

A template is read once, from left to right: what a row's value holds, `{{` included, stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import regex

Row = Mapping[str, Any]

_FIELD = regex.compile(r"\{\{[ \t]*+([^{}\n]+?)[ \t]*+\}\}")
_MISSING = object()


def render(template: str, row: Row, choices: Sequence[Any] | None = None) -> str:
    """The text that a template makes of a row.

    `{{row}}` is the row as JSON. `{{choices}}` and `{{choice_list}}` are the task's choices, as JSON and one a line;
    in a task without choices they are columns like others. `{{a.b}}` is the column of that name or, without one, `b`
    of the object in column `a`; a number counts in a list from 0.
    """
    return _FIELD.sub(lambda field: as_text(_value(field[1], row, choices)), template)


def fields(template: str) -> Iterator[str]:
    """The names in a template, in order."""
    for field in _FIELD.finditer(template):
        yield field[1]


def is_missing(field: str, row: Row, choices: Sequence[Any] | None = None) -> bool:
    """Whether a row has nothing of that name, be it null."""
    return _value(field, row, choices) is _MISSING


def as_text(value: Any) -> str:
    """A value as text: null is nothing, objects and lists are JSON, true and numbers are as JSON has them."""
    if value is None or value is _MISSING:
        return ""
    return value if isinstance(value, str) else as_json(value)


def as_json(value: Any) -> str:
    """JSON as `JSON.stringify` writes it: no blanks between its parts, letters with accents as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _value(name: str, row: Row, choices: Sequence[Any] | None) -> Any:
    if name == "row":
        return dict(row)
    if choices is not None and name == "choices":
        return list(choices)
    if choices is not None and name == "choice_list":
        return "\n".join(map(as_text, choices))
    if name in row:
        return row[name]
    value: Any = row
    for part in name.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return _MISSING
    return value
