"""Describing the scores of any task, repeats, and how many items a difference needs."""

import json
import math

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import ifeval, results
from lm_eval_ifeval_pt.analysis import descriptions, likelihood, repeats
from lm_eval_ifeval_pt.analysis.repeats import Answers
from lm_eval_ifeval_pt.cli import main
from tests.test_accidental import crossed
from tests.test_comparison import outcomes
from tests.test_results import only, sample, write_result, write_rows


def run(*arguments):
    """`lm-eval-pt …`."""
    return CliRunner().invoke(main, list(map(str, arguments)), env={"COLUMNS": "200"})


def written(path, answers, target="Brasília", **more):
    """A sample file of a task whose answers are written."""
    rows = [
        sample(n, exact_match=0.0) | {"arguments": {"gen_args_0": {"arg_0": f"q{n}", "arg_1": {}}}, "target": target,
                                      "resps": [list(given)], "filtered_resps": [given[0]]} | more
        for n, given in enumerate(answers)
    ]
    return write_rows(path, rows)


def test_every_metric_is_described(tmp_path):
    """1, 2, 3, 10: mean 4, median 2.5, sd sqrt(50/3), two of four reach 3; a list counts by its numbers."""
    rows = [sample(n, score=float(x), parts=[x > 2, True]) for n, x in enumerate((1, 2, 3, 10))]
    score, parts = descriptions.describe(only(write_rows(tmp_path / "samples_t.jsonl", rows)), threshold=3)
    assert (score.metric, score.mean.value, score.median) == ("score", 4, 2.5)
    assert (score.low, score.high, score.passed) == (1, 10, 0.5)
    assert score.deviation == pytest.approx(math.sqrt(50 / 3))
    assert score.mean.stderr == pytest.approx(math.sqrt(50 / 3) / 2)
    assert (parts.mean.n, parts.mean.value, parts.mean.df) == (8, 0.75, 3)


def test_clusters_are_respected(tmp_path):
    """Two subjects of two equal scores: 1 degree of freedom, not 3."""
    rows = [sample(n, acc=float(n < 2)) | {"doc": {"subject": n < 2}} for n in range(4)]
    (found,) = descriptions.describe(only(write_rows(tmp_path / "samples_t.jsonl", rows)), cluster="subject")
    assert (found.mean.df, found.mean.stderr) == (1, 0.5)


def test_perplexity_is_over_the_whole_task(tmp_path):
    """Not the mean of documents: 8 nats over 2 words and 2 over 8 are exp(1); in bits per byte 1 / ln 2."""
    rows = [
        sample(n, word_perplexity=[ll, words], bits_per_byte=[ll, words])
        for n, (ll, words) in enumerate([(-8.0, 2), (-2.0, 8)])
    ]
    run = only(write_rows(tmp_path / "samples_t.jsonl", rows))
    found = {one.metric: one.value for one in descriptions.of_corpus(run)}
    assert found["word_perplexity"] == pytest.approx(math.e)
    assert found["bits_per_byte"] == pytest.approx(1 / math.log(2))
    assert descriptions.describe(run) == []


def test_a_score_of_the_whole_task_is_no_mean(tmp_path):
    """What the documents log for the score corrected for accident are their verdicts."""
    told = {"crase": "Vou à feira às 3.", "no digit": "Tenho gatos."}
    run = only(crossed(tmp_path, lambda number, asked: told.get(asked, "Tenho 3 gatos.")))
    assert "ifeval_pt_corrected" not in {one.metric for one in descriptions.describe(run)}
    found = {one.metric: one.value for one in descriptions.of_corpus(run)}
    assert found == dict.fromkeys(("ifeval_pt_corrected", "ifeval_pt_corrected_own_words"), pytest.approx(2 / 3))


def test_bits_per_byte_of_the_right_answer(tmp_path):
    """The second choice is right: " ç" has three bytes and a log-likelihood of -0.5."""
    row = sample(0, acc=1.0)
    row["arguments"]["gen_args_1"]["arg_1"] = " ç"
    (found,) = descriptions.of_corpus(only(write_rows(tmp_path / "samples_t.jsonl", [row])))
    assert (found.metric, found.value) == ("bits_per_byte (right answer)", pytest.approx(0.5 / 3 / math.log(2)))


