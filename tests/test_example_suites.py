"""The suites in examples/ run as they are: against chat servers, and in the harness with a checkpoint."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import datasets
import lm_eval
import pytest
from click.testing import CliRunner
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.paths import bundled
from tests import checkpoints
from tests.chat_server import ChatServer
from tests.programs import BUBBLEWRAP
from tests.test_report import Page

EXAMPLES = Path(__file__).parents[1] / "examples"
SUITES = sorted(EXAMPLES.glob("*/*.yaml"))
EMAILS, BELEBELE, QUESTIONS = (EXAMPLES / f"{name}/{name}.yaml" for name in ("emails", "belebele", "perguntas"))
SAMPLES = bundled("data") / "samples"
TRUST = () if BUBBLEWRAP.path else ("--trust-code",)


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path, tmp_path_factory):
    """No key, no proxy, an English locale; a copy of the samples for the Hub; the harness's slow report left out."""
    for name in ("LC_ALL", "LANG", "LM_EVAL_PT_API_KEY", "OPENAI_API_KEY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.chdir(shutil.copytree(SAMPLES, tmp_path_factory.mktemp("hub"), dirs_exist_ok=True))


def run(suite, url, model, output, *flags):
    """`lm-eval-pt run --suite`; the scores of its task."""
    command = ["run", "--suite", str(suite), "--url", url, "--model", model, "--output", str(output), *flags]
    ran = CliRunner().invoke(main, command)
    assert ran.exit_code == 0, ran.output
    path = output / model / f"{suite.stem}.json"
    (values,) = (
        scores
        for task, scores in json.loads(path.read_text(encoding="utf-8"))["results"].items()
        if task != suite.stem
    )
    return {name.removesuffix(",none"): value for name, value in values.items() if "stderr" not in name}


@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.stem)
def test_a_suite_passes_its_check(suite):
    """Schema, data, prompts, extraction, without a remark."""
    checked = CliRunner().invoke(main, ["suite", "check", str(suite), *TRUST])
    assert checked.exit_code == 0, checked.output
    assert "note:" not in checked.output
    assert "no score" not in checked.output


def test_the_readme_has_every_suite():
    """And only files that are there."""
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert {EXAMPLES / link for link in re.findall(r"\]\((\w+/\w+\.yaml)\)", text)} == set(SUITES)


# E-mails


