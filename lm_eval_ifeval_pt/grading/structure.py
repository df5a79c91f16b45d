"""Outputs that must be JSON: whether they are, and whether they follow a schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from lm_eval_ifeval_pt.text.reasoning import answer_start

_FENCED = re.compile(r"\s*```(?:json|JSON)?[ \t]*\n(.*?)\n?[ \t]*```\s*", re.S)


class NoJSON(ValueError):
    """A text is not JSON."""


def parsed(output: str, allow_fence: bool = True) -> Any:
    """The JSON value that an output is, after its reasoning.

    Args:
        output: The text.
        allow_fence: Whether one markdown fence around all of it (```json) is looked through.

    Raises:
        NoJSON: it is none; NaN and Infinity, which Python reads, are none either.
    """
    output = output[answer_start(output) :]
    fenced = _FENCED.fullmatch(output) if allow_fence else None
    try:
        return json.loads(fenced[1] if fenced else output, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise NoJSON(str(error)) from error


def _refused(constant: str) -> NoReturn:
    raise NoJSON(f"{constant} is no JSON")


def json_valid(output: str, allow_fence: bool = True) -> float:
    """1 if the output is JSON, else 0."""
    try:
        parsed(output, allow_fence)
    except NoJSON:
        return 0.0
    return 1.0


def schema_check(schema: Mapping[str, Any] | bool) -> Callable[[Any], bool]:
    """Whether a value follows a JSON schema, of the draft that `$schema` names, else the newest.

    References to other files are not fetched: a check that needs one raises a ValueError.

    Raises:
        ValueError: the schema is none; where and why.
        ImportError: `jsonschema` is not installed.
    """
    try:
        import jsonschema
        from referencing import Registry
        from referencing.exceptions import Unresolvable
    except ImportError as error:
        raise ImportError("json_schema needs jsonschema: pip install 'lm_eval_ifeval_pt[metrics]'") from error

    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise ValueError(f"json_schema: {error.json_path}: {error.message}") from error
    checker = validator(schema, registry=Registry())

    def follows(value: Any) -> bool:
        try:
            return bool(checker.is_valid(value))
        except RecursionError:  # a value of some hundred levels, under a schema that allows it
            return False
        except Unresolvable as error:
            raise ValueError(f"json_schema: $ref {error.ref} is not in the schema, and nothing is fetched") from error

    return follows
