"""The examples of every constraint, which the catalogue and `lm-eval-pt explain` show, hold."""

from __future__ import annotations

import pytest

from lm_eval_ifeval_pt.constraints.registry import Constraint, Example, constraints
from lm_eval_ifeval_pt.text import Text

FOLLOWS = [(constraint, example) for constraint in constraints().values() for example in constraint.follows]
BREAKS = [(constraint, example) for constraint in constraints().values() for example in constraint.breaks]


def _name(value: Constraint | Example) -> str:
    return value.id if isinstance(value, Constraint) else value.text[:30]


@pytest.mark.parametrize(("constraint", "example"), FOLLOWS, ids=_name)
def test_examples_that_follow_are_followed(constraint: Constraint, example: Example) -> None:
    """A text given as following a constraint follows it as it stands."""
    verdict = constraint.bind(example.kwargs).verify(Text(example.text))
    assert verdict.followed, verdict.detail


@pytest.mark.parametrize(("constraint", "example"), BREAKS, ids=_name)
def test_examples_that_break_are_not_followed(constraint: Constraint, example: Example) -> None:
    """A text given as breaking a constraint breaks it as it stands."""
    verdict = constraint.bind(example.kwargs).verify(Text(example.text))
    assert not verdict.followed, verdict.detail


@pytest.mark.parametrize("text", ["Faz sol.", "Chove muito"])
@pytest.mark.parametrize("constraint", constraints().values(), ids=lambda constraint: constraint.id)
def test_a_short_neutral_answer_meets_passive_constraints_only(constraint: Constraint, text: str) -> None:
    """Passive: met by accident, whatever the arguments of the examples; active: never."""
    for example in constraint.follows + constraint.breaks:
        bound = constraint.bind(example.kwargs)
        assert bound.verify(Text(text)).followed == (bound.kind == "passive"), bound
