"""Verdicts on amounts: how many of something a response has, against how many were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lm_eval_ifeval_pt.constraints.registry import Kind
from lm_eval_ifeval_pt.constraints.relations import Relation, asked, holds, is_limit, spell
from lm_eval_ifeval_pt.constraints.verdict import Verdict, has
from lm_eval_ifeval_pt.text import Text

NounForms = tuple[str, str]
"""What is counted, in Portuguese: singular and plural."""

Spans = Sequence[tuple[int, int]]


def kind(*, relation: Relation, **_: Any) -> Kind:
    """Passive where the relation only forbids a higher number."""
    return "passive" if is_limit(relation) else "active"


def spelled(relation: Relation, target: int, noun: NounForms) -> str:
    """A relation, its number and the noun, in Portuguese: "pelo menos 3 palavras"."""
    return f"{spell(relation, target)} {noun[target != 1]}"


def compare(text: Text, counted: Spans, noun: NounForms, relation: Relation, target: int) -> Verdict:
    """Whether the number of spans stands in a relation to a target. They are the evidence."""
    return Verdict(
        holds(len(counted), relation, target),
        text.evidence(counted),
        f"A resposta {has(len(counted), *noun)}; {asked(relation, target)}.",
    )


def within(text: Text, evidence: Spans, number: int, noun: NounForms, least: int, most: int) -> Verdict:
    """Whether a number lies between two bounds."""
    detail = f"A resposta {has(number, *noun)}; pediam-se de {least} a {most}."
    return Verdict(least <= number <= most, text.evidence(evidence), detail)


def none(text: Text, forbidden: Spans, noun: NounForms) -> Verdict:
    """Whether nothing was found of what is forbidden."""
    return Verdict(not forbidden, text.evidence(forbidden), f"A resposta {has(len(forbidden), *noun)}.")
