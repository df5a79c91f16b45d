"""Where a given word or phrase stands in a text."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import regex

from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.normal import lower, normalise
from lm_eval_ifeval_pt.text.span import Span

_PRONOUN = r"(?:me|te|se|lhes?|nos|vos|[ln]?[oa]s?|[mt][oa]s?|lh[oa]s?)"
_IS_PRONOUN = regex.compile(_PRONOUN)

_NOTHING = r"(?!)"

# A hyphen joins a compound, whose parts are no words ("chuva" in "guarda-chuva"); a pronoun that it joins to
# a verb is one, and so is the verb ("ajuda" in "ajuda-me"). An apostrophe separates ("água" in "d'água").
_BEFORE = r"(?<![\p{L}\p{N}\p{M}])"
_NOT_JOINED_BEFORE = r"(?<![\p{L}\p{N}\p{M}]-)"
_PRONOUNS = rf"{_PRONOUN}(?:-{_PRONOUN})?(?![\p{{L}}\p{{N}}\p{{M}}-])"
_AFTER = rf"(?![\p{{L}}\p{{N}}\p{{M}}])(?!-(?!{_PRONOUNS})[\p{{L}}\p{{N}}])"
_NO_DECIMAL_BEFORE = r"(?<!\d[.,])"
_NO_DECIMAL_AFTER = r"(?![.,]\d)"

# Marks of emphasis with a letter on their other side, or about a hyphen of a compound ("**guarda**-**chuva**").
_UNBROKEN = re.compile(r"(?:[^\W_]|[-/&+@])*")
_LONGEST_MARK = 12  # characters
_MARK_BEFORE = regex.compile(r"[\p{L}\p{M}](\*{1,3}|~~|`)$")
_MARK_AFTER = regex.compile(r"(\*{1,3}|~~|`)\p{L}")
_HYPHEN_BEFORE = regex.compile(r"[\p{L}\p{M}][*_~`]*-[*_~`]*$")
_HYPHEN_AFTER = regex.compile(rf"[*_~`]*-[*_~`]*(?!{_PRONOUN}(?![\p{{L}}\p{{N}}\p{{M}}]))\p{{L}}")

# Words of grammar that are nothing but an accented word without its accent: "e" is no spelling of "é".
_BARE_WORD = regex.compile(r"as?|das?|de|do|e|estas?|mas|nos?|para|pelo|pode|por(?:que)?|que|se|tem|vem|vos")


def occurrences(text: Text, term: str, accents: bool = True) -> list[Span]:
    """The occurrences of a term in a text, in order; looked for through emphasis and quotation marks too.

    A term that is broken by marks ("**meio** ambiente", "**lix**o") is read as a person reads it.

    Args:
        text: The text.
        term: A word or phrase, as of `source`.
        accents: As of `source`.

    Returns:
        Spans of `text.raw`.
    """
    if accents and not _may_occur(text, term):
        return []
    as_written = _whole_words(text, term, accents)
    if text.unmarked.text == text.text:
        return as_written
    under_marks = _whole_words(text.unmarked, term, accents)
    merged: list[Span] = []
    for span in sorted([*as_written, *under_marks]):  # the same occurrence may stand in both, with marks and without
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
    return merged


def _may_occur(text: Text, term: str) -> bool:
    """Whether the first word of a term stands in a text, with emphasis inside it or not; told fast, in doubt yes."""
    first = _first_word(term)
    if first in text.lower:
        return True
    bare = text.lower
    for sign in "*_~`":
        bare = bare.replace(sign, "")
    return first in bare


@lru_cache(maxsize=4096)
def _first_word(term: str) -> str:
    """The first word of a term, as far as nothing but emphasis can stand between its letters."""
    words = lower(normalise(term)[0]).split()
    return _UNBROKEN.match(words[0])[0] if words else ""  # type: ignore[index]  # it matches anything


def _whole_words(text: Text, term: str, accents: bool) -> list[Span]:
    matches = (match.span() for match in pattern(term, accents).finditer(text.lower))
    return text.spans(span for span in matches if not _is_joined_by_marks(text.text, *span))


def _is_joined_by_marks(text: str, start: int, end: int) -> bool:
    """Whether emphasis parts this from the rest of a word: "arte" in "p**arte**", "chuva" in "**guarda**-chuva"."""
    before = text[max(start - _LONGEST_MARK, 0) : start] if text[start].isalnum() else ""
    ends_in_word = text[end - 1].isalnum()
    if before.rstrip("*_~`").endswith("-") and not _IS_PRONOUN.fullmatch(lower(text[start:end])):
        return _HYPHEN_BEFORE.search(before) is not None
    if ends_in_word and _HYPHEN_AFTER.match(text, end):
        return True
    left, right = _MARK_BEFORE.search(before), _MARK_AFTER.match(text, end) if ends_in_word else None
    starred = text[start - 1 : start] == "*" == text[end : end + 1]  # a star alone is a sign: "a*b"
    return any(mark and (mark[1] != "*" or starred) for mark in (left, right))


@lru_cache(maxsize=4096)
def pattern(term: str, accents: bool = True) -> regex.Pattern[str]:
    """The compiled `source` of a term."""
    return regex.compile(source(term, accents))


def source(term: str, accents: bool = True) -> str:
    """A pattern that matches a term, taken literally and as whole words, in a normalised text in lower case.

    Any white space stands for any other, and a typewriter's apostrophe for a typographic one.

    Args:
        term: A word or phrase.
        accents: Whether accents matter; if not, an accented letter of the term also matches its bare form,
        except
            where the bare form is another word, as "e" is beside "é". A bare letter never matches an accented
            one.
    """
    words = lower(normalise(term)[0]).split()
    if not words:
        return _NOTHING
    first, last = words[0][0], words[-1][-1]
    bare = not accents and not _BARE_WORD.fullmatch(_without_marks(" ".join(words)))
    literal = r"\s+".join("".join(_spellings(character, bare) for character in word) for word in words)
    before = after = ""
    if first.isalnum():
        before = _BEFORE if _IS_PRONOUN.fullmatch(words[0]) else _BEFORE + _NOT_JOINED_BEFORE
    if last.isalnum():
        after = _AFTER
    if first.isdigit():
        before += _NO_DECIMAL_BEFORE
    if last.isdigit():
        after += _NO_DECIMAL_AFTER
    return before + literal + after


def _spellings(character: str, bare: bool) -> str:
    if character in "'’":
        return "['’]"
    unmarked = _without_marks(character)
    if bare and unmarked != character:
        return f"[{character}{unmarked}]"
    return regex.escape(character)


def _without_marks(word: str) -> str:
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(character for character in decomposed if not unicodedata.combining(character))
