"""What a line is, and what an item of a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import regex

from lm_eval_ifeval_pt.text.markup import outside_fences

_LINE = regex.compile(r"\S(?:[^\n]*\S)?")
_RULE = regex.compile(r"(?:[-*_][ \t]*+){3,}+|\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t:-]*+)*+")
_BULLET = r"(?:[-*+](?=[ \t]+\S)|[•‣⁃◦▪▫■□●○◆◇►▸▶→➤➢✓✔](?!\d))"
_NUMERAL = r"(?:\*\*|__)?\d{1,3}[.)](?=(?:\*\*|__)?[ \t]+\S)"

ListKind = Literal["bullet", "numbered", "any"]
_MARKS = {
    "bullet": regex.compile(_BULLET),
    "numbered": regex.compile(_NUMERAL),
    "any": regex.compile(f"{_BULLET}|{_NUMERAL}"),
}


def lines(text: str) -> Iterator[tuple[int, int]]:
    """The lines of a normalised text, as `(start, end)` without the white space around them.

    Blank lines, rules (`---`), fence lines and code are none.
    """
    for start, end in outside_fences(text):
        for match in _LINE.finditer(text, start, end):
            if not _RULE.fullmatch(text, *match.span()):
                yield match.span()


def items(text: str, kind: ListKind) -> Iterator[tuple[int, int]]:
    """The lines of a normalised text that are items of a list.

    The mark of an item is a bullet (`- `, `* `, `+ `, `•` and signs like it) or a numeral (`1.`, `1)`, also in
    bold), and something follows it. A dash of a dialogue (—), a negative number and a rule are no bullets.
    """
    for start, end in lines(text):
        if _MARKS[kind].match(text, start, end):
            yield start, end