@pytest.mark.parametrize(("target", "text"), [("1", " b"), ("b", " b"), (" a", " a"), ("7", None), ("c", None)])
def test_the_right_choice_is_told_by_place_or_text(tmp_path, target, text):
    """What the harness logs as target is either; where it is neither, nothing is guessed."""
    item = only(write_rows(tmp_path / "samples_t.jsonl", [sample(0, acc=1.0) | {"target": target}])).items[0]
    choice = likelihood.right_choice(item)
    assert (choice and choice.text) == text


def test_consistency_of_answers():
    """Three documents of two answers: same and right; different, one right; different, both wrong."""
    answers = [
        Answers(("x", "x"), (True, True)),
        Answers(("x", "y"), (True, False)),
        Answers(("y", "z"), (False, False)),
    ]
    found = repeats.consistency(answers, ks=(1, 2, 5))
    assert (found.documents, found.repeats) == (3, 2)
    assert (found.identical, found.same_text, found.same_verdict) == pytest.approx((1 / 3, 1 / 3, 2 / 3))
    assert found.pass_at == pytest.approx({1: 0.5, 2: 2 / 3})
    assert found.pass_all == pytest.approx({1: 0.5, 2: 1 / 3})
    assert found.majority == pytest.approx({1: 0.5, 2: 0.5})
    # Fleiss: agreement 2/3, by chance 1/2. Variance: within (0 + 1/4 + 0) / 3 * 2, between 1/4 less half of that.
    assert found.kappa == pytest.approx(1 / 3)
    assert found.within == pytest.approx((1 / 6) / (1 / 6 + 1 / 4 - 1 / 12))


def test_the_majority_of_five_can_be_right_where_each_is_mostly_wrong():
    """Two of five agree on the right answer, the wrong ones differ: the vote of all five finds it."""
    found = repeats.consistency([Answers(("x", "x", "a", "b", "c"), (True, True, False, False, False))], ks=(1, 5))
    assert found.majority == pytest.approx({1: 0.4, 5: 1.0})


def test_repeats_in_one_file_are_verified_each(tmp_path):
    """Of our tasks by their verifiers, of others by the words of the target."""
    doc = {"key": 0, "prompt": "Oi.", "instruction_id_list": ["ptbr:crase"], "kwargs": [{}], "dialect": "ifeval_pt",
           "mode": "pt"}
    metrics = ifeval.process_results(doc, ["Oi."])
    row = {"doc_id": 0, "doc": doc, "resps": [["Oi.", "À noite."]], "filtered_resps": ["Oi."], **metrics}
    ours = only(write_rows(tmp_path / "samples_ifeval_pt.jsonl", [row]))
    assert repeats.of_items(ours.items)[0].verdicts == (False, True)
    others = only(written(tmp_path / "samples_qa.jsonl", [("BRASÍLIA!", "Rio")], exact_match=1.0))
    assert repeats.of_items(others.items)[0].verdicts == (True, False)


def test_repeats_are_not_judged_by_another_measure_than_the_task_s(tmp_path):
    """A task that reads "85" out of "São 85 pães." has its own scoring: comparing whole answers would say 0."""
    path = written(tmp_path / "samples_gsm.jsonl", [("São 85 pães.", "São 84.")], target="85", exact_match=1.0)
    with pytest.raises(repeats.NotRepeatable, match="scores answers in its own way"):
        repeats.of_items(only(path).items)
    outcome = CliRunner().invoke(main, ["stats", str(path)], env={"COLUMNS": "200"})
    assert outcome.exit_code == 0
    assert "pass@k, majority and consistency are left out" in outcome.stderr
    assert "pass@" not in outcome.stdout


def test_a_task_s_own_token_f1_is_not_ours(tmp_path):
    """A metric that a task calls token_f1 keeps its row to itself."""
    path = written(tmp_path / "samples_qa.jsonl", [("Brasília",), ("Rio",)], token_f1=0.25, metrics=["token_f1"])
    rows = [row for row in descriptions.describe(only(path)) if row.metric == "token_f1"]
    assert [row.mean.value for row in rows] == [0.25]


