"""Letters and signs that are counted."""

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.text.span import Span


@pytest.mark.parametrize(
    ("response", "letter", "expected"),
    [
        ("Banana", "a", 3),
        ("BANANA", "a", 3),
        ("Ação", "ç", 1),
        ("Ac\u0327a\u0303o", "ç", 1),
        ("Ação", "c", 0),
        ("maçã à lá", "a", 1),
        ("#um ##dois", "#", 3),
        ("Oi!! Oi!", "!", 3),
        ("Água", "A\u0301", 1),
    ],
)
def test_a_letter_is_counted_as_it_is(response, letter, expected):
    """In any case, in any normal form; with its mark it is another letter, and a sign is taken literally."""
    verdict = verify(
        "keywords:letter_frequency", response, letter=letter, let_frequency=expected, let_relation="exactly"
    )
    assert verdict.followed, verdict


def test_cedillas_are_counted_letter_by_letter():
    """Two in one word are two; capitals and decomposed ones count."""
    response = "A cabeçaça do AÇAÍ e da forc\u0327a"
    assert verify("keywords:cedilha_frequency", response, count=4).followed
    assert not verify("keywords:cedilha_frequency", response, count=3).followed


def test_a_comma_is_a_comma():
    """In numbers, in code and full-width; a semicolon and a quotation mark are none."""
    assert verify("punctuation:no_comma", "Um; dois ‚ três").followed
    assert verify("punctuation:no_comma", "Custa 3,5").evidence == (Span(7, 8),)
    assert not verify("punctuation:no_comma", "一，二").followed
