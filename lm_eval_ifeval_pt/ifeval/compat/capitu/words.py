"""The rules `words:*`, `forbidden:*` and `pattern:*`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from lm_eval_ifeval_pt.constraints.registry import Check
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.ifeval.compat.capitu import units
from lm_eval_ifeval_pt.ifeval.compat.capitu.units import counted
from lm_eval_ifeval_pt.text import Text, lexicon

_TIMES = ("ocorrência", "ocorrências")
_PRONOUNS = ("pronome", "pronomes")
_MARKERS = ("marcador", "marcadores")
_TOP = ("ocorrência da palavra mais usada", "ocorrências da palavra mais usada")
_ENDINGS = ("palavra com a terminação", "palavras com a terminação")

_FIRST = (
    *("eu", "me", "mim", "comigo", "meu", "minha", "meus", "minhas"),
    *("nós", "nos", "conosco", "nosso", "nossa", "nossos", "nossas"),
)
_SECOND = (
    *("tu", "te", "ti", "contigo", "teu", "tua", "teus", "tuas"),
    *("você", "vocês", "vós", "convosco", "vosso", "vossa", "vossos", "vossas"),
)
_THIRD = (
    *("ele", "ela", "eles", "elas", "lhe", "lhes", "o", "a", "os", "as", "si", "consigo"),
    *("seu", "sua", "seus", "suas", "dele", "dela", "deles", "delas"),
)

# "nos" is em + os before a word that ends as a plural, but for these verbs.
_NEXT_WORD = re.compile(r"\s*([a-záéíóúâêôãõç]+)")
_VERBS = frozenset(
    {"vamos", "vemos", "temos", "somos", "estamos", "fazemos", "dizemos", "sabemos", "podemos", "queremos"}
)

_GERUND = re.compile(r"\b\w+[aei]ndo\b")
_DIMINUTIVE = re.compile(r"\b\w+inh[oa]s?\b")
_AUGMENTATIVE = re.compile(r"\b\w+(?:ão|ões|onas?)\b")
_ADVERB = re.compile(r"\b\w+mente\b")


def include_word(text: Text, *, word: str) -> Verdict:
    """A word occurs."""
    return min_word_frequency(text, word=word, min_count=1)


def include_words(text: Text, *, words: list[str]) -> Verdict:
    """All words occur."""
    spans = {word: list(units.occurrences(text, [word])) for word in words}
    present = [occurring[0] for occurring in spans.values() if occurring]
    return counted(text, len(present), ("das palavras", "das palavras"), len(spans), spans=present)


def word_frequency(text: Text, *, word: str, count: int) -> Verdict:
    """A word occurs so many times exactly, though the prompts ask for at least as many."""
    spans = list(units.occurrences(text, [word]))
    return counted(text, len(spans), _TIMES, count, count, spans)


def min_word_frequency(text: Text, *, word: str, min_count: int) -> Verdict:
    """A word occurs at least so many times."""
    spans = list(units.occurrences(text, [word]))
    return counted(text, len(spans), _TIMES, min_count, spans=spans)


def forbidden_word(text: Text, *, forbidden_word: str) -> Verdict:
    """A word does not occur."""
    return forbidden_words(text, forbidden_words=[forbidden_word])


def forbidden_words(text: Text, *, forbidden_words: list[str]) -> Verdict:
    """None of the words occurs."""
    spans = list(units.occurrences(text, forbidden_words))
    return counted(text, len(spans), _TIMES, most=0, spans=spans)


def no_numbers(text: Text) -> Verdict:
    """No digit."""
    spans = units.numbers(text)
    return counted(text, len(spans), ("número", "números"), most=0, spans=spans)


def _first_person(text: Text) -> Iterator[tuple[int, int]]:
    for start, end in units.occurrences(text, _FIRST):
        if text.lower[start:end] == "nos":
            following = _NEXT_WORD.match(text.lower, end)
            if following and re.search("[oaei]s$", following[1]) and following[1] not in _VERBS:
                continue
        yield start, end


def no_first_person(text: Text) -> Verdict:
    """No pronoun of the first person; "nos" is one unless a word that ends as a plural follows."""
    spans = list(_first_person(text))
    return counted(text, len(spans), _PRONOUNS, most=0, spans=spans)


def no_second_person(text: Text) -> Verdict:
    """No pronoun of the second person."""
    spans = list(units.occurrences(text, _SECOND))
    return counted(text, len(spans), _PRONOUNS, most=0, spans=spans)


def use_first_person(text: Text, *, min_count: int) -> Verdict:
    """Pronouns of the first person, at least."""
    spans = list(_first_person(text))
    return counted(text, len(spans), _PRONOUNS, min_count, spans=spans)


def use_third_person(text: Text, *, min_count: int) -> Verdict:
    """Pronouns of the third person, at least; articles count as such."""
    spans = list(units.occurrences(text, _THIRD))
    return counted(text, len(spans), _PRONOUNS, min_count, spans=spans)


def conjunction_count(text: Text, *, min_count: int) -> Verdict:
    """Coordinating conjunctions, at least; one inside another counts too."""
    spans = list(units.occurrences(text, lexicon.lines("capitu_conjunctions")))
    return counted(text, len(spans), ("conjunção", "conjunções"), min_count, spans=spans)


def _listed(text: Text, name: str) -> list[tuple[int, int]]:
    """The first occurrence of each entry of a list, also inside words."""
    starts = ((entry, text.lower.find(entry)) for entry in lexicon.lines(name))
    return [(start, start + len(entry)) for entry, start in starts if start >= 0]


def connective(text: Text, *, min_connectives: int) -> Verdict:
    """Different connectives of a list, at least."""
    spans = _listed(text, "capitu_connectives")
    return counted(text, len(spans), ("conectivo", "conectivos"), min_connectives, spans=spans)


def temporal_marker(text: Text, *, min_markers: int) -> Verdict:
    """Different temporal markers of a list, at least."""
    spans = _listed(text, "capitu_temporal_markers")
    return counted(text, len(spans), _MARKERS, min_markers, spans=spans)


def contrast_marker(text: Text) -> Verdict:
    """A marker of contrast of a list."""
    spans = _listed(text, "capitu_contrast_markers")
    return counted(text, len(spans), _MARKERS, 1, spans=spans)


def max_word_repeat(text: Text, *, max_repeats: int) -> Verdict:
    """No word occurs more often."""
    most = max(Counter(units.bare_words(text)).values(), default=0)
    return counted(text, most, _TOP, most=max_repeats)


def _ending(text: Text, pattern: re.Pattern[str], least: int = 0, most: float = float("inf")) -> Verdict:
    spans = [match.span() for match in pattern.finditer(text.lower)]
    return counted(text, len(spans), _ENDINGS, least, most, spans)


def gerund_limit(text: Text, *, max_count: int) -> Verdict:
    """Words in -ando, -endo, -indo, at most."""
    return _ending(text, _GERUND, most=max_count)


def gerund_min(text: Text, *, min_count: int) -> Verdict:
    """Words in -ando, -endo, -indo, at least."""
    return _ending(text, _GERUND, min_count)


def diminutive_min(text: Text, *, min_count: int) -> Verdict:
    """Words in -inho, -inha and their plurals, at least."""
    return _ending(text, _DIMINUTIVE, min_count)


def diminutive_forbidden(text: Text) -> Verdict:
    """No word in -inho, -inha or their plurals."""
    return _ending(text, _DIMINUTIVE, most=0)


def augmentative_min(text: Text, *, min_count: int) -> Verdict:
    """Words in -ão, -ões, -ona, -onas, at least."""
    return _ending(text, _AUGMENTATIVE, min_count)


def adverb_limit(text: Text, *, max_count: int) -> Verdict:
    """Words in -mente, at most."""
    return _ending(text, _ADVERB, most=max_count)


def adverb_min(text: Text, *, min_count: int) -> Verdict:
    """Words in -mente, at least."""
    return _ending(text, _ADVERB, min_count)


def adverb_forbidden(text: Text) -> Verdict:
    """No word in -mente."""
    return _ending(text, _ADVERB, most=0)


RULES: Mapping[str, Check] = {
    "words:include_word": include_word,
    "words:include_words": include_words,
    "words:word_frequency": word_frequency,
    "words:min_word_frequency": min_word_frequency,
    "words:use_first_person": use_first_person,
    "words:use_third_person": use_third_person,
    "words:conjunction_count": conjunction_count,
    "words:connective": connective,
    "words:temporal_marker": temporal_marker,
    "words:contrast_marker": contrast_marker,
    "words:max_word_repeat": max_word_repeat,
    "forbidden:word": forbidden_word,
    "forbidden:words_list": forbidden_words,
    "forbidden:no_numbers": no_numbers,
    "forbidden:no_first_person": no_first_person,
    "forbidden:no_second_person": no_second_person,
    "pattern:terminacao_ando_endo_indo_limit": gerund_limit,
    "pattern:terminacao_ando_endo_indo_min": gerund_min,
    "pattern:terminacao_inho_inha_min": diminutive_min,
    "pattern:terminacao_inho_inha_proibido": diminutive_forbidden,
    "pattern:terminacao_ao_oes_min": augmentative_min,
    "pattern:terminacao_mente_limit": adverb_limit,
    "pattern:terminacao_mente_min": adverb_min,
    "pattern:terminacao_mente_proibido": adverb_forbidden,
}
