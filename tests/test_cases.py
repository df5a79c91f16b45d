"""Hand-labelled cases, hard ones on purpose, from the data sets that ask for the same things."""

import pytest

from tests.quality import cases
from tests.quality.gold import GOLD, needs_gold

DISPUTED: dict[str, str] = {}
"""Cases whose label we do not share, each with the reason."""

OUTCOMES = list(cases.outcomes()) if (GOLD / cases.CASES).exists() else []


@needs_gold
def test_most_cases_of_our_constraints_are_covered():
    """The cases reach every constraint but those that they have none for."""
    assert len(OUTCOMES) >= 75


@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda outcome: outcome.case["id"])
def test_the_verdicts_are_those_of_the_label(outcome):
    """Strict and loose, or the case is disputed with a reason."""
    assert outcome.agrees != (outcome.case["id"] in DISPUTED), outcome.score
