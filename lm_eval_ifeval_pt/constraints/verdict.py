"""What a verifier answers: followed or not, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lm_eval_ifeval_pt.text.span import Span


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one constraint on one response.

    Attributes:
        followed: Whether the response satisfies the constraint.
        evidence: The spans that decided, in order of the text; empty when an absence decided.
        detail: One sentence in Portuguese that says why.
    """

    followed: bool
    evidence: tuple[Span, ...] = ()
    detail: str = ""

    def __bool__(self) -> bool:
        return self.followed

    def as_dict(self) -> dict[str, Any]:
        """The verdict as plain JSON values, as sample files keep it."""
        return {
            "followed": self.followed,
            "evidence": [list(span) for span in self.evidence],
            "detail": self.detail,
        }


_FEMININE = ("a", "se", "ção", "vez")  # as the nouns of details end: palavra, frase, seção


def has(number: int, singular: str, plural: str) -> str:
    """The predicate of a detail that says a number: "tem 2 palavras", "não tem nenhuma palavra"."""
    return f"{'tem' if number else 'não tem'} {count(number, singular, plural)}"


def count(number: int, singular: str, plural: str) -> str:
    """A number with its noun, for details in Portuguese: "1 palavra", "2 palavras", "nenhuma palavra"."""
    if number == 0:
        denied = singular.replace(" que começa ", " que comece ")  # a subjunctive after the negation
        return f"{'nenhuma' if singular.split()[0].endswith(_FEMININE) else 'nenhum'} {denied}"
    return f"{number} {singular if number == 1 else plural}"
