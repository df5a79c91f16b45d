"""How a response starts and ends."""

import unicodedata

import pytest

from lm_eval_ifeval_pt import verify


@pytest.mark.parametrize(
    ("phrase", "text", "followed"),
    [
        ("fim", "Chegou o fim", True),
        ("Fim", "chegou o FIM.\n\n", True),
        ("fim", "Chegou o fim...", True),
        ("fim", "“Chegou o fim!”", True),
        ("fim", "(Chegou o «fim».)", True),
        ("“fim”", "Eis o “fim”", True),
        ("fim", "Chegou o fim,", False),
        ("fim", "Chegou o **fim**", False),
        ("fim", "Chegou o fim 🙂", False),
        ("fim", "Enfim", False),
        ("fim", "Chegou o sem-fim", False),
        ("me", "Ajuda-me", True),
        ("Até a próxima!", "Tchau. Até a\npróxima!", True),
        ("Até a próxima!", "Até a próxima.", False),
        ("Até a próxima!", "Até a próxima!!", False),
        ("Até a próxima", "Ate a proxima", False),
        ("C++", "Programo em C++.", True),
        ("(fim)", "Acabou (fim).", True),
        ("a a", "a a a", True),
    ],
)
def test_the_end_phrase_ends_the_text(phrase, text, followed):
    """As whole words, in any case; closing quotes and, after a letter, final punctuation may follow."""
    for form in ("NFC", "NFD"):
        verdict = verify("startend:end_checker", unicodedata.normalize(form, text), end_phrase=phrase)
        assert verdict.followed is followed, verdict.detail


@pytest.mark.parametrize(
    ("phrase", "text", "followed"),
    [
        ("Olá", "Olá, mundo", True),
        ("OLÁ", "\n  olá mundo", True),
        ("Olá", "“Olá”, disse", True),
        ("Olá", "— Olá!", True),
        ("Olá", "¡Olá!", True),
        ("(Olá)", "(Olá) mundo", True),
        ("Antes de mais nada", "Antes  de\nmais nada, sente.", True),
        ("Olá", "- Olá", False),
        ("Olá", "# Olá", False),
        ("Olá", "Ola, mundo", False),
        ("Olá", "Oi. Olá", False),
        ("Sol", "Solar", False),
        ("Guarda", "Guarda-chuva é útil", False),
        ("Sente", "Sente-se aqui", True),
    ],
)
def test_the_start_phrase_starts_the_text(phrase, text, followed):
    """As whole words, in any case; opening quotes and a dialogue dash may precede it, markdown may not."""
    for form in ("NFC", "NFD"):
        verdict = verify("ptbr:comeca_com", unicodedata.normalize(form, text), start_phrase=phrase)
        assert verdict.followed is followed, verdict.detail


def test_the_evidence_is_the_phrase_or_what_stands_in_its_place():
    """A followed verdict shows the phrase, a failed one the end, or start, of the response."""
    text = "Bom dia. Chegamos ao “fim”."
    (span,) = verify("startend:end_checker", text, end_phrase="fim").evidence
    assert text[slice(*span)] == "fim"
    verdict = verify("startend:end_checker", text, end_phrase="início")
    assert verdict.detail == "A resposta termina com “Bom dia. Chegamos ao “fim”.”, e não com “início”."
    (span,) = verify("ptbr:comeca_com", text + " x" * 90, start_phrase="Boa").evidence
    assert span == (0, 40)
