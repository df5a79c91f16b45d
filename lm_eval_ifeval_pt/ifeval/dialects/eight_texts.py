"""The loose texts of google/IFEval, which most data sets that follow it share."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from lm_eval_ifeval_pt.text import Text

_ASTERISKS = regex.compile(r"\*++")


def eight_texts(text: Text) -> Iterator[Text]:
    """The response without its first line, its last line, both; and each of the four without asterisks.

    What has lost a line is stripped. A text without asterisks is left out where there was none.
    """
    yield from _plain(text)
    newline = "\n" in text.text
    for first, last in ((True, False), (False, True), (True, True)) if newline else ():
        part = _cut(text, first, last)
        yield part
        yield from _plain(part)


def _plain(text: Text) -> Iterator[Text]:
    if "*" in text.text:
        yield text.without(match.span() for match in _ASTERISKS.finditer(text.text))


def _cut(text: Text, first: bool, last: bool) -> Text:
    """The text without its first or last line, and without white space at its ends."""
    start = text.text.index("\n") + 1 if first else 0
    end = max(text.text.rindex("\n"), start) if last else len(text.text)
    part = text.text[start:end]
    start, end = end - len(part.lstrip()), start + len(part.rstrip())
    return text.without([(0, start), (end, len(text.text))] if start < end else [(0, len(text.text))])
