"""Por que and porque."""

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.porques import porques
from tests.quality.gold import TREEBANKS, needs_gold, sentences


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("Por que não? Porque não.", ["por que", "porque"]),
        ("Por quê? O porquê, os porquês.", ["por quê", "porquê", "porquês"]),
        ("por\nque, por  que, por\u00a0que", ["por que", "por que", "por que"]),
        ("por\n\nque", []),
        ("por quem, por queijo, porquinho, vapor que sobe, supor que", []),
        ("_porque_ **por que**", ["porque", "por que"]),
        ("porque\u0302", ["porquê"]),
        ("por-que", []),
    ],
)
def test_the_four_forms_are_told_apart(text, forms):
    """White space may be any within a paragraph; other words that begin alike are none."""
    assert [porque.form for porque in porques(Text(text).lower)] == forms


@needs_gold
@pytest.mark.parametrize("treebank", TREEBANKS)
def test_porques_agree_with_the_treebanks(treebank):
    """Precision and recall of 'por que/quê' and of 'porque/porquê' are 1."""
    for row in sentences(treebank):
        forms = {porque.form[:4] for porque in porques(Text(row["text"]).lower)}
        assert ("por " in forms) == row["has_por_que"], row["text"]
        assert row["amb_porque"] or ("porq" in forms) == row["has_porque"], row["text"]


@pytest.mark.parametrize(
    ("text", "detail", "evidence"),
    [
        ("Por que foi? Porque quis.", "A resposta tem “por que” e “porque”.", ["Por que", "Porque"]),
        ("PORQUE QUIS. POR QUE NÃO?", "A resposta tem “por que” e “porque”.", ["PORQUE", "POR QUE"]),
        ("Foi porque quis, porque sim.", "Falta “por que”.", ["porque"]),
        ("Por que não?", "Falta “porque”.", ["Por que"]),
        ("Por quê? Eis o porquê.", "Faltam “por que” e “porque”.", []),
    ],
)
def test_the_verdict_says_which_form_is_missing(text, detail, evidence):
    """Both forms are asked for; what is there is shown, what is not is named."""
    verdict = verify("ptbr:porque_ambos", text)
    assert verdict.followed == (len(evidence) == 2)
    assert verdict.detail == detail
    assert [text[start:end] for start, end in verdict.evidence] == evidence
