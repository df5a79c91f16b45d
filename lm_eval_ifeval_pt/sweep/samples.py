"""Sample files after the first checkpoint: what no answer can change is hashed and encoded once.

The harness hashes and writes every document and prompt anew at each evaluation: most of what a checkpoint costs beyond
its model. The files made here are the same, byte for byte.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HASHES = "doc_hash", "prompt_hash", "target_hash"
_FIELDS = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", *_HASHES)
"""Of a row of the harness's, in order; the metrics follow."""
_BUFFER = 2**20  # bytes


class WrittenInto(Exception):
    """A task writes into documents when it scores them: its rows depend on the answers."""


@dataclass(frozen=True)
class UnansweredRow:
    """A row of a sample file without the answers.

    Attributes:
        instances: The requests of its document, in the order of the answers.
        filter: Name of the filter of the answers.
        before: JSON of what stands before the answers, in pieces and UTF-8: prompts that requests share are kept once.
        hashes: The harness's hashes of document, prompt and target.
        after: JSON of the hashes, as it stands behind the answers.
    """

    instances: Sequence[Any]
    filter: str
    before: Sequence[bytes]
    hashes: Mapping[str, str]
    after: str


class KeptSamples:
    """The rows of a task's sample file, and what one evaluation adds to them.

    Attributes:
        rows: In the order of the file.
        metrics: Of the documents scored in this evaluation, in that order.
    """

    def __init__(self, rows: Sequence[UnansweredRow]) -> None:
        self.rows = rows
        self.metrics: list[Mapping[str, Any]] = []

    def add(self, doc: Any, metrics: Mapping[str, Any]) -> None:
        """Note the metrics of the next row.

        Raises:
            WrittenInto: the document is not what it was.
        """
        if doc != self.rows[len(self.metrics)].instances[0].doc:
            raise WrittenInto
        self.metrics.append(metrics)

    def hashes(self) -> list[Mapping[str, str]]:
        """What the harness makes its hash of a task's samples of."""
        return [row.hashes for row in self.rows]

    def write(self, path: Path) -> None:
        """Write the file of this evaluation.

        Raises:
            OSError: it cannot be written, as on a full disk.
        """
        encode = _encoder()
        names: dict[tuple[str, ...], str] = {}  # of the filter and the metrics, few in a file
        with path.open("wb", _BUFFER) as file:
            for row, metrics in zip(self.rows, self.metrics, strict=True):
                named = row.filter, *metrics
                if named not in names:
                    names[named] = f', "filter": {encode(row.filter)}, "metrics": {encode(list(metrics))}, '
                values = f", {encode(metrics)[1:]}" if metrics else "}"
                told = "".join((_answers(row, encode), names[named], row.after, values, os.linesep))
                file.writelines((*row.before, told.encode()))


def keep(samples: Sequence[Mapping[str, Any]], instances: Sequence[Any]) -> KeptSamples | None:
    """The rows that the harness made of an evaluation, for the next ones.

    Args:
        samples: As the harness logs them, before it writes them.
        instances: The task's requests.

    Returns:
        None where rows may depend on answers in other fields than those of the answers.
    """
    of_document: dict[int, list[Any]] = defaultdict(list)
    for instance in instances:
        of_document[instance.doc_id].append(instance)
    for asked in of_document.values():
        asked.sort(key=lambda instance: instance.idx)
    encode = _encoder()
    rows = []
    for sample in samples:
        asked = of_document[sample["doc_id"]]
        doc = asked[0].doc if asked else None
        is_usual = tuple(sample) == (*_FIELDS, *sample["metrics"])
        if not is_usual or not asked or sample["doc"] is doc or sample["doc"] != doc:
            return None
        try:
            before = tuple(_before(sample, encode))
        except UnicodeEncodeError:  # half a character: the harness tells what it cannot write
            return None
        hashes = {name: sample[name] for name in _HASHES}
        after = encode(hashes)[1:-1]
        rows.append(UnansweredRow(asked, sample["filter"], before, hashes, after))
    return KeptSamples(rows)


def _answers(row: UnansweredRow, encode: Callable[[Any], str]) -> str:
    """JSON of a row's answers as the harness writes them, before and after the filter."""
    before, after = [], []
    for instance in row.instances:
        given, filtered = instance.resps, instance.filtered_resps[row.filter]
        if len(given) == 1 and _is_log_likelihood(given[0]) and filtered is given[0]:
            text = f'["{filtered[0]}", "{filtered[1]}"]'  # by far the most of all answers, and nothing to escape
            before.append(f"[{text}]")
            after.append(text)
        else:
            before.append(encode(_texts(given)))
            after.append(encode(_texts(filtered) if isinstance(filtered, (list, tuple)) else str(filtered)))
    return f'"resps": [{", ".join(before)}], "filtered_resps": [{", ".join(after)}]'


def _is_log_likelihood(answer: Any) -> bool:
    return type(answer) is tuple and len(answer) == 2 and type(answer[0]) is float and type(answer[1]) is bool


def _texts(answers: Sequence[Any]) -> list[Any]:
    """Answers as the harness writes them, every leaf a text."""
    return [_texts(each) if isinstance(each, (list, tuple)) else str(each) for each in answers]


def _before(sample: Mapping[str, Any], encode: Callable[[Any], str]) -> Iterator[bytes]:
    """JSON of a row up to its arguments, as the harness writes them, in UTF-8."""
    start = {"doc_id": sample["doc_id"], "doc": sample["doc"], "target": str(sample["target"])}
    yield f'{encode(start)[:-1]}, "arguments": {{'.encode()
    encoded: dict[str, bytes] = {}
    for number, arguments in enumerate(sample["arguments"]):
        yield f'{", " if number else ""}"gen_args_{number}": {{'.encode()
        for index, argument in enumerate(arguments):
            yield f'{", " if index else ""}"arg_{index}": '.encode()
            if not isinstance(argument, str):
                yield encode(argument).encode()
            elif argument in encoded:
                yield encoded[argument]
            else:
                yield encoded.setdefault(argument, encode(argument).encode())
        yield b"}"
    yield b"}, "


def _encoder() -> Callable[[Any], str]:
    """JSON as the harness writes samples."""
    from lm_eval.utils import handle_non_serializable

    return json.JSONEncoder(ensure_ascii=False, default=handle_non_serializable).encode
