"""From task scores to a leaderboard that says what it leaves out."""

import csv
import io
import json
import math
import re

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.npm import leaderboard
from lm_eval_ifeval_pt.npm.baselines import BASELINES
from lm_eval_ifeval_pt.npm.formula import AVERAGES
from lm_eval_ifeval_pt.results import ResultsError, scores_in
from tests.test_scores import harness, write

NAMES = {task: BASELINES[task].metric for task in AVERAGES["Total"]}
WITHOUT_ONE = f"{len(NAMES) - 1}/{len(NAMES)} tasks: bluex missing"


def whole(score: float, stderr: float = 0.01, without: str = "") -> dict[str, dict[str, float]]:
    """All tasks of the suite with one score."""
    return {
        task: {f"{metric},none": score, f"{metric}_stderr,none": stderr}
        for task, metric in NAMES.items()
        if task != without
    }


def build(*paths, **options):
    """The leaderboard of some result files."""
    return leaderboard.build([score for path in paths for score in scores_in(path)], **options)


def run(*arguments):
    """The outcome of `lm-eval-pt npm` on a wide terminal."""
    return CliRunner().invoke(main, ["npm", *map(str, arguments)], env={"COLUMNS": "200"})


def test_other_names_of_a_task_are_known(tmp_path):
    """Polygl0t's, upstream's and the leaderboard's names lead to the task of this package."""
    path = write(
        tmp_path / "results_x.json",
        harness(
            global_piqa_completions_por_latn_braz={"acc_norm,none": 0.75},
            belebele_por_Latn={"acc_norm,none": 0.25},
            enem_challenge={"acc,all": 0.2},
        ),
    )
    board = build(path)
    assert {task: entry.npm.value for task, entry in board.entries["org/a"].items()} == {
        "global_piqa_pt_br": 50,
        "belebele_pt": 0,
        "enem": 0,
    }
    assert board.notes == ()


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ({"bluex": {"acc,none": math.nan}}, r"bluex: score nan is not a number"),
        ({"bluex": {"acc,none": -0.1}}, r"bluex: score -0\.1 lies outside 0-1"),
        ({"bluex": {"acc,none": 101}}, r"bluex: score 101 lies outside 0-1"),
        ({"bluex": {"f1,none": 0.5}}, r"task bluex does not have acc .* f1,none"),
        ({"bluex": {"acc,a": 0.5, "acc,b": 0.6}}, r"bluex has acc under several filters"),
        ({"rima": {"acc,none": 0.5}}, r"task rima is unknown"),
        ({"bluex": {"acc,none": 50}, "enem": {"acc,none": 0.9}}, r"enem: score 0\.9 is left out: .*--scale percent"),
    ],
)
def test_what_is_left_out_is_named_with_file_and_task(tmp_path, tasks, message):
    """Not a number, out of range, other metric, ambiguous filter, unknown task, mixed scales: one note each."""
    board = build(write(tmp_path / "results_x.json", harness(**tasks)))
    assert all(task not in board.entries.get("org/a", {}) for task in list(tasks)[-1:])
    (note,) = (note for note in board.notes if re.search(message, note))
    assert "results_x.json" in note


def test_percentages_are_read_as_such_and_said(tmp_path):
    """A file with scores above 1 is on a 0-100 scale, its stderrs too."""
    board = build(
        write(
            tmp_path / "results_x.json",
            harness(arc_challenge_poly_pt={"acc_norm,none": 57.78, "acc_norm_stderr,none": 1.5}),
        )
    )
    entry = board.entries["org/a"]["arc_challenge_poly_pt"]
    assert (entry.score, entry.stderr) == pytest.approx((0.5778, 0.015))
    assert "0-100 scale" in board.notes[0]


def test_the_later_of_two_runs_counts_and_is_named(tmp_path):
    """Dates in the file names decide."""
    old = write(tmp_path / "results_2026-01-01T00-00-00.0.json", harness(bluex={"acc,none": 0.5}))
    new = write(tmp_path / "results_2026-01-02T00-00-00.0.json", harness(bluex={"acc,none": 0.6}))
    board = build(new, old)
    assert board.entries["org/a"]["bluex"].score == 0.6
    assert "several runs of org/a on bluex; the one of 2026-01-02" in board.notes[0]


def test_two_runs_without_a_date_are_not_guessed_between(tmp_path):
    """Neither counts, and the note says why."""
    board = build(
        write(tmp_path / "results_a.json", harness(bluex={"acc,none": 0.5})),
        write(tmp_path / "results_b.json", harness(bluex={"acc,none": 0.6})),
    )
    assert "org/a" not in board.entries
    assert "no date says which is the latest" in board.notes[0]


def test_a_limited_run_is_shown_but_not_ranked(tmp_path):
    """--limit 8 gives scores on parts of the tasks: said, marked, and without a rank."""
    write(tmp_path / "results_1.json", harness("org/a", limit=8, **whole(0.8)))
    result = run(tmp_path, "--average", "Total")
    (row,) = (line.split() for line in result.stdout.splitlines() if "org/a" in line)
    assert row[:3] == ["–", "org/a", "(only"]
    assert "was run on parts of tasks (--limit 8)" in result.stderr


