"""HumanEval in the harness: prompts, the programs read from responses, pass@k, and the real problems."""

import math
import re

import datasets
import lm_eval
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from lm_eval_ifeval_pt.benchmarks import humaneval, sandbox
from lm_eval_ifeval_pt.paths import bundled
from tests import timing
from tests.quality.gold import needs_gold
from tests.quality.gold import rows as gold_rows

SAMPLES = bundled("data") / "samples"
MANAGER = TaskManager(include_path=str(bundled("tasks")), include_defaults=False)
TASKS = ("humaneval_pt", "humaneval_pt_complete", "humaneval_pt_64")

PROMPT = (
    "from typing import List\n\n\ndef helper(x):\n    return x\n\n\n"
    "def add(a: int, b: int) -> int:\n    '''Add.'''\n"
)
DOC = {
    "prompt": PROMPT,
    "entry_point": "add",
    "test": "def check(candidate):\n    assert candidate(2, 3) == 5\n    assert candidate(-1, 1) == helper(0)\n",
}


@pytest.fixture(autouse=True)
def hub(tmp_path_factory, monkeypatch):
    """The samples in place of the Hub."""
    monkeypatch.chdir(SAMPLES)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path_factory.getbasetemp() / "cache")


@pytest.fixture(scope="module")
def isolation():
    """What keeps the programs away from the machine; a skip that says why where nothing does."""
    try:
        return sandbox.find(weak=True)
    except sandbox.SandboxError as error:
        pytest.skip(str(error))


def load(name):
    """One task."""
    return MANAGER.load([name])["tasks"][name]


class Scripted(LM):
    """A model that answers by a function of the document and the number of the sample."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def generate_until(self, requests):
        """One answer per request."""
        counts = {}
        for request in requests:
            number = counts[request.doc_id] = counts.get(request.doc_id, -1) + 1
            yield self.answer(request.doc, number)

    def loglikelihood(self, requests):
        """No task asks for it."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def evaluate(name, answer, **kwargs):
    """What the harness's `simple_evaluate` returns."""
    return lm_eval.simple_evaluate(
        model=Scripted(answer), tasks=[name], task_manager=MANAGER, bootstrap_iters=0, **kwargs
    )


# Prompts


def test_the_prompts():
    """A Portuguese instruction around the English prompt, whose beginning the answer takes up; or the prompt alone."""
    contexts = {}
    for name in TASKS:
        task = load(name)
        task.build_all_requests()
        contexts[name] = task.instances[0].args[0]
        prompt = task.eval_docs[0]["prompt"]
    assert contexts["humaneval_pt_complete"] == prompt
    assert contexts["humaneval_pt"] == contexts["humaneval_pt_64"] == (
        "Escreva uma solução para o problema a seguir e certifique-se de que ela passe nos testes:\n"
        f"```python\n{prompt}\n```\nAqui está a função completa:\n```python\n{prompt}\n"
    )


@pytest.mark.parametrize("name", TASKS)
def test_nothing_runs_without_the_flag_of_the_harness(name):
    """Its own check, before anything is generated."""
    with pytest.raises(ValueError, match="confirm_run_unsafe_code"):
        evaluate(name, lambda doc, number: pytest.fail("asked for an answer"))


@pytest.mark.parametrize("name", TASKS)
def test_the_baseline_is_the_published_one(name):
    """pass@1, and no chance to guess."""
    config = load(name).config
    assert config.metadata["npm"] == {"metric": "pass@1", "random": 0, "max": 1}
    assert "pass@1" in [metric["metric"] for metric in config.metric_list]


# Programs

BODY = "    return a + b\n"
WHOLE = f"def add(a, b):\n{BODY}"


@pytest.mark.parametrize(
    "response",
    [
        BODY,
        f"\n{BODY}",
        f"{BODY}```\n\nA função soma os dois números.",
        f"{BODY}\n# Teste\nprint(add(1, 2))\n```",
        f"{BODY}\nprint('fim' + 1)\n",
        f"{BODY}```\nOutra forma:\n```python\ndef add(a, b):\n    return 0\n```",
        f"```python\n{WHOLE}```",
        f"```\n{WHOLE}```\n",
        f"```python\n{WHOLE}",
        f"Aqui está a solução:\n\n```python\n{WHOLE}```\n\nExemplo:\n```python\nprint(add(1, 2))\n```",
        f"Instale antes:\n```bash\npip install x\n```\n```python\n{WHOLE}```",
        "```python\nfrom math import fsum\n\ndef add(a: List[int], b):\n    return int(fsum([a, b]))\nprint('ok')\n```",
        WHOLE,
        f"<think>Talvez:\n```python\ndef add(a, b):\n    return 0\n```</think>\n```python\n{WHOLE}```",
        f"<think>a - b?</think>{BODY}",
    ],
)
def test_the_program_of_a_response_is_found(isolation, response):
    """It goes on where the prompt ends, or states the function anew, with and without a fence."""
    program = sandbox.ProgramUnderTest(humaneval.answered(DOC, response), "add", DOC["test"], PROMPT)
    assert sandbox.judge(program, isolation) == sandbox.Outcome(True, "")


@pytest.mark.parametrize(
    "response",
    ["", "```", "Não sei.", "    pass", f"<think>\n{BODY}", f"```python\ndef sub(a, b):\n{BODY}```"],
)
def test_a_response_without_a_solution_fails(isolation, response):
    """An unclosed thought is no answer."""
    program = sandbox.ProgramUnderTest(humaneval.answered(DOC, response), "add", DOC["test"], PROMPT)
    assert not sandbox.judge(program, isolation).passed


