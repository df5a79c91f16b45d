"""Exports: what comes out is what the runs say, in the form that its readers expect."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.report.export import every_eval_ever
from tests import runs

# What the schemas 0.3.0 of every_eval_ever require at the top of a record and of an answer.
REQUIRED = {
    "eval": {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
             "eval_library", "evaluation_results"},
    "instance_level_eval": {"schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id",
                            "interaction_type", "input", "answer_attribution", "evaluation"},
}  # fmt: skip
HOSTILE = "Vou à feira | 100 % \\ \"a\", b_c\n{x} & \ud800"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Three models x 308 documents."""
    return runs.three(tmp_path_factory.mktemp("runs"))


def export(*arguments: str | Path) -> str:
    """What the command prints, which must succeed."""
    result = CliRunner().invoke(main, ["export", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def rows(text: str) -> list[dict[str, str]]:
    """The rows of a CSV table."""
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.slow
def test_csv_of_restrictions_is_numeric(folder):
    """A row per model and restriction; 14 of 14 has the Wilson interval .785-1 (Newcombe 1998)."""
    found = rows(export(folder, "--format", "csv"))
    assert len(found) == 3 * 22
    (row,) = (row for row in found if (row["model"], row["restriction"]) == ("papagaio", "ptbr:sem_crase"))
    assert (row["kind"], row["n"], row["strict"], row["loose"]) == ("passive", "14", "1.0", "1.0")
    assert float(row["strict_low"]) == pytest.approx(0.7847, abs=1e-4)
    assert (float(row["accidental"]), float(row["lift"]), row["corrected"]) == (1, 0, "")


@pytest.mark.slow
def test_csv_of_items_is_long_and_whole(folder):
    """Each model's strict verdicts add up to its rate; clusters are the 14 base tasks."""
    found = rows(export(folder, "--format", "csv", "--table", "items"))
    parrot = [row for row in found if row["model"] == "papagaio"]
    strict = [int(row["value"]) for row in parrot if row["metric"] == "strict"]
    assert (len(strict), sum(strict)) == (308, 98)
    assert {row["cluster"] for row in parrot} == {str(number) for number in range(14)}
    assert sum(float(row["value"]) for row in parrot if row["metric"] == "prompt_level_strict_acc") == 98


@pytest.mark.slow
def test_markdown_has_a_column_per_model(folder):
    """For people: percent and interval, models side by side."""
    lines = export(folder, "--format", "markdown").splitlines()
    assert lines[0] == "| task | restriction | kind | n | alfa-7b | beta-2b | papagaio |"
    (line,) = (line for line in lines if "ptbr:sem_crase" in line)
    assert line.endswith("| 100.0 (78–100) |")
    assert len({line.count("|") for line in lines}) == 1


@pytest.mark.slow
def test_latex_compiles_in_principle(folder):
    """As many cells in every row as the tabular has columns; underscores and percent signs are escaped."""
    text = export(folder, "--format", "latex", "--table", "scores")
    (columns,) = re.findall(r"\\begin\{tabular\}\{(\w+)\}", text)
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count(" & ") + 1 for line in body} == {len(columns)}
    assert r"ifeval\_pt" in text
    assert not re.search(r"(?<!\\)[_%#]", text)


@pytest.mark.slow
def test_scores_carry_the_clustered_error(folder):
    """The parrot follows all of 7 and none of 15 restrictions: other tasks would change nothing, others of these would.

    By restriction less by prompt (Cameron, Gelbach and Miller 2011, equation 2.9), both with G / (G - 1).
    """
    found = rows(export(folder, "--format", "csv", "--table", "scores"))
    (row,) = (row for row in found if (row["model"], row["metric"]) == ("papagaio", "prompt strict"))
    assert float(row["value"]) == pytest.approx(98 / 308)
    spread = (7 / 22) * (15 / 22)
    assert float(row["stderr"]) == pytest.approx((spread / 21 - spread / 307) ** 0.5, rel=1e-6)


def test_model_index_is_what_the_hub_reads(folder):
    """huggingface_hub reads it back: model, data set, metric, value, few-shot count."""
    from huggingface_hub.repocard_data import model_index_to_eval_results

    data = yaml.safe_load(export(folder, "--format", "model-index"))
    assert [entry["name"] for entry in data["model-index"]] == ["alfa-7b", "beta-2b", "papagaio"]
    name, found = model_index_to_eval_results([data["model-index"][2]])
    by_metric = {one.metric_type: one for one in found}
    strict = by_metric["prompt_level_strict_acc"]
    assert (name, strict.dataset_type, strict.dataset_args) == ("papagaio", "ifeval_pt", {"num_few_shot": 0})
    assert strict.metric_value == pytest.approx(98 / 308)
    assert by_metric["passive_strict_acc"].metric_value == 1


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> dict[Path, list[dict]]:
    """The records of a hostile and of a local model, each with its answers."""
    folder = tmp_path_factory.mktemp("records")
    runs.write(folder / "runs", "acme/m", lambda doc: HOSTILE, documents=20)
    runs.write(folder / "runs", "local model", runs.parrot, documents=20)
    export(folder / "runs", "--format", "eee", "-o", folder / "store", "--organization", "Org")
    return {
        path.relative_to(folder / "store"): [
            json.loads(path.read_text(encoding="utf-8")),
            *map(json.loads, answers_of(path).read_text(encoding="utf-8").splitlines()),
            hashlib.sha256(answers_of(path).read_bytes()).hexdigest(),
        ]
        for path in sorted((folder / "store").rglob("*.json"))
    }


def answers_of(record: Path) -> Path:
    """The file of a record's answers."""
    return record.with_name(f"{record.stem}_samples.jsonl")


def test_every_eval_ever_records_stand_where_its_store_wants_them(records):
    """Benchmark, developer, model; checksum, number and ids of the answers fit."""
    assert [path.parent.as_posix() for path in records] == ["ifeval_pt/acme/m", "ifeval_pt/unknown/local_model"]
    for record, *answers, checksum in records.values():
        assert record.keys() >= REQUIRED["eval"]
        details = record["detailed_evaluation_results"]
        assert (details["checksum"], details["total_rows"]) == (checksum, len(answers))
        ids = {one["evaluation_result_id"] for one in record["evaluation_results"]}
        for answer in answers:
            assert answer.keys() >= REQUIRED["instance_level_eval"]
            assert answer["evaluation_id"] == record["evaluation_id"]
            assert answer["evaluation_result_id"] in ids


def test_every_eval_ever_accepts_the_records(records):
    """Record and answers are valid by the published JSON schemas 0.3.0, hostile text and lone surrogates too."""
    jsonschema = pytest.importorskip("jsonschema")
    package = pytest.importorskip("every_eval_ever", reason="pip install every-eval-ever==0.3.0 (Python 3.12)")
    schemas = Path(package.__file__).parent / "schemas"
    record_of, answer_of = (
        jsonschema.Draft7Validator(json.loads((schemas / f"{name}.schema.json").read_text(encoding="utf-8")))
        for name in REQUIRED
    )
    for record, *answers, _ in records.values():
        record_of.validate(record)
        for answer in answers:
            answer_of.validate(answer)


def test_every_eval_ever_records_carry_the_clustered_interval(folder, tmp_path):
    """Beside the harness's error, and the score is the harness's own."""
    (run,) = results.read([folder / "acme__papagaio"]).runs
    file, _ = every_eval_ever.write(run, tmp_path, 1_800_000_000, "Org", "other")
    record = json.loads(file.read_text(encoding="utf-8"))
    by_name = {one["evaluation_result_id"]: one["score_details"] for one in record["evaluation_results"]}
    strict = by_name["prompt_level_strict_acc"]
    assert strict["score"] == pytest.approx(98 / 308)
    interval = strict["uncertainty"]["confidence_interval"]
    assert interval["lower"] < 0.16 < 0.5 < interval["upper"]
    assert record["evaluation_id"] == "ifeval_pt/acme/papagaio/1800000000"
    assert every_eval_ever.write(run, tmp_path, 1_800_000_000, "Org", "other")[0] == file


def test_a_folder_is_needed_for_records(folder):
    """`eee` without -o is refused, not printed."""
    result = CliRunner().invoke(main, ["export", str(folder), "--format", "eee"])
    assert result.exit_code == 2
    assert "-o FOLDER" in result.output


def test_samples_without_a_result_file_have_no_model_index(tmp_path):
    """A model card needs scores; the message says what is missing."""
    folder = runs.write(tmp_path, "m", runs.parrot, documents=2)
    next(folder.glob("results*")).unlink()
    result = CliRunner().invoke(main, ["export", str(folder), "--format", "model-index"])
    assert result.exit_code == 2
    assert "no result file goes with the samples" in result.output
