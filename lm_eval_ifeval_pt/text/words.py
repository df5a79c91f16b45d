"""What a word is."""

from __future__ import annotations

import re
from functools import lru_cache

import regex

from lm_eval_ifeval_pt.text.markup import LINE_OPENER, LINK_TARGET, outside_fences

_NO_TEXT = regex.compile(rf"{LINE_OPENER}|{LINK_TARGET}", regex.M)
LONG_LINE = 2000
"""Characters of a line from which on what was found in it is not kept."""

WRITTEN_LINE = re.compile(r"^[ \t]*[^ \t\n][^\n]*", re.M)
"""A line that has more than blanks, whole."""
_MAYBE_OPENER = re.compile(r"[ \t]*(?:[>#*+•\-]|(?:\*\*|__)?\d)")  # quick to say no

# Never inside a word: white space, dashes (but not the hyphen, nor the en dash of "2010–2015"), punctuation,
# quotation marks, arrows and pictographs.
_BREAK = r"\s—―,;:!?.…|\"“”„«»<>~$€£¥\u2190-\u21ff\u2600-\u27bf\U0001f000-\U0001faff"
_JOINED = "|".join(
    (
        rf"(?:(?!--)[^\w{_BREAK}]|_)+",
        r"(?<=\d)[,:](?=\d)",
        r"(?<![a-zà-ÿ]{2})\.|\.(?![A-ZÀ-Þ][a-zà-ÿ])",  # not in "fim.Depois", which lacks a blank
        r"[$€£¥](?!\d)",  # "R$10" is read as two words
    )
)
# `re`, which is twice as fast here; no two parts match the same character, so that it is linear.
_ADDRESS = r"(?:https?://|www\.)[^\s<>|\"“”«»]+"
_WORD = re.compile(rf"{_ADDRESS}|[^\W_]+(?:(?!\s)(?:{_JOINED})[^\W_]+)*")
# Nearly all texts have no address, and no letters or digits but those of Latin-1. There words are found faster: by a
# small set of letters, and without a look at what could join a word to the next one where a blank follows.
_NOT_LATIN = re.compile("[^\x00-\xff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u245f\u2500-\u2775\u2794-\u2adb]")
_LATIN = "0-9A-Za-z\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\xd6\xd8-\xf6\xf8-\xff"
_LATIN_WORD = re.compile(rf"[{_LATIN}]+(?:(?= )|(?=[\n,.:;!?…][ \n])|(?:(?!\s)(?:{_JOINED})[{_LATIN}]+)*)")


def words(text: str) -> list[tuple[int, int]]:
    """The words of a normalised text, as `(start, end)`.

    A word is a run of letters and digits with what stands unspaced inside it: hyphens ("dar-lhe-ei"),
    apostrophes ("d'água"), separators of numbers ("1.234,56", "20h30"), slashes ("e/ou"), stops of
    abbreviations ("p.ex"). A URL or e-mail address is one word. Dashes, list marks and numerals, pictographs,
    link targets and code are none.
    """
    spans: list[tuple[int, int]] = []
    for start, end in outside_fences(text):
        for match in WRITTEN_LINE.finditer(text, start, end):
            line, at = match[0], match.start()
            of_line = _of_line(line) if len(line) > LONG_LINE else _of_short_line(line)
            spans += [(first + at, last + at) for first, last in of_line] if at else of_line
    return spans


def count(text: str) -> int:
    """The number of `words`."""
    lines = (match[0] for start, end in outside_fences(text) for match in WRITTEN_LINE.finditer(text, start, end))
    return sum(len(_of_line(line) if len(line) > LONG_LINE else _of_short_line(line)) for line in lines)


def _of_line(line: str) -> list[tuple[int, int]]:
    """The words of a line, none of which goes on in the next one."""
    is_latin = not ("://" in line or "www." in line or _NOT_LATIN.search(line))
    word = _LATIN_WORD if is_latin else _WORD
    if not ("](" in line or _MAYBE_OPENER.match(line)):
        return [match.span() for match in word.finditer(line)]
    spans: list[tuple[int, int]] = []
    start = 0
    for skipped in _NO_TEXT.finditer(line):
        spans += [match.span() for match in word.finditer(line, start, skipped.start())]
        start = skipped.end()
    spans += [match.span() for match in word.finditer(line, start)]
    return spans


# The texts that are read of one response, with and without its marks or its first line, share most of their lines.
_of_short_line = lru_cache(maxsize=256)(_of_line)
