"""The words of a text as copies keep them: without case, accents, punctuation and invisible characters.

A word is a run of letters and digits after folding. It is the project's word (`text.words`) cut at its inner hyphens,
apostrophes and separators, since copies lose those first: "dar-lhe-ei" and "d'água" are three and two words here.
"""

from __future__ import annotations

import unicodedata

SEPARATOR = " "
_SPECIAL_PLANE = 0xE0000  # tags and variation selectors
_IDEOGRAPHS = 0x20000  # from here on every character is a letter


def fold_character(character: str) -> str:
    """The folded form of one character: letters and digits, a separator, both (½ is "1 2"), or nothing.

    Compatibility forms are taken apart (NFKD: ﬁ is "fi", º is "o", full-width letters are plain ones), marks and
    format characters (soft hyphen, zero-width space) vanish, and letters lose their case.
    """
    code = ord(character)
    if code >= _SPECIAL_PLANE:
        return ""
    if code >= _IDEOGRAPHS:
        return character
    folded = ""
    for part in unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold()):
        category = unicodedata.category(part)
        if category[0] in "LN":
            folded += part
        elif category[0] != "M" and category != "Cf":
            folded += SEPARATOR
    return folded


class _Table(dict[int, str]):
    """For `str.translate`: each character is folded when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = fold_character(chr(code))
        return folded


_TABLE = _Table()


def words(text: str) -> list[str]:
    """The folded words of a text, in order."""
    return text.translate(_TABLE).split()
