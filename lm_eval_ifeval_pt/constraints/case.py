"""Upper and lower case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from lm_eval_ifeval_pt.registry import Example, constraint
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.verdict import Verdict, count

_CANDIDATE = re.compile("[A-ZÀ-ÖØ-Þ\u0100-\U0010ffff]")


@constraint(
    "change_case:lowercase",
    wording="Use somente letras minúsculas na resposta.",
    kind="active",
    follows=[
        Example("o 2º colocado também ganhou uma medalha."),
        Example("são paulo fica às margens do tietê. — sério?"),
        Example("r$ 5,00 por quilo, em média."),
    ],
    breaks=[
        Example("O sol nasceu."),
        Example("ele mora em São Paulo."),
        Example("12.345"),
        Example("água É vida."),
    ],
)
def lowercase(text: Text) -> Verdict:
    """No capital letter, and at least one small one: numbers and signs alone are not written in lower case.

    Ordinals (º, ª) are neither. Capitals of names, acronyms, URLs and code count. The language is not looked
    at.
    """
    found = list(_capitals(text.text))
    if not found and text.lower == text.text.upper():
        return Verdict(False, (), "A resposta não tem letras minúsculas.")
    return Verdict(
        not found,
        text.evidence(found),
        f"A resposta tem {count(len(found), 'letra maiúscula', 'letras maiúsculas')}.",
    )


def _capitals(text: str) -> Iterator[tuple[int, int]]:
    for match in _CANDIDATE.finditer(text):
        character = match.group()
        if character <= "Þ" or unicodedata.category(character) in ("Lu", "Lt"):
            yield match.span()
