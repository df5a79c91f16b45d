"""Runs of an item's words in documents: the compiled pass where numba is there, else numpy; the same hits either way.

Every hit of a 64-bit hash is confirmed on the words themselves, so that none is a coincidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.contamination import folding
from lm_eval_ifeval_pt.contamination.index import I64, Index, run_hashes, word_hash

_DOCUMENT, _RUN, _WORD = range(3)
"""Columns of hits in an array, as the kernel writes them and as `Hit` has them."""


class Hit(NamedTuple):
    """A run of an item's words in a document.

    Attributes:
        document: The document's index among those that were given.
        run: The run, as the index numbers it.
        word: The number of its first word in the document.
        start: Its first byte in the document's UTF-8.
        end: The byte after its last.
    """

    document: int
    run: int
    word: int
    start: int
    end: int


class Matcher(Protocol):
    """Finds the runs of an index."""

    def __call__(self, documents: Sequence[bytes]) -> list[Hit]:
        """The confirmed hits in some documents (UTF-8), by document and word."""
        ...


def matcher(index: Index, compiled: bool | None = None) -> Matcher:
    """The fastest matcher that works here.

    Args:
        index: What to look for.
        compiled: Whether to use numba; by default where it is installed.
    """
    if compiled is None:
        try:
            import numba  # noqa: F401

            compiled = True
        except ImportError:
            compiled = False
    return _Compiled(index) if compiled else _Interpreted(index)


class _Compiled:
    def __init__(self, index: Index) -> None:
        from lm_eval_ifeval_pt.contamination.kernel import Tables, scan

        self._index, self._tables, self._scan = index, Tables.of(index), scan

    def __call__(self, documents: Sequence[bytes]) -> list[Hit]:
        ends = np.cumsum([len(document) for document in documents], dtype=np.int64)
        data = np.frombuffer(b"".join(documents), np.uint8)
        hits = self._scan(data, ends, self._tables)
        return _confirmed(self._index, documents, hits)


class _Interpreted:
    def __init__(self, index: Index) -> None:
        self._index = index
        self._lengths = [int(length) for length in np.unique(index.lengths)]
        self._known: dict[str, int] = {}
        self._hashes = np.ascontiguousarray(index.hashes)

    def __call__(self, documents: Sequence[bytes]) -> list[Hit]:
        hits = []
        for number, document in enumerate(documents):
            text = document.decode("utf-8", "replace")
            hits += [Hit(number, *rest) for rest in self._in_text(text)]
        return _confirmed(self._index, documents, hits)

    def _in_text(self, text: str) -> list[tuple[int, int, int, int]]:
        words = folding.words(text)
        known = self._known
        if len(known) > 1_000_000:  # a hostile text may have any number of words
            known.clear()
        for word in words:
            if word not in known:
                known[word] = word_hash(word)
        hashed = np.fromiter((known[word] for word in words), np.uint64, len(words))
        matched: list[tuple[int, int, int]] = []
        for length in self._lengths:
            hashes = run_hashes(hashed, length)
            runs = np.searchsorted(self._hashes, hashes)
            runs[runs == len(self._hashes)] = 0
            for word in np.flatnonzero(self._hashes[runs] == hashes).tolist():
                matched.append((word + length, length, int(runs[word])))
        if not matched:
            return []
        spans = _word_spans(text)
        return [
            (run, end - length, spans[end - length][0], spans[end - 1][1]) for end, length, run in sorted(matched)
        ]


def _word_spans(text: str) -> list[tuple[int, int]]:
    """The bytes of each folded word in the text's UTF-8: from its first character to behind its last."""
    spans: list[tuple[int, int]] = []
    at, start, end = 0, -1, 0
    for character in text:
        size = len(character.encode("utf-8", "replace"))
        for part in folding.fold_character(character):
            if part == folding.SEPARATOR:
                if start >= 0:
                    spans.append((start, end))
                start = -1
            else:
                start = at if start < 0 else start
                end = at + size
        at += size
    if start >= 0:
        spans.append((start, end))
    return spans


def _confirmed(index: Index, documents: Sequence[bytes], hits: npt.ArrayLike) -> list[Hit]:
    """The hits whose words are those of the run, letter by letter; a copy, many hits in a row, is folded once."""
    rows = np.asarray(hits, np.int64).reshape(-1, len(Hit._fields))
    if not len(rows):
        return []
    steps = np.diff(rows[:, [_DOCUMENT, _WORD]], axis=0)
    ends = np.flatnonzero((steps != (0, 1)).any(axis=1)) + 1
    return [
        hit
        for chain in np.split(rows, ends)
        for hit in _confirmed_chain(index, documents[int(chain[0, _DOCUMENT])], chain)
    ]


def _confirmed_chain(index: Index, document: bytes, chain: I64) -> list[Hit]:
    """The confirmed ones of hits that begin at one word after the other."""
    hits = list(starmap(Hit, chain.tolist()))
    written = folding.words(document[hits[0].start : max(hit.end for hit in hits)].decode("utf-8", "replace"))
    runs = chain[:, _RUN]
    occurrences, lengths = index.occurrences[index.starts[runs]].tolist(), index.lengths[runs].tolist()
    wanted = [
        list(index.texts[text][word : word + length])
        for (text, word), length in zip(occurrences, lengths, strict=True)
    ]
    if all(written[first : first + len(words)] == words for first, words in enumerate(wanted)):
        return hits
    return [hit for hit, words in zip(hits, wanted, strict=True) if _holds(document[hit.start : hit.end], words)]


def _holds(raw: bytes, wanted: list[str]) -> bool:
    written = folding.words(raw.decode("utf-8", "replace"))
    # The first or the last character may hold further words: ½ is "1 2".
    return any(written[first : first + len(wanted)] == wanted for first in range(len(written) - len(wanted) + 1))