def test_a_continuation_ends_at_the_published_stops():
    """A model behind an endpoint that knows no stop strings gets the same program."""
    for stop in load("humaneval_pt_complete").config.generation_kwargs["until"]:
        assert humaneval.continued(DOC, f"{BODY}{stop.lstrip()} x") == (PROMPT + BODY).removesuffix("\n")
    assert humaneval.continued(DOC, BODY) == PROMPT + BODY


@given(st.text() | st.lists(st.sampled_from(["```", "python", "\n", "def add(", " ", "x", "</think>"])).map("".join))
def test_any_response_gives_a_program(response):
    """No text from a model raises."""
    assert isinstance(humaneval.answered(DOC, response), str)
    assert humaneval.continued(DOC, response).startswith(PROMPT)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["```", "```\n", "```python\n", "\n", " ", "\n ", "def add", "def add(a):\n", "x"])
def test_reading_takes_linear_time(piece):
    """Whatever the answer repeats, however long."""

    def read(response):
        humaneval.answered(DOC, response)
        humaneval.continued(DOC, response)

    timing.assert_linear(timing.repeated(piece), read, 200_000)


@pytest.mark.parametrize(
    "response",
    [
        "1. Código:\n\n   ```python\n   def add(a, b):\n       return a + b\n   ```\n2. Pronto.",
        "Código:\n~~~python\ndef add(a, b):\n    return a + b\n~~~\nPronto.",
        "> ```python\n> def add(a, b):\n>     return a + b\n> ```\n",
        "Veja ```soma``` e:\n\n```python\ndef add(a, b):\n    return a + b\n```",
        "````python\ndef add(a, b):\n    return a + b\n````",
        "```python\ndef add(a, b):\n    '''Uso:\n    ```\n    add(1, 2)\n    ```\n    '''\n    return a + b\n```",
        "Código:\r\n```python\r\ndef add(a, b):\r\n    return a + b\r\n```\r\n",
    ],
)
def test_blocks_of_code_are_read_as_markdown_has_them(response):
    """In a list's item, in a quotation, between tildes, with a fence inside of the code."""
    names = {}
    exec(humaneval.answered(DOC, response), names)
    assert names["add"](2, 3) == 5


# Scores


def test_pass_at_k_needs_k_samples():
    """A run with fewer `repeats` than the definition asks for stops with the number."""
    with pytest.raises(ValueError, match=r"pass@64 needs 64 samples a problem .*repeats.*, there are 8"):
        humaneval.process_results_64({}, [[{"passed": True}] * 8])


@pytest.mark.slow
def test_results_of_a_run(isolation):
    """Half of the samples pass; each says why it does not."""
    results = evaluate(
        "humaneval_pt",
        lambda doc, _: doc["canonical_solution"] if int(doc["task_id"][-1]) % 2 else "    pass\n",
        confirm_run_unsafe_code=True,
    )
    scores = results["results"]["humaneval_pt"]
    assert scores["pass@1,none"] == 0.5
    assert scores["npm,none"] == 50
    samples = results["samples"]["humaneval_pt"]
    assert [sample["pass@1"] for sample in samples] == [0, 1, 0, 1, 0, 1, 0, 1]
    assert samples[0]["filtered_resps"] == [[{"passed": False, "reason": "wrong answer"}]]


@pytest.mark.slow
def test_pass_at_k_over_repeats(isolation):
    """16 of 64 samples pass, and equal ones are run once."""
    results = evaluate(
        "humaneval_pt_64",
        lambda doc, number: "    pass\n" if number % 4 else doc["canonical_solution"],
        confirm_run_unsafe_code=True,
        limit=2,
    )
    scores = results["results"]["humaneval_pt_64"]
    assert scores["pass@1,none"] == pytest.approx(0.25)
    for k in (2, 8, 16, 32, 64):
        assert scores[f"pass@{k},none"] == pytest.approx(1 - math.comb(48, k) / math.comb(64, k))


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_every_sample_can_be_solved(isolation, name):
    """The rows that stand in for the data set, by their own solutions."""
    results = evaluate(name, lambda doc, _: doc["canonical_solution"], confirm_run_unsafe_code=True)
    assert results["results"][name]["pass@1,none"] == 1


# The real problems


@pytest.mark.slow
@needs_gold
def test_all_real_problems_judge_right(isolation):
    """Each of 164 canonical solutions passes, each `pass` fails."""
    docs = list(gold_rows("bench/humaneval.jsonl"))
    assert len(docs) == 164
    solved = humaneval.run_continued([[doc["canonical_solution"]] for doc in docs], docs)
    assert [doc["task_id"] for doc, (outcome,) in zip(docs, solved, strict=True) if not outcome["passed"]] == []
    empty = humaneval.run_answered([["    pass\n```"] for _ in docs], docs)
    assert [doc["task_id"] for doc, (outcome,) in zip(docs, empty, strict=True) if outcome["passed"]] == []


@needs_gold
def test_a_whole_function_gives_the_program_of_its_continuation():
    """For every real problem: stated anew in a fence, after the imports and helpers of the prompt."""
    for doc in gold_rows("bench/humaneval.jsonl"):
        start = re.search(rf"^def {doc['entry_point']}\b", doc["prompt"], re.M).start()
        whole = doc["prompt"][start:] + doc["canonical_solution"]
        program = humaneval.answered(doc, f"Claro!\n```python\n{whole}```")
        assert program == f"{doc['prompt'][:start]}\n{whole}"


def test_the_progress_bar_is_shown(isolation, capsys):
    """On standard error, as the harness shows its own."""
    sandbox.judge_all([sandbox.ProgramUnderTest(PROMPT + BODY, "add", DOC["test"], PROMPT)], isolation)
    assert "Running programs: 100%" in capsys.readouterr().err
