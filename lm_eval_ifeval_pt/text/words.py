"""What a word is."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from lm_eval_ifeval_pt.text.markup import LINE_OPENER, LINK_TARGET, outside_fences

_URL = r"(?:https?://|www\.)[^\s<>|\"“”«»]++"
# Never inside a word: white space, dashes (but not the hyphen and the en dash of "2010–2015"), marks of
# punctuation, quotation marks, arrows and pictographs.
_BREAK = r"\s—―,;:!?.…|\"“”„«»<>~$€£¥\p{So}←-⇿"
_JOINED = "|".join(
    (
        rf"(?:(?!--|\]\()[^\p{{L}}\p{{N}}{_BREAK}])++",
        r"(?<=\d)[,:](?=\d)",
        r"(?<!\p{Ll}{2})\.",
        r"\.(?!\p{Lu}\p{Ll})",  # "fim.Depois" lacks a blank; "p.ex", "1.234" and "a.com" do not
        r"[$€£¥](?!\d)",
        r"°",
    )
)
_WORD = regex.compile(
    rf"(?:{LINE_OPENER}|{LINK_TARGET})|(?P<word>{_URL}|[\p{{L}}\p{{N}}]++(?:(?:{_JOINED})[\p{{L}}\p{{N}}]++)*+)",
    regex.M,
)


def words(text: str) -> Iterator[tuple[int, int]]:
    """The words of a normalised text, as `(start, end)`.

    A word is a run of letters and digits with what stands unspaced inside it: hyphens ("dar-lhe-ei"), apostrophes
    ("d'água"), separators of numbers ("1.234,56", "20h30"), slashes ("e/ou"), stops of abbreviations ("p.ex"). A
    URL or e-mail address is one word. Dashes, list marks and numerals, pictographs, link targets and code are none.
    """
    for start, end in outside_fences(text):
        for match in _WORD.finditer(text, start, end):
            if match.lastgroup:
                yield match.span()
