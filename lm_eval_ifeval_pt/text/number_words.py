"""Numbers written in words, and their values: "dezoito", "mil e duzentos", "dois milhões"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

import regex

from lm_eval_ifeval_pt.text.numbers import Number

_UNITS = {
    **{"um": 1, "uma": 1, "dois": 2, "duas": 2, "três": 3, "quatro": 4},
    **{"cinco": 5, "seis": 6, "sete": 7, "oito": 8, "nove": 9},
}
_TEENS = {
    **{"dez": 10, "onze": 11, "doze": 12, "treze": 13, "quatorze": 14, "catorze": 14, "quinze": 15},
    **{"dezesseis": 16, "dezasseis": 16, "dezessete": 17, "dezassete": 17, "dezoito": 18},
    **{"dezenove": 19, "dezanove": 19},
}
_TENS = {
    **{"vinte": 20, "trinta": 30, "quarenta": 40, "cinquenta": 50, "cinqüenta": 50},
    **{"sessenta": 60, "setenta": 70, "oitenta": 80, "noventa": 90},
}
_HUNDREDS = {"cento": 100} | {
    f"{stem}{ending}": value
    for stem, value in {
        **{"duzent": 200, "trezent": 300, "quatrocent": 400, "quinhent": 500},
        **{"seiscent": 600, "setecent": 700, "oitocent": 800, "novecent": 900},
    }.items()
    for ending in ("os", "as")
}
_SCALES = {"mil": 10**3, "milhão": 10**6, "milhões": 10**6, "bilhão": 10**9, "bilhões": 10**9}
_VALUES = {"zero": 0, "cem": 100} | _UNITS | _TEENS | _TENS | _HUNDREDS
_ARTICLES = ("um", "uma")


def _any(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})(?!\\p{{L}})"


_BLANK = "[ \u00a0]++"
_AND = f"{_BLANK}e{_BLANK}"
_UNIT, _TEEN, _TEN, _HUNDRED, _SCALE = map(_any, (_UNITS, _TEENS, _TENS, _HUNDREDS, _SCALES))
_BELOW_100 = f"(?:{_TEN}(?:{_AND}{_UNIT})?+|{_TEEN}|{_UNIT})"
_BELOW_1000 = f"(?:{_HUNDRED}(?:{_AND}{_BELOW_100})?+|{_BELOW_100}|{_any(['zero', 'cem'])})"
_SCALED = f"(?:(?:{_BELOW_1000}{_BLANK})?+{_SCALE})"
_NUMBER = regex.compile(
    rf"(?<!\p{{L}})(?:{_SCALED}(?:(?:{_AND}|{_BLANK}){_SCALED}){{0,2}}+(?:(?:{_AND}|{_BLANK}){_BELOW_1000})?+|{_BELOW_1000})",
    regex.I,
)
_WORD = regex.compile(r"\p{L}+")
_NEXT_WORD = regex.compile(rf"{_BLANK}\p{{L}}")


def numbers_in_words(text: str) -> Iterator[Number]:
    """The numbers of a text that are written in words, in order; their `digits` are the words.

    "um" and "uma" are numbers where no word follows them; elsewhere they may be articles.
    """
    for match in _NUMBER.finditer(text):
        words = _WORD.findall(match[0].lower())
        if len(words) == 1 and words[0] in _ARTICLES and _NEXT_WORD.match(text, match.end(), match.end() + 3):
            continue
        yield Number(match.start(), match.end(), match[0], Fraction(_value(words)))


def _value(words: Iterable[str]) -> int:
    total = below = 0
    for word in words:
        if word in _SCALES:
            total, below = total + (below or 1) * _SCALES[word], 0
        else:
            below += _VALUES.get(word, 0)  # "e" adds nothing
    return total + below
