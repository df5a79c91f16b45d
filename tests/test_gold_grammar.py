"""Grammar against treebanks, dictionaries and grammar checkers' examples."""

import pytest

from tests.quality import grammar
from tests.quality.gold import needs_gold

pytestmark = needs_gold


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phenomenon", "bar"),
    [
        ("crase", 0.999),
        ("mesóclise", 1),
        ("ênclise", 0.999),
        ("por que", 1),
        ("porque", 1),
        ("você", 0.95),
        ("tu", 0.95),
    ],
)
def test_f1_on_treebanks(phenomenon, bar):
    """F1 of finding the sentences that have it."""
    assert grammar.figures(phenomenon)["all"].f1 >= bar


@pytest.mark.slow
def test_proclisis_on_treebanks():
    """Precision first: a false pass rewards an answer that failed."""
    counts = grammar.figures("próclise after attractor")["all"]
    assert counts.precision >= 0.98
    assert counts.recall >= 0.97


def test_single_forms():
    """No error on verbs with their pronouns, nor on compounds."""
    assert grammar.form_errors() == []
    assert grammar.lookalike_errors() == []


def test_expectations_of_grammar_pairs():
    """All are met but the listed ones, and those for the reason given."""
    assert {id for id, _, _ in grammar.unmet()} == set(grammar.EXCEPTIONS)
