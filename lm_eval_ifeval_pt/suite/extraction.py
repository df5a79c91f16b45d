"""What is read from an output before it is graded.

Every kind but `none` reads what `none` leaves: the output without its reasoning, the signs of chat templates and outer
blanks. Where there is nothing to extract, the result is an empty text or, of `number`, None.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import regex

from lm_eval_ifeval_pt.grading.numeric import number_in
from lm_eval_ifeval_pt.text.reasoning import answer_start

Extracted = str | int | float | None
Extract = Callable[[str], Extracted]

LONGEST = 100_000
"""Characters of an output that a pattern sees: of `regex` the first ones, of `regex_last` the last."""
MOST = 10_000
"""Matches that `regex_last` looks at."""
PATIENCE = 0.5
"""Seconds for one pattern on one output, and …"""
TIRED = 20
"""… how many outputs may exceed them before the pattern is tried no more."""

_NOISE = regex.compile(
    r"(?:\s|[\u200b\u2060\ufeff\x00]"
    r"|<\|(?:im_end|im_start|eot_id|end|endoftext|end_of_text|eom_id|assistant|begin_of_text)\|>"
    r"|</?s>|<pad>|<eos>|<bos>|<end_of_turn>|<start_of_turn>)++"
)
_WORDS_OF_ONE_LETTER = "AEO"
_ANNOUNCED = regex.compile(r"(?:alternativa|letra|op[cç][aã]o|resposta|item)[\s:*(]*+$", regex.I)
_FLAGS = {
    **{"i": regex.I, "m": regex.M, "s": regex.S, "x": regex.X},
    **{"IGNORECASE": regex.I, "MULTILINE": regex.M, "DOTALL": regex.S, "VERBOSE": regex.X},
}


class PatternError(ValueError):
    """A pattern that cannot be used.

    Attributes:
        key: Which entry of the extraction is wrong.
    """

    def __init__(self, key: str, problem: str) -> None:
        """`problem` is for a person."""
        super().__init__(problem)
        self.key = key


class TooSlow(Exception):
    """A pattern takes too long on an output."""


def extractor(extraction: Mapping[str, Any] | None) -> Extract:
    """The function that an `output_extraction` describes; without one, `none`.

    Raises:
        PatternError: naming the entry that is wrong.
    """
    given = dict(extraction or {"type": "none"})
    kind = given.pop("type")
    if kind == "none":
        return clean
    if kind == "take_first":
        return lambda output: first_lines(clean(output), given.get("lines", 1))
    if kind == "number":
        return lambda output: number(clean(output))
    if kind == "label_set":
        labels, exact = given["labels"], given.get("case_sensitive", False)
        return lambda output: first_label(clean(output), labels, exact)
    pattern = Pattern(given["pattern"], given.get("group"), given.get("flags", ""), last=kind == "regex_last")
    return lambda output: pattern(clean(output))


def clean(output: str) -> str:
    """An output without what no reader would see as its text.

    That is the reasoning up to `</think>`, the signs with which chat templates end a turn, and blanks, all of them
    only where they stand at the beginning or the end.
    """
    text = output[answer_start(output) :]
    begin = _NOISE.match(text)
    start = begin.end() if begin else 0
    end = len(text)
    while end > start:
        noise = next((at for at in range(max(start, end - 20), end) if _NOISE.fullmatch(text, at, end)), None)
        if noise is None:
            break
        end = noise
    return text[start:end]


def first_lines(text: str, lines: int) -> str:
    """The first lines with something in them, without outer blanks."""
    filled = (line.strip() for line in text.splitlines())
    return "\n".join(line for _, line in zip(range(lines), filter(None, filled), strict=False))


def number(text: str) -> int | float | None:
    """The number that an answer gives, as `gsm8k_pt` reads it: "1.234,56" is 1234.56, "1.234" is 1234, "1,5" is 1.5.

    "1,234.56" is read as English has it; "1,234" alone is 1.234, as Portuguese has it.
    """
    read = number_in(text)
    if read is None:
        return None
    return int(read.value) if read.value.denominator == 1 else float(read.value)


def first_label(text: str, labels: Sequence[str], case_sensitive: bool = False) -> str:
    """The label that the text is or, failing that, that stands first in the text; at one place, the longest.

    A label stands there as a whole word ("1" is not in "10", "art" not in "arte"), in the same or, unless
    `case_sensitive`, in another case. A label of a single letter keeps its case, except where it is all of the text or
    a bracket or stop follows it ("b)"); A, E and O are also words, so that they need more than a word after them.
    """
    text = unicodedata.normalize("NFC", text)
    forms = {label: unicodedata.normalize("NFC", label) for label in labels}
    bare = text.strip(" \t\n*_`\"'“”.()[]:;!")
    for label, form in forms.items():
        if bare == form or (not case_sensitive and bare.casefold() == form.casefold()):
            return label
    places = [
        (place, -len(form), label)
        for label, form in forms.items()
        if (place := _place(form, text, case_sensitive)) is not None
    ]
    return min(places)[2] if places else ""


def _place(label: str, text: str, case_sensitive: bool) -> int | None:
    """Where a label first stands in a text as a whole word."""
    before = r"(?<![\p{L}\p{N}_]|\p{N}[.,])" if _is_word(label[0]) else ""
    after = r"(?![\p{L}\p{N}_]|[.,]\p{N})" if _is_word(label[-1]) else ""
    word = regex.compile(before + regex.escape(label) + after, 0 if case_sensitive else regex.I)
    for match in word.finditer(text):
        if len(label) > 1 or not label.isalpha() or case_sensitive or _is_letter(label, match, text):
            return match.start()
    return None


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _is_letter(label: str, match: regex.Match[str], text: str) -> bool:
    """Whether a letter of the alphabet is an answer where it stands, not a word or part of one."""
    following = text[match.end() : match.end() + 2]
    if following[:1] in (")", "]") or (following[:1] in (".", ":") and match[0] == label):
        return True
    if match[0] != label:
        return False
    if label.upper() not in _WORDS_OF_ONE_LETTER or not following[:1].isspace() or not following[1:].isalpha():
        return True
    return _ANNOUNCED.search(text[max(0, match.start() - 20) : match.start()]) is not None


class Pattern:
    """A pattern of a manifest, limited in time, length and matches.

    Args:
        pattern: As of Python's `regex`, which also reads JavaScript's names of groups.
        group: Number or name of what is extracted; by default the first group or, without one, the whole match.
        flags: Letters or names.
        last: Whether the last match counts, not the first.

    Raises:
        PatternError: naming the entry that is wrong.
    """

    def __init__(
        self, pattern: str, group: int | str | None = None, flags: str | Sequence[str] = "", last: bool = False
    ) -> None:
        combined = 0
        for flag in flags:
            combined |= _FLAGS.get(flag, 0)
        try:
            self._pattern = regex.compile(pattern, combined, cache_pattern=False)
        except (regex.error, RecursionError, OverflowError, MemoryError) as error:
            raise PatternError("pattern", f"no regular expression: {error}") from error
        self._group: int | str = min(1, self._pattern.groups) if group is None else group
        known = self._pattern.groupindex if isinstance(self._group, str) else range(self._pattern.groups + 1)
        if self._group not in known:
            groups = ", ".join(map(repr, (*range(self._pattern.groups + 1), *self._pattern.groupindex)))
            raise PatternError("group", f"the pattern has no group {group!r}; it has {groups}")
        self._last = last
        self._slow = 0

    def __call__(self, text: str) -> str:
        """The group of the first or last match; empty without one.

        Raises:
            TooSlow: the time is up.
        """
        if self._slow >= TIRED:
            raise TooSlow(f"not tried: {TIRED} outputs took the pattern longer than {PATIENCE:g} s each")
        text = text[-LONGEST:] if self._last else text[:LONGEST]
        try:
            match = self._last_match(text) if self._last else self._pattern.search(text, timeout=PATIENCE)
        except TimeoutError:
            self._slow += 1
            raise TooSlow(f"the pattern takes longer than {PATIENCE:g} s") from None
        except MemoryError:
            raise TooSlow("the pattern takes too much memory") from None
        return (match[self._group] or "").strip() if match else ""

    def _last_match(self, text: str) -> regex.Match[str] | None:
        last, end = None, time.monotonic() + PATIENCE
        for match in islice(self._pattern.finditer(text, timeout=PATIENCE), MOST):
            last = match
            if time.monotonic() > end:
                raise TimeoutError
        return last
