"""What is wrong with an entry by its JSON Schema, in words, each fault with its path."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import regex

from lm_eval_ifeval_pt.nearest import with_nearest
from lm_eval_ifeval_pt.suite.errors import Fault

MANIFEST = Path(__file__).with_name("manifest.schema.json")
"""Of a manifest."""
GENERATION = Path(__file__).with_name("generation.schema.json")
"""Of the settings with which a run generates answers."""


def faults(entry: Any, schema: Path) -> list[Fault]:
    """All that is wrong, in the order of the entry, each fault once.

    Args:
        entry: What a file holds.
        schema: The file of its schema.
    """
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).iter_errors(entry)
    ordered = sorted(errors, key=lambda error: [str(part).zfill(9) for part in error.absolute_path])
    # of several missing keys each error has the whole list
    return list(dict.fromkeys(fault for error in ordered for fault in _faults_of(error)))


def _faults_of(error: Any) -> Iterator[Fault]:
    """What an error of the schema says, in words."""
    path, value, wanted = _path(error.absolute_path), error.instance, error.validator_value
    about = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
    if error.validator == "additionalProperties" and wanted is False:
        known = list(error.schema.get("properties", {}))
        for key in value:
            if key not in known:
                unknown = with_nearest("there is no such key", key, known)
                yield Fault(_join(path, key), f"{unknown}; allowed are {', '.join(known)}")
        return
    if error.validator == "required":
        yield from (Fault(_join(path, key), "is missing") for key in wanted if key not in value)
        return
    if error.validator == "oneOf" and not isinstance(value, dict):
        return  # that it is no object is told already
    if error.validator == "oneOf":
        keys = [alternative["required"][0] for alternative in wanted]
        given = [key for key in keys if key in value]
        yield Fault(path, f"needs one of {', '.join(keys)}; it has {' and '.join(given) or 'none of them'}")
        return
    limits = {
        "minimum": "at least",
        "maximum": "at most",
        "minItems": "at least as many entries as",
        "maxItems": "at most as many entries as",
        "minLength": "a text of at least as many characters as",
        "maxLength": "a text of at most as many characters as",
        "minProperties": "at least as many entries as",
    }
    if error.validator in limits:
        allowed = f"it must be {limits[error.validator]} {wanted}"
    elif error.validator == "enum":
        allowed = f"allowed are {', '.join(map(json.dumps, wanted))}"
    elif error.validator == "const":
        allowed = f"it must be {json.dumps(wanted)}"
    elif error.validator == "type":
        allowed = f"it must be {' or '.join([wanted] if isinstance(wanted, str) else wanted)}"
    elif error.validator == "not":
        allowed = "it has no counterpart here"
    elif error.validator in ("exclusiveMinimum", "exclusiveMaximum"):
        allowed = f"it must be {'more' if error.validator == 'exclusiveMinimum' else 'less'} than {wanted}"
    elif error.validator == "uniqueItems":
        allowed = "an entry stands twice"
    else:
        allowed = f"it is not as it must be ({error.validator})"
    shown = json.dumps(value, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
    if error.validator == "maxLength" and error.schema_path and "propertyNames" in error.schema_path:
        path = _join(path, str(value))
    yield Fault(path, f"{shown}: {allowed}" + (f". {about}" if about else ""))


def _path(parts: Sequence[str | int]) -> str:
    path = ""
    for part in parts:
        path = f"{path}[{part}]" if isinstance(part, int) else _join(path, part)
    return path


def _join(path: str, key: str) -> str:
    written = key if regex.fullmatch(r"[\w$-]+", key) else json.dumps(key, ensure_ascii=False)
    return f"{path}.{written}" if path else written
