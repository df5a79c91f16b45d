"""How much of an item stands in one document: which runs, how many words they cover, and how near the rest is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lm_eval_ifeval_pt.contamination import folding
from lm_eval_ifeval_pt.contamination.index import Index
from lm_eval_ifeval_pt.contamination.matching import Hit

Range = tuple[int, int]

COPY = 0.8
"""Share of a text's words from which a document counts as a copy of it; only for telling copies from common phrases."""

_WINDOW = 12  # bytes of a document looked at beside the hits, per word of the item that they do not cover
_LONGEST_NEAR = 2000  # words of an item that are compared for nearness


@dataclass(frozen=True, slots=True)
class Evidence:
    """One text of the index in one document.

    Attributes:
        text: The text, as the index numbers it.
        runs: Ranges of the places in the text at which runs begin that the document has.
        start: First byte of the document's part.
        end: Byte after its last.
        near: The share of the text's words that stand in this part of the document in their order, whatever stands
            between them (longest common subsequence); None where it was not asked for.
    """

    text: int
    runs: tuple[Range, ...]
    start: int
    end: int
    near: float | None = None


def evidence(
    index: Index, document: bytes, hits: Sequence[Hit], places_of: Sequence[Sequence[Sequence[int]]], near: bool
) -> list[Evidence]:
    """The evidence of each text in one document.

    Args:
        index: What is looked for.
        document: The document's UTF-8.
        hits: The hits in it.
        places_of: The places at which the run of each hit stands, as of `Index.places`.
        near: Whether to compare the words around the hits too.
    """
    begins: dict[int, set[int]] = defaultdict(set)
    spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for hit, places in zip(hits, places_of, strict=True):
        for text, word in places:
            begins[text].add(word)
            spans[text].append((hit.start, hit.end))
    return [
        _evidence(index, document, text, sorted(words), spans[text], near) for text, words in sorted(begins.items())
    ]


def _evidence(
    index: Index, document: bytes, text: int, begins: list[int], spans: list[tuple[int, int]], near: bool
) -> Evidence:
    start, end = _densest(spans, len(index.texts[text]))
    share = nearness(index.texts[text], document, start, end) if near else None
    return Evidence(text, tuple(ranges(begins)), start, end, share)


def _densest(spans: list[tuple[int, int]], words: int) -> tuple[int, int]:
    """The part of the document with the most hits in a stretch as long as the text is."""
    stretch = 16 * words
    best, first = (0, 0, 0), 0
    for last, (_, end) in enumerate(spans):
        while end - spans[first][0] > stretch and first < last:
            first += 1
        if last - first + 1 > best[0]:
            best = last - first + 1, spans[first][0], end
    return best[1], best[2]


def ranges(numbers: Iterable[int]) -> list[Range]:
    """Ascending numbers as ranges `[first, behind the last)`."""
    joined: list[Range] = []
    for number in numbers:
        if joined and joined[-1][1] == number:
            joined[-1] = joined[-1][0], number + 1
        else:
            joined.append((number, number + 1))
    return joined


def covered(runs: Iterable[Range], length: int) -> list[Range]:
    """The words that runs of `length` words cover, as ranges that do not touch."""
    joined: list[Range] = []
    for first, behind in runs:
        start, end = first, behind - 1 + length
        if joined and joined[-1][1] >= start:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def nearness(text: Sequence[str], document: bytes, start: int, end: int) -> float:
    """The share of a text's words that a part of a document, and what stands around it, has in the same order."""
    wanted = list(text[:_LONGEST_NEAR])
    margin = _WINDOW * len(wanted)
    around = document[max(start - margin, 0) : end + margin].decode("utf-8", "ignore")
    return common_subsequence(wanted, folding.words(around)[: 8 * len(wanted)]) / len(wanted)


def common_subsequence(wanted: Sequence[str], written: Sequence[str]) -> int:
    """The length of the longest common subsequence, 64 words at a time.

    Source: Hyyrö 2004, Bit-parallel LCS-length computation revisited.
    """
    places: dict[str, int] = defaultdict(int)
    for bit, word in enumerate(wanted):
        places[word] |= 1 << bit
    full = (1 << len(wanted)) - 1
    row = full
    for word in written:
        if match := row & places.get(word, 0):
            row = (row + match | row - match) & full
    return len(wanted) - row.bit_count()
