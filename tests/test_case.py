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


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("O 1º LUGAR É DA 2ª TURMA!", True),
        ("E\u0301 A AC\u0327A\u0303O!", True),
        ("ΑΒΓ É GREGO", True),
        ("A AÇãO", False),
        ("É A ação", False),
        ("R$ 5 POR kg", False),
        ("123 — 45", False),
    ],
)
def test_capital_letters_only(response, expected):
    """No small letter of any script, whatever its form; ordinals are neither, and numbers alone are no capitals."""
    assert verify("change_case:capital", response).followed == expected


def test_case_and_language_are_asked_for_together():
    """Capitals in English are not what was asked for in Portuguese; the detail says which of the two failed."""
    english = "THE CHILDREN ARE PLAYING IN THE PARK."
    assert verify("change_case:capital", english).followed
    verdict = verify("change_case:capital", english, language="pt")
    assert (verdict.followed, "inglês" in verdict.detail) == (False, True)
    assert not verify("change_case:lowercase", english.lower(), language="pt").followed
    assert verify("change_case:lowercase", "as crianças brincam no parque.", language="pt").followed


@pytest.mark.parametrize(
    ("response", "words"),
    [
        ("Leve GUARDA-CHUVA, ÁGUA e um H2O.", ["GUARDA-CHUVA", "ÁGUA", "H2O"]),
        ("A ONU e o IBGE, em 2024.", ["ONU", "IBGE"]),
        ("VENCE A COPA", ["VENCE", "A", "COPA"]),
        ("A casa. É dela. O sol.", []),
        ("Fui à ONU. A sessão acabou.", ["ONU"]),
        ("R$ 5, R$10 e US$ 3", ["US"]),
        ("O iPhone do Século XXI", ["XXI"]),
        ("PROFª ANA", ["PROFª", "ANA"]),
    ],
)
def test_words_in_capitals(response, words):
    """Hyphenated ones and acronyms count once; a single letter only within a run of capitals; R$ is a sign."""
    verdict = verify(
        "change_case:capital_word_frequency", response, capital_frequency=len(words), capital_relation="exactly"
    )
    assert [response[start:end] for start, end in verdict.evidence] == words
    assert verdict.followed
