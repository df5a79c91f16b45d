"""Rows of sample files to items, whichever version of the harness wrote them."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.results.errors import ResultsError
from lm_eval_ifeval_pt.results.records import Choice, Item, Value

_NO_METRICS = frozenset(
    [
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "truth"),
        *("doc_hash", "prompt_hash", "target_hash"),
        "bypass",  # what --predict_only puts in the place of metrics
    ]
)


@dataclass(frozen=True, slots=True)
class Samples:
    """The items of a sample file.

    Attributes:
        items: Its rows, ordered by filter and document.
        bad_rows: Which rows were left out, and why.
        left_out: What was left out of how many rows.
    """

    items: tuple[Item, ...]
    bad_rows: tuple[str, ...]
    left_out: Mapping[str, int]


def read_items(path: Path) -> Samples:
    """The items of a sample file, and what was left out of them and why.

    Of a document that occurs twice under one filter (the harness appends to a file that is there), the last
    row counts.

    Raises:
        ResultsError: the file cannot be read, or holds no row.
    """
    bad_rows: list[str] = []
    left_out: Counter[str] = Counter()
    by_key: dict[tuple[str, int], Item] = {}
    for number, row in enumerate(_rows(path, bad_rows), 1):
        try:
            item = _item(row, len(by_key), left_out)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
            reason = " ".join(str(error).split())[:120]
            bad_rows.append(f"row {number}, which is malformed ({type(error).__name__}: {reason})")
            continue
        key = item.filter, item.doc_id
        left_out["of two rows of one document, the earlier one"] += key in by_key
        by_key[key] = item
    if not by_key:
        raise ResultsError(f"{path}: no sample in it" + (f" (left out: {'; '.join(bad_rows[:3])})" if bad_rows else ""))
    order = {name: index for index, name in enumerate(dict.fromkeys(filter for filter, _ in by_key))}
    items = sorted(by_key.values(), key=lambda item: (order[item.filter], item.doc_id))
    return Samples(tuple(items), tuple(bad_rows), {what: count for what, count in left_out.items() if count})


def rows_of(path: Path) -> list[Mapping[str, Any]]:
    """The rows of a sample file as they are; lines that are none are left out.

    Raises:
        ResultsError: the file cannot be read.
    """
    return list(_rows(path, []))


def _rows(path: Path, bad_rows: list[str]) -> Iterator[Mapping[str, Any]]:
    """JSON lines; a JSON list (0.4.0); or the object of objects that 0.3 wrote as *_write_out_info.json."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as lines:
            if path.suffix == ".json" or lines.read(1) == "[":
                lines.seek(0)
                data = json.load(lines)
                for number, row in enumerate(data.values() if isinstance(data, dict) else data, 1):
                    if isinstance(row, dict):
                        yield row
                    else:
                        bad_rows.append(f"row {number}, which is no JSON object")
                return
            lines.seek(0)
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except ValueError:
                    row = None
                if isinstance(row, dict):
                    yield row
                else:
                    bad_rows.append(f"line {number}, which is no JSON object (a run that was interrupted?)")
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from error


def _item(row: Mapping[str, Any], number: int, left_out: Counter[str]) -> Item:
    row = _modern(row)
    doc = row.get("doc", {})
    if isinstance(doc, dict) and "verdicts" in doc:
        _check_verdicts(doc)
    metrics = {}
    for name in row["metrics"] if isinstance(row.get("metrics"), list) else set(row):
        if name in _NO_METRICS:
            continue
        value = _value(row.get(name))
        if value is None:
            left_out[f"metric {name} where it is no number"] += 1
        else:
            metrics[name] = value
    requests = row.get("arguments") or [[""]]
    requests = [_request(request) for request in (requests.values() if isinstance(requests, dict) else requests)]
    prompt = _text(requests[0][0]) if requests and requests[0] else ""
    given, filtered = row.get("resps") or [], row.get("filtered_resps") or []
    is_text = bool(given) and isinstance(given[0], list) and all(isinstance(response, str) for response in given[0])
    written = json.dumps(doc, ensure_ascii=False)
    item = Item(
        doc_id=int(row.get("doc_id", number)),
        filter=str(row.get("filter", "none")),
        doc_hash=str(row.get("doc_hash") or _hash(_asked(doc) if doc else prompt)),
        prompt_hash=str(row.get("prompt_hash") or _hash(prompt)),
        target_hash=str(row.get("target_hash") or _hash(str(row.get("target", "")))),
        prompt=_encodable(prompt),
        target=_text(row.get("target", "")),
        responses=tuple(map(_encodable, given[0])) if is_text else (),
        answer=_text(filtered[0]) if is_text and filtered else "",
        choices=() if is_text else tuple(_choices(requests, given)),
        metrics={name: metrics[name] for name in row if name in metrics},
        doc_json=_encodable(written),
    )
    if isinstance(doc, dict) and item.doc_json == written:  # what `Item.doc` would parse out of it again
        vars(item)["doc"] = doc
    return item


