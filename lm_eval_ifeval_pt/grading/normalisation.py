"""Normalisation of Portuguese texts before they are compared: case, accents, articles and punctuation.

SQuAD's normalisation (Rajpurkar et al. 2016, arXiv:1606.05250) is English: it lowers the case, drops punctuation and
the words "a", "an" and "the". In Portuguese "a" is also what a multiple-choice answer may be, and a comma stands inside
numbers; see `Normalisation`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.reasoning import answer

_ARTICLES = frozenset({"o", "a", "os", "as", "um", "uma", "uns", "umas"})
_MARKS = re.compile("[\u0300-\u036f]")


@dataclass(frozen=True, slots=True)
class Normalisation:
    """The differences that do not count.

    Attributes:
        ignore_case: "BRASÍLIA" is "Brasília".
        ignore_accents: "Brasilia" is "Brasília", "voce" is "você" and "a" is "à"; off unless asked for.
        ignore_articles: "a cidade" is "cidade": o, a, os, as, um, uma, uns and umas before another word. An article
            at the end, or before punctuation, is none: the answers "A" and "a resposta é A" keep theirs, as do
            contractions ("da", "no", "à").
        ignore_punctuation: "Brasília." and "**Brasília**" are "Brasília": words are compared, as `text.words` has them,
            so that "1.234,56", "guarda-chuva" and "d'água" stay whole. Without it, what stands between blanks is
            compared. A text of signs alone ("C++" has a word, "👍" has none) is compared as it is.
    """

    ignore_case: bool = True
    ignore_accents: bool = False
    ignore_articles: bool = True
    ignore_punctuation: bool = True

    def tokens(self, text: str) -> list[str]:
        """The words of a text, or its blank-separated parts, which are compared. Reasoning (`<think>`) is left out."""
        return self.words_of(answer(text))

    def words_of(self, text: Text) -> list[str]:
        """The same of a text already analysed."""
        spans = list(text.words) if self.ignore_punctuation else []
        if not spans:
            spans = [match.span() for match in re.finditer(r"\S+", text.text)]
        if self.ignore_articles:
            starts = [start for start, _ in spans[1:]]
            followed = zip(spans, starts, strict=False)
            articles = {span for span, following in followed if _is_article(text, *span, following)}
            spans = [span for span in spans if span not in articles]
        return [self._folded(text.text[start:end]) for start, end in spans]

    def _folded(self, word: str) -> str:
        word = word.lower() if self.ignore_case else word
        if not self.ignore_accents or word.isascii():
            return word
        return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", word)))


def _is_article(text: Text, start: int, end: int, following: int) -> bool:
    """Whether a word is an article: before another one, with nothing but blanks between."""
    return text.lower[start:end] in _ARTICLES and text.text[end:following].isspace()


DEFAULT = Normalisation()

WORDS = Normalisation(ignore_articles=False)
"""Only case and punctuation do not count: what is meant by "the same words"."""
