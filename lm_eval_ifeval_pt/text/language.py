"""In which language a text is.

The n-gram model of py3langid (in its wheel, no network) gives the likelihood of a text in each language; it is the
same for the same text, in capitals too, since the text is compared in lower case. Nothing is drawn at random.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple, get_args

from lm_eval_ifeval_pt.text import Text, lexicon, words
from lm_eval_ifeval_pt.text.verbs import is_verb

Language = Literal[
    "af", "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "gl", "gu", "he", "hi",
    "hr", "hu", "id", "it", "ja", "kn", "ko", "lt", "lv", "mk", "ml", "mr", "ne", "nl", "no", "pa", "pl", "pt", "ro",
    "ru", "sk", "sl", "so", "sq", "sr", "sv", "sw", "ta", "te", "th", "tl", "tr", "uk", "ur", "vi", "zh",
]  # fmt: skip
"""The languages that are told apart, as ISO 639-1 codes: those that data sets ask for, and Galician."""

_STRETCH = 100  # characters looked at at the start, in the middle and at the end of a long text
_SHORT = 60  # words up to which the words themselves decide, if they can
_FEW = 4  # words among which a single telling one decides
_LEAST_TOLD = 0.25  # share of the words that must tell another language: a quotation does not
_CLEAR = 4.0
"""The difference of log-likelihoods from which on another language is clearly likelier.