def test_own_tasks_need_a_baseline(tmp_path):
    """With --baselines a task of the user's is normalised like the others, metric and filter as stated."""
    path = write(tmp_path / "results_x.json", harness(minha={"exact_match,strict": 0.6, "exact_match,flexible": 0.7}))
    own = leaderboard.read_baselines(
        write(tmp_path / "own.json", {"minha": {"metric": "exact_match,strict", "random": 0.2}})
    )
    assert build(path, own=own).entries["org/a"]["minha"].npm.value == pytest.approx(50)


@pytest.mark.parametrize(
    "entry", [{}, {"metric": "acc"}, {"metric": "acc", "random": "x"}, {"metric": "acc", "random": 1.0}, 3]
)
def test_a_bad_baseline_is_refused(tmp_path, entry):
    """The message names the file and the task."""
    with pytest.raises(ResultsError, match=r"own\.json, task minha"):
        leaderboard.read_baselines(write(tmp_path / "own.json", {"minha": entry}))


def test_a_task_may_carry_its_own_baseline(tmp_path):
    """`metadata: npm` of a user's task in the result file is enough."""
    data = harness(minha={"acc,none": 0.6})
    data["configs"]["minha"]["metadata"]["npm"] = {"metric": "acc", "random": 0.2, "max": 1.0}
    assert build(write(tmp_path / "results_x.json", data)).entries["org/a"]["minha"].npm.value == pytest.approx(50)


def test_the_table_ranks_complete_models_and_withholds_incomplete_ones(tmp_path):
    """Two inseparable models share rank 1; a model without BLUEX has no average until --partial, and no rank."""
    write(tmp_path / "a" / "results_1.json", harness("org/a", **whole(0.8)))
    write(tmp_path / "b" / "results_1.json", harness("org/b", **whole(0.801)))
    write(tmp_path / "c" / "results_1.json", harness("org/c", **whole(0.9, without="bluex")))
    result = run(tmp_path, "--average", "Total")
    rows = [line.split() for line in result.output.splitlines() if "org/" in line]
    assert [row[:2] for row in rows] == [["1", "org/b"], ["1", "org/a"], ["–", "org/c"]]
    assert WITHOUT_ONE in result.output
    partial = run(tmp_path, "--average", "Total", "--partial").output
    (row,) = (line for line in partial.splitlines() if "org/c" in line)
    assert row.split()[0] == "–"
    assert f"* ({WITHOUT_ONE})" in row


def test_the_value_in_the_table_is_the_mean_of_the_tasks(tmp_path):
    """At .8: 80, 80, 60, and 73.33 five times, 75, 74.19, of the ten published tasks."""
    write(tmp_path / "results_1.json", harness("org/a", **whole(0.8)))
    chances = [BASELINES[task].random for task in NAMES]
    expected = sum(100 * (0.8 - chance) / (1 - chance) for chance in chances) / len(chances)
    data = json.loads(run(tmp_path, "--format", "json").stdout)
    assert data["models"][0]["averages"]["Total"]["npm"] == pytest.approx(expected)


def test_every_format_holds_the_same_numbers(tmp_path):
    """CSV, Markdown and LaTeX print what the table prints."""
    write(tmp_path / "results_1.json", harness("org/a_1", **whole(0.8)))
    arguments = (tmp_path, "--average", "Easy", "--tasks", "--format")
    (row,) = csv.DictReader(io.StringIO(run(*arguments, "csv").stdout))
    value = f"{float(row['Easy']):.2f} ± {float(row['Easy_stderr']):.2f}"
    assert value in run(*arguments, "table").stdout
    assert f"| 1 | org/a_1 | {value} |" in run(*arguments, "markdown").stdout
    latex = run(*arguments, "latex").stdout
    assert rf"1 & org/a\_1 & {value.replace('±', '$' + chr(92) + 'pm$')} &" in latex
    assert latex.count("&") == 2 * (2 + len(NAMES))
    assert float(row["bluex"]) == pytest.approx(100 * 0.575 / 0.775)


def test_post_training_averages_are_shown_when_a_model_has_their_tasks(tmp_path):
    """K&R tasks alone show K&R."""
    tasks = {task: {f"{NAMES.get(task, 'exact_match')},none": 0.5} for task in AVERAGES["K&R"]}
    write(tmp_path / "results_1.json", harness("org/a", **tasks))
    assert "K&R" in run(tmp_path).output


def test_nothing_usable_is_an_error(tmp_path):
    """Only unknown tasks: exit code 1 and the names."""
    write(tmp_path / "results_1.json", harness("org/a", rima={"acc,none": 0.5}))
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "rima" in result.output


def test_a_score_without_variance_is_not_certain(tmp_path):
    """200 of 200 right, which the harness gives no error: that of 202 of 204, so that near models are tied."""
    for model, share, stderr in (("org/all", 1.0, 0.0), ("org/most", 0.995, 0.005)):
        data = harness(model, **whole(share))
        for scores in data["results"].values():
            scores.update({f"{name}_stderr,none": stderr for name in [key.partition(",")[0] for key in scores]})
        data["n-samples"] = {task: {"original": 200, "effective": 200} for task in data["results"]}
        write(tmp_path / f"results_{model[4:]}.json", data)
    models = {one["model"]: one for one in json.loads(run(tmp_path, "--format", "json").stdout)["models"]}
    npm = models["org/all"]["tasks"]["calame_pt"]
    assert npm["stderr"] == pytest.approx(100 * (202 / 204 * 2 / 204 / 204) ** 0.5)
    assert models["org/all"]["rank"] == models["org/most"]["rank"] == 1
    assert "± 0.00" not in run(tmp_path).stdout
