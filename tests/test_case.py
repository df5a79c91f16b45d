"""Upper and lower case."""

import pytest

from lm_eval_ifeval_pt import verify


@pytest.mark.parametrize(
    ("text", "followed"),
    [
        ("tudo minúsculo.", True),
        ("o 1º e a 2ª", True),
        ("ß e ñ", True),
        ("coração 日本", True),
        ("Não", False),
        ("a ÁGUA", False),
        ("e\u0301 A\u0301", False),
        ("ǅ é titular", False),
        ("veja https://exemplo.com/Guia", False),
        ("1234 !?", False),
        ("**", False),
        ("İ i", False),
    ],
)
def test_lower_case_has_small_letters_only(text, followed):
    """No capital or title-case letter anywhere, and at least one small letter."""
    assert verify("change_case:lowercase", text).followed is followed


def test_capitals_are_shown():
    """Each capital letter is evidence."""
    verdict = verify("change_case:lowercase", "um Dois TRês")
    assert verdict.evidence == ((3, 4), (8, 9), (9, 10))
    assert verdict.detail == "A resposta tem 3 letras maiúsculas."
