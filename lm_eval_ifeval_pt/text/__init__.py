"""Portuguese text: the only definitions of word, sentence, line, paragraph, clitic and markup.

`Text` is made once per response and shared by all its constraints; what none asks for is not computed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import islice

from lm_eval_ifeval_pt.text import clitics, markup, paragraphs, sentences, words
from lm_eval_ifeval_pt.text.clitics import Clitic
from lm_eval_ifeval_pt.text.normal import Offsets, lower, normalise, remove
from lm_eval_ifeval_pt.text.span import Span

__all__ = ["MAX_EVIDENCE", "Clitic", "Text"]

MAX_EVIDENCE = 20
"""A verdict shows at most this many spans, so that a hostile response cannot swell the sample files."""


class Text:
    """A response, normalised (see `normal.normalise`), with its units and the way back to the raw response.

    Units are `(start, end)` offsets into `str(self)`; `span` turns them into offsets into `raw`.
    """

    is_located: bool = True
    """Whether `evidence` says where things stand; False for those who ask for verdicts and do not look at it."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.text, self._offsets = normalise(raw)

    @classmethod
    def _derived(cls, raw: str, text: str, offsets: Offsets) -> Text:
        derived = cls.__new__(cls)
        derived.raw, derived.text, derived._offsets = raw, text, offsets
        return derived

    def __str__(self) -> str:
        return self.text

    def without(self, spans: Iterable[tuple[int, int]]) -> Text:
        """The same response without some spans (ordered, not overlapping); offsets still lead to `raw`."""
        text, offsets = remove(self.text, self._offsets, spans)
        return Text._derived(self.raw, text, offsets)

    def span(self, start: int, end: int) -> Span:
        """The span of `raw` that `text[start:end]` comes from."""
        return self._offsets.raw([(start, end)])[0]

    def spans(self, spans: Iterable[tuple[int, int]]) -> list[Span]:
        """The spans of `raw` that some spans of the text come from."""
        return self._offsets.raw(list(spans))

    def evidence(self, spans: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
        """The first `MAX_EVIDENCE` of some spans of the text, as offsets into `raw`; none unless `is_located`."""
        if not self.is_located:
            return ()
        return tuple(self._offsets.raw(list(islice(spans, MAX_EVIDENCE))))

    @cached_property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space."""
        return not self.text.strip()

    @cached_property
    def lower(self) -> str:
        """The text in lower case, of the same length."""
        return lower(self.text)

    @cached_property
    def words(self) -> tuple[tuple[int, int], ...]:
        """The words (see `words.words`)."""
        return tuple(words.words(self.text))

    @property
    def number_of_words(self) -> int:
        """The number of words, in less time than to find where they stand."""
        return len(self.words) if "words" in self.__dict__ else words.count(self.text)

    def word_at(self, offset: int) -> tuple[int, int] | None:
        """The word around an offset; None where none is."""
        index = bisect_right(self.words, (offset, len(self.text))) - 1
        return self.words[index] if index >= 0 and offset < self.words[index][1] else None

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The sentences (see `sentences.sentences`)."""
        return tuple(sentences.sentences(self.text))

    @cached_property
    def paragraphs(self) -> tuple[tuple[int, int], ...]:
        """The paragraphs (see `paragraphs.paragraphs`)."""
        return tuple(paragraphs.paragraphs(self.text))

    @cached_property
    def clitics(self) -> tuple[Clitic, ...]:
        """The weak pronouns next to their verb (see `clitics.clitics`)."""
        return tuple(clitics.clitics(self.text, self.lower))

    @cached_property
    def plain(self) -> Text:
        """The text without marks of emphasis (see `markup.emphasis`): words as a person reads them."""
        emphasis = list(markup.emphasis(self.text))
        return self.without(emphasis) if emphasis else self

    @cached_property
    def unmarked(self) -> Text:
        """The text without markdown marks, quotation marks and surplus white space (see `markup.marks`)."""
        return self.without(markup.marks(self.text))
