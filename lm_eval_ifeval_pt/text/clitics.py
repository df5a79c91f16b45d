"""Weak pronouns (clitics) and where they stand by their verb."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from lm_eval_ifeval_pt.text.enclisis import hyphenated
from lm_eval_ifeval_pt.text.proclisis import REACH, proclises
from lm_eval_ifeval_pt.text.words import LONG_LINE

Position = Literal["proclitic", "mesoclitic", "enclitic"]


class Clitic(NamedTuple):
    """A weak pronoun next to its verb.

    `start:end` spans what shows the position: attractor (if any), pronoun and verb for a próclise; the whole
    hyphenated form for a mesóclise or ênclise.
    """

    position: Position
    start: int
    end: int
    attractor: str | None = None


def clitics(text: str, lower: str) -> Iterator[Clitic]:
    """The clitics of a normalised text and of its lower case, in order.

    Without an attracting word only me, te, lhe, lhes are reported as próclise: they look like nothing else.
    """
    start = 0
    while start < len(lower):
        end = lower.find("\n\n", start)
        end = len(lower) if end < 0 else end
        before = max(start - (REACH + 1), 0)
        own = _own_of_long if end - start > LONG_LINE else _own
        for clitic in own(text[before:end], lower[before:end], start - before):
            position, first, last, attractor = clitic
            yield Clitic(position, first + before, last + before, attractor) if before else clitic
        start = end + 1
        while lower.startswith("\n", start):
            start += 1


def _own_of_long(text: str, lower: str, start: int) -> list[Clitic]:
    """The clitics of the paragraph that starts at `start`, after a little of what stands before it."""
    unordered = [Clitic("proclitic", *span) for span in proclises(text, lower, start)]
    unordered += [Clitic(*span) for span in hyphenated(text, lower) if span[1] >= start]
    return sorted(unordered, key=lambda clitic: clitic.start)


# No clitic goes on in the next paragraph, and the texts that are read of one response share most of their paragraphs.
_own = lru_cache(maxsize=64)(_own_of_long)
