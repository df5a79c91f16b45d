"""Whether a word is a form of a Portuguese verb: endings on a list of infinitives, irregular forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from lm_eval_ifeval_pt.text import lexicon

_STRONG_PRETERITE = "este emos estes eram era eras éramos esse esses éssemos essem er eres ermos erem"

# Spelling that depends on the next vowel: toque ~ tocar, force ~ forçar, conheço ~ conhecer, siga ~ seguir.
_FRONT_VOWELS = tuple("eéê")
_BEFORE_FRONT_VOWEL = {"qu": "c", "gu": "g", "c": "ç"}
_BACK_VOWELS = tuple("aáo")
_BEFORE_BACK_VOWEL = {"ç": "c", "j": "g", "g": "gu"}

_PERSONAL = re.compile(r"(?<=r)(?:es|mos|em)$")

# Endings of verbs, and those of them that no noun has, for verbs that are not in the list.
_VERBAL = re.compile(r"\w{3,}(?:[aei]ram|avam?|[aei]ssem?|[aei]r[áã]o?|[aei]riam?|[aei]ndo|[aei]r(?:em|mos)?|ou|ei)")
_ONLY_VERBAL = re.compile(r"\w{3,}(?:[aei]ram|avam|[aei]ssem|[aei]riam|[aei]rmos|[aei]rem|ou)")

# Stem vowels that alternate in verbs in -ir: sinto ~ sentir, durmo ~ dormir, sobe ~ subir, agride ~ agredir.
_ALTERNATION = {"i": "e", "u": "o", "o": "u"}


@cache
def _conjugations() -> dict[str, tuple[str, ...]]:
    """The conjugations (ar, er, ir) that have an ending."""
    table: dict[str, tuple[str, ...]] = {}
    for line in lexicon.lines("verb_endings"):
        conjugation, _, endings = line.partition(": ")
        for ending in endings.split():
            table[ending] = (*table.get(ending, ()), conjugation)
    return table


@cache
def _irregular_forms() -> frozenset[str]:
    forms: set[str] = set()
    for line in lexicon.lines("irregular_verbs"):
        head, _, listed = line.partition(":")
        prefixes = ["", *(prefix for prefix in head.split()[1:] if prefix != "-")]
        simple: list[str] = []
        for form in listed.split():
            stem = form.removesuffix("+")
            simple += [stem] if stem == form else [stem + ending for ending in _STRONG_PRETERITE.split()]
        forms.update(prefix + form for prefix in prefixes for form in simple)
    return frozenset(forms)


def _respelt(stem: str, spellings: dict[str, str]) -> str:
    for written, plain in spellings.items():
        if stem.endswith(written):
            return stem.removesuffix(written) + plain
    return stem


def _stems(stem: str, ending: str, conjugation: str) -> Iterator[str]:
    """The stems of infinitives that could give `stem` before `ending`."""
    if conjugation == "ar":
        yield _respelt(stem, _BEFORE_FRONT_VOWEL) if ending.startswith(_FRONT_VOWELS) else stem
        if stem.endswith("ei"):  # passeia ~ passear
            yield stem[:-1]
        return
    if ending.startswith(_BACK_VOWELS):
        stem = _respelt(stem, _BEFORE_BACK_VOWEL)
    yield stem
    if conjugation == "ir":
        end = len(stem) - (2 if stem.endswith(("gu", "qu")) else 0)
        at = max(stem.rfind(vowel, 0, end) for vowel in "aeiou")
        if at >= 0 and stem[at] in _ALTERNATION:
            yield stem[:at] + _ALTERNATION[stem[at]] + stem[at + 1 :]


def is_irregular(word: str) -> bool:
    """Whether a word in lower case is an irregular form: faço, vejo, fiz, pusesse."""
    return word in _irregular_forms()


def is_infinitive(word: str) -> bool:
    """Whether a word in lower case is an infinitive, personal or not, or a regular future subjunctive."""
    return _PERSONAL.sub("", word) in lexicon.words("verbs")


@cache
def _strong_infinitives() -> frozenset[str]:
    """The infinitives whose future subjunctive is another form: fazer (fizer), ir (for), ver (vir)."""
    infinitives: set[str] = set()
    for line in lexicon.lines("irregular_verbs"):
        head, _, listed = line.partition(":")
        infinitive, *prefixes = head.split()
        if "+" in listed or infinitive in ("ser", "ir", "ver", "dar"):
            infinitives.update({infinitive, *(prefix + infinitive.replace("ô", "o") for prefix in prefixes)})
    return frozenset(infinitives)


def is_future_subjunctive(word: str) -> bool:
    """Whether a word in lower case can be a regular future subjunctive: chover, desejarem, but not fazer."""
    infinitive = _PERSONAL.sub("", word)
    return infinitive in lexicon.words("verbs") and infinitive not in _strong_infinitives()


@lru_cache(maxsize=4096)
def is_verb(word: str) -> bool:
    """Whether a word in lower case is a form of a known verb; no participles, which never govern a clitic."""
    if word in _irregular_forms():
        return True
    infinitives, table = lexicon.words("verbs"), _conjugations()
    if word.endswith("uz") and word + "ir" in infinitives:
        return True
    for length in range(1, min(7, len(word) - 1)):
        ending = word[-length:]
        for conjugation in table.get(ending, ()):
            for stem in _stems(word[:-length], ending, conjugation):
                if stem + conjugation in infinitives:
                    return True
    return False


@lru_cache(maxsize=4096)
def may_be_verb(word: str) -> bool:
    """Whether a word in lower case is a form of a known verb, a hyphenated prefix aside, or ends like one."""
    last = word.rpartition("-")[2]
    return is_verb(last) or _VERBAL.fullmatch(last) is not None


def is_surely_verb(word: str) -> bool:
    """Whether a word in lower case is a form of a known verb, or ends as nothing else does."""
    return is_verb(word) or _ONLY_VERBAL.fullmatch(word) is not None
