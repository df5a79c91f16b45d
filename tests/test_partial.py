"""A run on a part of its documents is marked and not ranked, whatever the cause and wherever it is shown."""

from __future__ import annotations

import csv
import io
import json

import pytest
import yaml
from click.testing import CliRunner

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.results import DocumentCount
from lm_eval_ifeval_pt.results.records import part_of
from tests import runs

PART = "44 of 308 documents"
WIDE = {"COLUMNS": "200"}


def called(*arguments: object):
    """What a command prints, on a wide terminal."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], env=WIDE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two models on all of ifeval_pt and one on its first 44 documents, as `--samples` leaves it: without a limit."""
    made = tmp_path_factory.mktemp("runs")
    runs.write(made, "acme/alfa-7b", runs.careful(0.95, seed=1))
    runs.write(made, "acme/papagaio", runs.parrot)
    runs.write(made, "acme/parte", runs.careful(0.95, seed=1), documents=44)
    return made


@pytest.mark.parametrize(
    ("documents", "limit", "part"),
    [
        (DocumentCount(308, 308), None, ""),
        (DocumentCount(308, 308), 1000.0, ""),
        (DocumentCount(44, 308), 44.0, PART),
        (DocumentCount(44, 308), None, PART),
        (DocumentCount(None, None), None, ""),
        (DocumentCount(None, None), 0.5, "--limit 0.5"),
        (DocumentCount(44, None), 44.0, "--limit 44, 44 documents"),
    ],
)
def test_counts_decide_and_else_the_limit(documents, limit, part):
    """A limit above the number of documents is none; a file that states no counts has its limit alone."""
    assert part_of(documents, limit) == part


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("table",), ("stats",), ("export", "--format", "markdown", "--table", "scores")])
def test_each_table_marks_the_part(folder, arguments):
    """In the title or the head of the column, and not of the whole runs."""
    command, *options = arguments
    output = called(command, folder, *options).stdout
    assert f"parte (only {PART})" in " ".join(output.split())
    assert output.count("(only ") == 1


@pytest.mark.slow
@pytest.mark.parametrize("table", ["scores", "restrictions", "items"])
def test_each_row_of_a_csv_says_part(folder, table):
    """The column `part` is empty for whole runs."""
    rows = list(csv.DictReader(io.StringIO(called("export", folder, "--format", "csv", "--table", table).stdout)))
    assert {(row["model"], row["part"]) for row in rows} == {("alfa-7b", ""), ("papagaio", ""), ("parte", PART)}


def test_a_model_card_says_part(folder):
    """In the name of the data set, which the Hub shows, and in its arguments."""
    index = yaml.safe_load(called("export", folder / "acme__parte", "--format", "model-index").stdout)["model-index"]
    datasets = [result["dataset"] for result in index[0]["results"]]
    assert {data["name"] for data in datasets} == {f"ifeval_pt (only {PART})"}
    assert {data["args"]["only"] for data in datasets} == {PART}
    whole = yaml.safe_load(called("export", folder / "acme__papagaio", "--format", "model-index").stdout)
    assert {result["dataset"]["name"] for result in whole["model-index"][0]["results"]} == {"ifeval_pt"}


def test_records_of_every_eval_ever_say_part(folder, tmp_path):
    """Of the evaluation and of each of its results."""
    called("export", folder / "acme__parte", "--format", "eee", "-o", tmp_path)
    (record,) = (json.loads(path.read_text()) for path in tmp_path.rglob("*.json"))
    assert record["source_metadata"]["additional_details"]["part_of_the_task"] == f"only {PART}"
    assert all(PART in one["metric_config"]["evaluation_description"] for one in record["evaluation_results"])


def test_rank_leaves_the_part_out_and_ranks_the_others(folder):
    """Two whole runs are ranked on all their documents; the part is named."""
    outcome = called("rank", folder, "--json", "--resamples", 100)
    ranked = json.loads(outcome.stdout)["items"]
    assert {one["model"]: one["rank"] for one in ranked["standings"]} == {"acme/alfa-7b": 1, "acme/papagaio": 2}
    assert ranked["documents"] == {"ifeval_pt": 308}
    assert "acme/parte is left out: ifeval_pt: it has 44 of the 308 documents" in outcome.stderr


