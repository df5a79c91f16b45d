"""Documents of a corpus, in pieces: byte ranges of plain files, row groups of Parquet, compressed files as a whole.

A piece is what a worker reads at once and what is not read again after an interruption.
"""

from __future__ import annotations

import glob
import gzip
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

PIECE_BYTES = 64 * 2**20
_JSON_LINES = (".jsonl", ".ndjson", ".json")
_PACKED = (".gz", ".zst")
_ENDINGS = "jsonl, ndjson, json (a row a line), txt, parquet; the first four also .gz or .zst"


class CorpusError(ValueError):
    """A corpus that cannot be read as asked; the message names the file and what to do."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file.

    Attributes:
        path: The file.
        size: Bytes of the whole file.
        modified: When it was changed, in nanoseconds.
        start: First byte, or row group of a Parquet file.
        end: Byte behind the last, or row group; -1 for all that there is.
        weight: Bytes to be read, for the progress bar.
    """

    path: Path
    size: int
    modified: int
    start: int
    end: int
    weight: int

    @property
    def key(self) -> str:
        """A name that differs for any other piece, and for the same file before it was changed."""
        return f"{self.path.resolve()} {self.size} {self.modified} {self.start} {self.end}"


@dataclass(slots=True)
class Read:
    """The counts of a piece that was read: its rows, and those that had no text or were no UTF-8."""

    rows: int = 0
    bytes: int = 0
    without_text: int = 0
    unreadable: int = 0
    other_encoding: int = 0
    first_fault: str = ""


class Document(NamedTuple):
    """A text of a corpus: its UTF-8, and the row of its piece, from 0."""

    text: bytes
    row: int


def files(patterns: Iterable[str]) -> list[Path]:
    """The corpus files behind files, folders and glob patterns, each once, in order.

    Raises:
        CorpusError: a pattern leads to no file that can be read.
    """
    listed: dict[Path, None] = {}
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            matches = [inner for inner in sorted(path.rglob("*")) if inner.is_file() and _kind(inner) is not None]
        elif path.is_file():
            matches = [path]
        else:
            matches = [Path(name) for name in sorted(glob.glob(pattern, recursive=True)) if Path(name).is_file()]
        if not matches:
            raise CorpusError(f"{pattern}: no file there that can be read ({_ENDINGS})")
        for match in matches:
            if _kind(match) is None:
                raise CorpusError(f"{match}: its ending is none of {_ENDINGS}")
        listed |= dict.fromkeys(matches)
    return list(listed)


def _kind(path: Path) -> str | None:
    name = path.name.lower()
    for ending in _PACKED:
        name = name.removesuffix(ending)
    if name.endswith(_JSON_LINES):
        return "json"
    if name.endswith(".txt"):
        return "text"
    return "parquet" if path.name.lower().endswith(".parquet") else None


