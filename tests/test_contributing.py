"""What CONTRIBUTING says is enough to add a benchmark or a data set is enough: a copy of the package follows it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

RUN = """
import json, sys
import datasets, lm_eval
from lm_eval.tasks import TaskManager
from tests.test_suite import Hashing

datasets.disable_progress_bars()
manager = TaskManager(include_path=sys.argv[1], include_defaults=False)
results = lm_eval.simple_evaluate(Hashing(), tasks=sys.argv[2:], task_manager=manager, bootstrap_iters=0)
print(json.dumps({"results": results["results"], "samples": results["samples"]}, default=str))
"""


def files_of(section):
    """The files that a recipe of CONTRIBUTING shows, by path: a path in backquotes, a colon, a block."""
    recipe = TEXT.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"`([\w./-]+)`:\n\n```\w+\n(.*?)```", recipe, re.DOTALL))


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package, its tasks and its data, with what both recipes add."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("lm_eval_ifeval_pt", "tasks", "data", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for section in ("A benchmark", "An IFEval data set"):
        for path, text in files_of(section).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    python(folder, "-m", "lm_eval_ifeval_pt.benchmarks.generate")
    return folder


def python(folder, *arguments, cwd=None):
    """What Python prints, with the package of a folder."""
    settings = {"PYTHONPATH": str(folder), "HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd or folder,
        env=os.environ | settings | {"LM_EVAL_IFEVAL_PT_HOOK": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def evaluate(folder, *tasks):
    """The results of the harness on the sample rows."""
    printed = python(folder, "-c", RUN, str(folder / "tasks"), *tasks, cwd=folder / "data" / "samples")
    return json.loads(printed.splitlines()[-1])


def test_each_recipe_shows_what_it_is_made_of():
    """Files by path, few enough for a screen or two."""
    assert list(files_of("A benchmark")) == [
        "lm_eval_ifeval_pt/benchmarks/adivinhas.py",
        "data/samples/fulano/adivinhas/train.jsonl",
        "data/samples/fulano/adivinhas/test.jsonl",
    ]
    assert list(files_of("An IFEval data set")) == [
        "lm_eval_ifeval_pt/ifeval/dialects/fulano.py",
        "tasks/ifeval_family/ifeval_fulano_pt.yaml",
        "data/samples/fulano/ifeval/test.jsonl",
    ]


@pytest.mark.slow
def test_a_benchmark_is_one_module(copy):
    """The harness runs both of its tasks, and chance is what the module says, to the last digit."""
    run = evaluate(copy, "adivinhas_pt", "adivinhas_pt_mcf")
    for task, metric in (("adivinhas_pt", "acc_norm"), ("adivinhas_pt_mcf", "acc")):
        scores = run["results"][task]
        assert scores["npm,none"] == pytest.approx(100 * (scores[f"{metric},none"] - 1 / 3) / (2 / 3))
        definition = yaml.load((copy / f"tasks/adivinhas_pt/{task}.yaml").read_text(encoding="utf-8"), yaml.BaseLoader)
        assert float(definition["metadata"]["npm"]["random"]) == 1 / 3
    contexts = {sample["arguments"][0][0] for sample in run["samples"]["adivinhas_pt"]}
    assert all(context.count("Adivinha: ") == 3 for context in contexts)
    assert {context.rpartition("Adivinha: ")[2] for context in contexts} == {
        "O que enche a casa e não enche a mão?\nResposta:",
        "O que quanto mais se tira, maior fica?\nResposta:",
    }
    shown = run["samples"]["adivinhas_pt_mcf"][0]["arguments"]
    assert shown[0][0].endswith("\nA. a água\nB. o pão\nC. a luz\nResposta:")
    assert [letter for _, letter in shown] == [" A", " B", " C"]


@pytest.mark.slow
def test_a_benchmark_joins_the_suite_and_the_npm(copy):
    """Groups, averages and pairs of formats know it, and nobody was told."""
    code = (
        "from lm_eval_ifeval_pt.npm.baselines import BASELINES, FORMATS\n"
        "from lm_eval_ifeval_pt.npm.formula import AVERAGES\n"
        "print([name for name, tasks in AVERAGES.items() if {'adivinhas_pt', 'adivinhas_pt_mcf'} & {*tasks}])\n"
        "print(FORMATS['adivinhas_pt'], BASELINES['adivinhas_pt'].random == 1 / 3)"
    )
    averages, formats = python(copy, "-c", code).splitlines()
    assert averages == "['Easy', 'Total', 'CF', 'MCF']"
    assert formats == "('adivinhas_pt', 'adivinhas_pt_mcf') True"


@pytest.mark.slow
def test_what_was_there_stays_as_it_was(copy):
    """The generator adds files, and members at the end of the groups; nothing else changes."""
    for path in (ROOT / "tasks").rglob("*.yaml"):
        new = (copy / path.relative_to(ROOT)).read_text(encoding="utf-8")
        added = [line for line in new.splitlines() if "adivinhas" in line]
        assert new.replace("\n".join([*added, ""]), "", 1) == path.read_text(encoding="utf-8")
        assert len(added) <= 1


@pytest.mark.slow
def test_a_data_set_is_a_module_and_a_definition(copy):
    """The harness scores its rows by their own ids and arguments, and the command line knows the dialect."""
    run = evaluate(copy, "ifeval_fulano_pt")
    documents = [sample["doc"] for sample in run["samples"]["ifeval_fulano_pt"]]
    assert [document["instruction_id_list"] for document in documents] == [
        ["punctuation:no_comma"],
        ["length_constraints:number_words"],
    ]
    assert 0 <= run["results"]["ifeval_fulano_pt"]["prompt_level_strict_acc,none"] <= 1
    listed = python(copy, "-m", "lm_eval_ifeval_pt", "ls", "constraints", "--dialect", "fulano")
    assert "minimo_de_palavras" in listed


@pytest.mark.slow
@pytest.mark.parametrize(
    "tests",
    ["test_suite.py", "test_npm.py", "test_leaderboard.py test_identity.py", "test_ifeval_family.py test_sources.py"],
)
def test_no_test_of_an_unrelated_thing_breaks(copy, tests):
    """The tests of the suite, of NPM and of the other data sets pass in the copy."""
    files = [f"tests/{name}" for name in tests.split()]
    python(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *files)
