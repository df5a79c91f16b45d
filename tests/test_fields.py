"""Scores by a field, by letter and by length, against hand computation."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import comparison, fields
from lm_eval_ifeval_pt.analysis.fields import by_field
from lm_eval_ifeval_pt.analysis.lengths import length_profile
from lm_eval_ifeval_pt.analysis.letters import letter_bias
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.statistics import spearman
from tests import runs
from tests.test_results import write_rows


def row(number, score, subject=None, key=0, chosen=None, response=None, **doc):
    """A row of a task with two subjects and four options, or a written answer."""
    about = {"question": f"q{number}", **({"subject": subject} if subject else {}), **doc}
    chosen = key if chosen is None else chosen
    values = [[["-0.5" if place == chosen else "-2.0", "False"]] for place in range(4)]
    arguments = {f"gen_args_{place}": {"arg_0": f"q{number}", "arg_1": f" {'ABCD'[place]}"} for place in range(4)}
    if response is not None:
        values, arguments = [[response]], {"gen_args_0": {"arg_0": f"q{number}", "arg_1": {}}}
    return {
        "doc_id": number, "doc": about, "target": str(key), "filter": "none", "metrics": ["acc"], "acc": score,
        "arguments": arguments, "resps": values, "filtered_resps": [value[0] for value in values],
        "doc_hash": f"d{number}", "prompt_hash": f"p{number}", "target_hash": f"t{number}",
    }  # fmt: skip


def read(folder, rows, task="enem"):
    """The run of some rows."""
    write_rows(folder / f"samples_{task}_{runs.DATE}.jsonl", rows)
    (run,) = results.read([folder]).runs
    return run


def test_scores_by_subject_are_the_means_of_their_documents(tmp_path):
    """3 of 4 in physics, 1 of 2 in history, 1 of 1 without a subject; Wilson's intervals (3/4: .301 to .954)."""
    values = [("física", 1), ("física", 1), ("física", 1), ("física", 0), ("história", 1), ("história", 0), (None, 1)]
    run = read(tmp_path, [row(number, score, subject) for number, (subject, score) in enumerate(values)])
    found = {one.value: one for one in by_field(run.items, "acc", "subject")}
    assert {value: (one.documents, one.score.value) for value, one in found.items()} == {
        "física": (4, 0.75), "história": (2, 0.5), "–": (1, 1.0),
    }  # fmt: skip
    assert found["física"].interval == pytest.approx((0.3006, 0.9544), abs=1e-4)


def test_years_are_in_the_order_of_numbers(tmp_path):
    """9 before 10, words last."""
    run = read(tmp_path, [row(number, 1, year=year) for number, year in enumerate([10, 9, "xx", 9])])
    assert [one.value for one in by_field(run.items, "acc", "year")] == ["9", "10", "xx"]


def test_a_field_that_no_document_has_is_named(tmp_path):
    """The message says which fields there are."""
    run = read(tmp_path, [row(0, 1, "física")])
    with pytest.raises(results.ResultsError, match="'exam'; they have: question, subject"):
        by_field(run.items, "acc", "exam")


def test_fields_worth_showing_have_few_values_and_hold_no_key(tmp_path):
    """The subject, not the question, the key or what only some documents have."""
    rows = [row(number, 1, ("a", "b")[number % 2], label="ABCD"[number % 4]) for number in range(20)]
    assert fields.worth_showing(read(tmp_path, rows).items) == ["subject"]


def test_changes_by_field(tmp_path):
    """Physics: 4 improve, 0 regress: McNemar 2 * .5^4 = .125; history: one each way: 1; q is twice .125."""
    a = [(0, "f"), (0, "f"), (0, "f"), (0, "f"), (1, "h"), (0, "h")]
    b = [(1, "f"), (1, "f"), (1, "f"), (1, "f"), (0, "h"), (1, "h")]
    one, other = (
        read(tmp_path / name, [row(number, score, subject) for number, (score, subject) in enumerate(rows)])
        for name, rows in (("a", a), ("b", b))
    )
    physics, history = fields.changes_by_field(comparison.compare(one, other).pairs, "subject")
    assert (physics.value, physics.n, physics.a, physics.b, physics.improved, physics.regressed) == ("f", 4, 0, 1, 4, 0)
    assert (physics.p_value, physics.q_value, history.p_value) == (0.125, 0.25, 1.0)
    assert history.difference.value == 0


def test_letters_are_counted_against_the_key(tmp_path):
    """Keys A B C D, always A chosen: right 1 each, A chosen 4 times, 1 hit; 3 of 4 choices would have to be others."""
    run = read(tmp_path, [row(number, number == 0, key=number, chosen=0) for number in range(4)])
    bias = letter_bias(run.items)
    assert [(one.letter, one.right, one.chosen, one.hits) for one in bias.options] == [
        ("A", 1, 4, 1), ("B", 1, 0, 0), ("C", 1, 0, 0), ("D", 1, 0, 0),
    ]  # fmt: skip
    assert bias.distance == 0.75


@pytest.mark.parametrize(("target", "place"), [("2", 2), ("C", 2), (" C", 2), ('"C"', 2), ("E", None), ("7", None)])
def test_the_key_is_read_by_number_letter_or_text(tmp_path, target, place):
    """What names no option is left out."""
    bias = letter_bias(read(tmp_path, [row(0, 1, chosen=2) | {"target": target}]).items)
    assert (bias and next(number for number, one in enumerate(bias.options) if one.right)) == place


