"""Every command that prints figures prints them as JSON too, in the shape that docs/json.md states."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt.cli import COMMANDS, main
from tests import json_shapes, runs
from tests.chat_server import ChatServer

NO_FIGURES = {"demo", "doctor", "explain", "export", "filter", "ls", "prompts", "report", "run", "suite", "tasks-dir"}


def said(*arguments: object) -> str:
    """What a command prints with --json, which must be all there is on standard output."""
    result = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    json.loads(result.stdout)
    return result.stdout


def test_every_command_of_figures_is_on_the_page():
    """A new command is on the page, or prints no figures."""
    on_page = {heading.split()[0] for heading in json_shapes.shapes() if heading[0].islower()}
    assert on_page == set(COMMANDS) - NO_FIGURES


@pytest.mark.slow
def test_tables_of_verdicts(wide):
    """One run and several, with what is met by accident."""
    json_shapes.check("table", said("table", wide))
    json_shapes.check("table", said("table", "--accidental", wide))
    json_shapes.check("stats", said("stats", wide))
    json_shapes.check("npm", said("npm", wide))
    first, second, *_ = sorted(wide.iterdir())
    json_shapes.check("diff", said("diff", first, second))
    json_shapes.check("table --by", said("table", "--by", "key", first))


def test_tables_of_any_task(many, tmp_path):
    """Comparisons, fields, letters, lengths, repeats, metrics and curves."""
    first, second, third, *_ = sorted(many.glob("*/step_3000"))
    json_shapes.check("diff", said("diff", first, second, "--by", "subject"))
    json_shapes.check("table --by", said("table", "--by", "subject", first, second))
    json_shapes.check("rank", said("rank", first, second, third, "--resamples", 100))
    weights = ("--weights", "acc=1,rouge_l=2", "--task", "perguntas_abertas_pt", "--resamples", 100)
    json_shapes.check("rank --weights", said("rank", first, second, *weights))
    json_shapes.check("stats", said("stats", first, "--letters", "--lengths"))
    json_shapes.check("stats", said("stats", first, second, "--repeats"))
    json_shapes.check("curves", said("curves", many))
    json_shapes.check("power", said("power"))
    json_shapes.check("power", said("power", first, second, "--task", "enem_pt"))
    samples = next(first.glob("samples_perguntas*"))
    labels = json.dumps({"id": "label", "labels": ["A resposta é certa.", "A resposta é errada."]})
    options = ("--metrics", labels, "--metrics", "bleu")
    json_shapes.check("score --metrics", said("score", samples, *options, "--output", tmp_path / "scored"))


def test_repeats(tmp_path):
    """Several answers to a document in one file."""
    path = tmp_path / "samples_qa.jsonl"
    row = {"doc": {}, "target": "sim", "arguments": [["?", {}]], "filtered_resps": ["sim"], "filter": "none"}
    row |= {"exact_match": 1.0}
    answers = [["sim", "sim"], ["sim", "não"]]
    lines = [json.dumps(row | {"doc_id": number, "resps": [given]}) for number, given in enumerate(answers)]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert json.loads(said("stats", path))["repeats"]
    json_shapes.check("stats", said("stats", path))


def test_scores_of_answers_that_exist(tmp_path):
    """With the verdicts that have changed."""
    rows = [{"key": 1, "prompt": "Fale sem vírgulas.", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}]
    answered = [row | {"response": "Vi, vim.", "follow_instruction_list": [True]} for row in rows]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in answered), encoding="utf-8")
    output = said("score", path, "--task", "ifeval_pt", "--diff", "--output", tmp_path / "r.json")
    assert json.loads(output)["changes"]
    json_shapes.check("score", output)


@pytest.mark.parametrize(
    ("command", "rubric", "models"),
    [("judge", "criteria: É correta?", 1), ("judge of pairs", "mode: pairwise\ncriteria: Qual é melhor?", 2)],
)
def test_judgements(many, tmp_path, command, rubric, models):
    """Of answers and of pairs, with a price."""
    path = tmp_path / "rubrica.yaml"
    path.write_text(rubric, encoding="utf-8")
    judged = sorted(many.glob("*/step_3000"))[:models]
    with ChatServer(lambda message, nth: '{"nota": 4, "vencedora": "A"}') as server:
        options = ("--url", server.url, "--model", "sabiá", "--output", tmp_path / "out", "--price-in", 1)
        json_shapes.check(command, said("judge", *judged, "--rubric", path, *options))


def test_verdicts_of_judges(tmp_path):
    """Three models, one of which never loses."""
    pairs = enumerate(["ab", "bc", "ac"])
    rows = [{"model_a": a, "model_b": b, "winner": "model_a", "question_id": number} for number, (a, b) in pairs]
    path = tmp_path / "verdicts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    json_shapes.check("rank", said("rank", "--verdicts", path, "--resamples", 100))


def test_one_verdict(tmp_path):
    """`verify` exits with the verdict; here it is followed."""
    path = tmp_path / "texto.txt"
    path.write_text("Vou à feira.", encoding="utf-8")
    json_shapes.check("verify", said("verify", "ptbr:crase", path))


def test_contamination(monkeypatch, many):
    """What a scan found: of all tasks, of one, and the scores on seen and clean items."""
    monkeypatch.setattr("lm_eval_ifeval_pt.contamination.findings.read", lambda folder: runs.seen("enem_pt"))
    monkeypatch.setattr("lm_eval_ifeval_pt.analysis.contaminated.check_documents", lambda *arguments: None)
    json_shapes.check("contamination show", said("contamination", "show", many))
    json_shapes.check("contamination show --task", said("contamination", "show", many, "--task", "enem_pt"))
    model = next(many.glob("*/step_3000"))
    json_shapes.check("table --contamination", said("table", "--contamination", many, model))


def test_a_fault_is_found():
    """A key too many, one too few, a wrong type, in an element of a list."""
    shape = [{"n": "integer", "name?": "text", "rate": "number?"}]
    good = [{"n": 1, "rate": None}, {"n": 2, "rate": 0.5, "name": "x"}]
    assert json_shapes.faults(good, shape) == []
    assert len(json_shapes.faults([{"n": 1.5, "rate": "x", "more": 1}, {}], shape)) == 5


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - NO_FIGURES - {"sweep", "contamination"}))
def test_the_spelling_is_one(command):
    """Also beside an older one, as of `npm --format json`."""
    assert "--json" in CliRunner().invoke(main, [command, "--help"]).stdout