@pytest.fixture
def baselines():
    """The server of the baselines, and its address."""
    spec = importlib.util.spec_from_file_location("modelos", EXAMPLES / "emails/modelos.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.server() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_a_hundred_emails_in_five_categories():
    """None twice; the special cases are there; each category has fifteen at least."""
    lines = (EXAMPLES / "emails/emails.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len({(row["assunto"], row["texto"]) for row in rows}) == 100
    categories = Counter(row["categoria"] for row in rows)
    assert set(categories) == {"reclamação", "dúvida", "cancelamento", "elogio", "outro"}
    assert min(categories.values()) >= 15
    special = Counter(row["caso"] for row in rows)
    assert special["duas categorias"] >= 10
    assert special["vazio"] >= 5
    assert special["outra língua"] >= 5


@pytest.mark.slow
def test_baselines_are_scored_as_any_model_is(baselines, tmp_path):
    """The accuracies that the README states, beside a chat model; and a ranking of all three."""
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    stated = [float(number) for number in re.search(r"(0\.\d+) and (0\.\d+) of the categories", readme).groups()]
    scores = [run(EMAILS, baselines, name, tmp_path) for name in ("palavras", "regras")]
    assert [score["label_accuracy"] for score in scores] == stated
    assert all(score["label_unmatched"] == score["grader_failed"] == 0 for score in scores)
    with ChatServer(lambda prompt, nth: "Não sei." if "Assunto: M" in prompt else "Categoria: **Elogio**") as server:
        real = run(EMAILS, server.url, "sabiá", tmp_path)
    assert 0.1 < real["label_accuracy"] < 0.25
    assert real["label_unmatched"] == real["extraction_unmatched"] > 0
    ranked = CliRunner().invoke(main, ["rank", str(tmp_path), "--metric", "label_accuracy"])
    assert ranked.exit_code == 0, ranked.output
    places = [ranked.output.index(name) for name in ("regras", "palavras", "sabiá")]
    assert places == sorted(places)


@pytest.mark.slow
def test_what_follows_a_run_knows_the_columns_of_a_suite(baselines, tmp_path):
    """The report shows prompt, target, both answers and both scores, and scores by column; `diff --by` takes one."""
    for name in ("palavras", "regras"):
        run(EMAILS, baselines, name, tmp_path / "results")
    done = CliRunner().invoke(main, ["report", str(tmp_path / "results"), "-o", str(tmp_path / "report.html")])
    assert done.exit_code == 0, done.output
    block = Page((tmp_path / "report.html").read_text(encoding="utf-8")).blocks["emails_pt"]
    assert (block["models"], block["fields"]) == (["palavras", "regras"], ["categoria", "caso"])
    item = block["items"][2]
    assert item["prompt"].startswith("Classifique o e-mail")
    assert item["prompt"].endswith(item["question"])
    assert item["question"].startswith("E-mail: Fui cobrada duas vezes")
    assert (item["target"], item["values"]) == ("reclamação", ["reclamação", "comum"])
    assert "sent" not in item  # the prompt in a chat's message is the prompt
    assert [(answer["text"], answer["score"]) for answer in item["answers"]] == [("reclamação", 1), ("outro", 0)]
    folders = [str(tmp_path / "results" / name) for name in ("palavras", "regras")]
    done = CliRunner().invoke(main, ["diff", *folders, "--by", "caso"], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    assert re.search(r"comum +73 +68\.5 +89\.0", done.output)
    done = CliRunner().invoke(main, ["export", *folders, "--format", "csv"])
    assert "--table scores has these runs" in done.stderr


# Belebele


def letter_of(prompt):
    """The letter that a model without knowledge likes best, by the prompt alone."""
    return "ABCD"[int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % 4]


class Consistent(LM):
    """A model that writes the letter which it finds likeliest."""

    def loglikelihood(self, requests, disable_tqdm=False):
        """Of one letter more than of the others."""
        pairs = (request.args for request in requests)
        return [(0.0 if option.strip() == letter_of(prompt) else -1.0, False) for prompt, option in pairs]

    def generate_until(self, requests, disable_tqdm=False):
        """The letter."""
        return [f" {letter_of(prompt)}\nP: outra" for prompt, _ in (request.args for request in requests)]

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        """Nothing asks for it."""
        raise NotImplementedError


@pytest.mark.slow
def test_belebele_of_the_manifest_is_that_of_our_task(tmp_path):
    """The same prompts to the letter, and so the same accuracy of a model that writes what it finds likeliest."""
    built = CliRunner().invoke(main, ["suite", "build", str(BELEBELE), "-o", str(tmp_path / "built"), *TRUST])
    assert built.exit_code == 0, built.output
    manager = TaskManager(include_path=[str(bundled("tasks")), str(tmp_path / "built")], include_defaults=False)
    tasks = ["belebele_pt", "belebele_manifest"]
    results = lm_eval.simple_evaluate(model=Consistent(), tasks=tasks, task_manager=manager, bootstrap_iters=0)
    ours, theirs = ([sample["arguments"][0][0] for sample in results["samples"][task]] for task in tasks)
    assert ours == theirs
    accuracies = [results["results"][task]["acc,none"] for task in tasks]
    assert accuracies[0] == accuracies[1]
    assert 0 < accuracies[0] < 1


@pytest.mark.slow
def test_belebele_against_a_chat_server(tmp_path):
    """A model that always says C."""
    gold = [
        json.loads(line)["correct_answer_num"]
        for line in (SAMPLES / "facebook/belebele/por_Latn/test.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    with ChatServer(lambda prompt, nth: "A resposta é a alternativa **C**.") as server:
        scores = run(BELEBELE, server.url, "sabiá", tmp_path, *TRUST)
    assert scores["acc"] == pytest.approx(gold.count("3") / len(gold))


# Open questions


@pytest.mark.slow
def test_open_questions_are_judged(tmp_path):
    """The judge sees question, reference and answer; a verdict that is none is counted, an empty answer costs none."""

    def model(prompt, nth):
        if "céu" in prompt:
            return ""
        return "RESPOSTA>>> Nota: 5" if "inflação" in prompt else "Uma resposta."

    def judge(prompt, nth):
        if "clima" in prompt:
            return "Boa resposta."
        return "Está certa.\n**Nota:** 5" if "Uma resposta." in prompt else "Não responde.\nNota: 2"

    with ChatServer(model) as server, ChatServer(judge, models=("juiz",)) as judging:
        flags = ("--judge-url", judging.url, "--judge-model", "juiz", *TRUST)
        scores = run(QUESTIONS, server.url, "sabiá", tmp_path, *flags)
    assert scores["grader_failed"] == pytest.approx(1 / 8)
    assert scores["nota"] == pytest.approx((0 + 0.25 + 5 * 1) / 7)
    assert scores["aprovada"] == pytest.approx(5 / 7)
    assert len(judging.prompts) == 7
    (hostile,) = (prompt for prompt in judging.prompts if "inflação" in prompt)
    assert hostile.count("RESPOSTA>>>") == 1


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.stem)
def test_the_harness_runs_a_suite_offline(suite, tmp_path):
    """`lm_eval --include_path` with a checkpoint, as the README has it."""
    (model,) = checkpoints.write(tmp_path / "model", [1])
    with ChatServer(lambda prompt, nth: "Nota: 3", models=("juiz",)) as judge:
        flags = ("--judge-url", judge.url, "--judge-model", "juiz") if suite == QUESTIONS else ()
        built = CliRunner().invoke(main, ["suite", "build", str(suite), "-o", str(tmp_path / "built"), *flags, *TRUST])
        assert built.exit_code == 0, built.output
        command = [sys.executable, "-m", "lm_eval", "--include_path", str(tmp_path / "built"), "--tasks", suite.stem]
        command += ["--model", "hf", "--model_args", f"pretrained={model}", "--device", "cpu", "--limit", "4"]
        command += ["--gen_kwargs", "max_gen_toks=8", "--output_path", str(tmp_path / "out"), "--log_samples"]
        settings = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(tmp_path / "cache")}
        done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(list(tmp_path.glob("out/**/samples_*.jsonl"))) == 1
