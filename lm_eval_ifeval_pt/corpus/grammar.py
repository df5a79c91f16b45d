"""A small generative grammar of Portuguese: agreement, conjugation, contraction, weak pronouns.

It covers the words of `lexicon.txt`, not the language.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

Tense = Literal["present", "past", "future", "imperative"]
Person = Literal["eu", "ele", "nós", "eles"]
"""`ele` also conjugates for `você`; the imperative has that person only."""

_PERSONS: tuple[Person, ...] = ("eu", "ele", "nós", "eles")
_ENDINGS: dict[tuple[str, Tense], tuple[str, ...]] = {
    ("ar", "present"): ("o", "a", "amos", "am"),
    ("er", "present"): ("o", "e", "emos", "em"),
    ("ir", "present"): ("o", "e", "imos", "em"),
    ("ar", "past"): ("ei", "ou", "amos", "aram"),
    ("er", "past"): ("i", "eu", "emos", "eram"),
    ("ir", "past"): ("i", "iu", "imos", "iram"),
    ("ar", "imperative"): ("", "e", "", ""),
    ("er", "imperative"): ("", "a", "", ""),
    ("ir", "imperative"): ("", "a", "", ""),
}
_FUTURE = dict(zip(_PERSONS, ("ei", "á", "emos", "ão"), strict=True))
_IRREGULAR: dict[tuple[str, Tense], tuple[str, ...]] = {
    ("ler", "present"): ("leio", "lê", "lemos", "leem"),
    ("ler", "imperative"): ("", "leia", "", ""),
    ("cobrir", "present"): ("cubro", "cobre", "cobrimos", "cobrem"),
    ("cobrir", "imperative"): ("", "cubra", "", ""),
    ("ser", "present"): ("sou", "é", "somos", "são"),
    ("ser", "past"): ("fui", "foi", "fomos", "foram"),
    ("ir", "present"): ("vou", "vai", "vamos", "vão"),
    ("ir", "past"): ("fui", "foi", "fomos", "foram"),
}
# The stem's last consonant keeps its sound before the other kind of vowel: tocar, toquei; corrigir, corrijo.
_BEFORE_E = {"c": "qu", "g": "gu", "ç": "c"}
_BEFORE_AO = {"c": "ç", "g": "j"}
_IRREGULAR_PLURALS = {"irmão": "irmãos", "pão": "pães"}
_CONTRACTIONS = {
    **{("a", article): form for article, form in zip(("o", "a", "os", "as"), ("ao", "à", "aos", "às"), strict=True)},
    **{
        (word, article): start + article
        for word, start in {"de": "d", "em": "n"}.items()
        for article in ("o", "a", "os", "as")
    },
}


@dataclass(frozen=True)
class Noun:
    """A noun with what its companions must agree with."""

    singular: str
    feminine: bool

    def form(self, plural: bool) -> str:
        """The singular or the plural."""
        return pluralise(self.singular) if plural else self.singular


@dataclass(frozen=True)
class Topic:
    """The words that make plausible sentences together, by their role."""

    name: str
    people: tuple[Noun, ...]
    things: tuple[Noun, ...]
    places: tuple[Noun, ...]
    do: tuple[str, ...]
    adjectives: tuple[str, ...]


@cache
def topics() -> tuple[Topic, ...]:
    """The topics of `lexicon.txt`."""
    lines = resources.files(__package__).joinpath("lexicon.txt").read_text(encoding="utf-8").splitlines()
    roles_by_topic: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in filter(None, lines):
        if line.startswith("["):
            name = line.strip("[]")
            roles_by_topic[name] = {}
        elif not line.startswith("#"):
            role, words = line.split(": ")
            roles_by_topic[name][role] = tuple(words.split(", "))
    return tuple(
        Topic(
            name=name,
            people=_nouns(roles["people"]),
            things=_nouns(roles["things"]),
            places=_nouns(roles["places"]),
            do=roles["do"],
            adjectives=roles["adjectives"],
        )
        for name, roles in roles_by_topic.items()
    )


def _nouns(entries: tuple[str, ...]) -> tuple[Noun, ...]:
    return tuple(Noun(entry[2:], feminine=entry.startswith("a ")) for entry in entries)


def pluralise(word: str) -> str:
    """The plural of a noun or adjective."""
    accented = any(unicodedata.combining(char) for char in unicodedata.normalize("NFD", word))
    if word in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[word]
    if word.endswith("ão"):
        return word[:-2] + "ões"
    if word.endswith("el"):
        return word[:-2] + ("eis" if accented else "éis")
    if word.endswith("il"):
        return word[:-2] + "eis"
    if word.endswith("l"):
        return word[:-1] + "is"
    if word.endswith("m"):
        return word[:-1] + "ns"
    if word.endswith("ês"):
        return word[:-2] + "eses"
    if word.endswith("s"):
        return word
    return word + ("es" if word.endswith(("r", "z")) else "s")


def adjective(word: str, feminine: bool, plural: bool) -> str:
    """The form of an adjective, given as masculine singular, that agrees."""
    word = word[:-1] + "a" if feminine and word.endswith("o") else word
    return pluralise(word) if plural else word


def article(feminine: bool, plural: bool) -> str:
    """The definite article, which is the object pronoun too."""
    return ("a" if feminine else "o") + ("s" if plural else "")


def conjugate(infinitive: str, tense: Tense, person: Person) -> str:
    """A form of the verb."""
    if tense == "future":
        return ("far" if infinitive == "fazer" else infinitive) + _FUTURE[person]
    index = _PERSONS.index(person)
    if (infinitive, tense) in _IRREGULAR:
        return _IRREGULAR[infinitive, tense][index]
    stem, ending = infinitive[:-2], _ENDINGS[infinitive[-2:], tense][index]
    change = _BEFORE_E if infinitive.endswith("ar") and ending[0] == "e" else {}
    if not infinitive.endswith("ar") and ending[0] in "ao":
        change = _BEFORE_AO
    return stem[:-1] + change.get(stem[-1], stem[-1]) + ending


def contract(preposition: str, phrase: str) -> str:
    """Preposition and phrase, joined if the phrase starts with an article: a + a escola = à escola."""
    first, _, rest = phrase.partition(" ")
    joined = _CONTRACTIONS.get((preposition, first))
    return f"{joined} {rest}" if joined else f"{preposition} {phrase}"


def enclitic(verb: str, pronoun: str) -> str:
    """Verb with the object pronoun o, a, os or as behind: leu-o, leram-no, lê-lo (from an infinitive)."""
    if verb.endswith("r"):
        return f"{_without_r(verb)}-l{pronoun}"
    return f"{verb}-n{pronoun}" if verb.endswith(("m", "ão")) else f"{verb}-{pronoun}"


def mesoclitic(infinitive: str, pronoun: str, person: Person) -> str:
    """The future with the object pronoun inside: lê-lo-á."""
    return f"{_without_r(infinitive)}-l{pronoun}-{_FUTURE[person]}"


def _without_r(infinitive: str) -> str:
    """The infinitive as it stands before -lo: levá, lê, corrigi."""
    return infinitive[:-2] + {"a": "á", "e": "ê", "i": "i"}[infinitive[-2]]
