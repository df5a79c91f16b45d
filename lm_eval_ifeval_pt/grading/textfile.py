"""The documents of the task `text_perplexity`, from text files of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from lm_eval_ifeval_pt.jsonl import objects

if TYPE_CHECKING:
    from datasets import Dataset

Unit = Literal["file", "paragraph", "line"]

_EXAMPLE = """--metadata '{"file": "texto.txt"}'"""


def load_dataset(
    file: str | Sequence[str] | None = None, field: str = "text", unit: Unit = "file", **_metadata: Any
) -> dict[str, Dataset]:
    """The documents of a text file.

    All arguments are entries of the task's metadata, which `--metadata '{"file": "texto.txt"}'` gives.

    Args:
        file: A UTF-8 text, or a .jsonl file of one document a line; or several of them.
        field: The column of a .jsonl file that holds the text.
        unit: What of a text file is one document, of which a model sees nothing else: the whole file, a paragraph
            (between blank lines) or a line. A long document is cut into windows of the model's context by the harness.
        **_metadata: The rest of the task's metadata, which the harness passes along.

    Returns:
        One split, `test`, with the column `text`.

    Raises:
        ValueError: no file is named, one cannot be read or holds no text; where and why.
    """
    import datasets

    if not file:
        raise ValueError(f"text_perplexity: name the text: {_EXAMPLE}")
    if unit not in get_args(Unit):
        raise ValueError(f"text_perplexity: unit must be one of {', '.join(get_args(Unit))}, it is {unit!r}")
    paths = [Path(file)] if isinstance(file, str) else [Path(name) for name in file]
    texts = [text for path in paths for text in _documents(path, field, unit)]
    if not texts:
        raise ValueError(f"text_perplexity: there is no text in {', '.join(map(str, paths))}")
    return {"test": datasets.Dataset.from_dict({"text": texts})}


def _documents(path: Path, field: str, unit: Unit) -> Iterator[str]:
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"text_perplexity: {path} cannot be read: {error}") from error
    if path.suffix == ".jsonl":
        yield from _rows(path, content, field)
        return
    pattern = {"file": r"\Z(?!)", "paragraph": r"\n[ \t]*\n", "line": r"\n"}[unit]
    for part in re.split(pattern, content):
        if part.strip():
            yield part if unit == "file" else part.strip("\n")


def _rows(path: Path, content: str, field: str) -> Iterator[str]:
    for at, row in objects(content.split("\n"), f"text_perplexity: {path}"):
        if field not in row:
            raise ValueError(f"{at}: no JSON object with {field!r}; it has {', '.join(row) or 'no keys'}")
        text = row[field]
        if not isinstance(text, str):
            raise ValueError(f"{at}: {field!r} is no text")
        if text.strip():
            yield text
