"""Many models: an order as far as the documents allow one, and verdicts of judges as wins."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import results
from lm_eval_ifeval_pt.analysis import duels, judges, ranking
from lm_eval_ifeval_pt.analysis.duels import Duel
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.results import ResultsError
from lm_eval_ifeval_pt.statistics import Estimate, mean_of_estimates
from tests.test_comparison import outcomes
from tests.test_results import sample, write_result, write_rows


def rank(path, **options):
    """The ranking of the runs in a folder."""
    return ranking.rank(results.read([path]).runs, resamples=100, **options)


def run(*arguments):
    """`lm-eval-pt rank`."""
    return CliRunner().invoke(main, ["rank", "--resamples", "100", *map(str, arguments)], env={"COLUMNS": "200"})


def verdicts(path, rows):
    """A file of verdicts."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_models_that_cannot_be_told_apart_share_a_rank(tmp_path):
    """a and b differ on 5 of 40 documents (p = .0625), both beat c on most."""
    outcomes(tmp_path, "a", [1] * 40)
    outcomes(tmp_path, "b", [1] * 35 + [0] * 5)
    outcomes(tmp_path, "c", [0] * 40)
    found = rank(tmp_path)
    assert [(one.model, one.rank) for one in found.standings] == [("a", 1), ("b", 1), ("c", 3)]
    assert found.ties == (("a", "b"), ("c",))


def test_ties_are_not_transitive(tmp_path):
    """a ties with b and b with c, but a beats c by 10 to 0: no order a, b, c and no single group either."""
    outcomes(tmp_path, "a", [1] * 40)
    outcomes(tmp_path, "b", [1] * 35 + [0] * 5)
    outcomes(tmp_path, "c", [1] * 30 + [0] * 10)
    found = rank(tmp_path)
    assert found.ties == (("a", "b"), ("b", "c"))
    assert [one.rank for one in found.standings] == [1, 1, 2]


def test_many_models_need_stronger_evidence(tmp_path):
    """Eight of eight (p = .0078) separates two models, but not among six with fifteen pairs (Holm: .117)."""
    for name in "abcde":
        outcomes(tmp_path, name, [0] * 40)
    outcomes(tmp_path, "f", [1] * 8 + [0] * 32)
    assert {one.rank for one in rank(tmp_path).standings} == {1}
    two = [run for run in results.read([tmp_path]).runs if run.model in "af"]
    assert [one.rank for one in ranking.rank(two, resamples=100).standings] == [1, 2]


def test_the_score_is_npm_where_chance_is_known(tmp_path):
    """ENEM has five choices: 0.6 is 50; the standard error grows by 100 / 0.8. An unknown chance is taken as 0."""
    for name, scores in (("a", [1] * 6 + [0] * 4), ("b", [0] * 10)):
        rows = [sample(n, acc=float(score)) for n, score in enumerate(scores)]
        write_rows(tmp_path / name / "samples_enem.jsonl", rows)
    (a, b), *_ = [found.standings for found in [rank(tmp_path)]]
    assert (a.score.value, b.score.value) == pytest.approx((50, -25))
    assert a.score.stderr == pytest.approx(math.sqrt(0.24 / 9) * 125)
    outcomes(tmp_path / "other", "a", [1, 0])
    outcomes(tmp_path / "other", "b", [0, 0])
    found = rank(tmp_path / "other")
    assert found.standings[0].score.value == 50
    assert any("t: no chance level of acc is known" in note for note in found.notes)


def test_tasks_that_a_model_lacks_are_left_out(tmp_path):
    """An average over other tasks is another number; the note says what is lacking where."""
    for name in "ab":
        outcomes(tmp_path, name, [1, 0])
    write_rows(tmp_path / "a" / "samples_u.jsonl", [sample(0, acc=1.0)])
    write_result(tmp_path / "a" / "results_u.json", "a", "u", **{"n-samples": {}})
    found = rank(tmp_path)
    assert found.documents == {"t": 2}
    assert any("u: left out, since b lacks it" in note for note in found.notes)
    with pytest.raises(ResultsError, match="two models are needed"):
        rank(tmp_path, tasks=["u"])


def test_the_mean_of_tasks_has_satterthwaite_s_degrees_of_freedom():
    """Equal errors of 10 and 10 degrees of freedom have 20 together; errors of 3 and 4 make 5 / 2."""
    equal = mean_of_estimates([Estimate(1.0, 2.0, 10, 11), Estimate(3.0, 2.0, 10, 11)])
    assert (equal.value, equal.df) == (2.0, 20)
    assert mean_of_estimates([Estimate(0.0, 3.0, 9, 10), Estimate(0.0, 4.0, 9, 10)]).stderr == 2.5


