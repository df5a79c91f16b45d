"""The words that keys and lists are drawn from: `data/lexicon/nouns.txt`, `adjectives.txt` and `verbs.txt`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lm_eval_ifeval_pt.benchmarks.ruler.errors import RulerError
from lm_eval_ifeval_pt.text import lexicon

_NOT_LISTED = frozenset(
    {
        *("degolar", "desvirginar", "enforcar", "escravizar", "esquartejar", "foder"),
        *("linchar", "masturbar", "prostituir", "suicidar", "torturar", "violar"),
    }
)
"""Verbs that nobody should have to read in a random list."""

FEWEST = 100
"""Lines that a list of one's own must have."""


@dataclass(frozen=True)
class GenderedNoun:
    """A noun with its plural and its gender."""

    singular: str
    plural: str
    feminine: bool


@dataclass(frozen=True)
class Adjective:
    """An adjective in its four forms."""

    masculine: str
    feminine: str
    masculine_plural: str
    feminine_plural: str

    def form(self, feminine: bool, plural: bool = False) -> str:
        """The form that agrees."""
        if plural:
            return self.feminine_plural if feminine else self.masculine_plural
        return self.feminine if feminine else self.masculine


@cache
def nouns() -> tuple[GenderedNoun, ...]:
    """All nouns, each once."""
    entries = (line.split() for line in lexicon.lines("nouns"))
    return tuple(GenderedNoun(singular, plural, gender == "f") for gender, singular, plural in entries)


@cache
def adjectives() -> tuple[Adjective, ...]:
    """All adjectives, each once."""
    return tuple(Adjective(*line.split()) for line in lexicon.lines("adjectives"))


@cache
def own_list(name: str, path: str) -> tuple[str, ...]:
    """The lines of a person's own list, each once, in order.

    Args:
        name: The entry of the metadata that names the list.
        path: A text file (UTF-8), one word or key a line.

    Raises:
        RulerError: it cannot be read, or has fewer than `FEWEST` lines.
    """
    try:
        written = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RulerError(f'metadata "{name}": {path} cannot be read as UTF-8 text: {error}') from error
    lines = tuple(dict.fromkeys(stripped for line in written if (stripped := line.strip())))
    if len(lines) < FEWEST:
        raise RulerError(f'metadata "{name}": {path} has {len(lines)} different lines; at least {FEWEST} are needed')
    return lines


@cache
def vocabulary() -> tuple[str, ...]:
    """Every word without a hyphen: nouns and adjectives in all their forms, verbs in the infinitive; each once."""
    forms = {form for noun in nouns() for form in (noun.singular, noun.plural)}
    forms |= {
        form
        for word in adjectives()
        for form in (word.masculine, word.feminine, word.masculine_plural, word.feminine_plural)
    }
    forms |= set(lexicon.lines("verbs")) - _NOT_LISTED
    return tuple(sorted(form for form in forms if form.isalpha()))
