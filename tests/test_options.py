"""One of a few options."""

import pytest

from lm_eval_ifeval_pt import verify
from lm_eval_ifeval_pt.ifeval.dialects.google import GAP_UFG, GOOGLE_PT
from lm_eval_ifeval_pt.text import Text


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("Minha resposta é sim.", True),
        ("Boa pergunta! MINHA RESPOSTA É TALVEZ.", True),
        ("**Minha resposta é na\u0303o.** Explico: chove.", True),
        ("Resposta: “Minha resposta é não.”", True),
        ("Minha resposta é sim", False),
        ("Minha resposta é simples.", False),
        ("A minha resposta é sim.", False),
        ("My answer is yes.", False),
        ("Minha resposta é sim. Ou não: minha resposta é talvez.", False),
    ],
)
def test_the_option_stands_there_as_a_sentence(response, expected):
    """As it is spelt, its stop included; two options are no answer."""
    assert verify("detectable_format:constrained_response", response).followed == expected


def test_each_data_set_has_its_options():
    """gap-ufg asks for 'Sim.', 'Não.' or 'Talvez.', the others for 'Minha resposta é …'."""
    own, others = (dialect.bind("detectable_format:constrained_response", {}) for dialect in (GAP_UFG, GOOGLE_PT))
    for response, expected in (("Não.", True), ("Claro que não.", False), ("Assim.", False), ("Sim. Não.", False)):
        assert own.verify(Text(response)).followed == expected
    assert not others.verify(Text("Não.")).followed
    assert GAP_UFG.bind(own.constraint.id, own.kwargs) == own