def test_two_runs_of_one_model_are_told_apart_by_their_folders(tmp_path):
    """The same checkpoint with and without a chat template."""
    for name in ("plain", "chat"):
        path = outcomes(tmp_path, name, [1, 0, 1])
        write_result(path.parent / "results_2026-01-01T00-00-00.0.json", "org/m", "t", **{"n-samples": {}})
    names = [one.model for one in rank(tmp_path).standings]
    assert sorted(names) == [f"org/m ({tmp_path / name})" for name in ("chat", "plain")]


def test_strengths_are_the_logits_of_winning():
    """Won 30 of 40 against one other: logit 3/4 = ln 3, split around 0; the interval holds it and is not a point."""
    games = [Duel("a", "b", float(n < 30), str(n)) for n in range(40)]
    found = duels.strengths(games, resamples=200)
    assert (found["a"].value, found["b"].value) == pytest.approx((math.log(3) / 2, -math.log(3) / 2), abs=1e-6)
    assert found["a"].interval.low < math.log(3) / 2 < found["a"].interval.high
    assert (found["a"].wins, found["a"].duels) == (30, 40)


def test_the_bootstrap_draws_clusters():
    """Forty duels in four clusters that agree within: the interval is far wider than that of forty clusters."""
    def width(clusters):
        games = [Duel("a", "b", float(n % 4 != 0), str(n % clusters)) for n in range(40)]
        low, high = duels.strengths(games, resamples=500)["a"].interval
        return high - low

    assert width(4) > 2 * width(40)


def test_the_same_seed_gives_the_same_interval():
    """And another one another."""
    games = [Duel("a", "b", float(n % 3 == 0), str(n)) for n in range(30)]
    first, again, other = (duels.strengths(games, resamples=100, seed=seed)["a"].interval for seed in (1, 1, 2))
    assert first == again != other


def test_a_tie_is_half_a_win_and_weights_count():
    """Three ties are no difference; a verdict of weight 3 is three verdicts."""
    assert duels.strengths([Duel("a", "b", 0.5, str(n)) for n in range(3)])["a"].value == pytest.approx(0)
    heavy = duels.strengths([Duel("a", "b", 1, "0", 3.0), Duel("a", "b", 0, "1")], resamples=10)
    assert heavy["a"].value - heavy["b"].value == pytest.approx(math.log(3), abs=1e-6)


@pytest.mark.parametrize(
    ("row", "result"),
    [
        ({"model_a": "x", "model_b": "y", "winner": "model_a"}, 1),
        ({"model_a": "x", "model_b": "y", "winner": "tie (bothbad)"}, 0.5),
        ({"model_a": "x", "model_b": "y", "winner": "y"}, 0),
        ({"a": "x", "b": "y", "winner": "[[B]]"}, 0),
        ({"model_1": "x", "model_2": "y", "g1_winner": "model_1", "g2_winner": "model_1"}, 1),
        ({"model_1": "x", "model_2": "y", "g1_winner": "model_1", "g2_winner": "model_2"}, 0.5),
        ({"generator_1": "x", "generator_2": "y", "preference": 2.0}, 0),
        ({"generator_1": "x", "generator_2": "y", "preference": 1.25}, 0.75),
    ],
)
def test_verdicts_of_judges_are_duels(tmp_path, row, result):
    """Chatbot Arena, MT-Bench with both orders, AlpacaEval, and plain rows."""
    ((duel,), notes) = judges.read_duels(verdicts(tmp_path / "v.jsonl", [row]))
    assert (duel.first, duel.second, duel.result, notes) == ("x", "y", result, [])


def test_verdicts_that_say_nothing_are_counted(tmp_path):
    """An error of the judge, a row without models, a model against itself; a file of these alone is refused."""
    rows = [
        {"model_a": "x", "model_b": "y", "winner": "error"},
        {"model_1": "x", "model_2": "y", "g1_winner": "model_1", "g2_winner": "error"},
        {"question": "?"},
        {"model_a": "x", "model_b": "x", "winner": "model_a"},
    ]
    with pytest.raises(ResultsError, match="a row looks like"):
        judges.read_duels(verdicts(tmp_path / "v.jsonl", rows))
    good = {"model_a": "x", "model_b": "y", "winner": "A", "question_id": 7, "weight": 2}
    ((duel,), notes) = judges.read_duels(verdicts(tmp_path / "v.jsonl", [*rows, good]))
    assert (duel.cluster, duel.weight) == ("7", 2.0)
    left_out = [("2", "no verdict"), ("1", "no two models named"), ("1", "a model against itself")]
    assert [note.split(": ", 1)[1] for note in notes] == [f"{n} rows left out: {why}" for n, why in left_out]


