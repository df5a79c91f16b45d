"""`suite new`: a commented manifest for a data file, from flags or from answers."""

import json

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt.cli import main, suite
from lm_eval_ifeval_pt.suite import starting
from lm_eval_ifeval_pt.suite.manifest import load
from tests.programs import BUBBLEWRAP

TRUST = () if BUBBLEWRAP.path else ("--trust-code",)
ROWS = [
    {"texto": "Chegou tudo certo.", "nota": "positivo", "n": 3},
    {"texto": "Não chegou.", "nota": "negativo", "n": 4},
    {"texto": "Adorei!", "nota": "positivo", "n": 5},
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working directory with data as JSONL and as CSV."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "meus dados.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    (tmp_path / "dados.csv").write_text("texto;nota\nBom;sim\nRuim;não\n", encoding="utf-8")
    return tmp_path


def new(*flags, answers=None, data="meus dados.jsonl"):
    """`lm-eval-pt suite new`."""
    return CliRunner().invoke(main, ["suite", "new", data, *flags], input=answers)


SAID = ("--question", "texto", "--target", "nota")


@pytest.mark.parametrize("kind", starting.METRICS)
def test_what_is_written_passes_its_check(kind, folder):
    """Of every type, with its own metric, whether that is a program or a grader of this package."""
    column = "n" if kind in ("numeric", "math") else "nota"
    made = new("--type", kind, "--question", "texto", "--target", column)
    assert made.exit_code == 0, made.output
    checked = CliRunner().invoke(main, ["suite", "check", "meus dados.yaml", *TRUST])
    assert checked.exit_code == 0, checked.output
    assert "note:" not in checked.output
    (task,) = load(folder / "meus dados.yaml").tasks
    assert task.entry["type"] == kind
    assert task.id == "meus_dados"
    assert task.scoring["grader"].get("id", task.scoring["grader"]["type"]) in (starting.METRICS[kind], "python")


@pytest.mark.parametrize("metric", [*starting.BUILTINS, *starting.PROGRAMS])
def test_any_metric_may_be_named(metric, folder):
    """With comments beside what may be changed."""
    column = "n" if metric == "numeric" else "nota"
    made = new("--type", "qa", "--question", "texto", "--target", column, "--metric", metric, "-o", "s.yaml")
    assert made.exit_code == 0, made.output
    assert len(load(folder / "s.yaml").tasks) == 1
    text = (folder / "s.yaml").read_text(encoding="utf-8")
    assert text.count("# ") >= 6


def test_labels_come_from_the_data(folder):
    """In the order in which they occur, CSV with its own separator."""
    assert new("--type", "classification", *SAID, data="dados.csv").exit_code == 0
    (task,) = load(folder / "dados.yaml").tasks
    assert task.entry["choices"] == task.entry["output_extraction"]["labels"] == ["sim", "não"]
    assert "{{choice_list}}" in task.entry["prompt_template"]


def test_what_no_flag_says_is_asked_with_a_terminal(folder, monkeypatch):
    """Type, columns, metric; an answer that is none is asked again; defaults are offered."""
    monkeypatch.setattr(suite, "_is_terminal", lambda: True)
    made = new(answers="\ntextos\ntexto\nnota\ncontains\n")
    assert made.exit_code == 0, made.output
    (task,) = load(folder / "meus dados.yaml").tasks
    assert (task.entry["type"], task.scoring["grader"]["id"]) == ("qa", "contains")
    assert "'textos' is not one of 'texto', 'nota', 'n'" in made.output


def test_without_a_terminal_nothing_is_asked(folder):
    """What is missing is named, with the columns."""
    made = new("--type", "qa", answers="")
    assert made.exit_code == 2
    assert "--question, --target is not said, and there is no terminal to ask; columns: texto, nota, n" in made.output
    assert not (folder / "meus dados.yaml").exists()


def test_a_person_who_leaves_leaves_nothing_behind(folder, monkeypatch):
    """At the end of input as well."""
    monkeypatch.setattr(suite, "_is_terminal", lambda: True)
    assert new(answers="qa\n").exit_code != 0
    assert sorted(path.name for path in folder.iterdir()) == ["dados.csv", "meus dados.jsonl"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--question", "pergunta", "--target", "nota", "--type", "qa"), "there is no column 'pergunta'; there are"),
        (("--type", "classification", "--question", "nota", "--target", "x"), "there is no column 'x'"),
        ((*SAID, "--type", "essay"), "'essay' is not one of"),
        ((*SAID, "--type", "qa", "-o", "s.json"), "the name must end in .yaml"),
        ((*SAID, "--type", "qa", "-o", "sub/s.yaml"), "a manifest lies beside its data"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(flags, said, folder):
    """And nothing is written."""
    made = new(*flags)
    assert made.exit_code == 2
    assert said in made.output
    assert not list(folder.rglob("*.yaml"))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"q": "a", "a": str(number)} for number in range(51)], "it has 51 different values, 2 to 50 can be labels"),
        ([{"q": "a", "a": "Sim"}, {"q": "b", "a": "sim"}], "two of its values differ by case alone"),
        ([{"q": "a", "a": "sim"}, {"q": "b", "a": " "}], "it is empty in some rows"),
        ([{"q": "a", "a": "sim"}, {"q": "b", "a": "x" * 201}], "more than 200 characters"),
        ([{"q}": "a", "a": "sim"}, {"q}": "b", "a": "não"}], "the column 'q}' cannot stand in a template"),
        ([], "has no rows"),
    ],
)
def test_targets_that_are_no_labels_are_told(rows, said, folder):
    """Before anything is written."""
    (folder / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    question = next(iter(rows[0])) if rows else "q"
    made = new("--type", "classification", "--question", question, "--target", "a", data="r.jsonl")
    assert made.exit_code == 2
    assert said in made.output
    assert not (folder / "r.yaml").exists()


def test_nothing_is_overwritten(folder):
    """Not even what suite new wrote itself."""
    assert new("--type", "qa", *SAID).exit_code == 0
    before = (folder / "meus dados.yaml").read_bytes()
    again = new("--type", "math", *SAID)
    assert again.exit_code == 2
    assert "meus dados.yaml is there already" in again.output
    assert (folder / "meus dados.yaml").read_bytes() == before
