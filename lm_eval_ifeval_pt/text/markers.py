"""Where the words and phrases of a list stand in a text: connectives, markers of time and of contrast."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from lm_eval_ifeval_pt.text import lexicon

# "Vamos embora", "foram-se embora", "mandou tudo embora": away, no conjunction.
_REACH = 40  # characters
_AWAY = re.compile(
    r"(?<!\w)(?:i(?:r(?:mos|em|ei|á|emos|ão|ias?|iam|íamos)?|des|ndo|do|as?|am)|íamos|v(?:ou|ais?|ás?|amos?|ão|á|ades)|b?ora|ide|fui"
    r"|foste|foi|fomos|foram|fosse[ms]?|fôssemos|for(?:es|mos|em)?"
    r"|(?:mand|jog|lev|bot|deit)(?:ar|a|am|o|ou|aram|ei|ava|avam|ando|e|em|ado|ada)"
    r"|pôr|pus|pôs)"
    r"(?:-\w+){0,2}(?:\s(?:já|logo|tudo|todos|ela|ele|ontem|hoje|agora|daqui|dali))?\s\Z"
)
_NO_CLAUSE = re.compile(r"\s*(?:[.!?;:…)”\"]|\Z)")  # a conjunction needs a clause after it


class Marker(NamedTuple):
    """An occurrence of an entry of a list; `name` is the first variant of the entry."""

    start: int
    end: int
    name: str


def markers(lower: str, words: Iterable[tuple[int, int]], name: str) -> Iterator[Marker]:
    """The occurrences of the entries of `data/lexicon/<name>.txt` in a text, in order.

    Entries are whole words, and no parts of compounds; of several at one place the longest counts ("mesmo assim" is
    no "assim"), and what the list says only looks like one ("desde então") does not.

    Args:
        lower: A normalised text in lower case, without emphasis (`Text.plain`).
        words: Its words.
        name: A list with an entry a line, its variants between "|"; lines that start with "!" hold look-alikes.
    """
    patterns, names = _compiled(name)
    done = 0
    for start, end in words:
        pattern = patterns.get(lower[start:end])
        match = pattern.match(lower, start) if pattern and start >= done else None
        if match:
            done = match.end()
            entry = names[_spaced(match[0])]
            if entry == "embora" and _is_away(lower, start, done):
                continue
            if entry:
                yield Marker(start, done, entry)


def _is_away(lower: str, start: int, end: int) -> bool:
    """Whether "embora" goes with its verb ("foi embora", "saiu embora.") and joins no clauses."""
    return bool(_AWAY.search(lower[max(start - _REACH, 0) : start]) or _NO_CLAUSE.match(lower, end))


def _spaced(phrase: str) -> str:
    return " ".join(phrase.replace(",", " ,").split())


@cache
def _compiled(name: str) -> tuple[dict[str, re.Pattern[str]], dict[str, str]]:
    """A pattern for the variants that start with each word, and each variant's entry: "" for a look-alike."""
    names: dict[str, str] = {}
    by_first_word: dict[str, list[str]] = defaultdict(list)
    for line in lexicon.lines(name):
        variants = [_spaced(variant) for variant in line.lstrip("!").split("|")]
        for variant in variants:
            names[variant] = "" if line.startswith("!") else variants[0].removesuffix(" ,")
            by_first_word[variant.split()[0]].append(variant)
    patterns = {
        word: re.compile("|".join(map(_source, sorted(variants, key=len, reverse=True))))
        for word, variants in by_first_word.items()
    }
    return patterns, names


def _source(variant: str) -> str:
    if variant.endswith(" ,"):
        return _source(variant.removesuffix(" ,")) + r"\s*,"
    return r"\s+".join(map(re.escape, variant.split())) + r"(?![^\W_]|-)"
