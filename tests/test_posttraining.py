"""The groups for models after post-training, on the samples that stand in for the Hub."""

import json

import lm_eval
import pytest
from click.testing import CliRunner
from lm_eval.utils import handle_non_serializable

from lm_eval_ifeval_pt.benchmarks import sandbox
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.npm import leaderboard
from lm_eval_ifeval_pt.npm.baselines import BASELINES
from lm_eval_ifeval_pt.npm.formula import AVERAGES
from lm_eval_ifeval_pt.results import scores_in
from tests.test_suite import MANAGER, Hashing, hub, llama, score

__all__ = ["hub", "llama"]  # fixtures

# Tucano 2, section 9.4
KR = {"bluex", "enem", "oab_exams", "arc_challenge_poly_pt", "belebele_pt", "mmlu_poly_pt", "gsm8k_pt"}
GROUPS = {
    "tucano2_kr": ("K&R", KR),
    "tucano2_instruct": ("Instruct", KR | {"ifeval_pt_300", "humaneval_pt"}),
    "tucano2_think": ("Think", KR | {"ifeval_pt_300"}),
}


@pytest.fixture(autouse=True)
def _sandbox(request):
    """A skip that says why where no program can be run."""
    try:
        sandbox.find(weak=True)
    except sandbox.SandboxError as error:
        if "instruct" in request.node.name:
            pytest.skip(str(error))


def evaluate(name, model, **kwargs):
    """What the harness's `simple_evaluate` returns."""
    return lm_eval.simple_evaluate(
        model=model, tasks=[name], task_manager=MANAGER, confirm_run_unsafe_code=True, **kwargs
    )


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_a_group_holds_the_tasks_of_the_average(group):
    """Each once, and the same ones that `lm-eval-pt npm` averages."""
    average, tasks = GROUPS[group]
    held = [task.task_name for task in MANAGER.load([group])["groups"][group].get_all_tasks()]
    assert sorted(held) == sorted(tasks) == sorted(AVERAGES[average])


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_npm_of_a_group_is_that_of_the_command(group, tmp_path):
    """The unweighted mean over its tasks, from the harness's own result file.

    So is the standard error, but that the command takes no task for certain of which all documents went alike.
    """
    results = evaluate(group, Hashing())
    average, tasks = GROUPS[group]
    parts = [score(results, task, "npm") for task in tasks]
    npm, stderr = score(results, group, "npm")
    assert len({value for value, _ in parts}) > 1
    assert npm == pytest.approx(sum(value for value, _ in parts) / len(tasks))
    assert stderr == pytest.approx(sum(error**2 for _, error in parts) ** 0.5 / len(tasks))
    path = tmp_path / "results_2026-01-01T00-00-00.000000.json"
    del results["samples"]
    path.write_text(json.dumps(results | {"model_name": "m"}, default=handle_non_serializable), encoding="utf-8")
    done = CliRunner().invoke(main, ["npm", str(path), "--format", "json"])
    assert done.exit_code == 0, done.output
    (model,) = json.loads(done.stdout)["models"]
    found = model["averages"][average]
    assert found["npm"] == pytest.approx(npm)
    if all(error for _, error in parts):
        assert found["stderr"] == pytest.approx(stderr)
    else:
        assert found["stderr"] > stderr
    assert found["missing"] == []


def test_the_baseline_of_the_300_prompts_is_the_paper_s():
    """Strict, and no chance to guess."""
    baseline = BASELINES["ifeval_pt_300"]
    assert (baseline.metric, baseline.random, baseline.max) == ("prompt_level_strict_acc", 0, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("metadata", "task"), [({}, "ifeval_pt_300"), ({"npm": {"random": 0}}, "ifeval_pt")])
def test_ifeval_pt_of_others_is_the_one_of_the_paper(tmp_path, metadata, task):
    """Polygl0t's harness gives its 300 prompts the name of our 308, whose runs carry the baseline."""
    data = {
        "model_name": "m",
        "results": {"ifeval_pt": {"prompt_level_strict_acc,none": 0.5, "prompt_level_strict_acc_stderr,none": 0.1}},
        "configs": {"ifeval_pt": {"metadata": metadata}},
    }
    path = tmp_path / "results_2026-01-01T00-00-00.000000.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    board = leaderboard.build(scores_in(path))
    assert set(board.entries["m"]) == {task}


@pytest.mark.slow
def test_a_chat_template_keeps_prompts_of_the_instruct_group(llama):
    """Shots as turns, the beginning of the code as the model's own, and nothing for IFEval but its prompt."""
    results = evaluate(
        "tucano2_instruct",
        "hf",
        model_args={"pretrained": str(llama), "device": "cpu", "max_length": 8192},
        gen_kwargs={"max_gen_toks": 8},
        batch_size=4,
        limit=2,
        apply_chat_template=True,
        fewshot_as_multiturn=True,
        bootstrap_iters=0,
    )
    assert set(results["results"]) == GROUPS["tucano2_instruct"][1] | {"tucano2_kr", "tucano2_instruct"}

    def context(task):
        return results["samples"][task][0]["arguments"][0][0]

    assert context("gsm8k_pt").count("<user>Pergunta: ") == 6
    assert context("gsm8k_pt").endswith("\nResposta:<assistant>")
    doc = results["samples"]["humaneval_pt"][0]["doc"]
    assert context("humaneval_pt") == f"<user>{doc['query']}<assistant>{doc['prefix']}"
    assert context("ifeval_pt_300").startswith("<user>Descreva em poucas frases uma praia deserta.")


@pytest.mark.slow
def test_thoughts_do_not_reach_what_is_read_from_an_instruct_model():
    """A model that thinks of wrong answers and gives right ones scores as if it had not thought."""

    class Thinking(Hashing):
        def generate_until(self, requests):
            return [
                f"<think>\n\n#### 85\n\nLetra Z. Vírgulas, muitas.\n```python\nx\n```\n</think>\n\n{answer}"
                for answer in super().generate_until(requests)
            ]

    plain, thinking = (evaluate("tucano2_instruct", model, bootstrap_iters=0) for model in (Hashing(), Thinking()))
    for name, row in plain["results"].items():
        assert row["npm,none"] == thinking["results"][name]["npm,none"]
