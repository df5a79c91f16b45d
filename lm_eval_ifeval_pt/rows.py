"""IFEval-style rows: reading, checking and resolving them before a token is generated."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from lm_eval_ifeval_pt.dialects import Dialect
from lm_eval_ifeval_pt.registry import Bound, ConstraintError, UnknownConstraint

log = logging.getLogger(__name__)

Unknown = Literal["error", "skip"]
"""What to do with a row whose instruction id is not known: stop, or leave the row out and say how many were."""

COLUMNS = ("key", "prompt", "instruction_id_list", "kwargs")


class RowsError(ValueError):
    """Rows that cannot be evaluated as they are. The message names source, row and what to do."""


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON-lines file.

    Raises:
        RowsError: the file cannot be read, or a line is no JSON object.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RowsError(f"{path}: cannot be read as UTF-8 text: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise RowsError(f"{path}, line {number}: no valid JSON ({error})") from error
        if not isinstance(row, dict):
            raise RowsError(f"{path}, line {number}: an object is expected, got {type(row).__name__}")
        yield row


def resolve(
    rows: Iterable[Mapping[str, Any]], dialect: Dialect, source: str, unknown: Unknown = "error"
) -> list[dict[str, Any]]:
    """Check every row and spell its instructions as the registry does.

    Args:
        rows: Rows with the columns of google/IFEval: key, prompt, instruction_id_list and kwargs (one object, possibly
            null, per instruction).
        dialect: How the data set writes its instructions.
        source: Where the rows come from, for messages.
        unknown: What to do with rows whose instruction id is not known.

    Returns:
        Rows of the same four columns, ids and arguments those of the registry.

    Raises:
        RowsError: a column is missing, arguments do not fit, keys repeat, or ids are unknown.
    """
    resolved, unknown_ids = [], Counter[str]()
    seen: set[Any] = set()
    for number, row in enumerate(rows, 1):
        where = f"{source}, row {number} (key {row.get('key')!r})"
        ids, all_kwargs = _columns(row, where)
        if row["key"] in seen:
            raise RowsError(f"{where}: this key occurs twice; keys must be unique")
        seen.add(row["key"])
        bound: list[Bound] = []
        for id, kwargs in zip(ids, all_kwargs, strict=True):
            try:
                bound.append(dialect.bind(id, kwargs))
            except UnknownConstraint:
                unknown_ids[id] += 1
            except ConstraintError as error:
                raise RowsError(f"{where}: {error}") from error
        if len(bound) == len(ids):
            resolved.append(
                {
                    "key": row["key"],
                    "prompt": row["prompt"],
                    "instruction_id_list": [one.constraint.id for one in bound],
                    "kwargs": [dict(one.kwargs) for one in bound],
                }
            )
    if unknown_ids:
        listed = ", ".join(f"{id} ({count})" for id, count in sorted(unknown_ids.items()))
        if unknown == "error":
            raise RowsError(
                f"{source}: unknown instruction ids: {listed}. Teach their spelling in lm_eval_ifeval_pt/dialects/, "
                """or leave these rows out with --metadata '{"unknown": "skip"}'."""
            )
        log.warning("%s: %d of %d rows left out, unknown ids: %s", source, len(seen) - len(resolved), len(seen), listed)
    if not resolved:
        raise RowsError(f"{source}: no row to evaluate")
    return resolved


def _columns(row: Mapping[str, Any], where: str) -> tuple[list[str], list[Mapping[str, Any] | None]]:
    """The instruction ids of a row and as many kwargs."""
    missing = [column for column in COLUMNS if column not in row]
    if missing:
        raise RowsError(f"{where}: missing columns: {', '.join(missing)}; it has: {', '.join(row)}")
    if not isinstance(row["prompt"], str) or not row["prompt"].strip():
        raise RowsError(f"{where}: the prompt is empty")
    ids, kwargs = row["instruction_id_list"], row["kwargs"]
    if not isinstance(ids, list) or not ids or not all(isinstance(id, str) for id in ids):
        raise RowsError(f"{where}: instruction_id_list must be a list of ids, it is {ids!r}")
    if isinstance(kwargs, dict):  # some translations store the arguments of a single instruction bare
        kwargs = [kwargs]
    if not isinstance(kwargs, list) or len(kwargs) != len(ids):
        raise RowsError(f"{where}: kwargs must be a list of {len(ids)} objects, one per instruction, it is {kwargs!r}")
    if not all(one is None or isinstance(one, dict) for one in kwargs):
        raise RowsError(f"{where}: each of kwargs must be an object or null, they are {kwargs!r}")
    return ids, kwargs
