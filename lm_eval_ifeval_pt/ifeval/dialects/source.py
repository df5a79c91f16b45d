"""What a published data set is: where it lies, and how its rows become those of google/IFEval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lm_eval_ifeval_pt.ifeval.rows import parsed

Row = Mapping[str, Any]

JSON_COLUMNS = ("instruction_id_list", "kwargs")


def plain(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Rows that have the four columns already; lists may be JSON strings, and keys may be missing."""
    for number, row in enumerate(rows, 1):
        columns = {"key": number, **{name: row[name] for name in ("key", "prompt") if name in row}}
        yield columns | {name: parsed(row[name], f"key {columns['key']!r}") for name in JSON_COLUMNS if name in row}


def turns(key: Any, contents: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The rows of one conversation; the prompt of a turn is the user's turns so far."""
    said: list[str] = []
    for turn, content in enumerate(contents, 1):
        said.append(str(content.get("prompt") or ""))
        yield {
            "key": f"{key}/{turn}",
            "prompt": "\n\n".join(said),
            **{name: content.get(name) for name in JSON_COLUMNS},
            "conversation": str(key),
            "turn": turn,
            "turns": list(said),
        }


@dataclass(frozen=True, slots=True)
class Source:
    """A published data set.

    Attributes:
        name: The name by which task definitions know it (`metadata: dataset`).
        place: Its Hub id, or the address of its .jsonl file.
        convert: Makes rows of the four columns of its rows.
        split: The split to evaluate; without it `test`, or else the first one.
        files: The files to read where the repository holds other data sets too; a pattern.
        bundled: The file in our data folder that stands in for it, if any.
    """

    name: str
    place: str
    convert: Callable[[Iterable[Row]], Iterator[dict[str, Any]]] = plain
    split: str | None = None
    files: str | None = None
    bundled: str | None = None