def test_judged_models_get_ranks_and_ties(tmp_path):
    """x beats y 45 of 50 times, z wins half of its duels with y: x alone is better."""
    rows = [{"model_a": "x", "model_b": "y", "winner": "A" if n % 10 else "B", "key": n} for n in range(50)]
    rows += [{"model_a": "z", "model_b": "y", "winner": "A" if n % 2 else "B", "key": n + 50} for n in range(50)]
    found, _ = judges.read_duels(verdicts(tmp_path / "v.jsonl", rows))
    judged = duels.judge(found, resamples=200)
    assert judged.ranks == {"x": 1, "y": 2, "z": 2}
    assert ("y", "z") in judged.ties or ("z", "y") in judged.ties
    output = run("--verdicts", tmp_path / "v.jsonl").output
    assert "Elo (K = 32) depends on the order" in output


def test_an_undefeated_model_has_no_finite_strength(tmp_path):
    """Which is said instead of a number that the ridge made up."""
    rows = [{"model_a": "x", "model_b": "y", "winner": "A", "key": n} for n in range(5)]
    output = run("--verdicts", verdicts(tmp_path / "v.jsonl", rows)).output
    assert output.count("not finite") == 2


def test_rank_prints_ties_errors_and_the_seed(tmp_path):
    """A row per model with rank, letters of its groups, NPM and Wilson's interval; both orders of Elo."""
    outcomes(tmp_path, "a", [1] * 40)
    outcomes(tmp_path, "b", [1] * 35 + [0] * 5)
    outcomes(tmp_path, "c", [1] * 30 + [0] * 10)
    result = run(tmp_path, "--seed", 3)
    lines = (line.split() for line in result.output.splitlines() if line.startswith(("a ", "b ", "c ")))
    rows = {cells[0]: cells for cells in lines}
    assert [rows[model][1:7] for model in "abc"] == [
        ["1", "a", "100.00", "91.2", "to", "100.0"],
        ["1", "ab", "87.50", "73.9", "to", "94.5"],
        ["2", "b", "75.00", "59.8", "to", "85.8"],
    ]
    assert "seed 3" in result.output
    assert "Elo, reversed" in result.output
    data = json.loads(run(tmp_path, "--json").stdout)
    assert data["items"]["ties"] == [["a", "b"], ["b", "c"]]
    assert data["items"]["standings"][0]["strength"]["elo"] != data["items"]["standings"][0]["strength"]["elo_reversed"]


def test_nothing_to_rank_is_said(tmp_path):
    """No argument, one model."""
    assert run().exit_code == 2
    outcomes(tmp_path, "a", [1, 0])
    result = run(tmp_path)
    assert (result.exit_code, "two models are needed" in result.output) == (2, True)


def test_strengths_of_resamples_are_centred():
    """So that their spread is that of the strengths that are printed."""
    by_cluster = np.array([[[0, 1], [0, 0]], [[0, 0], [1, 0]], [[0, 1], [0, 0]]], dtype=float)
    assert duels.resampled(by_cluster, 20, 0).mean(axis=1) == pytest.approx(0)


def test_two_documents_do_not_decide_a_ranking(tmp_path):
    """2 of 2 against 0 of 2 beside an even task of 100 is no difference, however alike the two documents are."""
    from tests.test_identity import result, sampled

    for model, of_two in (("a", [1.0, 1.0]), ("b", [0.0, 0.0])):
        folder = tmp_path / model
        for hour, task, values in (("10", "calame_pt", of_two), ("11", "lambada_poly_pt", [1.0, 0.0] * 50)):
            path = result(folder, hour, {}, {task: {"acc,none": 0.5}})
            path.write_text(path.read_text().replace("org/m", model))
            sampled(folder, hour, values)
            sample = folder / f"samples_calame_pt_2026-11-01T{hour}-00-00.000001.jsonl"
            sample.rename(folder / f"samples_{task}_2026-11-01T{hour}-00-00.000001.jsonl")
    ranked = ranking.rank(results.read([tmp_path / "a", tmp_path / "b"]).runs, resamples=0)
    assert min(ranked.p_values.values()) > 0.05
    assert {standing.rank for standing in ranked.standings} == {1}


def test_a_task_of_one_document_can_be_ranked(tmp_path):
    """One document has no variance; the ranking is made, with nothing claimed."""
    from tests.test_identity import result, sampled

    for model, outcome in (("a", 1.0), ("b", 0.0)):
        path = result(tmp_path / model, "10", {}, {"calame_pt": {"acc,none": 0.5}})
        path.write_text(path.read_text().replace("org/m", model))
        sampled(tmp_path / model, "10", [outcome])
    ranked = ranking.rank(results.read([tmp_path / "a", tmp_path / "b"]).runs, resamples=0)
    assert {standing.rank for standing in ranked.standings} == {1}
