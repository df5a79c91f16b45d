"""The text of a response as verifiers see it, with the way back to the text as the model wrote it."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import regex

from lm_eval_ifeval_pt.verdict import Span

# A base character with its combining marks, a run of conjoining Hangul, or something that is dropped or rewritten.
# Marks beyond 30 start a new cluster (the bound of Unicode's Stream-Safe Text Format, UAX #15): canonical ordering
# is quadratic in the length of such a run, and the text comes from a model.
_CLUSTER = regex.compile(
    r"[\u1100-\u11FF]+|[\r\p{Cf}\u2010\u2011]+|[^\p{M}\r\p{Cf}]?\p{M}{1,30}", regex.DOTALL
)
_HYPHENS = {"\u2010": "-", "\u2011": "-"}
_IGNORABLE = regex.compile(r"\p{Cf}")


class Segment(NamedTuple):
    """`text[at:]` up to the next segment comes from `raw[start:end]`; letter by letter when `verbatim`."""

    at: int
    start: int
    end: int
    verbatim: bool


class Offsets:
    """Maps offsets of a normalised text to spans of the raw text it came from."""

    __slots__ = ("_at", "_segments")

    def __init__(self, segments: list[Segment]) -> None:
        self._segments = segments
        self._at = [segment.at for segment in segments]

    def span(self, start: int, end: int) -> Span:
        """The raw span of `text[start:end]`; whole characters with their marks."""
        if not self._segments:
            return Span(0, 0)
        first = self._segment(start)
        raw_start = first.start + (start - first.at) if first.verbatim else first.start
        if end <= start:
            return Span(raw_start, raw_start)
        last = self._segment(end - 1)
        raw_end = last.start + (end - last.at) if last.verbatim else last.end
        return Span(raw_start, raw_end)

    def _segment(self, offset: int) -> Segment:
        return self._segments[max(bisect_right(self._at, offset) - 1, 0)]

    def slices(self, start: int, end: int) -> Iterator[Segment]:
        """The segments of `text[start:end]`, with `at` still counted in this text."""
        index = max(bisect_right(self._at, start) - 1, 0)
        while index < len(self._segments) and self._segments[index].at < end:
            segment = self._segments[index]
            skipped = max(start - segment.at, 0)
            if segment.verbatim:
                length = min(segment.end - segment.start, end - segment.at)
                yield Segment(
                    segment.at + skipped, segment.start + skipped, segment.start + length, True
                )
            else:
                yield Segment(segment.at + skipped, segment.start, segment.end, False)
            index += 1


def normalise(raw: str) -> tuple[str, Offsets]:
    """NFC text with plain hyphens and line ends, without invisible format characters, and its offsets.

    `\\r\\n` and a lone `\\r` become `\\n`; U+2010 and U+2011 become `-`; characters of category Cf (soft hyphen,
    zero-width and direction marks) are dropped.
    """
    pieces: list[str] = []
    segments: list[Segment] = []
    at = done = 0

    def add(piece: str, start: int, end: int, verbatim: bool) -> None:
        nonlocal at
        if piece:
            pieces.append(piece)
            segments.append(Segment(at, start, end, verbatim))
            at += len(piece)

    def add_plain(start: int, end: int) -> None:
        plain = raw[start:end]
        if unicodedata.is_normalized("NFC", plain):
            add(plain, start, end, True)
            return
        for offset, character in enumerate(plain, start):  # a singleton such as U+212B
            add(unicodedata.normalize("NFC", character), offset, offset + 1, False)

    if raw.isascii() and "\r" not in raw:
        return raw, Offsets([Segment(0, 0, len(raw), True)])
    for match in _CLUSTER.finditer(raw):
        start, end = match.span()
        add_plain(done, start)
        cluster = match.group()
        if cluster[0] in "\r\u2010\u2011" or _IGNORABLE.match(cluster):
            for offset, character in enumerate(cluster, start):
                if character == "\r":
                    if not raw.startswith("\n", offset + 1):
                        add("\n", offset, offset + 1, False)
                elif character in _HYPHENS:
                    add("-", offset, offset + 1, False)
        else:
            add(unicodedata.normalize("NFC", cluster), start, end, False)
        done = end
    add_plain(done, len(raw))
    return "".join(pieces), Offsets(segments)


def remove(
    text: str, offsets: Offsets, spans: Iterable[tuple[int, int]]
) -> tuple[str, Offsets]:
    """`text` without the given spans (ordered, not overlapping), and the offsets of what is left."""
    pieces: list[str] = []
    segments: list[Segment] = []
    at = done = 0
    for start, end in (*spans, (len(text), len(text))):
        if start > done:
            pieces.append(text[done:start])
            segments.extend(
                segment._replace(at=segment.at - done + at) for segment in offsets.slices(done, start)
            )
            at += start - done
        done = max(done, end)
    return "".join(pieces), Offsets(segments)


def lower(text: str) -> str:
    """Lower case of the same length, so that offsets stay valid (`İ`, whose lower case is two characters, stays)."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)
