"""Weak pronouns (clitics) and where they stand by their verb."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from lm_eval_ifeval_pt.text.enclisis import hyphenated
from lm_eval_ifeval_pt.text.proclisis import proclises

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
    unordered = [Clitic("proclitic", *span) for span in proclises(text, lower)]
    unordered += [Clitic(*span) for span in hyphenated(text, lower)]
    return iter(sorted(unordered, key=lambda clitic: clitic.start))
