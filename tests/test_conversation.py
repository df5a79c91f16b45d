"""Conversations: the loop, the harness's models that hold them, their score, and `lm-eval-pt run`."""

import json
import math
import pickle

import lm_eval
import pytest
from click.testing import CliRunner
from lm_eval.api.metrics import mean, mean_stderr
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.ifeval.metrics import Turn
from lm_eval_ifeval_pt.models.conversation import Conversing, converse
from lm_eval_ifeval_pt.paths import bundled
from tests import ifeval_rows
from tests.chat_server import ChatServer


def test_each_turn_sees_the_turns_and_the_answers_before_it():
    """The second request of a conversation holds its first turn and what the model said to it."""
    asked = []

    def ask(conversations):
        asked.append(conversations)
        return [f"resposta a {messages[-1]['content']}" for messages in conversations]

    held = converse(ask, [["a1", "a2"], ["b1"]], [[{"role": "system", "content": "s"}], []])
    assert [[messages[-1]["content"] for messages in batch] for batch in asked] == [["a1", "b1"], ["a2"]]
    assert held[0][1].messages == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "a1"},
        {"role": "assistant", "content": "resposta a a1"},
        {"role": "user", "content": "a2"},
    ]
    assert [[exchange.answer for exchange in exchanges] for exchanges in held] == [
        ["resposta a a1", "resposta a a2"],
        ["resposta a b1"],
    ]


def test_reasoning_is_no_part_of_the_conversation_but_of_the_answer():
    """The model is reminded of what it said, not of what it thought; the answer is kept as it came."""
    held = converse(lambda asked: ["<think>hum</think>\n\nOlá — às 5."] * len(asked), [["um", "dois"]])
    assert held[0][1].messages[1] == {"role": "assistant", "content": "Olá — às 5."}
    assert held[0][0].answer == "<think>hum</think>\n\nOlá — às 5."


def test_no_conversations_are_no_questions():
    """Nothing is asked for nothing."""
    assert converse(lambda asked: pytest.fail("asked"), []) == []


TURNS = [Turn("a", True), Turn("a", True), Turn("b", True), Turn("b", False), Turn("b", True), Turn("c", False)]


def test_a_conversation_is_followed_when_every_turn_is():
    """One of three: b has a turn that is not followed."""
    assert mean(TURNS) == pytest.approx(1 / 3)


def test_the_stderr_is_that_of_a_mean_over_conversations():
    """Hand computation: deviations 2/3, -1/3, -1/3 over 3 conversations, however many turns they have."""
    assert mean_stderr(TURNS) == pytest.approx(math.sqrt((4 + 1 + 1) / 9 / 2 / 3))
    assert math.isnan(mean_stderr(TURNS[:2]))


def test_turns_are_logged_as_numbers_and_can_be_sent_to_other_processes():
    """Sample files show 1.0 and 0.0; several processes gather their metrics by pickling them."""
    assert json.dumps(TURNS[2:4]) == "[1.0, 0.0]"
    assert mean(pickle.loads(pickle.dumps(TURNS))) == mean(TURNS)


@pytest.fixture
def source(tmp_path):
    """Two conversations, of three turns and of two."""
    rows = [ifeval_rows.multi_if(), ifeval_rows.multi_if("6:1:pt", turns=2)]
    return ifeval_rows.write(tmp_path / "multi.jsonl", rows)


