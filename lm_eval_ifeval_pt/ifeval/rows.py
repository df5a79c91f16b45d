"""IFEval-style rows: reading, checking and resolving them before a token is generated."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lm_eval_ifeval_pt import jsonl
from lm_eval_ifeval_pt.constraints.registry import Bound, ConstraintError, UnknownConstraint

if TYPE_CHECKING:
    from lm_eval_ifeval_pt.ifeval.dialects import Dialect

log = logging.getLogger(__name__)

Policy = Literal["error", "skip"]
"""What to do with rows that cannot be evaluated: stop, or leave them out and say how many were."""

_LISTED = 20

COLUMNS = ("key", "prompt", "instruction_id_list", "kwargs")


class RowsError(ValueError):
    """Rows that cannot be evaluated as they are. The message names source, row and what to do."""


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON-lines file.

    Raises:
        RowsError: the file cannot be read, or a line is no JSON object.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # a JSON string may hold U+2028 as it is
    except OSError as error:
        raise RowsError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RowsError(f"{path}: is not UTF-8 text: {error}") from error
    try:
        for _, row in jsonl.objects(lines, str(path)):
            yield row
    except jsonl.JsonlError as error:
        raise RowsError(str(error)) from error


def resolve(
    rows: Iterable[Mapping[str, Any]],
    dialect: Dialect,
    source: str,
    unknown: Policy = "error",
    invalid: Policy = "error",
) -> list[dict[str, Any]]:
    """Check every row and spell its instructions as the registry does.

    Args:
        rows: Rows with the columns of google/IFEval: key, prompt, instruction_id_list and kwargs (one object,
            possibly null, per instruction). Further columns are kept.
        dialect: How the data set writes its instructions.
        source: Where the rows come from, for messages.
        unknown: What to do with rows of which an instruction id is not known.
        invalid: What to do with rows that are broken otherwise: arguments that do not fit, an empty prompt, a
            key that occurred before.

    Returns:
        Rows of the same columns, ids and arguments those of the registry. With a row that is left out, the
        other rows of its conversation are left out too.

    Raises:
        RowsError: a column is missing, or rows are unknown or invalid and not to be left out; it lists them.
    """
    resolved: list[dict[str, Any]] = []
    unknown_ids, faults, broken, seen = Counter[str](), list[str](), set[Any](), set[Any]()
    total = 0
    for total, row in enumerate(rows, 1):
        bound, strange, fault = _bind(row, dialect, f"{source}, row {total}", seen)
        unknown_ids.update(strange)
        if fault:
            faults.append(f"row {total} (key {row['key']!r}): {fault}")
        if fault or strange:
            broken.add(row.get("conversation"))
            continue
        ids = [instruction.constraint.id for instruction in bound]
        arguments = [dict(instruction.kwargs) for instruction in bound]
        resolved.append({**row, "instruction_id_list": ids, "kwargs": arguments})
    if faults and invalid == "error":
        rest = f"; and {len(faults) - _LISTED} more" if len(faults) > _LISTED else ""
        raise RowsError(
            f"{source}, {'; '.join(faults[:_LISTED])}{rest}. "
            """Leave such rows out with --metadata '{"invalid": "skip"}'."""
        )
    listed = ", ".join(f"{id} ({count})" for id, count in sorted(unknown_ids.items()))
    if unknown_ids and unknown == "error":
        raise RowsError(
            f"{source}: unknown instruction ids: {listed}. Where one means the same as one of ours "
            """(`lm-eval-pt ls constraints`), say so with --metadata '{"aliases": {"THEIRS": "OURS"}}', """
            "or for good in lm_eval_ifeval_pt/ifeval/dialects/; or leave these rows out with "
            """--metadata '{"unknown": "skip"}'."""
        )
    kept = [row for row in resolved if row.get("conversation") is None or row["conversation"] not in broken]
    if len(kept) < total:
        reasons = [f"unknown ids: {listed}"] * bool(unknown_ids) + faults
        log.warning("%s: %d of %d rows left out; %s", source, total - len(kept), total, "; ".join(reasons))
    if not kept:
        raise RowsError(f"{source}: no row to evaluate")
    return kept


def _bind(
    row: Mapping[str, Any], dialect: Dialect, where: str, seen: set[Any]
) -> tuple[list[Bound], list[str], str | None]:
    """The verifiers of a row, its unknown ids, and what else is wrong with it."""
    missing = [column for column in COLUMNS if column not in row]
    if missing:
        raise RowsError(f"{where}: missing columns: {', '.join(missing)}; it has: {', '.join(row)}")
    if row["key"] in seen:
        return [], [], "this key occurs twice; keys must be unique"
    seen.add(row["key"])
    ids, kwargs = row["instruction_id_list"], row["kwargs"]
    if isinstance(kwargs, dict):  # some translations store the arguments of a single instruction bare
        kwargs = [kwargs]
    if fault := _fault(row["prompt"], ids, kwargs):
        return [], [], fault
    bound, strange = [], []
    for id, arguments in zip(ids, kwargs, strict=True):
        try:
            bound.append(dialect.bind(id, arguments))
        except UnknownConstraint:
            strange.append(id)
        except ConstraintError as error:
            fault = str(error)
    return bound, strange, fault


def _fault(prompt: Any, ids: Any, kwargs: Any) -> str | None:
    """The first fault of the columns of a row, in words; None without one."""
    if not isinstance(prompt, str) or not prompt.strip():
        return "the prompt is empty"
    return instructions_fault(ids, kwargs)


def instructions_fault(ids: Any, kwargs: Any) -> str | None:
    """The first fault of the instructions of a row or of their arguments, in words; None without one."""
    if not isinstance(ids, list) or not ids or not all(isinstance(id, str) for id in ids):
        return f"instruction_id_list must be a list of ids, it is {ids!r}"
    if not isinstance(kwargs, list) or len(kwargs) != len(ids):
        return f"kwargs must be a list of {len(ids)} objects, one per instruction, it is {kwargs!r}"
    if not all(arguments is None or isinstance(arguments, dict) for arguments in kwargs):
        return f"each of kwargs must be an object or null, they are {kwargs!r}"
    return None


def parsed(value: Any, where: str) -> Any:
    """A JSON value that may be written as a string, its elements again as strings.

    Raises:
        RowsError: it is no JSON.
    """
    if isinstance(value, str):
        if value.strip() in ("", "None", "null", "nan"):
            return None
        value = _loaded(value, where)
    if isinstance(value, list):
        return [_loaded(item, where) if _is_object(item) else item for item in value]
    return value


def _is_object(item: Any) -> bool:
    """Whether an element of a list is a JSON object, or null, in a string."""
    return isinstance(item, str) and (item.lstrip().startswith("{") or item.strip() == "null")


def _loaded(value: str, where: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise RowsError(f"{where}: no valid JSON ({error}): {value[:200]!r}") from error
