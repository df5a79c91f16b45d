"""Exactly one porquê, of the form that is asked for and right where it stands."""

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.text.porques import porques
from tests.quality.gold import needs_gold, sentences

RIGHT = {
    "por que": [
        "Por que você saiu?",
        "Ela contou por que saiu.",
        "Não sei por que ele mentiu.",
        "Descubra, em poucas linhas, por que o mar é salgado.",
        "O motivo por que saí é outro.",
        "Quero saber por que motivo ele faltou.",
        "Não há por que temer.",
        "# Por que reciclar\n\nAjuda a cidade.",
        "Eis por que voltei.",
        "“Por que não?”, disse ela.",
        "Mas por\nque ele não veio?",
    ],
    "por quê": [
        "Você saiu por quê?",
        "Ele saiu e não disse por quê.",
        "Não veio. Por quê?",
        "Sem saber por quê, voltou.",
        "Ele riu (ninguém sabe por quê) e saiu.",
    ],
    "porque": [
        "Não saí porque chovia.",
        "Porque choveu, não saí.",
        "Ele faltou porque estava doente?",
        "Venha logo, PORQUE é tarde.",
        "Não saí porque, como sabe, chovia.",
        "Mesmo porque é tarde.",
    ],
    "porquê": [
        "Quero saber o porquê disso.",
        "Há vários porquês.",
        "Qual é o verdadeiro porquê?",
        "Cada porquê tem resposta.",
        "Explique o porque\u0302 da demora.",
    ],
}
WRONG = {
    "por que": [
        "Não saí por que chovia.",
        "Por que chovia, não saí.",
        "Vou embora por que estou cansada.",
        "Ele saiu por que?",
    ],
    "por quê": ["Por quê você saiu?", "Não sei por quê ele saiu."],
    "porque": ["Porque você saiu?", "Não sei o porque disso.", "Ele saiu porque?", "Mas porque você não veio?"],
    "porquê": ["Porquê você saiu?", "Saiu porquê estava cansado.", "Não sei porquê."],
}


def followed(response, form):
    """Whether the response has that form, and no other, once."""
    return verify("detectable_content:specific_porque", response, porque_type=form).followed


@pytest.mark.parametrize(("form", "response"), [(form, text) for form, texts in RIGHT.items() for text in texts])
def test_the_form_that_grammar_asks_for(form, response):
    """It is followed, and no other form is."""
    assert followed(response, form)
    assert not any(followed(response, other) for other in RIGHT if other != form)


@pytest.mark.parametrize(("form", "response"), [(form, text) for form, texts in WRONG.items() for text in texts])
def test_a_form_where_grammar_asks_for_another(form, response):
    """The form is there, once, and misspelt for its use."""
    assert not followed(response, form)


@needs_gold
def test_newspapers_use_porque_rightly():
    """Of the sentences of treebanks with one porque, all are right; with 'por que' in its place, most are not."""
    texts = [row["text"] for name in ("Bosque", "GSD", "PUD", "Porttinari", "PetroGold") for row in sentences(name)]
    found = [(text, list(porques(text.lower()))) for text in texts]
    single = [(text, one[0]) for text, one in found if len(one) == 1 and one[0].form == "porque"]
    assert len(single) > 150
    assert sum(followed(text, "porque") for text, _ in single) / len(single) > 0.98
    respelt = [f"{text[: porque.start]}por que{text[porque.end :]}" for text, porque in single]
    assert sum(followed(text, "por que") for text in respelt) / len(respelt) < 0.25


def test_exactly_one_of_all_four_forms():
    """A second one breaks it, of whatever form; none does too."""
    assert not followed("Saí porque quis e voltei porque choveu.", "porque")
    assert not followed("Saí porque quis. Por quê?", "porque")
    assert not followed("Vim por quem amo.", "por que")
