"""The shapes of JSON output that docs/json.md states, for the tests that hold commands to them."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "json.md"
_TYPES = {"text": str, "integer": int, "number": (int, float), "boolean": bool}


@cache
def shapes() -> dict[str, Any]:
    """The shape under each heading of the page."""
    text = PAGE.read_text(encoding="utf-8")
    sections = re.findall(r"^### (.+?)\n.*?^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return {heading.replace("`", ""): json.loads(shape) for heading, shape in sections}


def faults(data: Any, shape: Any, where: str = "") -> list[str]:
    """Where data is not of a shape: `table[0].n: …`."""
    if isinstance(shape, list):
        if not isinstance(data, list):
            return [f"{where}: no list"]
        return [fault for index, entry in enumerate(data) for fault in faults(entry, shape[0], f"{where}[{index}]")]
    if isinstance(shape, dict):
        return _faults_of_object(data, shape, where)
    name = shape.removesuffix("?")
    if (data is None and name != shape) or name == "any":
        return []
    if name not in _TYPES:
        return faults(data, shapes()[name], where)
    is_boolean = isinstance(data, bool) and name != "boolean"
    return [] if isinstance(data, _TYPES[name]) and not is_boolean else [f"{where}: {data!r} is no {shape}"]


def _faults_of_object(data: Any, shape: dict[str, Any], where: str) -> list[str]:
    if not isinstance(data, dict):
        return [f"{where}: no object"]
    stated = {key.removesuffix("?"): of_key for key, of_key in shape.items() if key != "*"}
    told = [f"{where}: no key {key}" for key in shape if key != "*" and key[-1] != "?" and key not in data]
    for key, value in data.items():
        if key not in stated and "*" not in shape:
            told.append(f"{where}: a key {key}, which the page does not have")
        else:
            told += faults(value, stated.get(key, shape.get("*")), f"{where}.{key}")
    return told


def check(command: str, stdout: str) -> None:
    """Hold what a command printed to the page."""
    assert faults(json.loads(stdout), shapes()[command], command)[:5] == []