def test_runs_are_repeats_where_asked(tmp_path):
    """Three runs of one model: by default the latest counts; with --repeats all do."""
    for day, scores in enumerate(([1, 0, 1], [1, 1, 0], [1, 0, 0]), 1):
        date = f"2026-01-0{day}T00-00-00.0"
        write_rows(tmp_path / f"samples_t_{date}.jsonl", [sample(n, acc=float(s)) for n, s in enumerate(scores)])
        write_result(tmp_path / f"results_{date}.json", "m", "t")
    data = json.loads(run("stats", tmp_path, "--repeats", "--json", "-k", "1", "-k", "3").stdout)
    (found,) = data["repeats"]
    assert found["consistency"]["repeats"] == 3
    assert found["consistency"]["pass_at"] == pytest.approx({"1": 5 / 9, "3": 1.0})
    assert found["consistency"]["pass_all"]["3"] == pytest.approx(1 / 3)
    assert found["consistency"]["majority"] is None  # nothing was written, choices were scored
    alone = json.loads(run("stats", tmp_path, "--json").stdout)
    assert (len(alone["runs"]), alone["repeats"]) == (1, [])


def test_stats_prints_each_task(tmp_path):
    """Metrics with mean, error and spread; token F1 and BLEU where an answer and a target were written."""
    output = run("stats", written(tmp_path / "samples_qa.jsonl", [("Brasília",), ("Rio",)])).output
    rows = {line.split()[0]: line.split() for line in output.splitlines() if line.strip()}
    assert rows["token_f1"][1:4] == ["2", "0.500", "0.095"]  # Wilson's interval of 1 of 2
    assert "bleu" in rows
    assert "exact_match" in rows


def test_power_answers_both_questions():
    """Rate .328, correlation .5: 308 items show 7.5 points at 80 %; 14 tasks of 22 with ICC .1 cost 3.1 times more."""
    rows = json.loads(run("power", "--rate", ".328", "--items", "308", "--json").stdout)
    (at_80,) = (row for row in rows["rows"] if row["power"] == 0.8)
    assert at_80["detectable"] == pytest.approx(0.075, abs=5e-4)
    clustered = json.loads(run("power", "--rate", ".328", "--cluster-size", "22", "--icc", ".1", "--json").stdout)
    assert clustered["design_effect"] == pytest.approx(3.1)
    assert clustered["rows"][1]["items"] == pytest.approx(3.1 * at_80["items"], abs=3)


def test_power_is_connor_s_for_mcnemar():
    """A fifth of the items discordant, 5 points: 626; so the variance of differences is .2 - .05²."""
    rate = (1 - math.sqrt(1 - 2 * (0.2 - 0.05**2))) / 2
    found = json.loads(run("power", "--rate", rate, "--correlation", 0, "--difference", 5, "--json").stdout)
    assert found["rows"][1]["items_mcnemar"] == 626


def test_power_is_miller_s():
    """Variance 1/9 between items, 1/6 within for either model, 198 items: 13.2 points at one answer, 7.5 at ten."""
    rate = (1 - math.sqrt(1 - 2 * (1 / 9 + 1 / 3))) / 2  # such that 2 p (1 - p) (1 - 0) is the whole variance
    options = ("--items", 198, "--rate", rate, "--correlation", 0, "--within", (1 / 3) / (1 / 9 + 1 / 3), "--json")
    for answers, points in ((1, 0.132), (10, 0.075)):
        found = json.loads(run("power", *options, "--repeats", answers).stdout)
        assert found["rows"][1]["detectable"] == pytest.approx(points, abs=1e-3)


def test_power_measures_two_runs(tmp_path):
    """What `diff` calls detectable on their items is what power says of so many items."""
    a, b = outcomes(tmp_path, "a", [0, 1] * 20), outcomes(tmp_path, "b", [1, 1, 0, 0] * 10)
    found = json.loads(run("power", a, b, "--json").stdout)
    (compared,) = json.loads(run("diff", a, b, "--json").stdout)
    assert found["items"] == 40
    assert found["rows"][1]["detectable"] == pytest.approx(compared["detectable"])
    assert run("power", a).exit_code == 2
    assert results.read([a]).runs
