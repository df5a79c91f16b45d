"""`lm-eval-pt score --metrics`: answers that exist, by metrics that have a name."""

import json

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.cli import main

ROWS = [
    ("Categoria: Elogio", "Elogio"),
    ("reclamação.", "Reclamação"),
    ("não sei", "Elogio"),
    ("Elogio", "Reclamação"),
]
LABELS = json.dumps({"id": "label", "labels": ["Elogio", "Reclamação"]})


def written(path, rows=ROWS, response="response", target="target"):
    """A file of rows with an answer and what is expected."""
    lines = [json.dumps({"prompt": f"p{n}", response: one, target: other}) for n, (one, other) in enumerate(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def score(tmp_path, monkeypatch, *arguments, fails=False):
    """What the command prints, run in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")  # in a narrow terminal a table leaves columns out
    result = CliRunner().invoke(main, ["score", *map(str, arguments)])
    assert (result.exit_code != 0) == fails, result.output
    return result.output


def test_rows_are_scored_printed_and_written(tmp_path, monkeypatch):
    """By hand: F1 of Elogio 2·1/(2+2), of Reclamação 2·1/(2+1); every other command reads what is written."""
    path = written(tmp_path / "respostas.jsonl")
    output = score(tmp_path, monkeypatch, path, "--metrics", "exact_match,token_f1", "--metrics", LABELS)
    rows = {line.split()[0]: line.split() for line in output.splitlines() if line.strip()}
    assert rows["exact_match"][1:3] == ["4", "0.250"]
    assert rows["macro_f1"][2] == "0.583"
    assert rows["label_unmatched"][2] == "0.250"
    assert rows["Reclamação"][1:] == ["1", "1", "0", "0.667"]
    (run,) = results.read([tmp_path / "respostas_metrics"]).runs
    assert [item.metrics["label_accuracy"] for item in run.items] == [1, 1, 0, 0]
    result = json.loads(run.result.read_text(encoding="utf-8"))
    assert result["results"]["respostas"]["macro_f1,none"] == pytest.approx(7 / 12)
    assert result["metrics"][2] == {"id": "label", "labels": ["Elogio", "Reclamação"]}
    assert run.higher_is_better["label_unmatched"] is False


def test_samples_of_a_run_keep_all_they_had(tmp_path, monkeypatch):
    """The metrics are added to rows and results; the first run's file is not touched."""
    source = written(tmp_path / "respostas.jsonl")
    score(tmp_path, monkeypatch, source, "--metrics", "exact_match", "--output", "um")
    before = {path: path.read_bytes() for path in (tmp_path / "um").rglob("*.json*")}
    score(tmp_path, monkeypatch, "um", "--metrics", "bleu", "--output", "dois")
    (run,) = results.read([tmp_path / "dois"]).runs
    assert set(run.metrics) == {"exact_match", "bleu"}
    assert run.items[1].metrics["exact_match"] == 1
    result = json.loads(run.result.read_text(encoding="utf-8"))
    assert set(result["results"]["respostas"]) >= {"exact_match,none", "bleu,none"}
    assert result["metrics"][0]["signature"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|")
    assert before == {path: path.read_bytes() for path in (tmp_path / "um").rglob("*.json*")}


def test_a_run_is_extended_in_place_where_it_is_named(tmp_path, monkeypatch):
    """The folder of an earlier scoring gets a further metric; a folder around it does not count its copies."""
    source = written(tmp_path / "respostas.jsonl")
    score(tmp_path, monkeypatch, source, "--metrics", "exact_match", "--output", "um")
    score(tmp_path, monkeypatch, "um", "--metrics", "token_f1", "--output", "um")
    (run,) = results.read([tmp_path / "um"]).runs
    assert set(run.metrics) == {"exact_match", "token_f1"}
    for _ in range(2):
        score(tmp_path, monkeypatch, ".", "--metrics", "contains", "--output", "dois")
    assert len(results.read([tmp_path]).runs) == 2


def test_bleu_is_compared_as_a_share(tmp_path, monkeypatch):
    """`diff` and `rank` print per cent: 100 of 100 is 100 %, not 10,000; two models' files are paired by the prompt."""
    for name, answer in (("um", "o gato dorme no sofá"), ("dois", "o cão")):
        source = written(tmp_path / f"{name}.jsonl", [(answer, "o gato dorme no sofá")] * 3)
        score(tmp_path, monkeypatch, source, "--metrics", "bleu", "--task", "t", "--output", f"m_{name}")
    output = CliRunner().invoke(main, ["diff", "m_um", "m_dois", "--metric", "bleu"]).output
    (row,) = [line.split() for line in output.splitlines() if line.startswith("t ")]
    assert row[3] == "100.0"


def test_rows_scored_again_replace_what_was_there(tmp_path, monkeypatch):
    """Not a second run of the same answers."""
    source = written(tmp_path / "r.jsonl")
    for metrics in ("exact_match", "token_f1"):
        score(tmp_path, monkeypatch, source, "--metrics", metrics)
    (run,) = results.read([tmp_path / "r_metrics"], every_run=True).runs
    assert run.metrics == ("token_f1",)


def test_rows_that_cannot_be_graded_are_counted_and_shown(tmp_path, monkeypatch):
    """A target without a number is the data's fault: the others are graded, the row is named."""
    path = written(tmp_path / "n.jsonl", [("São 3.", "3"), ("Uns 4", "muitos"), ("5", "6")])
    output = score(tmp_path, monkeypatch, path, "--metrics", "numeric")
    assert "not graded: numeric: the target 'muitos' holds no number (document 1)" in output
    assert [line.split()[1:3] for line in output.splitlines() if line.startswith("numeric ")] == [["2", "0.500"]]


def test_a_label_set_that_never_matches_is_said(tmp_path, monkeypatch):
    """With the first answer, so that one sees why; nothing is lost."""
    path = written(tmp_path / "r.jsonl", [("positivo", "Elogio"), ("negativo", "Elogio")])
    output = score(tmp_path, monkeypatch, path, "--metrics", LABELS)
    assert "no answer names a label, so that all count as wrong; the first is 'positivo'" in output


@pytest.mark.parametrize(
    ("rows", "arguments", "said"),
    [
        (ROWS, ["--metrics", "token_f2"], "did you mean token_f1"),
        (ROWS, ["--metrics", '{"id": "numeric", "tolerance": "x"}'], "tolerance must be a number, it is 'x'"),
        (ROWS, ["--metrics", "{"], "no JSON"),
        (ROWS, ["--metrics", "[3]"], "with options is expected, not 3"),
        (ROWS, ["--metrics", "ptbr:crases"], "did you mean ptbr:crase"),
        (ROWS, ["--metrics", "bleu", "--response", "saída"], "row 1: no column 'saída' (it has prompt, response"),
        (ROWS, ["--metrics", "bleu", "--output", "x.json"], "with --metrics a folder is written"),
        ([("3", "muitos")], ["--metrics", "numeric"], "none of 1 answers could be graded: numeric: the target"),
        (ROWS, [], "name --task"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, monkeypatch, rows, arguments, said):
    """In one sentence that names it."""
    output = score(tmp_path, monkeypatch, written(tmp_path / "r.jsonl", rows), *arguments, fails=True)
    assert said in " ".join(output.split())


def test_metrics_without_a_target_need_no_column(tmp_path, monkeypatch):
    """A constraint and JSON look at the answer alone."""
    path = written(tmp_path / "r.jsonl", [("Vou à feira", "")], target="outra")
    output = score(tmp_path, monkeypatch, path, "--metrics", "ptbr:crase,json_valid")
    assert "ptbr.crase" in output