def pieces(path: Path, piece_bytes: int = PIECE_BYTES) -> list[Piece]:
    """The pieces of one file.

    Raises:
        CorpusError: a Parquet file cannot be opened.
    """
    status = path.stat()
    size, modified = status.st_size, status.st_mtime_ns
    if _kind(path) == "parquet":
        with _parquet(path) as opened:
            groups = opened.metadata.num_row_groups
        return [Piece(path, size, modified, group, group + 1, size // max(groups, 1)) for group in range(groups)]
    if path.suffix.lower() in _PACKED or size <= piece_bytes:
        return [Piece(path, size, modified, 0, -1, size)]
    starts = range(0, size, piece_bytes)
    return [
        Piece(path, size, modified, start, min(start + piece_bytes, size), min(piece_bytes, size - start))
        for start in starts
    ]


def documents(piece: Piece, column: str, read: Read) -> Iterator[Document]:
    """The documents of a piece, in order; `read` counts what was met.

    A line of JSON is a row; a text file's documents are what stands between blank lines, their rows line numbers.
    Text that is no UTF-8 is taken for Windows-1252.

    Raises:
        CorpusError: the first row has no such column, or the file is broken.
    """
    kind = _kind(piece.path)
    try:
        if kind == "parquet":
            yield from _of_parquet(piece, column, read)
        elif kind == "json":
            yield from _of_json(piece, column, read)
        else:
            yield from _of_text(piece, read)
    except CorpusError:
        raise
    except Exception as error:  # decompressors raise what they like
        raise CorpusError(f"{piece.path}: is broken after {read.rows} rows of its piece ({error})") from error


def _of_json(piece: Piece, column: str, read: Read) -> Iterator[Document]:
    parse = _json_parser()
    for line in _lines(piece):
        row = read.rows
        read.rows += 1
        read.bytes += len(line)
        if line.isspace():
            continue
        try:
            record = _parsed(line, parse, read)
        except ValueError as error:
            read.unreadable += 1
            read.first_fault = read.first_fault or f"row {row + 1}: no JSON ({error})"
            continue
        if not isinstance(record, dict) or column not in record:
            has = ", ".join(record) if isinstance(record, dict) else type(record).__name__
            if row == 0 and piece.start == 0:
                raise CorpusError(
                    f"{piece.path}: no column {column!r}; the first row has: {has}. Name one with --column"
                )
            read.without_text += 1
            continue
        text = record[column]
        if not isinstance(text, str) or not text:
            read.without_text += 1
            continue
        yield Document(text.encode("utf-8", "surrogatepass"), row)


def _json_parser() -> Any:
    try:
        import orjson
    except ImportError:
        return json.loads
    return orjson.loads


def _parsed(line: bytes, parse: Any, read: Read) -> Any:
    try:
        return parse(line.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            parsed = json.loads(line.decode("cp1252", "replace"))
            read.other_encoding += 1
            return parsed
        return json.loads(line)  # what the fast parser refuses, such as lone surrogates


def _of_text(piece: Piece, read: Read) -> Iterator[Document]:
    block: list[bytes] = []
    first = 0
    for line in _lines(piece):
        if not line.strip():
            if block:
                yield _block(block, first, read)
            block = []
        else:
            first = first if block else read.rows
            block.append(line)
        read.rows += 1
        read.bytes += len(line)
    if block:
        yield _block(block, first, read)


def _block(lines: list[bytes], row: int, read: Read) -> Document:
    text = b"".join(lines)
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        read.other_encoding += 1
        text = text.decode("cp1252", "replace").encode()
    return Document(text, row)


def _of_parquet(piece: Piece, column: str, read: Read) -> Iterator[Document]:
    import pyarrow as pa

    with _parquet(piece.path) as opened:
        if column not in opened.schema_arrow.names:
            has = ", ".join(opened.schema_arrow.names)
            raise CorpusError(f"{piece.path}: no column {column!r}; it has: {has}. Name one with --column")
        kind = opened.schema_arrow.field(column).type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise CorpusError(f"{piece.path}: column {column!r} holds no text but {kind}. Name another with --column")
        for batch in opened.iter_batches(batch_size=1000, row_groups=[piece.start], columns=[column]):
            for text in batch.column(0).cast(pa.large_binary()).to_pylist():
                row = read.rows
                read.rows += 1
                if text:
                    read.bytes += len(text)
                    yield Document(text, row)
                else:
                    read.without_text += 1


@contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as opened:
            yield opened
    except (pa.ArrowInvalid, pa.ArrowException) as error:
        raise CorpusError(f"{path}: no readable Parquet file ({' '.join(str(error).split())[:200]})") from error


def _lines(piece: Piece) -> Iterator[bytes]:
    """The lines that begin in a piece."""
    with _opened(piece.path) as stream:
        if piece.start:
            stream.seek(piece.start - 1)
            stream.readline()
        while piece.end < 0 or stream.tell() < piece.end:
            line = stream.readline()
            if not line:
                return
            yield line


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        with gzip.open(path, "rb") as unpacked:
            yield unpacked  # type: ignore[misc]
    elif suffix == ".zst":
        with path.open("rb") as packed, _zstandard(path).ZstdDecompressor().stream_reader(
            packed, read_across_frames=True
        ) as stream:
            yield io.BufferedReader(stream, 1 << 20)
    else:
        with path.open("rb", buffering=1 << 20) as plain:
            yield plain


def _zstandard(path: Path) -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise CorpusError(
            f"{path}: .zst needs zstandard; pip install 'lm_eval_ifeval_pt[contamination]'"
        ) from error
    return zstandard


@dataclass(slots=True)
class FirstLook:
    """What the first megabyte of a kind of file is like."""

    path: Path
    documents: int
    bytes: int
    read: Read = field(default_factory=Read)


def trials(paths: Iterable[Path], column: str, most: int = 2**20) -> list[FirstLook]:
    """Read the beginning of the first file of each ending.

    Raises:
        CorpusError: a file cannot be read, has no such column, or no text.
    """
    tried: dict[str, FirstLook] = {}
    for path in paths:
        ending = "".join(path.suffixes[-2:]).lower()
        if ending in tried:
            continue
        trial = tried[ending] = FirstLook(path, 0, 0)
        for piece in pieces(path)[:1]:
            for document in documents(piece, column, trial.read):
                trial.documents += 1
                trial.bytes += len(document.text)
                if trial.bytes >= most:
                    break
        if not trial.documents:
            raise CorpusError(f"{path}: no text in the column {column!r}. Name another with --column")
    return list(tried.values())
