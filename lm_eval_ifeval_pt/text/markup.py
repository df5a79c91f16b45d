"""Markdown marks, quotation marks and surplus white space: what the loose score looks through."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import accumulate
from typing import NamedTuple

import regex

from lm_eval_ifeval_pt.text.scanning import matches_at

Span = tuple[int, int]

LINE_OPENER = (
    r"^(?:[ \t]*+(?:"
    r">"
    r"|#{1,6}(?=[ \t])"
    r"|[-*+•](?=[ \t])(?:[ \t]++\[[ xX]\](?=[ \t]))?"
    r"|(?:\*\*|__)?\d{1,3}[.)](?:\*\*|__)?(?=[ \t])"
    r"))++"
)
"""What opens a line and is no text: `> `, `## `, `- [ ] `, `2. `, `**2.** `; for patterns with flag `M`."""

LINK_TARGET = r'\]\((?:[^()\s]|\([^()\s]*+\))*+(?:[ \t]++"[^"\n]*+")?\)'
"""The end of a Markdown link: `](https://…)`."""

_FENCE = regex.compile(r"^[ \t]*+(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<language>[^\n`]*+)$\n?", regex.M)
_PROSE = frozenset({"", "text", "txt", "plaintext", "markdown", "md"})
_MARK = regex.compile(
    r"^[ \t]*+(?:(?:-[ \t]*+){3,}|(?:\*[ \t]*+){3,}|(?:_[ \t]*+){3,}"  # a rule
    r"|\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t:-]*+)++)$\n?"  # the row below the head of a table
    rf"|{LINE_OPENER}[ \t]*+"
    rf"|!?\[(?=[^\[\]\n]++{LINK_TARGET})|{LINK_TARGET}"
    r"|[*_`~|\"'“”„«»‹›‘’]++",
    regex.M,
)
# Where a mark can start: at a sign, and at a line that may have an opener or be a rule.
_SIGN = re.compile(r"[*_`~|\"'“”„«»‹›‘’]")
_SIGN_OR_BRACKET = re.compile(r"[*_`~|\"'“”„«»‹›‘’\[\]]")
_MARKED_LINE = re.compile(r"[ \t]*[-*_|:>#+•\d]")
_MARKED_LINE_BELOW = re.compile(rf"\n(?={_MARKED_LINE.pattern})")
_OPENER = regex.compile(LINE_OPENER, regex.M)
_EMPHASIS_SIGNS = re.compile(r"[*_`~]+")
_EMPHASIS = regex.compile(r"(?:\*{2,}+|~~|`)++")
_STARRED = 40  # characters between two stars inside a word, at most
_STARRED_AFTER = regex.compile(r"\*\p{L}{2,38}\*(?!\*)")
_STARRED_BEFORE = regex.compile(r"(?<!\*)\*\p{L}{2,38}\*\Z")
_JOINERS = frozenset("-/&+@")
_BLANKS = regex.compile(r"\A\s++|\s{2,}+|\s\Z")
_RARE_BLANK = re.compile("[\t\v\f\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


class Fence(NamedTuple):
    """A fence line, or a whole fenced block when `is_code`."""

    start: int
    end: int
    is_code: bool


def fences(text: str) -> Iterator[Fence]:
    """The fenced blocks of a normalised text that name a language of code, and the fence lines of the others.

    What stands in a fence that names no language, or `text` or `markdown`, is text like any other. A fence
    that is never closed reaches to the end.
    """
    if "```" not in text and "~~~" not in text:
        return
    opened: regex.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
            is_code = match["language"].strip().lower() not in _PROSE
            if not is_code:
                yield Fence(*match.span(), False)
        elif not match["language"] and match["fence"].startswith(opened["fence"]):
            yield Fence(opened.start() if is_code else match.start(), match.end(), is_code)
            opened = None
    if opened is not None and is_code:
        yield Fence(opened.start(), len(text), True)


def outside_fences(text: str) -> Iterator[Span]:
    """The parts of a normalised text that are text: all but code blocks and fence lines."""
    done = 0
    for start, end, _ in fences(text):
        if start > done:
            yield done, start
        done = end
    if done < len(text):
        yield done, len(text)


def emphasis(text: str) -> Iterator[Span]:
    """The marks of emphasis and inline code (`**`, `*`, `_`, `~~`, back-ticks) around and inside words, in order.

    What looks so and is a sign of its own ("2 * 3", "snake_case", "~5"), opens a line or stands in code is none.
    """
    if not any(mark in text for mark in "*_`~"):
        return
    for start, end in outside_fences(text):
        seen, opened = start, _end_of_opener(text, start, end)
        for match in _EMPHASIS_SIGNS.finditer(text, start, end):
            if (newline := text.rfind("\n", seen, match.start())) >= 0:
                opened = _end_of_opener(text, newline + 1, end)
            seen = match.end()
            if match.start() >= opened and (_is_dropped(text, *match.span()) or _is_at_hyphen(text, *match.span())):
                yield match.span()


def _end_of_opener(text: str, line: int, end: int) -> int:
    """The end of what opens the line at `line`; that offset itself where nothing does."""
    opener = _OPENER.match(text, line, end)
    return opener.end() if opener else line


def _is_at_hyphen(text: str, start: int, end: int) -> bool:
    """Whether an underscore stands between a word and a hyphen: "_tornando_-se"."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return text[start:end] == "_" and ((before.isalnum() and after == "-") or (before == "-" and after.isalnum()))


