"""The text of a response as verifiers see it, with the way back to the text as the model wrote it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator

import regex

from lm_eval_ifeval_pt.text.span import Span

# Anything but characters that are NFC wherever they stand and are never rewritten. Few responses hold one.
_SUSPECT = re.compile(
    "[^\n -~\u00a0-\u00ac\u00ae-\u02ff\u2012-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2328\u232b-\u2adb\u2add-\u2bff]"
)
# Characters that are dropped, rewritten or may fuse with the one before them, and runs with such characters.
_FUSING = r"\r\u2010\u2011\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\u1100-\u11FF\U00016D63-\U00016D6A"
_RUN = regex.compile(rf"[{_FUSING}]+(?:[^{_FUSING}][{_FUSING}]+)*+")
_INVISIBLE = regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}]")
_REWRITTEN = {"\r": "\n", "\u2010": "-", "\u2011": "-"}
_LONG = 30  # marks on one character, the bound of Unicode's Stream-Safe Text Format (UAX #15)


class Offsets:
    """Maps spans of a text to spans of its source, and on to the raw text where that has a source itself.

    The text is a row of pieces. Piece `i` starts at `_at[i]` and comes from `source[_start[i]:_end[i]]`:
    character by character if `_even[i]`, else as a whole.
    """

    __slots__ = ("_at", "_end", "_even", "_source", "_start")

    def __init__(self, source: Offsets | None = None) -> None:
        """No pieces yet; `source` maps the source on to the raw text, where it is not the raw text."""
        self._at = [0]
        self._start: list[int] = []
        self._end: list[int] = []
        self._even: list[bool] = []
        self._source = source

    def append(self, length: int, start: int, end: int, even: bool = True) -> None:
        """Say that the next `length` characters of the text come from `source[start:end]`."""
        if even and self._even and self._even[-1] and self._end[-1] == start:
            self._at[-1] += length
            self._end[-1] = end
        elif length:
            self._at.append(self._at[-1] + length)
            self._start.append(start)
            self._end.append(end)
            self._even.append(even)

    def raw(self, spans: list[tuple[int, int]]) -> list[Span]:
        """The raw spans of some spans of the text; whole characters with their marks."""
        offsets: Offsets | None = self
        while offsets is not None:
            if len(offsets._start) == 1 and offsets._even[0]:  # nearly every response
                shift = offsets._start[0]
                spans = [(start + shift, end + shift) for start, end in spans] if shift else spans
            elif offsets._start:
                spans = [offsets._in_source(start, end) for start, end in spans]
            offsets = offsets._source
        return list(map(Span._make, spans))

    def _in_source(self, start: int, end: int) -> tuple[int, int]:
        first = min(bisect_right(self._at, start), len(self._start)) - 1
        source_start = self._start[first] + (start - self._at[first] if self._even[first] else 0)
        if end <= start:
            return source_start, source_start
        last = first if end <= self._at[first + 1] else bisect_right(self._at, end - 1) - 1
        source_end = self._start[last] + end - self._at[last] if self._even[last] else self._end[last]
        return source_start, source_end


def normalise(raw: str) -> tuple[str, Offsets]:
    """The NFC text with plain hyphens and line ends, without invisible characters, and its offsets.

    `\\r\\n` and a lone `\\r` become `\\n`; U+2010 and U+2011 become `-`; format characters (category Cf: soft
    hyphen, zero-width and direction marks) and default ignorables (variation selectors, the grapheme joiner)
    are dropped.
    """
    offsets = Offsets()
    if not _SUSPECT.search(raw):
        offsets.append(len(raw), 0, len(raw))
        return raw, offsets
    pieces = []
    for piece, start, end, even in _pieces(raw):
        pieces.append(piece)
        offsets.append(len(piece), start, end, even)
    return "".join(pieces), offsets


def _pieces(raw: str) -> Iterator[tuple[str, int, int, bool]]:
    """The normalised text piece by piece, each with the span of `raw` it comes from; is it even?"""
    done = 0
    for match in _RUN.finditer(raw):
        start = max(match.start() - 1, done)
        yield from _plain(raw, done, start)
        yield from _characters(raw, start, match.end())
        done = match.end()
    yield from _plain(raw, done, len(raw))


def _plain(raw: str, start: int, end: int) -> Iterator[tuple[str, int, int, bool]]:
    """Characters that do not fuse; a few, such as U+212B, still have another NFC form."""
    plain = raw[start:end]
    if unicodedata.is_normalized("NFC", plain):
        yield plain, start, end, True
        return
    for offset, character in enumerate(plain, start):
        composed = unicodedata.normalize("NFC", character)
        yield composed, offset, offset + 1, len(composed) == 1


def _characters(raw: str, start: int, end: int) -> Iterator[tuple[str, int, int, bool]]:
    """Marks with what they stand on, one character with its marks at a time."""
    run = raw[start:end]
    dropped = set(_INVISIBLE.findall(run))
    pending = ""
    first = last = start
    for offset, character in enumerate(run, start):
        if character in dropped or (character == "\r" and raw.startswith("\n", offset + 1)):
            continue
        character = _REWRITTEN.get(character, character)
        if pending and not _fuses(pending, character):
            composed = _composed(pending)
            yield composed, first, last, len(composed) == last - first == 1
            pending = ""
        if not pending:
            first = offset
        pending += character
        last = offset + 1
    composed = _composed(pending)
    yield composed, first, last, len(composed) == last - first == 1


def _fuses(pending: str, character: str) -> bool:
    """Whether a character belongs to the one before it: a mark on it, or the rest of a Hangul syllable."""
    if character < "\u0300":
        return False
    if unicodedata.combining(character):
        return True
    return len(pending) < 4 and len(unicodedata.normalize("NFC", pending + character)) == 1


def _composed(character: str) -> str:
    """The NFC form of one character with its marks."""
    if len(character) > _LONG:  # canonical ordering by `normalize` is quadratic, and the text comes from a model
        parts = (part for mark in character for part in unicodedata.normalize("NFD", mark))
        character = "".join(sorted(parts, key=unicodedata.combining))
    return unicodedata.normalize("NFC", character)


def remove(text: str, offsets: Offsets, spans: Iterable[tuple[int, int]]) -> tuple[str, Offsets]:
    """`text` without the given spans (ordered, not overlapping), and the offsets of what is left."""
    pieces = []
    left = Offsets(offsets)
    done = 0
    for start, end in spans:
        if start > done:
            pieces.append(text[done:start])
            left.append(start - done, done, start)
        done = end
    if not done:
        return text, offsets
    pieces.append(text[done:])
    left.append(len(text) - done, done, len(text))
    return "".join(pieces), left


def lower(text: str) -> str:
    """Lower case of the same length, so that offsets stay valid: `İ`, which would become two, stays."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)
