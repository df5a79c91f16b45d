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
_PAUSE = regex.compile(r"[.!?…,;:()\n—–]")
_WINDOW = 6  # words before "por que" among which a verb that asks is looked for
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
    clause = [match.end() for match in _PAUSE.finditer(lower, max(start, porque.start - _NEAR), porque.start)]
    adjacent = _WORD.findall(lower, clause[-1], porque.start) if clause else before
    following = _WORD.search(lower, porque.end, end)
    after = following[0] if following and not _PAUSE.search(lower, porque.end, following.start()) else ""
    question = "?" in lower[porque.end : end]
    match porque.form:
        case "porquê" | "porquês":
            return any(map(_is("determiner"), adjacent[-2:])) or porque.form == "porquês"
        case "por quê" | "por quês":
            return not after
        case "porque":
            asks = question and bool(after) and all(map(_is("opening"), before))
            return following is not None and not asks and not any(map(_is("determiner"), adjacent[-1:]))
    if not after:
        return False
    heading = not before and not lower[start:end].rstrip().endswith((".", ";"))
    if question or heading or is_infinitive(after) or _is("reason")(after):
        return True
    near = before[-_WINDOW:]
    return any(map(_is("reason"), adjacent[-1:])) or any(map(_is("asking"), near)) or any(map(_is("wishing"), near))


@cache
def _is(group: str) -> Callable[[str], bool]:
    """Whether a word belongs to a group of the list `porques`."""
    listed = [word for word, its in lexicon.groups("porques").items() if its == group]
    words = frozenset(word for word in listed if not word.endswith("*"))
    beginnings = tuple(word[:-1] for word in listed if word.endswith("*"))
    return lambda word: word in words or word.startswith(beginnings)