def test_parts_do_not_outvote_whole_runs(folder, tmp_path):
    """Two equal parts beside one whole run: nobody is ranked by the parts."""
    runs.write(tmp_path, "acme/outra", runs.parrot, documents=44)
    outcome = called("rank", folder, tmp_path, "--json", "--resamples", 100)
    assert json.loads(outcome.stdout)["items"]["documents"] == {"ifeval_pt": 308}


def test_parts_alone_have_scores_but_no_ranks(folder, tmp_path):
    """The same 44 documents of two models: both are shown, neither is ranked or tied."""
    runs.write(tmp_path, "acme/outra", runs.parrot, documents=44)
    outcome = called("rank", folder / "acme__parte", tmp_path, "--json", "--resamples", 100)
    ranked = json.loads(outcome.stdout)["items"]
    assert [one["rank"] for one in ranked["standings"]] == [None, None]
    assert ranked["ties"] == []
    assert called("rank", folder / "acme__parte", tmp_path, "--resamples", 100).exit_code == 0


def test_diff_marks_the_side_that_is_a_part(folder):
    """Only the shared documents are compared, and B is marked."""
    output = called("diff", folder / "acme__papagaio", folder / "acme__parte", "--show", 0).stdout
    assert f"B  acme/parte  (only {PART})" in output
    assert "A  acme/papagaio\n" in output
    data = called("diff", folder / "acme__papagaio", folder / "acme__parte", "--json")
    assert json.loads(data.stdout)[0]["b"]["part"] == PART


def test_npm_marks_the_part_in_every_format(folder):
    """Table, CSV, Markdown and JSON; without a rank."""
    for form in ("table", "csv", "markdown", "json", "latex"):
        outcome = called("npm", folder, "--format", form)
        assert PART in outcome.stdout, form
    models = {one["model"]: one for one in json.loads(called("npm", folder, "--format", "json").stdout)["models"]}
    assert (models["acme/parte"]["rank"], models["acme/parte"]["part"]) == (None, PART)
    assert models["acme/papagaio"]["part"] is None


def test_rows_that_cannot_be_read_make_a_part(folder, tmp_path):
    """One bad row of 308: 307 of 308; and where no file states how many there are, it is said all the same."""
    whole = runs.write(tmp_path, "acme/papagaio", runs.parrot)
    (samples,) = whole.glob("samples_*.jsonl")
    samples.write_text(samples.read_text(encoding="utf-8").replace('"doc": {', '"doc": [{', 1), encoding="utf-8")
    (run,) = results.read([samples]).runs
    assert run.part == "307 of 308 documents"
    for path in whole.glob("results_*.json"):
        path.unlink()
    (run,) = results.read([samples]).runs
    assert "rows that cannot be read left out" in run.part


@pytest.mark.slow
@pytest.mark.parametrize("named_by", ["result file", "our rows"])
def test_score_of_a_part_says_of_how_many(folder, tmp_path, named_by):
    """A sample file of 44 documents is no run on 44 of 44: the result file says 308, or else our own rows do."""
    (samples,) = (folder / "acme__parte").glob("samples_*.jsonl")
    if named_by == "our rows":
        samples = _copied(samples, tmp_path)
    outcome = called("score", samples, "--task", "ifeval_pt", "--output", tmp_path / "nova.json")
    assert outcome.exit_code == 0, outcome.output
    counts = json.loads((tmp_path / "nova.json").read_text())["n-samples"]["ifeval_pt"]
    assert counts == {"original": 308, "effective": 44}
    assert f"(only {PART})" in outcome.stdout


def _copied(path, folder):
    """The same file under a name that says nothing."""
    copy = folder / "respostas.jsonl"
    copy.write_bytes(path.read_bytes())
    return copy
