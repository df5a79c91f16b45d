"""Quotation marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import regex

from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text

Marks = Literal["double", "any"]

_PAIRS = {
    "double": (('"“„', '"”'),),
    "any": (('"“„', '"”'), ("'‘", "'’"), ("«", "»"), ("‹", "›")),
}
_STRAIGHT = "\"'"
_BEFORE_OPENING = regex.compile(r"[\s\p{Pd}\p{Ps}\p{Pi}\"'*_]")


@constraint(
    "startend:quotation",
    wording=lambda *, marks="double": f"Coloque toda a resposta entre aspas{' duplas' if marks == 'double' else ''}.",
    kind="active",
    follows=[
        Example("“Reciclar é cuidar do futuro.”"),
        Example('"Ela disse "sim" e saiu."'),
        Example("«Reciclar é cuidar.»", {"marks": "any"}),
    ],
    breaks=[
        Example('"Sim" é diferente de "não"'),
        Example("«Reciclar é cuidar.»"),
        Example("“Reciclar é cuidar”, dizem."),
        Example("'Reciclar é cuidar.'"),
    ],
)
def quotation(text: Text, *, marks: Marks = "double") -> Verdict:
    """Quotation marks around the whole response: those that open it close it at its end, not before.

    Straight ("…") and curly (“…”) double ones; with `marks` "any" also single ones ('…', ‘…’) and guillemets
    («…»). Further quotations may stand inside, each opened and closed.
    """
    start = len(text.text) - len(text.text.lstrip())
    end = len(text.text.rstrip())
    first, last = text.text[start], text.text[end - 1]
    pair = next((pair for pair in _PAIRS[marks] if first in pair[0] and last in pair[1]), None)
    if pair is None or not regex.search(r"\w", text.text):
        return Verdict(False, (), "A resposta não está entre aspas.")
    depth = 1
    for offset, step in _inner(text.text, start + 1, end - 1, *pair):
        depth += step
        if depth == 0:
            closed = text.evidence([(start, start + 1), (offset, offset + 1)])
            return Verdict(False, closed, "As aspas do início da resposta se fecham antes do fim.")
    edges = text.evidence([(start, start + 1), (end - 1, end)])
    return Verdict(True, edges, "A resposta está toda entre aspas.")


def _inner(text: str, start: int, end: int, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    """The quotation marks of one kind in `text[start:end]`, with +1 where one opens and -1 where it closes."""
    for match in regex.finditer(f"[{opening}{closing}]", text, pos=start, endpos=end):
        before, after = text[match.start() - 1], text[match.end()]
        if match[0] in "'’" and before.isalnum() and after.isalnum():  # an apostrophe
            continue
        if match[0] in _STRAIGHT:
            opens = bool(_BEFORE_OPENING.match(before)) and not after.isspace()
        else:
            opens = match[0] in opening
        yield match.start(), 1 if opens else -1
