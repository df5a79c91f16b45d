"""The four porquês: por que, por quê, porque, porquê."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import regex

from lm_eval_ifeval_pt.text import lexicon
from lm_eval_ifeval_pt.text.verbs import is_infinitive

# "por" and "que" may stand on two lines, but not in two paragraphs.
_PORQUE = regex.compile(r"(?<![\p{L}\p{N}\p{M}-])por((?=\s)[^\S\n]*+\n?[^\S\n]*+)?(que|quês?)(?![\p{L}\p{N}\p{M}])")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*+")
_NEAR = 300  # characters of a sentence before a porquê that are looked at


class Porque(NamedTuple):
    """One of the porquês: `por que`, `por quê`, `porque`, `porquê` or `porquês`, and where it stands."""

    form: str
    start: int
    end: int


def porques(lower: str) -> Iterator[Porque]:
    """The porquês of a normalised text in lower case."""
    for match in _PORQUE.finditer(lower):
        space, ending = match.groups()
        yield Porque(f"por {ending}" if space else f"por{ending}", *match.span())


def is_well_used(lower: str, porque: Porque, start: int, end: int) -> bool:
    """Whether a porquê is written as its use in the sentence `lower[start:end]` asks for, as far as words show it.

    `porquê` is a noun: after a determiner. `por quê` ends a clause. `por que` asks, directly or after what says, knows
    or asks something, or means "pelo qual" after a noun such as "motivo". `porque` gives a cause: it neither follows a
    determiner, nor ends the sentence, nor opens a question.
    """
    before = _WORD.findall(lower, max(start, porque.start - _NEAR), porque.start)
    following = _WORD.search(lower, porque.end, end)
    after = following[0] if following and not _ends_clause(lower, porque.end, following.start()) else ""
    question = lower[start:end].rstrip(" \n\"'”’»)]*_").endswith("?")
    match porque.form:
        case "porquê" | "porquês":
            return any(map(_is("determiner"), before[-2:])) or porque.form == "porquês"
        case "por quê" | "por quês":
            return not after
        case "porque":
            opens = all(map(_is("opening"), before))
            return bool(after) and not any(map(_is("determiner"), before[-1:])) and not (question and opens)
    if not after:
        return False
    if question or not before or is_infinitive(after) or _is("reason")(after):
        return True
    return (
        any(map(_is("reason"), before[-1:]))
        or any(map(_is("asking"), before[-8:]))
        or any(map(_is("wishing"), before[-8:]))
    )


def _ends_clause(lower: str, start: int, end: int) -> bool:
    return regex.search(r"[.!?…,;:)\n]", lower, pos=start, endpos=end) is not None


@cache
def _is(group: str) -> Callable[[str], bool]:
    """Whether a word belongs to a group of the list `porques`."""
    listed = [word for word, its in lexicon.groups("porques").items() if its == group]
    words = frozenset(word for word in listed if not word.endswith("*"))
    beginnings = tuple(word[:-1] for word in listed if word.endswith("*"))
    return lambda word: word in words or word.startswith(beginnings)
