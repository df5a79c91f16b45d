"""The language of a response."""

from typing import get_args

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.text import Text, language, lexicon
from tests.quality.gold import TREEBANKS, needs_gold, sentences
from tests.quality.language import first, own, share


@pytest.mark.parametrize("text", own("pt"))
def test_portuguese_is_recognised_whole_and_in_capitals(text):
    """Sentences of four to eleven words of either variety."""
    assert verify("language:response_language", text, language="pt").followed
    assert verify("language:response_language", text.upper(), language="pt").followed


@pytest.mark.parametrize("other", ["es", "en"])
def test_spanish_and_english_are_no_portuguese(other):
    """No sentence of them, in capitals neither; each is what it is."""
    texts = own(other)
    assert share(texts) == share(map(str.upper, texts)) == 0
    assert share(texts, other) == 1


def test_galician_is_no_portuguese_where_it_can_be_told_apart():
    """'A casa amarela é do meu avó' is Portuguese but for an accent; most sentences differ."""
    assert share(own("gl")) < 0.15
    assert share(own("gl"), "gl") > 0.85


@needs_gold
@pytest.mark.parametrize("treebank", [name for name in TREEBANKS if name != "DANTEStocks"])
def test_sentences_of_treebanks_are_portuguese(treebank):
    """Nearly all whole, and most of their first five words; every tenth sentence of more than three words."""
    texts = [row["text"] for row in sentences(treebank)][::10]
    texts = [text for text in texts if len(text.split()) > 3]
    assert share(texts) > 0.975
    assert share(map(first(5), texts)) > 0.94


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Faz sol.", True),
        ("Não.", True),
        ("Obrigado!", True),
        ("Hello, how are you?", False),
        ("¿Qué tal?", False),
        ("Merci beaucoup", False),
        ("Привет, как дела?", False),
        ("你好", False),
        ("123", False),
        ("🙂 !!!", False),
        ("https://exemplo.com.br/pagina", False),
        ("```python\nprint('olá, mundo')\n```", False),
    ],
)
def test_few_words_are_portuguese_if_they_may_be(text, expected):
    """What is plainly something else, or no words at all, is not."""
    assert verify("language:response_language", text, language="pt").followed == expected


@pytest.mark.parametrize("text", ["Faz sol.", "Chove muito", "Bem", "Não sei.", "Vou à feira"])
def test_what_is_likelier_to_be_portuguese_is_nothing_else(text):
    """A short answer in Portuguese must not pass for one in Galician or Spanish."""
    for other in ("gl", "es", "it", "ro"):
        assert not verify("language:response_language", text, language=other).followed


def test_the_prevalent_language_decides():
    """A quotation in another language does not change that of the answer."""
    text = "O autor escreveu “to be or not to be”, e a frase ficou famosa no mundo inteiro, até no Brasil."
    assert verify("language:response_language", text, language="pt").followed
    assert not verify("language:response_language", text, language="en").followed


def test_the_same_text_has_the_same_verdict_every_time():
    """Nothing is drawn at random: the case that made langdetect flip between Portuguese and Czech."""
    assert len({language.find(Text("Olá, tudo bem?"), "pt") for _ in range(20)}) == 1


def test_every_language_has_a_portuguese_name_and_names_that_lead_to_it():
    """The list of names covers the languages that can be asked for, and no others."""
    codes = get_args(language.Language)
    assert set(codes) == set(lexicon.groups("languages").values())
    names = ("Portuguese", "pt-BR", " português", "KANNADA", "klingon")
    assert [language.code(name) for name in names] == ["pt", "pt", "pt", "kn", "klingon"]
    assert language.name("gl") == "galego"


def test_the_detail_names_the_likelier_language():
    """So that a person sees what the answer was taken for."""
    verdict = verify("language:response_language", "The weather is nice today in Lisbon.", language="pt")
    assert verdict.detail == "A resposta parece estar em inglês, e não em português."


@pytest.mark.parametrize(
    "text",
    ["São Paulo is a big city.", "I love São Paulo and a good caipirinha.", "João and Maria went to the market.",
     "Gracias.", "Hola, ¿cómo estás?", "Muchas gracias por todo.", "Buenos días."],
)  # fmt: skip
def test_words_outweigh_names_on_a_short_text(text):
    """English with Portuguese names, and Spanish greetings, are not Portuguese."""
    assert not verify("language:response_language", text, language="pt").followed


@pytest.mark.parametrize(
    "text",
    ["Misture uma xícara de açúcar.", "Ponha duas xícaras de leite na caixa e mexa.", "Mexa até engrossar.",
     "Coloque o peixe no forno baixo.", "Oi, tudo bem?"],
)  # fmt: skip
def test_recipes_with_x_are_no_galician(text):
    """x is a letter of both languages; the words and the spelling around it are Portuguese."""
    assert verify("language:response_language", text, language="pt").followed
