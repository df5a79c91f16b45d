"""What a word is."""

from __future__ import annotations

import re

import regex

from lm_eval_ifeval_pt.text.markup import LINE_OPENER, LINK_TARGET, outside_fences

_NO_TEXT = regex.compile(rf"{LINE_OPENER}|{LINK_TARGET}", regex.M)
_MAYBE_OPENER = re.compile(r"\n[ \t]*(?:[>#*+•\-]|(?:\*\*|__)?\d)")  # quick to say no

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
_WORD = re.compile(rf"(?:https?://|www\.)[^\s<>|\"“”«»]+|[^\W_]+(?:(?!\s)(?:{_JOINED})[^\W_]+)*")


def words(text: str) -> list[tuple[int, int]]:
    """The words of a normalised text, as `(start, end)`.

    A word is a run of letters and digits with what stands unspaced inside it: hyphens ("dar-lhe-ei"),
    apostrophes ("d'água"), separators of numbers ("1.234,56", "20h30"), slashes ("e/ou"), stops of
    abbreviations ("p.ex"). A URL or e-mail address is one word. Dashes, list marks and numerals, pictographs,
    link targets and code are none.
    """
    spans: list[tuple[int, int]] = []
    all_text = "](" not in text and not _MAYBE_OPENER.search("\n" + text)
    for start, end in outside_fences(text):
        if not all_text:
            for skipped in _NO_TEXT.finditer(text, start, end):
                spans += [match.span() for match in _WORD.finditer(text, start, skipped.start())]
                start = skipped.end()
        spans += [match.span() for match in _WORD.finditer(text, start, end)]
    return spans
