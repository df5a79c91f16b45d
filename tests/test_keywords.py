"""Words that must, or must not, occur."""

import unicodedata

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.text.terms import pattern
from tests import timing


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("arte", "a arte", ["arte"]),
        ("arte", "parte, artes, arte2, arté", []),
        ("arte", "_arte_ **arte** (arte) “arte” arte.", ["arte"] * 5),
        ("chuva", "guarda-chuva, chuva-de-ouro", []),
        ("guarda-chuva", "o guarda-chuva", ["guarda-chuva"]),
        ("ajuda", "ajuda-me, ajuda-se-lhe, ajuda-los-ia", ["ajuda", "ajuda"]),
        ("se", "diga-se o que se quer; bem-se-vê", ["se", "se"]),
        ("bem", "o bem-te-vi canta bem", ["bem"]),
        ("água", "copo d'água e d’água", ["água", "água"]),
        ("d'água", "copo d’água", ["d’água"]),
        ("por acaso", "por\n acaso, por\u00a0acaso", ["por\n acaso", "por\u00a0acaso"]),
        ("c++", "c, c++ e c++", ["c++", "c++"]),
        ("etc.", "etc. etc", ["etc."]),
        ("r$", "r$ 5", ["r$"]),
        ("7", "1977, 7,5, 1.7, 7.", ["7"]),
        ("[a-z]*", "abc [a-z]*", ["[a-z]*"]),
        ("saúde", "saude saúde", ["saúde"]),
        ("SAÚDE", "saúde", ["saúde"]),
        ("sau\u0301de", "saúde", ["saúde"]),
        ("\u200b", "nada", []),
    ],
)
def test_terms_are_literal_whole_words(term, text, found):
    """No part of a word or compound, no regular expression; a verb and its pronoun are two words."""
    assert [match.group() for match in pattern(term).finditer(text)] == found


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("você", "voce você vocês", ["voce", "você"]),
        ("maçã", "maca maça maçã macã", ["maca", "maça", "maçã", "macã"]),
        ("avô", "avó avô avo", ["avô", "avo"]),
        ("pais", "país pais", ["pais"]),
        ("é", "e é", ["é"]),
        ("está", "esta está", ["está"]),
        ("até já", "ate ja", ["ate ja"]),
    ],
)
def test_an_accented_term_is_also_found_bare(term, text, found):
    """A word without its accents is still the word, unless that is a word of grammar; with others, not."""
    assert [match.group() for match in pattern(term, accents=False).finditer(text)] == found


def test_every_keyword_is_needed():
    """The verdict names what is missing and shows the first occurrence of what is there."""
    text = "O sol e o mar; o sol."
    verdict = verify("keywords:existence", text, keywords=["mar", "lua", "sol", "céu"])
    assert not verdict.followed
    assert verdict.detail == "Faltam “lua” e “céu”."
    assert [text[start:end] for start, end in verdict.evidence] == ["sol", "mar"]
    assert verify("keywords:existence", text, keywords=["lua"]).detail == "Falta “lua”."
    assert verify("keywords:existence", text, keywords=["mar", "sol"]).followed


def test_every_forbidden_word_is_shown():
    """Each occurrence of each forbidden word is evidence, in the order of the text."""
    text = unicodedata.normalize("NFD", "Voce e VOCÊ, mas não vocês: água.")
    verdict = verify("keywords:forbidden_words", text, forbidden_words=["água", "você"])
    assert not verdict.followed
    assert [unicodedata.normalize("NFC", text[start:end]) for start, end in verdict.evidence] == [
        "Voce",
        "VOCÊ",
        "água",
    ]


@pytest.mark.parametrize(
    ("id", "kwargs", "wording"),
    [
        ("keywords:existence", {"keywords": ["sol"]}, "Use a palavra 'sol' na resposta."),
        ("keywords:existence", {"keywords": ["bom dia"]}, "Use a expressão 'bom dia' na resposta."),
        ("keywords:existence", {"keywords": ["a", "b", "c"]}, "Use as palavras 'a', 'b' e 'c' na resposta."),
        (
            "keywords:forbidden_words",
            {"forbidden_words": ["a", "b"]},
            "Não use as palavras 'a' e 'b' na resposta.",
        ),
    ],
)
def test_the_wording_lists_the_words(id, kwargs, wording):
    """One word, one expression or several words are asked for in right Portuguese."""
    assert registry.get(id).bind(kwargs).wording == wording


@pytest.mark.parametrize(
    "response",
    ["O **meio** ambiente.", "O `meio` ambiente.", 'O "meio" ambiente.', "_Meio_ **ambiente**.", "Me**io** ambiente."],
)
def test_a_term_is_looked_for_through_marks(response):
    """Emphasis, back-ticks and quotation marks inside or around words hide nothing, in strict verdicts too."""
    assert not verify("keywords:forbidden_words", response, forbidden_words=["meio ambiente"]).followed
    assert verify("keywords:existence", response, keywords=["meio ambiente"]).followed
    verdict = verify("keywords:frequency", response, keyword="meio ambiente", frequency=1, relation="exactly")
    assert verdict.followed
    ((start, end),) = verdict.evidence
    assert response[start:end].replace("*", "").replace("_", "").strip('`"').lower().startswith("me")


def test_marks_join_no_words():
    """What stands in two words is not one because a mark stands between them."""
    assert verify("keywords:forbidden_words", "O lix *o* fechou.", forbidden_words=["lixo"]).followed
    assert not verify("keywords:forbidden_words", "O **lix**o fechou.", forbidden_words=["lixo"]).followed


@pytest.mark.parametrize(
    "text",
    ["o **lix**o", "o `lix`o", "o l*ix*o", "o *lix*o", "o ~~lix~~o", "o **lixo**", "“lixo”", "Pôs o li**xo** fora."],
)
def test_a_word_is_read_through_its_marks(text):
    """Emphasis inside or around a word hides it from no reader, whichever the constraint."""
    assert verify("keywords:existence", text, keywords=["lixo"]).followed
    assert not verify("keywords:forbidden_words", text, forbidden_words=["lixo"]).followed
    assert verify("keywords:frequency", text, keyword="lixo", frequency=1, relation="exactly").followed


@pytest.mark.parametrize("text", ["p**arte**", "c`arte`", "**arte**fato", "*arte*são", "~~arte~~lharia"])
def test_marks_do_not_make_words_of_parts(text):
    """Part of a word in bold is no word: "p**arte**" says "parte"."""
    assert not verify("keywords:existence", text, keywords=["arte"]).followed
    assert verify("keywords:forbidden_words", text, forbidden_words=["arte"]).followed


@pytest.mark.parametrize("text", ["2*arte*3", "a*b*arte", "arte * b", "arte** fim", "arte/`c`"])
def test_other_stars_are_no_emphasis(text):
    """A star by a number, a letter or a blank leaves the word whole."""
    assert verify("keywords:existence", text, keywords=["arte"]).followed


@pytest.mark.slow
def test_terms_under_marks_take_linear_time():
    """A long answer full of marked words: twice the length, about twice the time."""
    build = timing.repeated("**lixo** e *lix*o `lixo` ")
    timing.assert_linear(build, lambda text: verify("keywords:forbidden_words", text, forbidden_words=["lixo"]), 20_000)
