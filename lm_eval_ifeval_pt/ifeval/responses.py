"""Responses that already exist: read from the formats in which they lie about, joined with the rows of a task.

{"prompt": …, "response": …}                                        google/IFEval's input, and other tools'
{… , "follow_instruction_list": [true]}                             its output, with its verdicts
{"key": …, "prompt": …, "response": …, "strict": [true], "loose": [true]}   CAPITU's runs
{"key": …, "turns": [{"prompt": …, "response": …}, …]}              CAPITU's conversations
{"doc": {…}, "resps": [["…"]], …}                                   samples_*.jsonl of the harness
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, get_args

from lm_eval_ifeval_pt.ifeval.rows import RowsError, read_jsonl

_SHOWN = 60  # characters of a prompt that a message shows


class ResponsesError(ValueError):
    """Responses that cannot be scored as they are. The message names the file, the response and what to do."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The verdict on one instruction that came with a response.

    Attributes:
        strict: Whether it was followed on the response as it came; None where that is not stored.
        loose: Whether it was followed loosely; None where that is not stored.
        verdicts: The strict and the loose verdict as this package stores them, with evidence; empty otherwise.
    """

    strict: bool | None
    loose: bool | None
    verdicts: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Given:
    """One response.

    Attributes:
        where: Its place, for messages.
        key: The key of its row, if it has one.
        prompt: What was asked; of a turn of a conversation what this turn asks.
        response: The response as the model wrote it.
        stored: The verdicts that came with it, one per instruction; none where there are none.
        instructions: The ids and arguments of its instructions, if it names them as a row does.
    """

    where: str
    key: Any
    prompt: str | None
    response: str
    stored: tuple[Stored, ...]
    instructions: tuple[tuple[str, Mapping[str, Any] | None], ...]


How = Literal["strict", "loose"]
"""How a verdict was reached."""


def how_of(path: Path) -> How | None:
    """Whether a file's name says that its verdicts are strict or loose, as google/IFEval names its outputs."""
    said: list[How] = [how for how in get_args(How) if how in path.stem.lower()]
    return said[0] if len(said) == 1 else None


def read(path: Path, stored: How | None = None) -> list[Given]:
    """The responses of a JSON-lines file.

    Args:
        path: The file.
        stored: How the verdicts of a `follow_instruction_list`, which does not say it, were reached; by default as the
            file's name says, else strictly.

    Raises:
        ResponsesError: the file cannot be read, or a line has no response.
    """
    how = stored or how_of(path) or "strict"
    try:
        given = [
            answer
            for number, row in enumerate(read_jsonl(path), 1)
            for answer in _given(_said(row, how), f"{path}, response {number}")
        ]
    except RowsError as error:
        raise ResponsesError(str(error)) from error
    if not given:
        raise ResponsesError(f"{path}: no response in it")
    return given


def _said(row: Mapping[str, Any], how: How) -> Mapping[str, Any]:
    """A row whose verdicts say how they were reached."""
    if "follow_instruction_list" not in row or "strict" in row:
        return row
    return {**row, how: row["follow_instruction_list"]}


def _given(row: Mapping[str, Any], where: str) -> Iterator[Given]:
    if isinstance(row.get("doc"), dict) and "resps" in row:
        yield _logged(row, where)
    elif isinstance(row.get("turns"), list):
        for number, turn in enumerate(row["turns"], 1):
            yield _plain({"key": f"{row.get('key')}/{number}", **_object(turn, where)}, f"{where}, turn {number}")
    else:
        yield _plain(row, where)


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ResponsesError(f"{where}: an object is expected, it is {value!r}")
    return value


def _plain(row: Mapping[str, Any], where: str) -> Given:
    response = row.get("response")
    if not isinstance(response, str):
        raise ResponsesError(
            f'{where}: no text under "response"; it has: {", ".join(row)}. `lm-eval-pt score --help` says what is read.'
        )
    return Given(
        where=where,
        key=row.get("key"),
        prompt=row["prompt"] if isinstance(row.get("prompt"), str) else None,
        response=response,
        stored=_stored(row.get("strict"), row.get("loose")),
        instructions=_instructions(row),
    )


def _logged(row: Mapping[str, Any], where: str) -> Given:
    doc, resps = row["doc"], row["resps"]
    while isinstance(resps, list) and resps:
        resps = resps[0]
    if not isinstance(resps, str):
        raise ResponsesError(f"{where}: the document was not answered with a text, but with {resps!r}")
    verdicts = doc.get("verdicts") or []
    stored = tuple(Stored(verdict["strict"]["followed"], verdict["loose"]["followed"], verdict) for verdict in verdicts)
    return Given(
        where=where,
        key=doc.get("key"),
        prompt=_asked(doc) if isinstance(doc.get("prompt"), str) else None,
        response=resps,
        stored=stored or _stored(row.get("inst_level_strict_acc"), row.get("inst_level_loose_acc")),
        instructions=_instructions(doc),
    )


def _instructions(row: Mapping[str, Any]) -> tuple[tuple[str, Mapping[str, Any] | None], ...]:
    ids, kwargs = row.get("instruction_id_list"), row.get("kwargs")
    if not isinstance(ids, list) or not isinstance(kwargs, list) or len(ids) != len(kwargs):
        return ()
    return tuple(zip(ids, kwargs, strict=True))


def _stored(strict: Any, loose: Any) -> tuple[Stored, ...]:
    strict, loose = (values if isinstance(values, list) else [] for values in (strict, loose))
    return tuple(Stored(_bool(by_strict), _bool(by_loose), {}) for by_strict, by_loose in zip_longest(strict, loose))


def _bool(value: Any) -> bool | None:
    return None if value is None else bool(value)


def join(documents: Sequence[Mapping[str, Any]], given: Iterable[Given]) -> tuple[dict[int, Given], list[Given]]:
    """The response to each document, by the document's index.

    They are joined by key and prompt, by prompt alone, or by key where no prompt is given. White space does not
    matter in prompts. Of documents with the same prompt, each is answered by one response.

    Args:
        documents: Documents of a task.
        given: Responses.

    Returns:
        The responses by the index of their document, and those that answer none.

    Raises:
        ResponsesError: two responses to one document.
    """
    by_key = {_key(doc["key"]): number for number, doc in enumerate(documents)}
    by_prompt: dict[str, list[int]] = defaultdict(list)
    for number, doc in enumerate(documents):
        by_prompt[_asked(doc)].append(number)
    joined: dict[int, Given] = {}
    left: list[Given] = []
    for response in given:
        prompt = None if response.prompt is None else _squeezed(response.prompt)
        index = by_key.get(_key(response.key)) if response.key is not None else None
        if index is None or (prompt is not None and prompt != _asked(documents[index])):
            same = by_prompt.get(prompt, []) if prompt is not None else []
            index = next((number for number in same if number not in joined), same[0] if same else None)
        if index is None:
            left.append(response)
        elif index in joined:
            raise ResponsesError(
                f"{response.where}: a second response to {_squeezed(str(documents[index]['prompt']))[:_SHOWN]!r}; "
                f"the first is {joined[index].where}"
            )
        else:
            joined[index] = response
    return joined, left


def _key(key: Any) -> str:
    return str(int(key)) if isinstance(key, float) and key.is_integer() else str(key)


def _asked(document: Mapping[str, Any]) -> str:
    """The prompt of a document; of a turn of a conversation the last thing that the user says."""
    return _squeezed(document["turns"][-1] if document.get("turns") else document["prompt"])


def _squeezed(text: str) -> str:
    return " ".join(text.split())
