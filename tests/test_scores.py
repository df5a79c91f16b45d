"""Reading task scores from result files of many origins."""

import json
from pathlib import Path

import pytest

from lm_eval_ifeval_pt.results import Measure, ResultsError, result_files, scores_in


def write(path: Path, data: object) -> Path:
    """A JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def harness(model: str = "org/a", limit: float | None = None, **tasks: dict[str, object]) -> dict[str, object]:
    """A results file of lm_eval 0.4.13 with one group above its tasks."""
    return {
        "results": {"suite": {"alias": "suite", "npm,none": 1.0}, **tasks},
        "groups": {"suite": {"npm,none": 1.0}},
        "group_subtasks": {"suite": list(tasks)},
        "configs": {task: {"task": task, "metadata": {"version": 1.0}} for task in tasks},
        "config": {"model": "hf", "model_args": {"pretrained": model}, "limit": limit},
        "model_name": model,
    }


def test_a_file_of_the_harness(tmp_path):
    """Model, task, metrics with their filters and stderrs; the group row is no task."""
    row = {"alias": "bluex", "acc,none": 0.5, "acc_stderr,none": 0.02, "npm,none": 35.5, "npm_stderr,none": "N/A"}
    path = write(tmp_path / "results_2026-01-02T03-04-05.678.json", harness(limit=8, bluex=row))
    (score,) = scores_in(path)
    assert (score.model, score.task, score.date, score.limit) == ("org/a", "bluex", "2026-01-02T03-04-05.678", 8)
    assert score.measures == {"acc,none": Measure(0.5, 0.02), "npm,none": Measure(35.5, None)}


def test_a_file_of_the_old_harness(tmp_path):
    """Version 0.3: no filters, model arguments as one string."""
    data = {
        "results": {"arc_challenge": {"acc": 0.3, "acc_stderr": 0.01, "acc_norm": 0.4, "acc_norm_stderr": 0.02}},
        "versions": {"arc_challenge": 0},
        "config": {"model": "hf", "model_args": "pretrained=org/old,dtype=float16", "limit": None},
    }
    (score,) = scores_in(write(tmp_path / "old.json", data))
    assert (score.model, score.measures["acc_norm"]) == ("org/old", Measure(0.4, 0.02))


def test_a_file_of_the_open_portuguese_leaderboard(tmp_path):
    """Keys with bars, filter `all`, scores per exam beside the total, aggregates that are no tasks."""
    enem = {"acc,all": 0.6, "acc_stderr,all": 0.01, "acc,exam_id__2022": 0.5, "main_score": 0.6}
    key = "harness|enem_challenge|enem_challenge|None|3"
    data = {
        "config_general": {"model_name": "org/b", "start_date": "2024-05-06T07-08-09.0"},
        "results": {
            "all_grouped_average": 0.5,
            "all_grouped_npm": 0.4,
            "all_grouped": {"enem_challenge": 0.6},
            "all": {key: enem},
            key: enem,
        },
    }
    (score,) = scores_in(write(tmp_path / "results_x.json", data))
    assert (score.model, score.task, score.date) == ("org/b", "enem_challenge", "2024-05-06T07-08-09.0")
    assert score.measures["acc,all"] == Measure(0.6, 0.01)


def test_a_yaml_of_polygl0t(tmp_path):
    """Task and metric in one key, the longest metric name first (acc_norm is not acc)."""
    path = tmp_path / "step_100.yaml"
    path.write_text(
        "model_name: Tucano\nresults:\n  arc_challenge_poly_pt_acc_norm: 0.31\n"
        "  arc_challenge_poly_pt_acc_norm_stderr: 0.01\n  calame_pt_acc: 0.5\n",
        encoding="utf-8",
    )
    found = {score.task: score.measures for score in scores_in(path)}
    assert found == {
        "arc_challenge_poly_pt": {"acc_norm": Measure(0.31, 0.01)},
        "calame_pt": {"acc": Measure(0.5, None)},
    }


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"results": {}}', '{"results": {"t": {"alias": "t"}}}'])
def test_what_is_no_result_file_is_named(tmp_path, text):
    """The message names the file."""
    path = tmp_path / "results_x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResultsError, match=r"results_x\.json"):
        scores_in(path)


def test_files_folders_and_patterns_lead_to_result_files(tmp_path):
    """Sample files and other JSON in a folder are not result files; each file counts once."""
    one, two = write(tmp_path / "a" / "results_1.json", {}), write(tmp_path / "b" / "results_2.json", {})
    write(tmp_path / "a" / "samples_x.jsonl", {})
    write(tmp_path / "a" / "config.json", {})
    assert result_files([str(tmp_path), str(one)]) == [one, two]
    assert result_files([str(tmp_path / "*" / "results_*.json")]) == [one, two]
    with pytest.raises(ResultsError, match="nowhere"):
        result_files([str(tmp_path / "nowhere*")])
