"""The relations between a count and the number a data row asks for: "at least 3 sentences"."""

from __future__ import annotations

from typing import Literal

Relation = Literal["at least", "at most", "less than", "more than", "exactly"]

_PORTUGUESE: dict[Relation, str] = {
    "at least": "pelo menos",
    "at most": "no máximo",
    "less than": "menos de",
    "more than": "mais de",
    "exactly": "exatamente",
}


def holds(count: int, relation: Relation, target: int) -> bool:
    """Whether a count stands in a relation to the number asked for."""
    match relation:
        case "at least":
            return count >= target
        case "at most":
            return count <= target
        case "less than":
            return count < target
        case "more than":
            return count > target
        case "exactly":
            return count == target


def is_limit(relation: Relation) -> bool:
    """Whether a relation only forbids a higher count, so that a short answer satisfies it by accident."""
    return relation in ("at most", "less than")


def asked(relation: Relation, target: int) -> str:
    """The clause of a detail that says the number asked for: "pediam-se pelo menos 3"."""
    return f"{'pedia-se' if target == 1 else 'pediam-se'} {spell(relation, target)}"


def spell(relation: Relation, target: int) -> str:
    """A relation and its number in Portuguese: "pelo menos 3"."""
    return f"{_PORTUGUESE[relation]} {target}"
