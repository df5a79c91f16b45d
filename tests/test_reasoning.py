"""Reasoning before the answer is not graded."""

import pytest

from lm_eval_ifeval_pt.text.reasoning import answer


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("Fui à feira.", "Fui à feira."),
        ("<think>a, à</think>\n\nok", "\n\nok"),
        ("pensei à toa</think>ok", "ok"),
        ("<think>sem fim à", ""),
        ("<thinking>a</thinking>ok", "ok"),
        ("<think>a</think>b</think>c", "c"),
        ("Use a tag <think> no texto.", "Use a tag <think> no texto."),
        ("<|channel|>analysis<|message|>a, à<|end|><|start|>assistant<|channel|>final<|message|>ok", "ok"),
        ("<|channel|>final <|constrain|>json<|message|>{}", "{}"),
        ("<|channel|>analysis<|message|>sem fim à", ""),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>b", ""),
        ("analysisWe need crase.assistantfinalVou à feira.", "Vou à feira."),
        ("analysisWe need crase", ""),
        ("O termo assistantfinal aparece sem canal.", "O termo assistantfinal aparece sem canal."),
    ],
)
def test_the_answer_is_what_follows_the_reasoning(response, expected):
    """A closed thought is dropped, also when its opening tag was in the prompt; one that never ends leaves nothing.

    The messages of gpt-oss are those of its published format (openai/harmony).
    """
    assert answer(response).text == expected


def test_offsets_lead_to_the_whole_response():
    """Evidence in the answer is found at its place in the response as logged."""
    response = "<think>à</think>Vou à feira"
    text = answer(response)
    start = text.text.index("à")
    assert response[slice(*text.span(start, start + 1))] == "à"
    assert text.span(start, start + 1).start == response.rindex("à")
