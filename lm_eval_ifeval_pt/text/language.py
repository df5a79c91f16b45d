"""In which language a text is.

The n-gram model of py3langid (in its wheel, no network) gives the likelihood of a text in each language; it is the
same for the same text, in capitals too, since the text is compared in lower case. Nothing is drawn at random.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Literal, NamedTuple, get_args

from lm_eval_ifeval_pt.text import Text, lexicon, words

Language = Literal[
    "af", "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "gl", "gu", "he", "hi",
    "hr", "hu", "id", "it", "ja", "kn", "ko", "lt", "lv", "mk", "ml", "mr", "ne", "nl", "no", "pa", "pl", "pt", "ro",
    "ru", "sk", "sl", "so", "sq", "sr", "sv", "sw", "ta", "te", "th", "tl", "tr", "uk", "ur", "vi", "zh",
]  # fmt: skip
"""The languages that are told apart, as ISO 639-1 codes: those that data sets ask for, and Galician."""

_LONGEST = 20_000  # characters of a text that are looked at
_FEW_WORDS = 4
_CLEAR = 2.0
_CLEAR_IN_FEW_WORDS = 4.0


class Finding(NamedTuple):
    """Whether a text is, or may be, in a language, and in which one it most likely is."""

    holds: bool
    likeliest: str


def find(text: Text, language: str) -> Finding | None:
    """Whether a text is in a language; None if it has no words.

    It is unless another language is clearly likelier: by 2 units of the log-likelihood or, with fewer than four
    words, 4. What is as likely in Portuguese ("a casa amarela" is Galician too) is in no other language.
    Code, link targets and numbers are not looked at.
    """
    sample = _sample(text)
    if not sample:
        return None
    likelihoods = dict(_model().rank(sample))
    likeliest = max(likelihoods, key=likelihoods.__getitem__)
    clear = _CLEAR_IN_FEW_WORDS if sample.count(" ") + 1 < _FEW_WORDS else _CLEAR
    portuguese = likelihoods["pt"] if language != "pt" else -math.inf
    holds = likelihoods[language] >= max(likelihoods[likeliest] - clear, portuguese)
    return Finding(holds, likeliest)


def name(language: str) -> str:
    """The Portuguese name of a language."""
    return _names()[language]


def code(name: str) -> str:
    """The code of a language under any of its names; what is none is given back as it is."""
    return lexicon.groups("languages").get(name.strip().lower(), name)


def _sample(text: Text) -> str:
    """The words at the beginning of a text, without numbers and addresses."""
    spans = text.words if len(text.text) <= _LONGEST else words.words(text.text[:_LONGEST])
    found = (text.lower[start:end] for start, end in spans)
    return " ".join(word for word in found if "/" not in word and any(map(str.isalpha, word)))


@cache
def _names() -> dict[str, str]:
    return {line.partition(":")[0]: line.partition(":")[2].split()[0] for line in lexicon.lines("languages")}


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
