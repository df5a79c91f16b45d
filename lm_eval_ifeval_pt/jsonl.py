"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any


class JsonlError(ValueError):
    """A line that is no JSON object. The message names the file, the line and what is wrong with it."""


def objects(lines: Iterable[str], where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object with the place it stands at, as "answers.jsonl, line 3"; empty lines are passed over.

    Args:
        lines: The lines. Split a text at line feeds alone: a JSON string may hold other line ends, as U+2028.
        where: What the lines are of.

    Raises:
        JsonlError: a line is no JSON, or no object.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        at = f"{where}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise JsonlError(f"{at}: no valid JSON ({error})") from error
        if not isinstance(row, dict):
            raise JsonlError(f"{at}: an object is expected, got {type(row).__name__}")
        yield at, row
