"""Stop strings of tasks, most of them written for base models, on the answers of chat models."""

import pytest

from lm_eval_ifeval_pt.benchmarks.task import holds_words
from lm_eval_ifeval_pt.models.endpoint.stops import cut
from lm_eval_ifeval_pt.paths import bundled
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


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("", False),
        ("\n \n", False),
        ("**", False),  # what the stop "Pergunta:" leaves of "**Pergunta:** …"
        ("<think>\nSerá 18? ", False),  # a thought that a stop or the length ended
        ("<think>18</think>\n", False),
        ("<think>Quantos?</think>18", True),
        ("#### 18", True),
        ("É", True),
    ],
)
def test_an_answer_without_a_letter_or_digit_after_its_thought_is_empty(response, expected):
    """A number alone is an answer; marks, blanks and thoughts are none."""
    assert holds_words(response) is expected


@pytest.mark.parametrize(
    ("task", "response", "is_told"),
    [
        ("gsm8k_pt", "**", True),
        ("gsm8k_pt", "#### 18", False),
        ("enem", "<think>\nSerá A?", True),
        ("enem", "A", False),
    ],
)
def test_the_harness_is_told_once_that_most_answers_are_empty(monkeypatch, caplog, task, response, is_told):
    """`lm_eval --model hf` cuts at the stops of base models: one loud line a task names them and the option."""
    lm_eval = pytest.importorskip("lm_eval")
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Constant(LM):
        def generate_until(self, requests, disable_tqdm=False):
            return [response for _ in requests]

        def loglikelihood(self, requests, disable_tqdm=False):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    monkeypatch.chdir(bundled("data") / "samples")
    manager = TaskManager(include_path=str(bundled("tasks")), include_defaults=False)
    lm_eval.simple_evaluate(model=Constant(), tasks=[task], task_manager=manager, limit=4, bootstrap_iters=0)
    told = [record.getMessage() for record in caplog.records if "EMPTY" in record.getMessage()]
    assert len(told) == is_told
    if is_told:
        assert told[0].startswith(f"{task}: 4 of 4 answers are EMPTY")
        assert "--gen_kwargs 'until=[]'" in told[0]
        assert {"gsm8k_pt": "'Pergunta:'", "enem": r"'\n\n'"}[task] in told[0]
