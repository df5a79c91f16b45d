"""Numbers written in digits, and their values, as Portuguese writes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import regex

from lm_eval_ifeval_pt.text.scanning import matches_at

_LONGEST = 60  # characters; longer runs of digits are no amount that anyone means
_BLANK = "[ \u00a0\u2009\u202f]"
_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_SCALES = {"mil": 10**3, "milh": 10**6, "mil milh": 10**9, "bilh": 10**9, "trilh": 10**12}

_DIGIT = re.compile(f"[0-9{_VULGAR}]")
# A run of digits that separators join. Inside a word ("km2", "14h30") or an exponent it is no number.
_NUMBER = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}_^/]|\p{{N}}[.,])(?:(?P<digits>[0-9]++(?:[.,][0-9]++|{_BLANK}[0-9]{{3}}(?![0-9/]))*+)"
    rf"(?:/(?P<under>[0-9]++)(?![/0-9])|{_BLANK}?(?P<vulgar>[{_VULGAR}])"
    rf"|{_BLANK}(?P<over>[0-9]++)/(?P<under2>[0-9]++)(?![/0-9]))?+|(?P<vulgar2>[{_VULGAR}]))"
    rf"(?:{_BLANK}++(?P<scale>mil milh|milh|bilh|trilh|mil)(?:[ãa]o|[õo]es)?+(?!\p{{L}}))?+"
)
_CURRENCY = r"(?:\p{Lu}{0,3}\\?[$€£]|\p{Lu}{3})"
_MINUS = "[-−–]"
# What stands before a negative number. A minus between operands is a subtraction, one that opens a line a bullet.
_NEGATIVE = regex.compile(
    rf"(?:(?<![\p{{L}}\p{{N}}_)\]%]){_MINUS}|(?:[=:(#]|(?<!\p{{L}})(?:é|são|será)){_BLANK}*(?:{_MINUS}|menos){_BLANK}+)"
    rf"(?:{_CURRENCY}{_BLANK}*)?$|{_CURRENCY}{_BLANK}*{_MINUS}$"
)
_GROUPED = {mark: regex.compile(rf"[1-9][0-9]{{0,2}}(?:\{mark}[0-9]{{3}})+") for mark in ".,"}
_AND = regex.compile(rf"{_BLANK}+e{_BLANK}+")


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text.

    Attributes:
        start: Where its digits begin.
        end: Where it ends, the word for thousands or millions included.
        digits: The digits with their separators, as they are written.
        value: What it means.
    """

    start: int
    end: int
    digits: str
    value: Fraction


def numbers(text: str) -> Iterator[Number]:
    """The numbers of a text, in order.

    "." parts thousands and "," decimals: "1.234,56", "1.234" (1234), "0,5". A stop that cannot part thousands is
    read as a decimal point ("12.5", "0.125"), and a number with both marks by the one that comes last ("1,234.56").
    Blanks may part thousands ("12 345"). Fractions ("1/2", "3 1/2", "½"), minus signs before or after a currency
    ("-R$ 5", "R$ −5", "= menos 5") and scales ("3 mil", "1,5 milhão", "2 mil e 500") belong to the number; percent
    signs and units do not change it ("12,5 %" is 12.5). What fits no rule ("1.2.3") is no number.
    """
    pending: Number | None = None
    scale = 1
    for match in matches_at(_NUMBER, text, (digit.start() for digit in _DIGIT.finditer(text))):
        magnitude = _magnitude(match)
        if magnitude is None:
            continue
        value, factor = magnitude
        if pending is not None and value < scale and _AND.fullmatch(text, pending.end, match.start()):
            sum_ = pending.value + (value if pending.value >= 0 else -value)
            pending = Number(pending.start, match.end(), text[pending.start : match.end()], sum_)
        else:
            if pending is not None:
                yield pending
            sign = -1 if _NEGATIVE.search(text[max(0, match.start() - 16) : match.start()]) else 1
            pending = Number(match.start(), match.end(), match["digits"] or match[0], sign * value)
        scale = factor
    if pending is not None:
        yield pending


def last(text: str) -> Number | None:
    """The last number of a text, its place in the `tail`."""
    return max(numbers(tail(text)), key=lambda number: number.end, default=None)


def tail(text: str) -> str:
    """The end of a text, from some way before its last digit: a long text costs little. Empty where there is none."""
    last_digit = max(text.rfind(digit) for digit in "0123456789" + _VULGAR)
    return "" if last_digit < 0 else text[max(0, last_digit - 200) :]


def first(text: str) -> Number | None:
    """The first number of a text."""
    return next(numbers(text), None)


def _magnitude(match: regex.Match[str]) -> tuple[Fraction, int] | None:
    """The value without its sign, and the unit of its scale (1 without one); None for what is no number."""
    if len(match[0]) > _LONGEST:
        return None
    value = decimal(match["digits"]) if match["digits"] else Fraction(0)
    if value is None:
        return None
    if match["under"]:
        if not int(match["under"]):
            return None
        value /= int(match["under"])
    elif match["under2"]:
        if not int(match["under2"]):
            return None
        value += Fraction(int(match["over"]), int(match["under2"]))
    elif vulgar := match["vulgar"] or match["vulgar2"]:
        value += Fraction(unicodedata.numeric(vulgar)).limit_denominator(10)
    factor = _SCALES[match["scale"]] if match["scale"] else 1
    return value * factor, factor


def decimal(digits: str) -> Fraction | None:
    """The value of digits with separators, without sign; None where they follow no rule. See `numbers`."""
    digits = regex.sub(_BLANK, "", digits)
    mark = max(".,", key=digits.rfind)
    other = "." if mark == "," else ","
    whole, _, after = digits.rpartition(mark)
    if mark not in digits:
        return Fraction(digits)
    if other in whole:
        is_grouped = _GROUPED[other].fullmatch(whole) is not None
        return _point(whole.replace(other, ""), after) if is_grouped else None
    if mark in whole:
        if _GROUPED[mark].fullmatch(digits):
            return Fraction(digits.replace(mark, ""))
        is_decimal = len(after) < 3 and _GROUPED[mark].fullmatch(whole) is not None
        return _point(whole.replace(mark, ""), after) if is_decimal else None
    if mark == "." and _GROUPED["."].fullmatch(digits):
        return Fraction(whole + after)
    return _point(whole, after)


def _point(whole: str, after: str) -> Fraction:
    return Fraction(f"{whole}.{after}")
