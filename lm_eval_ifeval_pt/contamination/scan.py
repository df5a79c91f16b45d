"""Scan a corpus for the texts of an index, over processes, piece by piece; an interrupted scan goes on.

Each piece leaves one file of plain counts and evidence behind. What many pieces left behind is put together by
`findings.merge`, which only adds and takes the best, so that neither their order nor the number of processes matters.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from typing import Any

from lm_eval_ifeval_pt.contamination import corpus
from lm_eval_ifeval_pt.contamination.corpus import CorpusError, Document, Piece, Read
from lm_eval_ifeval_pt.contamination.evidence import COPY, Evidence, covered, evidence
from lm_eval_ifeval_pt.contamination.index import Index
from lm_eval_ifeval_pt.contamination.matching import Hit, Matcher, matcher
from lm_eval_ifeval_pt.writing import replacing

KEPT = 5
"""Documents kept per text: those that have the most of it."""

_BATCH_BYTES = 2**20
_BEFORE, _AFTER = 120, 400


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """What decides what a scan finds, besides its index and the corpus.

    Attributes:
        column: The column that holds the text.
        near: Whether to look for changed copies around the runs.
        with_text: Whether snippets of the corpus are kept.
    """

    column: str = "text"
    near: bool = False
    with_text: bool = False


class Tally:
    """The counts and the best evidence of some documents; `as_dict` is what is stored of a piece."""

    def __init__(self, index: Index, settings: ScanSettings) -> None:
        self._index, self._settings = index, settings
        self.documents = self.bytes = 0
        self.runs = Counter[int]()
        self.copied_runs = Counter[int]()
        self.texts = Counter[int]()
        self._best: dict[int, list[tuple[Any, ...]]] = defaultdict(list)

    def add(self, documents: Sequence[Document], hits: Sequence[Hit]) -> None:
        """Count some documents with the hits in them."""
        self.documents += len(documents)
        self.bytes += sum(len(document.text) for document in documents)
        by_document: dict[int, list[Hit]] = defaultdict(list)
        for hit in hits:
            by_document[hit.document].append(hit)
        for number, own in by_document.items():
            self._add(documents[number], own)

    def _add(self, document: Document, hits: Sequence[Hit]) -> None:
        places_of = self._index.places([hit.run for hit in hits])
        self.runs.update({hit.run for hit in hits})
        copied: set[int] = set()
        for match in evidence(self._index, document.text, hits, places_of, self._settings.near):
            words = sum(end - start for start, end in covered(match.runs, self._length(match.text)))
            self.texts[match.text] += 1
            if words >= COPY * self._words(match.text):
                copied.add(match.text)
            self._keep(match, words, document)
        if copied:
            placed = zip(hits, places_of, strict=True)
            self.copied_runs.update({hit.run for hit, places in placed if any(text in copied for text, _ in places)})

    def _length(self, text: int) -> int:
        return min(self._index.ngram, len(self._index.texts[text]))

    def _words(self, text: int) -> int:
        return max(len(self._index.texts[text]) - int(self._index.excluded[text]), 1)

    def _keep(self, match: Evidence, words: int, document: Document) -> None:
        offset = len(document.text[: match.start].decode("utf-8", "replace"))
        text = snippet(document, offset) if self._settings.with_text else None
        entry = (
            (words, match.near or 0.0, -document.row, -offset),
            (document.row, offset, match.runs, match.near, text),
        )
        best = self._best[match.text]
        if len(best) < KEPT:
            heapq.heappush(best, entry)
        else:
            heapq.heappushpop(best, entry)

    def plus(self, other: Tally) -> Tally:
        """This tally with another one added, whose documents come after those of this one."""
        self.documents += other.documents
        self.bytes += other.bytes
        self.runs += other.runs
        self.copied_runs += other.copied_runs
        self.texts += other.texts
        for text, entries in other._best.items():
            self._best[text] = heapq.nlargest(KEPT, [*self._best[text], *entries])
            heapq.heapify(self._best[text])
        return self

    def as_dict(self) -> dict[str, Any]:
        """The tally as JSON values."""
        return {
            "documents": self.documents,
            "bytes": self.bytes,
            "runs": sorted([run, count, self.copied_runs[run]] for run, count in self.runs.items()),
            "texts": sorted([text, count] for text, count in self.texts.items()),
            "evidence": [
                [text, *entry] for text, best in sorted(self._best.items()) for _, entry in sorted(best, reverse=True)
            ],
        }


def snippet(document: Document, offset: int) -> str:
    """The text around a character of a document, on one line."""
    text = document.text.decode("utf-8", "replace")
    return " ".join(text[max(offset - _BEFORE, 0) : offset + _AFTER].split())


def scan_documents(index: Index, find: Matcher, documents: Iterator[Document], settings: ScanSettings) -> Tally:
    """The tally of some documents, matched about a megabyte at a time."""
    tally = Tally(index, settings)
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.text)
        if size >= _BATCH_BYTES:
            tally.add(batch, find([each.text for each in batch]))
            batch, size = [], 0
    if batch:
        tally.add(batch, find([each.text for each in batch]))
    return tally


@dataclass(frozen=True, slots=True)
class Done:
    """A piece that was read, now or by an earlier start."""

    piece: Piece
    error: str | None


def scan(
    folder: Path,
    pieces: Sequence[Piece],
    settings: ScanSettings,
    workers: int = 0,
    compiled: bool | None = None,
    progress: Callable[[Done], None] = lambda done: None,
) -> None:
    """Read all pieces that an earlier start has not read; what each leaves behind goes into `folder/pieces`.

    Args:
        folder: Where `findings.prepare` has put the index.
        pieces: What to read.
        settings: What decides the findings.
        workers: Processes; by default one per core at hand. With 1 no further process is started.
        compiled: As of `matching.matcher`.
        progress: Called after each piece.
    """
    left = []
    for piece in pieces:
        if piece_file(folder, piece).exists():
            progress(Done(piece, _error_of(folder, piece)))
        else:
            left.append(piece)
    workers = min(workers or _cores(), max(len(left), 1))
    if workers == 1:
        reader = _Reader(folder, settings, compiled)
        for piece in left:
            progress(reader(piece))
        return
    # Not forked: a process that has threads, as one that has loaded the harness does, must not be.
    with ProcessPoolExecutor(workers, get_context("spawn"), _start, (folder, settings, compiled)) as pool:
        running: set[Future[Done]] = set()
        waiting = iter(left)
        try:
            for piece in waiting:
                running.add(pool.submit(_read, piece))
                if len(running) >= 2 * workers:
                    finished, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in finished:
                        progress(future.result())
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    progress(future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def piece_file(folder: Path, piece: Piece) -> Path:
    """The file that holds the tally of a piece."""
    return folder / "pieces" / f"{hashlib.sha256(piece.key.encode()).hexdigest()[:24]}.json"


def _error_of(folder: Path, piece: Piece) -> str | None:
    data: Mapping[str, Any] = json.loads(piece_file(folder, piece).read_text(encoding="utf-8"))
    error: str | None = data.get("error")
    return error


class _Reader:
    """Reads pieces with one index."""

    def __init__(self, folder: Path, settings: ScanSettings, compiled: bool | None) -> None:
        self._folder, self._settings = folder, settings
        self._index = Index.open(folder / "index")
        self._find = matcher(self._index, compiled)

    def __call__(self, piece: Piece) -> Done:
        read = Read()
        try:
            documents = corpus.documents(piece, self._settings.column, read)
            data = scan_documents(self._index, self._find, documents, self._settings).as_dict()
        except CorpusError as error:
            data = {"error": str(error)}
        write_tally(piece_file(self._folder, piece), str(piece.path), data, read)
        return Done(piece, data.get("error"))


def write_tally(target: Path, path: str, tally: Mapping[str, Any], read: Read) -> None:
    """Write what some documents of a file left behind, whole or not at all.

    Args:
        target: Where to.
        path: The documents' file, for people.
        tally: `Tally.as_dict`, or an `error`.
        read: What was met besides.
    """
    data = {**tally, "path": path, "read": asdict(read)}
    with replacing(target, errors="surrogatepass") as file:
        file.write(json.dumps(data, ensure_ascii=False))


_reader: _Reader | None = None


def _start(folder: Path, settings: ScanSettings, compiled: bool | None) -> None:
    global _reader
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    _reader = _Reader(folder, settings, compiled)


def _end_with(parent: int) -> None:
    """End this process when the one that started it is gone: killed, it cannot tell its workers."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _read(piece: Piece) -> Done:
    assert _reader is not None
    return _reader(piece)