def _check_verdicts(doc: Mapping[str, Any]) -> None:
    """Make sure that the verdicts of a document are what this package writes.

    Raises:
        ValueError: naming what is not.
    """
    verdicts, kwargs, ids = doc["verdicts"], doc.get("kwargs", []), doc.get("instruction_id_list", [])
    if not isinstance(verdicts, list) or not isinstance(kwargs, list) or not isinstance(ids, list):
        raise ValueError("doc.verdicts, doc.kwargs and doc.instruction_id_list must be lists")
    if not all(given is None or isinstance(given, dict) for given in kwargs):
        raise ValueError(f"doc.kwargs must hold objects, it is {kwargs!r}")
    if not all(isinstance(id, str) for id in ids):
        raise ValueError(f"doc.instruction_id_list must hold ids, it is {ids!r}")
    for verdict in verdicts:
        if not isinstance(verdict["instruction_id"], str) or not isinstance(verdict["kind"], str):
            raise ValueError("a verdict has no instruction_id or kind")
        for how in ("strict", "loose"):
            outcome = verdict[how]
            if not isinstance(outcome["followed"], bool) or not isinstance(outcome["detail"], str):
                raise ValueError(f"the {how} verdict on {verdict['instruction_id']} has no outcome")
            if not all(
                isinstance(span, list) and len(span) == 2 and all(type(offset) is int for offset in span)
                for span in outcome["evidence"]
            ):
                raise ValueError(f"the evidence of {verdict['instruction_id']} is no list of spans")


def _asked(doc: Any) -> str:
    """A document as the harness hashes it, which is before our verdicts on the answer are added."""
    if isinstance(doc, dict):
        doc = {name: value for name, value in doc.items() if name != "verdicts"}
    return json.dumps(doc, indent=2, ensure_ascii=False)


def _modern(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row of version 0.3 (`prompt_0`, `logit_0`, `truth`, metrics as strings) as versions since 0.4 write it."""
    if "prompt_0" not in row or "arguments" in row:
        return row
    logits = [value for name, value in row.items() if name.startswith("logit_")]
    rest = {name: value for name, value in row.items() if not name.startswith(("prompt_", "logit_"))}
    is_text = len(logits) == 1 and _value(logits[0]) is None
    return rest | {
        "target": row.get("truth", ""),
        "arguments": [[row["prompt_0"]] for _ in logits] or [[row["prompt_0"]]],
        "resps": [logits] if is_text else [[[logit]] for logit in logits],
        "filtered_resps": logits if is_text else [],
    }


def _value(raw: Any) -> Value | None:
    """A number (also one written as a string, as 0.3 did), or several; None for everything else."""
    if isinstance(raw, list):
        values = [_value(entry) for entry in raw]
        numbers = tuple(value for value in values if isinstance(value, float))
        return numbers if len(numbers) == len(values) else None
    if isinstance(raw, str):
        if raw in ("True", "False"):
            return float(raw == "True")
        try:
            raw = float(raw)
        except ValueError:
            return None
    if isinstance(raw, (bool, int, float)) and math.isfinite(raw):
        return float(raw)
    return None


def _request(request: Any) -> Sequence[Any]:
    """The arguments of one request, in order."""
    if isinstance(request, dict):
        return list(request.values())
    return request if isinstance(request, list) else [request]


def _choices(requests: Sequence[Sequence[Any]], given: Sequence[Any]) -> Iterator[Choice]:
    """Continuations with their log-likelihoods, which are `[["-0.79", "False"]]` for each request."""
    for request, answers in zip(requests, given, strict=False):
        answer = answers[0] if isinstance(answers, list) and answers else answers
        first = answer[0] if isinstance(answer, list) and answer else answer
        value = _value(first)
        if isinstance(value, float):
            yield Choice(_text(request[1]) if len(request) > 1 else "", value)


def _text(value: Any) -> str:
    return _encodable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _encodable(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, which JSON can hold and nothing else."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", errors="replace").decode("utf-8")
    return text


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
