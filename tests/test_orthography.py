"""Accents, cedilla, tilde and crase."""

import unicodedata

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.diacritics import crases
from tests.quality.gold import TREEBANKS, needs_gold, sentences


@pytest.mark.parametrize(
    "text",
    [
        "Vou à feira.",
        "À NOITE TODOS DORMEM.",
        "Vou a\u0300 feira.",
        "às vezes",
        "Referiu-se àqueles dias.",
        "Voltou _à_ casa.",
        "(à direita)",
        "—à noite, não?",
        "Era um sujeito à-toa.",
        "Disse à La Nación que volta.",
        "Preferiu isto àquilo.",
    ],
)
def test_a_contraction_with_grave_is_a_crase(text):
    """Capitals, decomposed letters, markup, punctuation and names in La do not hide it."""
    assert verify("ptbr:crase", text).followed
    assert not verify("ptbr:sem_crase", text).followed


@pytest.mark.parametrize(
    "text",
    [
        "Fui á feira.",
        "Fui a feira.",
        "vis-à-vis",
        "Um vestido prêt-à-porter e um prêt à porter.",
        "Jantar à la carte.",
        "À LA CARTE",
        "À la carte, sempre.",
        "Comeu à-la-carte e bife à la minuta.",
        "Um roman à clef.",
        "Tête à tête ou tête-à-tête.",
        "déjà vu, déjà-vu, voilà",
        "Città e Terràvista.",
    ],
)
def test_a_grave_of_another_kind_is_no_crase(text):
    """An acute, a plain a, French expressions and foreign words hold no crase."""
    assert not verify("ptbr:crase", text).followed
    assert verify("ptbr:sem_crase", text).followed


@needs_gold
@pytest.mark.parametrize("treebank", TREEBANKS)
def test_crase_agrees_with_the_treebanks(treebank):
    """F1 of the presence of crase in a sentence is at least .999."""
    outcomes = [
        (any(crases(str(Text(row["text"])))), row["has_crase"]) for row in sentences(treebank) if not row["amb_crase"]
    ]
    hits = outcomes.count((True, True))
    errors = outcomes.count((True, False)) + outcomes.count((False, True))
    assert hits > 40
    assert 2 * hits / (2 * hits + errors) >= 0.999


@pytest.mark.slow
@needs_gold
@pytest.mark.parametrize("treebank", TREEBANKS)
def test_marks_agree_with_the_treebanks(treebank):
    """Cedilla, tilde and any diacritic at all, against counts of the treebanks' words."""
    kinds = ("acute", "cedilla", "circumflex", "diaeresis", "grave", "tilde")
    for row in sentences(treebank):
        text = row["text"]
        assert verify("ptbr:cedilha", text).followed == (row["n_cedilla_words"] >= 3), text
        assert verify("ptbr:sem_til", text).followed == (row["n_tilde_words"] == 0), text
        assert verify("ptbr:sem_diacritico", text).followed == (not any(row[f"n_{kind}_words"] for kind in kinds)), text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("coração, praça, açaí", ["coração", "praça", "açaí"]),
        ("ÇA VA? AÇÃO!", ["ÇA", "AÇÃO"]),
        ("força-tarefa e poupança", ["força-tarefa", "poupança"]),
        ("caça, caça e caça", ["caça", "caça", "caça"]),
        ("c\u0327, forc\u0327a", ["c\u0327", "forc\u0327a"]),
    ],
)
def test_words_with_cedilla_are_shown(text, words):
    """Each word with ç is evidence, once per occurrence, as the model wrote it; three are enough."""
    verdict = verify("ptbr:cedilha", text)
    assert [text[start:end] for start, end in verdict.evidence] == words
    assert verdict.followed == (len(words) >= 3)


@pytest.mark.parametrize(
    "text", ["pão", "PÕE", "pa\u0303o", "mañana", "q\u0303", "ḿ ũ", "caf\u00e9, corac\u0327a\u0303o"]
)
def test_any_letter_with_a_tilde_breaks_sem_til(text):
    """ã, õ, ñ and whatever else carries one, composed or not."""
    assert not verify("ptbr:sem_til", text).followed


@pytest.mark.parametrize("text", ["~", "uns ~10", "a ˜ b", "água é você à ç ü", "∼ ～"])
def test_a_tilde_alone_is_no_letter_with_a_tilde(text):
    """The sign ~ and other marks do not break sem_til."""
    assert verify("ptbr:sem_til", text).followed


@pytest.mark.parametrize(
    "text", ["é", "à", "ô", "ü", "ç", "ñ", "Ã", "e\u0301", "o\u0323", "naïve", "Škoda", "ά", "ё", "¿qué?"]
)
def test_a_letter_with_a_mark_breaks_sem_diacritico(text):
    """Whatever the mark, the letter, its case and its normal form."""
    assert not verify("ptbr:sem_diacritico", text).followed


@pytest.mark.parametrize(
    "text",
    [
        "1º e 2ª",
        "n.º",
        "…",
        "^ ~ ` ´ ¨",
        "♻\ufe0f",
        "1\ufe0f\u20e3",
        "Søren",
        "“ola” — R$ 5,00",
        "日本語 한국어",
        "👩‍🏫",
    ],
)
def test_signs_are_no_diacritics(text):
    """Ordinals, spacing accents, emoji, quotes and other scripts have no accent or cedilla."""
    assert verify("ptbr:sem_diacritico", text).followed


@pytest.mark.parametrize(
    ("text", "followed"),
    [
        ("Você bebe água.", True),
        ("ÁGUA PARA O AVÔ", True),
        ("Ele vê-lo-á.", False),
        ("Ele vê-lo-á em três dias.", True),
        ("Ele vê-lo-á sábado.", True),
        ("só nós", False),
        ("três avôs", False),
        ("^ ´ sem nada", False),
        ("à, ã, ç", False),
    ],
)
def test_acute_and_circumflex_stand_on_two_words(text, followed):
    """One word of each, and two words in all."""
    for form in ("NFC", "NFD"):
        assert verify("ptbr:agudo_e_circunflexo", unicodedata.normalize(form, text)).followed is followed


def test_the_evidence_of_acute_and_circumflex_are_the_two_words():
    """The first word of each kind, in the order of the text."""
    text = "Três vezes por mês bebo água e café."
    verdict = verify("ptbr:agudo_e_circunflexo", text)
    assert [text[start:end] for start, end in verdict.evidence] == ["Três", "água"]
    assert verdict.detail == "“água” tem acento agudo e “Três”, acento circunflexo."


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("só nós", "Nenhuma palavra tem acento circunflexo."),
        ("três avôs", "Nenhuma palavra tem acento agudo."),
        ("nada", "Nenhuma palavra tem acento agudo nem circunflexo."),
        ("vê-lo-á", "“vê-lo-á” é a única palavra com acento agudo e a única com circunflexo."),
    ],
)
def test_the_verdict_says_which_accent_is_missing(text, detail):
    """An accent that no word has is named; a word that has both cannot stand for both."""
    assert verify("ptbr:agudo_e_circunflexo", text).detail == detail
