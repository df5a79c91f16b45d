"""Strict and loose verdicts of one response. Pure: knows constraints, knows nothing of the harness."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text

Variants = Callable[[Text], Iterable[Text]]
"""The further texts, besides the response as it came, on which a constraint may hold to be followed loosely."""


@dataclass(frozen=True, slots=True)
class Score:
    """The verdicts on one instruction. `loose` is never stricter than `strict`."""

    instruction: Bound
    strict: Verdict
    loose: Verdict


def score(response: str | Text, instructions: Sequence[Bound], variants: Variants) -> list[Score]:
    """Verify each instruction on the response (strict) and, where it fails, on the loose variants.

    The response and each variant are analysed once for all instructions.

    Args:
        response: The answer as the model wrote it, or a text already made from it.
        instructions: Constraints with their arguments.
        variants: The loose texts of a response, e.g. `dialects.unmarked`.
    """
    text = response if isinstance(response, Text) else Text(response)
    loose_texts: list[Text] | None = None
    scores = []
    for instruction in instructions:
        strict = loose = instruction.verify(text)
        if not strict.followed:
            if loose_texts is None:
                loose_texts = [variant for variant in variants(text) if variant.text != text.text]
            for variant in loose_texts:
                if instruction.is_followed(variant):
                    loose = instruction.verify(variant)
                    break
        scores.append(Score(instruction, strict, loose))
    return scores
