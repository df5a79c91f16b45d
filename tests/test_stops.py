"""Stop strings of tasks, most of them written for base models, on the answers of chat models."""

import pytest

from lm_eval_ifeval_pt.models.endpoint.stops import cut
from tests.timing import LINEAR, growth

GSM8K = ["Pergunta:", "Question:", "</s>", "<|im_end|>"]
EXAM = ["\n\n"]


@pytest.mark.parametrize(
    ("answer", "stops", "expected"),
    [
        ("<think>\nPergunta: quantos?\n</think>\n#### 18", GSM8K, "<think>\nPergunta: quantos?\n</think>\n#### 18"),
        ("**Pergunta:** quantos ovos?\n9 + 9\n#### 18", GSM8K, "**Pergunta:** quantos ovos?\n9 + 9\n#### 18"),
        ("9 + 9 = 18\n#### 18\n\nPergunta: e depois?\n#### 7", GSM8K, "9 + 9 = 18\n#### 18\n\n"),
        ("#### 18</s></s>", GSM8K, "#### 18"),
        ("<think>Um </s> pensado.</think>18<|im_end|>", GSM8K, "<think>Um </s> pensado.</think>18"),
        ("\n\nA", EXAM, "\n\nA"),
        ("<think>\n\nSerá A?\n\n</think>\n\nB", EXAM, "<think>\n\nSerá A?\n\n</think>\n\nB"),
        ("B\n\nPois a Lua gira.", EXAM, "B"),
        ("Pergunta:", GSM8K, "Pergunta:"),
        ("", GSM8K, ""),
        ("18 Pergunta: x", [""], "18 Pergunta: x"),
    ],
)
def test_a_stop_counts_after_the_thought_and_the_first_line(answer, stops, expected):
    """The expected answers are what a reader would call the answer."""
    assert cut(answer, stops, "answer") == expected


def test_stops_of_the_server_count_anywhere_and_others_nowhere():
    """`server` is the published rule; `none` leaves the answer whole."""
    assert cut("<think>\nPergunta: x</think>18", GSM8K, "server") == "<think>\n"
    assert cut("18\nPergunta: x", GSM8K, "none") == "18\nPergunta: x"


def test_a_hostile_answer_takes_linear_time():
    """Nothing but blanks, or stops in a thought that never ends."""
    for piece in (" \n", "<think>Pergunta:"):
        assert growth(lambda size, piece=piece: piece * size, lambda text: cut(text, GSM8K, "answer"), 20_000) < LINEAR