def test_written_letters_are_choices(tmp_path):
    """`C)` and `(A)` are letters, `Casa` is none."""
    rows = [row(number, 1, response=text) | {"target": "C"} for number, text in enumerate(["C)", "(A) é", "Casa"])]
    bias = letter_bias(read(tmp_path, rows).items)
    assert bias.documents == 2
    assert [one.chosen for one in bias.options] == [1, 0, 1]


def test_tasks_without_options_have_no_letters(tmp_path):
    """A number as target of a written answer is no letter."""
    assert letter_bias(read(tmp_path, [row(0, 1, response="42")]).items) is None


def test_score_against_length(tmp_path):
    """Words 1 to 8, right from 5 on: quarters of two answers each, means 0 0 1 1; ranks give rho = 4 / sqrt(21)."""
    rows = [row(number, float(number > 4), response="a " * number) for number in range(1, 9)]
    profile = length_profile(read(tmp_path, rows).items, "acc")
    assert [(one.shortest, one.longest, one.documents, one.score.value) for one in profile.bins] == [
        (1, 2, 2, 0), (3, 4, 2, 0), (5, 6, 2, 1), (7, 8, 2, 1),
    ]  # fmt: skip
    assert profile.median == 4.5
    assert profile.rho == pytest.approx(4 / math.sqrt(21))


def test_equal_lengths_stay_together_and_have_no_correlation(tmp_path):
    """One bin, and no number for what does not vary."""
    profile = length_profile(
        read(tmp_path, [row(number, number % 2, response="a") for number in range(8)]).items, "acc"
    )
    assert len(profile.bins) == 1
    assert math.isnan(profile.rho)


def test_spearman_takes_ties_at_their_mean_rank():
    """Ranks 1 2.5 2.5 4 and 1 2 3 4: r = 4.5 / sqrt(4.5 * 5) (Kendall's textbook example)."""
    assert spearman(np.array([1, 2, 2, 3]), np.array([1, 2, 3, 4])) == pytest.approx(4.5 / math.sqrt(22.5))


@pytest.fixture
def two(tmp_path):
    """Two models on four documents of two subjects: the first always chooses A, the second is always right."""
    for name, chosen in (("a", 0), ("b", None)):
        rows = [row(number, float(name == "b" or number == 0), "fh"[number % 2], number, chosen) for number in range(4)]
        write_rows(tmp_path / name / f"samples_enem_{runs.DATE}.jsonl", rows)
    return tmp_path / "a", tmp_path / "b"


def as_json(*arguments):
    """What a command says as JSON."""
    result = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_table_shows_scores_by_a_field(two):
    """Of two documents each, the first model has 1 of f and 0 of h right, the second all."""
    of_a, of_b = as_json("table", "--by", "subject", *two)
    assert {value["value"]: (value["documents"], value["score"]["value"]) for value in of_a["values"]} == {
        "f": (2, 0.5), "h": (2, 0.0),
    }  # fmt: skip
    assert [value["score"]["value"] for value in of_b["values"]] == [1.0, 1.0]
    shown = CliRunner().invoke(main, ["table", "--by", "subject", *map(str, two)]).stdout
    assert ["f", "a", "2", "50.0"] in [line.split()[:4] for line in shown.splitlines()]


def test_diff_shows_changes_by_a_field(two):
    """One of two improves in f, both in h."""
    (task,) = as_json("diff", "--by", "subject", *two)
    changes = {value["value"]: (value["improved"], value["regressed"]) for value in task["values"]}
    assert changes == {"f": (1, 0), "h": (2, 0)}
    shown = CliRunner().invoke(main, ["diff", "--by", "subject", "--show", "0", *map(str, two)]).stdout
    assert ["h", "2", "0.0", "100.0", "+100.0"] in [line.split()[:5] for line in shown.splitlines()]


@pytest.mark.parametrize("command", ["table", "diff"])
def test_a_field_that_is_not_there_is_the_call_s_fault(two, command):
    """Exit code 2; the message says which fields there are."""
    result = CliRunner().invoke(main, [command, "--by", "matéria", *map(str, two)])
    assert (result.exit_code, "subject" in result.stderr) == (2, True)


def test_stats_shows_letters_and_lengths(two, tmp_path):
    """A is chosen four times and right once; written answers of 1 and 3 words score 0 and 1."""
    (run,) = as_json("stats", "--letters", two[0])["runs"]
    assert run["letters"]["options"][0] == {"letter": "A", "right": 1, "chosen": 4, "hits": 1}
    read(tmp_path / "c", [row(0, 0.0, response="não"), row(1, 1.0, response="sim sim sim")], "livre")
    (run,) = as_json("stats", "--lengths", tmp_path / "c")["runs"]
    assert [(part["shortest"], part["score"]["value"]) for part in run["lengths"]["bins"]] == [(1, 0.0), (3, 1.0)]
    output = CliRunner().invoke(main, ["stats", "--letters", "--lengths", *map(str, two)]).stdout
    assert ["A", "1", "4", "1", "100.0"] in [line.split() for line in output.splitlines()]
