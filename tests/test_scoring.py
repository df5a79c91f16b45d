"""Strict and loose verdicts of one response."""

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.ifeval.dialects import unmarked
from lm_eval_ifeval_pt.ifeval.scoring import score
from lm_eval_ifeval_pt.text import Text

CRASE = registry.get("ptbr:crase").bind(None)
SEM_TIL = registry.get("ptbr:sem_til").bind(None)
END = registry.get("startend:end_checker").bind({"end_phrase": "Fim!"})


def test_a_constraint_that_holds_strictly_holds_loosely():
    """The loose verdict is the strict one, and no variant is made."""
    (result,) = score("Vou à feira.", [CRASE], lambda text: 1 / 0)
    assert result.strict.followed
    assert result.loose is result.strict
    assert result.instruction is CRASE


def test_a_constraint_may_hold_on_a_variant_only():
    """Markdown at the end: strict no, loose yes, with evidence in the response as written."""
    response = "Acabou. **Fim!**"
    (result,) = score(response, [END], unmarked)
    assert not result.strict.followed
    assert result.loose.followed
    assert response[slice(*result.loose.evidence[0])] == "Fim!"


def test_a_constraint_that_holds_nowhere_keeps_its_strict_verdict():
    """What explains the failure is the response as it came, not a variant of it."""
    (result,) = score("**Não**", [SEM_TIL], unmarked)
    assert not result.loose.followed
    assert result.loose is result.strict
    assert result.strict.evidence == ((3, 4),)


def test_variants_are_made_once_and_tried_in_order():
    """Two failing instructions share the variants; the first one that holds decides; the response is none."""
    calls = []

    def variants(text):
        calls.append(str(text))
        return (text, Text("nada"), Text("às claras. Fim!"), Text("à toa"))

    first, second = score("Oi.", [CRASE, END], variants)
    assert calls == ["Oi."]
    assert first.loose.evidence == ((0, 2),)
    assert second.loose.followed


def test_a_text_already_made_is_taken_as_it_is():
    """A text without some part of the response is scored without that part; offsets lead to the response."""
    text = Text("<think>às</think>Vou à feira.").without([(0, 17)])
    (result,) = score(text, [CRASE], unmarked)
    assert [text.raw[slice(*span)] for span in result.strict.evidence] == ["à"]