def marks(text: str) -> Iterator[Span]:
    """The spans of a normalised text to drop for the loose score, ordered and not overlapping.

    They are marks of headings, quotations, lists, emphasis, links, tables, rules and inline code, fence lines
    around text, quotation marks, and white space that is then surplus. No word is split and no two are
    joined: what stands between two letters or digits stays, save for emphasis inside a word. Code blocks stay
    as they are.
    """
    fenced = list(fences(text))
    code = [(start, end) for start, end, is_code in fenced if is_code]
    marked = [(start, end) for start, end, is_code in fenced if not is_code]
    for start, end in outside_fences(text):
        marked.extend(
            span
            for span in _merged(_marks_as_written(text, start, end))
            if _is_dropped(text, *span)
        )
    marked.sort()
    surplus = (blanks for blanks in _surplus(text, marked) if not _within(blanks, code))
    return _merged(sorted([*marked, *surplus]))


def _marks_as_written(text: str, start: int, end: int) -> Iterator[Span]:
    """The matches of `_MARK` in a part of a text that starts with a line, in order; looked for where one can start."""
    starts = merge(_starts_of_lines(text, start, end), _signs(text, start, end))
    return (match.span() for match in matches_at(_MARK, text, starts, end))


def _starts_of_lines(text: str, start: int, end: int) -> Iterator[int]:
    if _MARKED_LINE.match(text, start, end):
        yield start
    for newline in _MARKED_LINE_BELOW.finditer(text, start, end):
        yield newline.end()


def _signs(text: str, start: int, end: int) -> Iterator[int]:
    for sign in (_SIGN_OR_BRACKET if "](" in text else _SIGN).finditer(text, start, end):
        is_image = sign[0] == "[" and text.startswith("!", max(sign.start() - 1, start))
        yield sign.start() - is_image


def _within(span: Span, ordered: list[Span]) -> bool:
    index = bisect_right(ordered, span) - 1
    return index >= 0 and span[1] <= ordered[index][1]


def _is_dropped(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start] or "\n", text[end : end + 1] or "\n"
    mark = text[start:end]
    if (before.isalnum() or before in _JOINERS) and (after.isalnum() or after in _JOINERS):
        if mark == "*":
            return _is_paired(text, start)
        return bool(_EMPHASIS.fullmatch(mark)) and not (before.isdigit() and after.isdigit())
    if mark in ("*", "_"):  # a sign of its own, as in 2 * 3
        return not (before.isspace() and after.isspace())
    return mark != "~"


def _is_paired(text: str, at: int) -> bool:
    """Whether the star at `at`, between two letters, opens or closes emphasis ("l*ix*o", "*lix*o"); not "a*b*c"."""
    after = _STARRED_AFTER.match(text, at)
    return after is not None or _STARRED_BEFORE.search(text[max(at - _STARRED, 0) : at + 1]) is not None


def _surplus(text: str, dropped: list[Span]) -> Iterator[Span]:
    """The surplus white space of what is left of a text without some spans.

    It stands at the ends of the text and of lines; of blanks in a row one stays, of empty lines one.
    """
    origins = [0, *(end for _, end in dropped)]
    pieces = [text[origin:end] for origin, end in zip(origins, [*(start for start, _ in dropped), None], strict=True)]
    left = "".join(pieces)
    if not _has_surplus(left):
        return
    starts = [0, *accumulate(map(len, pieces))]

    def origin(offset: int) -> int:
        piece = bisect_right(starts, offset) - 1
        return origins[piece] + offset - starts[piece]

    for match in _BLANKS.finditer(left):
        for start, end in _needless(match[0], match.start() == 0 or match.end() == len(left)):
            if start < end:
                yield origin(match.start() + start), origin(match.start() + end - 1) + 1


def _has_surplus(text: str) -> bool:
    """Whether a text may have blanks that are too many, told faster than by looking for them."""
    if text[:1].isspace() or text[-1:].isspace():
        return True
    return any(blanks in text for blanks in ("  ", " \n", "\n ", "\n\n\n")) or _RARE_BLANK.search(text) is not None


def _needless(blanks: str, outer: bool) -> Iterable[Span]:
    first, last = blanks.find("\n"), blanks.rfind("\n")
    if outer:
        return [(0, len(blanks))]
    if first < 0:
        return [(1, len(blanks))]
    return [(0, first), (first + 1, last), (last + 1, len(blanks))]


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    """Ordered spans, those that overlap or touch made one."""
    current: Span | None = None
    for start, end in spans:
        if current is None:
            current = start, end
        elif start <= current[1]:
            current = current[0], max(current[1], end)
        else:
            yield current
            current = start, end
    if current is not None:
        yield current