At 4, 99.4 % of the sentences of five Portuguese treebanks are taken for Portuguese, and 97 % of their first five words;
no Spanish or English sentence is, and few Galician ones are (`python -m tests.quality.language`).
"""


class LanguageMatch(NamedTuple):
    """Whether a text is, or may be, in a language, and in which one it most likely is."""

    holds: bool
    likeliest: str


def find(text: Text, language: str) -> LanguageMatch | None:
    """Whether a text is in a language; None if it has no words.

    It is unless another language is clearly likelier. So a few words that may be Portuguese ("a casa amarela" is
    Galician too) are; but what is likelier to be Portuguese than another language is not in that one. Code, link
    targets and numbers are not looked at.
    """
    sample = _sample(text)
    if not sample:
        return None
    likelihoods = _likelihoods(sample)
    likeliest = max(likelihoods, key=likelihoods.__getitem__)
    told = _told_without_names(text, _told(sample), likeliest)
    if told is not None and "pt" in (told, language):
        return LanguageMatch(told == language, told)
    if language == "pt" != likeliest and _may_be_portuguese(sample, likeliest):
        return LanguageMatch(True, "pt")
    portuguese = likelihoods["pt"] if language != "pt" else -math.inf
    holds = likelihoods[language] >= max(likelihoods[likeliest] - _CLEAR, portuguese)
    return LanguageMatch(holds, likeliest)


def _told(sample: str) -> str | None:
    """The language that the words of a short text tell; None where they tell none, or Portuguese as much as another.

    Told are Portuguese and the languages that have a line in `telling_words`.
    """
    listed = sample.split()
    if len(listed) > _SHORT:
        return None
    counts = Counter(tongue for word in listed for tongue in _telling().get(word, ()))
    others = [(counts[tongue], tongue) for tongue in counts if tongue != "pt" and "/" not in tongue]
    if not others:
        return None
    count, other = max(others)
    portuguese = counts[f"pt/{other}"] + (0 if other == "gl" else counts["pt"])  # most of which Galician has too
    if count > portuguese and (count > 1 or len(listed) <= _FEW) and count >= _LEAST_TOLD * len(listed):
        return other
    return "pt" if portuguese > count and counts["pt"] else None


def _told_without_names(text: Text, told: str | None, likeliest: str) -> str | None:
    """The language that the words of a short text tell, given what they tell with its names and titles.

    "Rio de Janeiro has beaches" is English, "Eu amo The Beatles" Portuguese.
    """
    named = _NAME.sub(" ", text.text)
    if named == text.text or len(text.text) > 6 * _SHORT or text.text.isupper():
        return told
    rest = _sample(Text(named)).split()
    without = _told(" ".join(rest))
    other = told or likeliest
    if other != "pt":
        tongues = {tongue for word in rest for tongue in _telling().get(word, ())}
        foreign = {tongue for tongue in tongues if tongue != "pt" and "/" not in tongue}
        if not foreign and tongues & {"pt", f"pt/{other}"}:
            return "pt"
    if told not in (None, "pt"):
        return told
    spoken = sum(len(word) > 2 and word.isalpha() for word in rest)
    if without is not None or spoken < 2 or 2 * spoken < len(text.words):
        return without or told
    likelihoods = _likelihoods(" ".join(rest))
    others = max(likelihood for tongue, likelihood in likelihoods.items() if tongue != "en")
    return "en" if likelihoods["en"] - _CLEAR >= others else told


def _may_be_portuguese(sample: str, likeliest: str) -> bool:
    """Whether a short text that is taken for another language is misjudged for its x: "encha a xícara"."""
    if likeliest == "gl" and _is_spelt_as_portuguese(sample):
        return True
    listed = sample.split()
    rest = [word for word in listed if "x" not in word]
    if len(rest) == len(listed) or len(listed) > _SHORT:
        return False
    if not all(_has_portuguese_x(word) for word in listed if "x" in word) or _GALICIAN.search(" ".join(rest)):
        return False
    if all(map(_is_portuguese, rest)):
        return True
    if likeliest not in _NEIGHBOURS:
        return False
    likelihoods = _likelihoods(" ".join(rest))
    return bool(likelihoods["pt"] >= max(likelihoods.values()) - _CLEAR)


def _is_portuguese(word: str) -> bool:
    return len(word) == 1 or word in lexicon.words("function_words") or word in _inflected() or is_verb(word)


@cache
def _inflected() -> frozenset[str]:
    """The forms of the listed nouns and adjectives."""
    return frozenset(word for name in ("nouns", "adjectives") for line in lexicon.lines(name) for word in line.split())


def _has_portuguese_x(word: str) -> bool:
    """Whether the x of a word is spelt so in Portuguese too: caixa, enxada, lixo; not the Galician hoxe, xente."""
    return word in lexicon.words("words_with_x") or _X.search(word) is not None or is_verb(word)


_X = re.compile(r"(?:[ae]i|ou|en|me)x|^e?x[cpt]|^ex|[aiu]x[ao]s?$|x(?:ão|ões)$")
_NEIGHBOURS = frozenset({"gl", "ca", "es", "it", "ro"})
_CAPITALISED = r"[A-ZÀ-Þ][\w'-]*"
# A name inside a sentence or at its start, with the particles and further names that follow it.
_NAME = re.compile(
    rf"(?<=[\w,-] )\b{_CAPITALISED}(?: (?:d[aeo]s? |of |the |and |e )?{_CAPITALISED})*"
    rf"|^{_CAPITALISED}(?: (?:d[aeo]s? |e )?{_CAPITALISED})+|^\w*[ãõçâêôáéíóú]\w*|\bet al\b"
)


def _is_spelt_as_portuguese(sample: str) -> bool:
    """Whether a text that may be Galician is Portuguese by its spelling: ã, õ, ç, lh and nh, and no ñ, ll or -ción."""
    return _PORTUGUESE.search(sample) is not None and _GALICIAN.search(sample) is None


_PORTUGUESE = re.compile("[ãõç]|lh|nh")
_GALICIAN = re.compile(r"ñ|ll|ci[óo]n|si[óo]n|\b(?:x[aeo]\w|un(?:ha)?s?\b|dun|nun|non\b|co[as]?\b|moi|mái)")


@cache
def _telling() -> dict[str, tuple[str, ...]]:
    """The languages that each telling word tells."""
    table: dict[str, tuple[str, ...]] = {}
    for line in lexicon.lines("telling_words"):
        tongue, _, listed = line.partition(":")
        for word in listed.split():
            table[word] = (*table.get(word, ()), tongue)
    return table


def name(language: str) -> str:
    """The Portuguese name of a language."""
    return _names()[language]


def code(name: str) -> str:
    """The code of a language under any of its names; what is none is given back as it is."""
    return lexicon.groups("languages").get(name.strip().lower(), name)


def _sample(text: Text) -> str:
    """The words of a text, of a long one of three stretches of it, without numbers and addresses."""
    sampled = (piece[start:end] for piece in _stretches(text.lower) for start, end in words.words(piece))
    return " ".join(word for word in sampled if "/" not in word and any(map(str.isalpha, word)))


def _stretches(text: str) -> Iterator[str]:
    if len(text) <= 3 * _STRETCH:
        yield text
        return
    middle = (len(text) - _STRETCH) // 2
    for start in (0, middle, len(text) - _STRETCH):
        piece = text[start : start + _STRETCH]
        yield piece if " " not in piece else piece[piece.index(" ") if start else 0 : piece.rindex(" ")]


@cache
def _names() -> dict[str, str]:
    return {line.partition(":")[0]: line.partition(":")[2].split()[0] for line in lexicon.lines("languages")}


@lru_cache(maxsize=256)
def _likelihoods(sample: str) -> Mapping[str, float]:
    """The log-likelihood of a sample in each language, the likeliest first."""
    return dict(_model().rank(sample))


@cache
def _model() -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError as error:
        raise ImportError(
            "Constraints on the language of a response need py3langid: pip install 'py3langid>=0.4,<0.5'"
        ) from error
    model = LanguageIdentifier.from_model_file(MODEL_FILE)
    model.set_languages(get_args(Language))
    return model
