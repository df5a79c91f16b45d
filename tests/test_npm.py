"""NPM and its averages against the published tables of Tucano 2."""

import json
import math
from pathlib import Path

import pytest

from lm_eval_ifeval_pt.npm.baselines import BASELINES
from lm_eval_ifeval_pt.npm.formula import AVERAGES, NpmEstimate, average, mean_npm, normalised, npm_ranks, task_npm

PUBLISHED = json.loads((Path(__file__).parent / "data" / "tucano2_published.json").read_text(encoding="utf-8"))
SIZES = {"Easy": 5, "Hard": 5, "Total": 10, "K&R": 7, "Instruct": 9, "Think": 8}  # tables 2, 3, 5, 6
SCORES = {(row["stage"], row["model"]): row["scores"] for row in PUBLISHED["scores"]}


@pytest.mark.parametrize(
    "row", PUBLISHED["aggregates"], ids=lambda row: f"{row['table']}-{row['model']}-{row['average']}"
)
def test_every_published_average_is_reproduced(row):
    """From the paper's scores per task, each of its averages within its own rounding (0.011)."""
    scores = SCORES[row["stage"], row["model"]]
    estimates = {task: task_npm(score / 100, None, BASELINES[task]) for task, score in scores.items()}
    published = [task for task in AVERAGES[row["average"]] if task in scores]
    assert len(published) == SIZES[row["average"]]
    assert average(estimates, published).estimate.value == pytest.approx(row["npm"], abs=0.011)


def test_all_146_published_averages_are_there():
    """None was left out to make the reproduction succeed."""
    assert len(PUBLISHED["aggregates"]) == 146


@pytest.mark.parametrize(
    ("score", "random", "maximum", "expected"),
    [(0.25, 0.25, 1, 0), (1, 0.25, 1, 100), (0, 0.25, 1, -100 / 3), (0.6, 0.5, 1, 20), (57.78, 25, 100, 43.7067)],
)
def test_chance_is_0_and_the_maximum_100_without_clipping(score, random, maximum, expected):
    """Hand computation; below chance is negative."""
    assert normalised(score, random, maximum) == pytest.approx(expected, abs=1e-4)


def test_the_stderr_of_a_task_grows_with_its_chance_level():
    """A stderr of 1.306 points at chance 25 is 17.41 points of NPM per ten (lm_eval: 0.1306 -> 17.4133)."""
    assert task_npm(0.25, 0.1306, BASELINES["arc_challenge_poly_pt"]) == pytest.approx((0.0, 17.4133), abs=1e-4)


def test_the_stderr_of_a_mean_is_the_harness_one():
    """Two tasks of 17.4078 and 15.9928 give 11.8195, as lm_eval 0.4.13 prints for their unweighted group."""
    assert mean_npm([NpmEstimate(0, 17.4078), NpmEstimate(5, 15.9928)]) == pytest.approx((2.5, 11.8195), abs=1e-4)


def test_an_unknown_stderr_makes_the_one_of_the_mean_unknown():
    """No error bar is better than one that leaves a task out."""
    assert mean_npm([NpmEstimate(0, 1.0), NpmEstimate(5, None)]) == NpmEstimate(2.5, None)


def test_an_average_with_a_missing_task_is_withheld():
    """The mean of nine is no mean of ten: given only when asked for, and then marked; the stderr is 1 / sqrt(9)."""
    estimates = {task: NpmEstimate(10, 1) for task in AVERAGES["Total"] if task != "bluex"}
    withheld = average(estimates, AVERAGES["Total"])
    assert withheld.estimate is None
    assert withheld.coverage == f"{len(estimates)}/{len(AVERAGES['Total'])} tasks: bluex missing"
    partial = average(estimates, AVERAGES["Total"], partial=True)
    assert partial.is_partial
    assert partial.estimate == pytest.approx((10, len(estimates) ** -0.5))


def test_total_is_the_mean_of_both_halves():
    """Of a task that joins a half, too."""
    assert AVERAGES["Total"] == AVERAGES["Easy"] + AVERAGES["Hard"]
    assert set(AVERAGES["K&R"]) < set(AVERAGES["Think"]) < set(AVERAGES["Instruct"])


def test_models_that_cannot_be_told_apart_share_a_rank():
    """40 ± 1 and 39 ± 1 do not differ (z = 0.71); both are better than 20 ± 1 (z > 13)."""
    found = npm_ranks(
        {"c": NpmEstimate(20, 1), "a": NpmEstimate(40, 1), "b": NpmEstimate(39, 1), "d": NpmEstimate(41, None)}
    )
    assert found == {"a": 1, "b": 1, "c": 3, "d": None}


def test_many_comparisons_need_stronger_evidence():
    """z = 2.2 (p = .028) separates two models alone, not among ten (45 pairs; Holm wants .05/45 first)."""
    apart = {"a": NpmEstimate(2.2 * math.sqrt(2), 1), "b": NpmEstimate(0, 1)}
    assert npm_ranks(apart) == {"a": 1, "b": 2}
    crowd = {f"m{index}": NpmEstimate(2.2 * math.sqrt(2) * (index == 0), 1) for index in range(10)}
    assert set(npm_ranks(crowd).values()) == {1}