class _Parrot(LM):
    """A model that answers with a fish once it has seen its own answer, and writes down what it is asked."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def loglikelihood(self, requests):
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood

    @property
    def tokenizer_name(self):
        return "parrot"

    def chat_template(self, chat_template=False):
        return ""

    def apply_chat_template(self, chat_history, add_generation_prompt=True):
        return json.dumps(chat_history, ensure_ascii=False)

    def generate_until(self, requests, disable_tqdm=False):
        prompts = [request.args[0] for request in requests]
        self.asked.append(prompts)
        return ["O rio tem peixe" if "O rio corre" in prompt else "O rio corre" for prompt in prompts]


class _ConversingParrot(Conversing, _Parrot):
    """The same, which sees its own answers."""


def evaluate(model, source, **options):
    """The multi_if_pt task in the harness."""
    manager = TaskManager(include_path=str(bundled("tasks")), include_defaults=False, metadata={"source": source})
    given = {"apply_chat_template": True} | options
    return lm_eval.simple_evaluate(model, tasks=["multi_if_pt"], task_manager=manager, bootstrap_iters=100, **given)


def test_the_harness_alone_feeds_the_users_turns_as_one_message(source):
    """What the documentation of the task says: turn 3 is the three turns with an empty line between them."""
    model = _Parrot()
    evaluate(model, source)
    (prompts,) = model.asked
    assert len(prompts) == 5
    assert json.loads(prompts[2]) == [
        {"role": "user", "content": "\n\n".join(prompt for prompt, *_ in ifeval_rows.TURNS)}
    ]


def test_a_conversing_model_sees_its_own_answers_in_the_harness(source):
    """Three rounds of requests; what the harness logs is what the model was given."""
    model = _ConversingParrot()
    results = evaluate(model, source, system_instruction="Seja breve.", log_samples=True)
    assert [len(prompts) for prompts in model.asked] == [2, 2, 1]
    second = [
        {"role": "system", "content": "Seja breve."},
        {"role": "user", "content": ifeval_rows.TURNS[0][0]},
        {"role": "assistant", "content": "O rio corre"},
        {"role": "user", "content": ifeval_rows.TURNS[1][0]},
    ]
    samples = results["samples"]["multi_if_pt"]
    assert json.loads(samples[1]["arguments"][0][0]) == second
    assert [sample["resps"][0][0] for sample in samples] == [
        "O rio corre",
        "O rio tem peixe",
        "O rio tem peixe",
        "O rio corre",
        "O rio tem peixe",
    ]


def test_turns_and_conversations_have_their_own_scores(source):
    """Turns 1 and 2 are followed in both; turn 3 wants six words, so one conversation of two is followed."""
    row = evaluate(_ConversingParrot(), source)["results"]["multi_if_pt"]
    assert (row["turn_1_strict_acc,none"], row["turn_2_strict_acc,none"], row["turn_3_strict_acc,none"]) == (1, 1, 0)
    assert row["conversation_strict_acc,none"] == 0.5
    assert row["conversation_strict_acc_stderr,none"] == pytest.approx(0.5)
    assert row["prompt_level_strict_acc,none"] == 4 / 5
    assert row["inst_level_strict_acc,none"] == 8 / 9
    assert "rows_left_out,none" not in row


@pytest.mark.slow
def test_repeated_requests_are_conversations_of_their_own(source):
    """With `repeats: 2` each turn is asked twice, in two conversations."""
    model = _ConversingParrot()
    manager = TaskManager(include_path=str(bundled("tasks")), include_defaults=False, metadata={"source": source})
    task = manager.load(["multi_if_pt"])["tasks"]["multi_if_pt"]
    task.set_config("repeats", 2)
    lm_eval.simple_evaluate(model, tasks=[task], apply_chat_template=True, bootstrap_iters=0)
    assert [len(prompts) for prompts in model.asked] == [4, 4, 2]


def test_conversations_need_a_chat_template(source):
    """A base model has no roles to tell its words from the user's."""
    with pytest.raises(ValueError, match="apply_chat_template"):
        evaluate(_ConversingParrot(), source, apply_chat_template=False)


@pytest.fixture
def run(tmp_path, source, monkeypatch):
    """Runs `lm-eval-pt run --task multi_if_pt`."""
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)

    def call(server, *flags):
        output = tmp_path / "result.json"
        fixed = ("--url", server.url, "--model", "sabiá", "--output", str(output), "--task", "multi_if_pt")
        outcome = CliRunner().invoke(main, ["run", *fixed, "--source", source, *flags])
        assert outcome.exit_code == 0, outcome.output
        return json.loads(output.read_text(encoding="utf-8"))

    return call


def test_run_holds_the_conversation_with_the_server_and_keeps_every_answer(run):
    """Its requests carry its own answers; a second run with the same answers asks nothing."""
    with ChatServer(lambda prompt, nth: "O rio tem peixe") as server:
        result = run(server)
        roles = sorted("".join(message["role"][0] for message in payload["messages"]) for payload in server.payloads)
        assert roles == ["u", "u", "uau", "uau", "uauau"]
        longest = max((payload["messages"] for payload in server.payloads), key=len)
        assert [message["content"] for message in longest[1::2]] == ["O rio tem peixe"] * 2
        assert run(server)["results"] == result["results"]
        assert len(server.payloads) == 5
    assert result["config"]["conversations"] == "with the model's own earlier answers"
    assert result["results"]["multi_if_pt"]["conversation_strict_acc,none"] == 0.5
    assert result["answers"]["total"] == 5
