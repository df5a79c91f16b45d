"""Curves over training: every figure against published or hand-computed values, and what is shown of them."""

import base64
import csv
import hashlib
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from lm_eval_ifeval_pt.cli import main, printing
from lm_eval_ifeval_pt.cli.curves import data
from lm_eval_ifeval_pt.curves import figures, points, signal, subset
from lm_eval_ifeval_pt.curves.changes import changes
from lm_eval_ifeval_pt.npm.formula import normalised
from lm_eval_ifeval_pt.report import curves as report
from lm_eval_ifeval_pt.results import ResultsError
from lm_eval_ifeval_pt.statistics import spearman
from tests import runs
from tests.quality.gold import GOLD, needs_gold
from tests.test_report import unpacked

DATE = "2026-01-02T03-04-05.678901"


def write(folder, model, task, outcomes, revision="", **more):
    """A result of the harness with its samples, of outcomes 0 or 1; the folder."""
    inside = folder / model.replace("/", "__") / revision
    inside.mkdir(parents=True, exist_ok=True)
    n, share = len(outcomes), float(np.mean(outcomes))
    error = float(np.std(outcomes, ddof=1)) / math.sqrt(n)
    arguments = {"pretrained": model, **({"revision": revision} if revision else {})}
    result = {
        "results": {task: {"alias": task, "acc,none": share, "acc_stderr,none": error}},
        "configs": {task: {"task": task}},
        "n-samples": {task: {"original": n, "effective": n}},
        "higher_is_better": {task: {"acc": True}},
        "config": {"model": "hf", "model_args": arguments, "limit": None},
        "model_name": model,
        **more,
    }
    (inside / f"results_{task}_{DATE}.json").write_text(json.dumps(result))
    rows = [
        {"doc_id": i, "doc": {"id": i}, "target": "0", "arguments": [["p", "c"]], "resps": [[["-1.0", "False"]]],
         "filtered_resps": [["-1.0", "False"]], "filter": "none", "metrics": ["acc"], "acc": float(value),
         "doc_hash": f"{task}{i}", "prompt_hash": f"{i}", "target_hash": "0"}
        for i, value in enumerate(outcomes)
    ]  # fmt: skip
    (inside / f"samples_{task}_{DATE}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return inside


# Published and hand-computed values


def test_toys():
    """Computed by hand."""
    assert spearman([1, 2, 3, 4, 5], [0.25, 0.27, 0.26, 0.31, 0.35]) == pytest.approx(0.9)
    assert signal.kendall([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(2 / 3)
    assert signal.decision_accuracy([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(5 / 6)
    assert signal.rising_share([0.1, 0.3, 0.3, 0.2, 0.4]) == pytest.approx(1 / 3)
    assert signal.mean_absolute_change([0.1, 0.3, 0.2]) == pytest.approx(0.15)
    assert signal.rising_fit([1, 3, 2, 4]) == pytest.approx([1, 2.5, 2.5, 4])
    assert signal.detrended_noise([1, 3, 2, 4], 4) == pytest.approx(math.sqrt(0.5))
    assert signal.gain([1, 3, 2, 4]) == pytest.approx(3)
    assert signal.points_above_from([0.25, 0.29, 0.31, 0.2], 0.25) == 2


def test_three_ratios_of_one_name():
    """Those of Heineman et al. and of Tucano 2 on the same five scores; FineWeb2's by hand."""
    last = [0.48, 0.5, 0.52, 0.49, 0.51]
    assert signal.snr_between_models([0.3, 0.35, 0.42, 0.5], last) == pytest.approx(18.0155, abs=1e-4)
    assert signal.snr_of_one_training(last) == pytest.approx(35.355, abs=1e-3)
    assert signal.snr_between_seeds([[1, 2], [3, 2], [2, 5]]) == pytest.approx(
        (2 / math.sqrt(2 / 3) + 3 / math.sqrt(2)) / 2
    )


def test_only_the_absolute_ratio_is_the_same_on_the_npm_scale():
    """The relative one depends on where zero is."""
    final, last = np.array([0.3, 0.35, 0.42, 0.5]), np.array([0.48, 0.5, 0.52, 0.49, 0.51])
    npm = normalised(final, 0.25), normalised(last, 0.25)
    raw = signal.absolute_ratio(np.ptp(final), signal.step_noise(last, 5))
    assert signal.absolute_ratio(np.ptp(npm[0]), signal.step_noise(npm[1], 5)) == pytest.approx(raw)
    assert signal.snr_between_models(*npm) != pytest.approx(signal.snr_between_models(final, last), rel=0.1)


def test_kendall_without_ties_is_scipy_s():
    """Where there are none, tau-a and tau-b are one; a tie counts as no agreement."""
    chance = np.random.default_rng(3)
    one, other = chance.permutation(30), chance.permutation(30)
    assert signal.kendall(one, other) == pytest.approx(stats.kendalltau(one, other).statistic)
    assert signal.kendall([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / 3)


def test_cochran_with_two_checkpoints_is_mcnemar():
    """Of the table [[101, 121], [59, 33]], whose chi-squared without correction is 21.356."""
    first = np.array([1] * (101 + 121) + [0] * (59 + 33), float)
    second = np.array([1] * 101 + [0] * 121 + [1] * 59 + [0] * 33, float)
    assert signal.cochran_q(np.array([first, second])) == pytest.approx(3.815e-6, rel=1e-3)
    assert math.isnan(signal.cochran_q(np.ones((3, 5))))


@needs_gold
@pytest.mark.parametrize(
    ("model", "task", "spearman", "change"),
    [
        ("pythia-160m", "piqa", 0.7774, 0.00705),
        ("pythia-160m", "arc_easy", 0.7994, 0.01138),
        ("pythia-160m", "lambada_openai", 0.8129, 0.0203),
        ("pythia-160m", "sciq", 0.7503, 0.0305),
        ("pythia-160m", "winogrande", 0.8113, 0.00974),
        ("pythia-160m", "logiqa", -0.2112, 0.00928),
        ("pythia-160m", "wsc", -0.635, 0.05399),
        ("pythia-1.4b", "piqa", 0.9415, 0.0112),
        ("pythia-1.4b", "arc_easy", 0.984, 0.01514),
        ("pythia-1.4b", "lambada_openai", 0.9627, 0.02389),
        ("pythia-1.4b", "sciq", 0.8906, 0.03062),
        ("pythia-1.4b", "winogrande", 0.9795, 0.00707),
        ("pythia-1.4b", "logiqa", -0.1624, 0.01046),
        ("pythia-1.4b", "wsc", -0.7056, 0.04179),
    ],
)
def test_pythia(model, task, spearman, change):
    """Rank correlation and mean change of Pythia's published evaluations."""
    (curve,) = [curve for curve in pythia().curves if (curve.run, curve.task) == (model, task)]
    found = figures.of_curve(curve)
    assert len(curve.points) == 27
    assert found.spearman == pytest.approx(spearman, abs=5e-5)
    assert found.mean_absolute_change == pytest.approx(change, abs=5e-6)


@needs_gold
def test_noise_of_pythia_s_last_ten_steps():
    """Beside the standard error over items, which is something else."""
    published = {"piqa": (0.0054, 0.0113), "winogrande": (0.008, 0.014), "logiqa": (0.0124, 0.0154),
                 "arc_easy": (0.0115, 0.0102), "lambada_openai": (0.0246, 0.0065)}  # fmt: skip
    for task, (noise, error) in published.items():
        (curve,) = [curve for curve in pythia().of(task) if curve.run == "pythia-160m"]
        found = figures.of_curve(curve, last=10)
        assert found.step_noise == pytest.approx(noise, abs=1e-3), task
        assert found.item_error == pytest.approx(error, abs=1e-3), task


@needs_gold
def test_what_learns_nothing_has_the_best_ratio_of_one_training_and_comes_last_here():
    """LogiQA's mean over deviation is 16 and LAMBADA's 1.1, though only LAMBADA is learnt."""
    found = {one.curve.task: one for one in map(figures.of_curve, pythia().curves) if one.curve.run == "pythia-160m"}
    assert found["logiqa"].snr > 10 * found["lambada_openai"].snr
    assert found["lambada_openai"].separable > 5 * found["logiqa"].separable
    order = [line.task for line in figures.usefulness(map(figures.of_curve, pythia().curves), [])]
    assert order.index("lambada_openai") < order.index("arc_easy") < order.index("logiqa")
    assert {"logiqa", "wsc"} < set(order[-3:])


@needs_gold
def test_larger_pythias_are_ahead_early_on_what_is_learnt():
    """Of four sizes, the order at half of the steps is the final one on LAMBADA, and a matter of chance on LogiQA."""
    found = {task: figures.between(pythia().of(task)) for task in ("lambada_openai", "logiqa")}
    assert found["lambada_openai"].decisions[-9] == found["lambada_openai"].agreement[-9] == 1
    assert np.mean(found["lambada_openai"].agreement[-14:]) > np.mean(found["logiqa"].agreement[-14:]) + 0.3


def pythia():
    """The published evaluations as curves, with the tasks' chance levels."""
    data = json.loads((GOLD / "pythia_curves.json").read_text(encoding="utf-8"))["models"]
    chance = {"piqa": 0.5, "winogrande": 0.5, "wsc": 0.5, "lambada_openai": 0.0}
    by_curve = {}
    for model, steps in data.items():
        for step, tasks in steps.items():
            for task, metrics in tasks.items():
                score, error = metrics["acc"], metrics["acc_stderr"]
                point = points.Point(f"step{step}", int(step), None, score, error, None, Path())
                by_curve.setdefault((model, task), []).append(point)
    made = [
        points.Curve(model, task, "acc", chance.get(task, 0.25), tuple(sorted(found, key=lambda point: point.step)))
        for (model, task), found in by_curve.items()
    ]
    return points.Curves(tuple(made), (), 0)


# Above chance


def test_above_chance_for_good():
    """From the step from which on none is back; what was above in between does not count."""
    scores, errors, items = [0.25, 0.4, 0.26, 0.4, 0.45], [0.0137] * 5, [1000] * 5
    assert signal.above_chance_from(scores, errors, 0.25, items) == 3
    assert signal.above_chance_from(scores[:3], errors[:3], 0.25, items[:3]) is None


def test_looking_often_does_not_find_more():
    """Of 400 curves of guesses with 40 checkpoints, hardly more than 5 % show one that is above chance."""
    chance = np.random.default_rng(11)
    tables = chance.binomial(500, 0.25, (400, 40)) / 500
    claimed = sum(
        signal.above_chance_from(row, np.sqrt(row * (1 - row) / 499), 0.25, [500] * 40) is not None for row in tables
    )
    uncorrected = np.mean(tables[:, -1] > 0.25 + 1.645 * math.sqrt(0.25 * 0.75 / 500))
    assert claimed / 400 < 0.03
    assert uncorrected > 0.03, "the last look alone would claim as much"


def test_all_solved_is_above_chance_and_has_an_error():
    """A standard error of 0 says that items are few or easy."""
    assert signal.item_error(1.0, 0.0, 100) == pytest.approx(math.sqrt(102 / 104 * 2 / 104 / 104))
    assert signal.above_chance_from([0.0, 1.0], [signal.item_error(s, 0.0, 20) for s in (0.0, 1.0)], 0.0, [20, 20]) == 1


# Changes


def test_the_last_two_checkpoints_are_compared_item_by_item(tmp_path):
    """The paired t-test of scipy; two averages would see nothing."""
    chance = np.random.default_rng(1)
    before = chance.random(400) < 0.5
    after = before | (chance.random(400) < 0.06)
    write(tmp_path, "run/step_1", "piqa", before)
    write(tmp_path, "run/step_2", "piqa", after)
    (found,), notes = changes(points.read([tmp_path]).curves, last=2)
    expected = stats.ttest_rel(after.astype(float), before.astype(float))
    assert not notes
    assert found.difference.value == found.trend.value == pytest.approx(after.mean() - before.mean())
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.is_change
    assert stats.ttest_ind(after.astype(float), before.astype(float)).pvalue > 0.05


def test_a_trend_over_several_checkpoints_is_that_of_a_line(tmp_path):
    """numpy's straight line through each item's scores."""
    chance = np.random.default_rng(2)
    table = (chance.random((4, 300)) < np.array([0.4, 0.45, 0.5, 0.55])[:, None]).astype(float)
    for step, row in enumerate(table, 1):
        write(tmp_path, f"run/step_{step}", "piqa", row)
    (found,), _ = changes(points.read([tmp_path]).curves, last=4)
    slopes = np.polyfit(range(4), table, 1)[0] * 3
    assert found.trend.value == pytest.approx(slopes.mean())
    assert found.trend.stderr == pytest.approx(slopes.std(ddof=1) / math.sqrt(300))


def test_equal_checkpoints_changed_nothing(tmp_path):
    """And many looks are corrected for: Holm over all tasks."""
    outcomes = [1, 0] * 50
    for step in (1, 2, 3):
        write(tmp_path, f"run/step_{step}", "piqa", outcomes)
    (found,), _ = changes(points.read([tmp_path]).curves, last=3)
    assert (found.trend.value, found.p_value, found.is_change) == (0, 1, False)


# What suffices


@pytest.mark.slow
def test_the_smallest_set_of_tasks_that_orders_checkpoints_alike(tmp_path):
    """One task is learnt, two are guesses: the first alone orders the checkpoints, with fewer rows than it has."""
    chance = np.random.default_rng(4)
    difficulty = chance.random(1000)
    for step in range(1, 13):
        write(tmp_path, f"run/step_{step}", "learnt", difficulty < 0.2 + 0.05 * step)
        for name in ("guessed", "also_guessed"):
            write(tmp_path, f"run/step_{step}", name, chance.random(1000) < 0.25)
    proposal = subset.propose(points.read([tmp_path]))
    assert proposal.chosen.tasks == ("learnt",)
    assert proposal.chosen.agreement == 1
    assert proposal.chosen.held_out == 1
    assert proposal.rows is not None
    assert proposal.rows < 1000
    assert proposal.steps[-1].agreement == 1, "all tasks agree with themselves"


def test_nothing_is_proposed_where_nothing_is_told_apart(tmp_path):
    """Guesses order nothing that could be kept."""
    chance = np.random.default_rng(5)
    for step in (1, 2, 3):
        for name in ("one", "other"):
            write(tmp_path, f"run/step_{step}", name, chance.random(50) < 0.25)
    with pytest.raises(ResultsError, match="tell none of 3 pairs of checkpoints apart"):
        subset.propose(points.read([tmp_path]))


# Reading


def test_any_results_of_the_harness_are_read(tmp_path):
    """Folders of checkpoints and revisions of a repository; several trainings; a model without a step is named."""
    for run in ("a/run", "b/run"):
        for step in (100, 200):
            write(tmp_path, f"/data/{run}/checkpoint-{step}", "piqa", [1, 0, 1, 0])
    for step in (1000, 2000):
        write(tmp_path, "EleutherAI/pythia-160m", "piqa", [1, 0, 0, 0], revision=f"step{step}")
    write(tmp_path, "meta/Llama-3.2-1B", "piqa", [1, 1, 1, 0])
    found = points.read([tmp_path])
    assert {(curve.run, tuple(curve.steps)) for curve in found.curves} == {
        ("a/run", (100, 200)), ("b/run", (100, 200)), ("pythia-160m", (1000, 2000))
    }  # fmt: skip
    assert any("Llama-3.2-1B" in note and "left out" in note for note in found.notes)


def test_results_without_a_step_are_refused(tmp_path):
    """With what a name has to say."""
    write(tmp_path, "meta/Llama-3.2-1B", "piqa", [1, 1, 1, 0])
    told = CliRunner().invoke(main, ["curves", str(tmp_path)])
    assert told.exit_code == 2
    assert "names say it: step_1000" in told.stderr


def test_tokens_come_from_the_names_a_table_or_a_factor(tmp_path):
    """And a training of which none are known is left out of a picture over tokens, and named."""
    write(tmp_path, "run/step1-tokens2B", "piqa", [1, 0])
    write(tmp_path, "run/step2-tokens4B", "piqa", [1, 0])
    write(tmp_path, "other/step_1", "piqa", [1, 0])
    write(tmp_path, "other/step_2", "piqa", [1, 1])
    tokens = {(c.run, p.step): p.tokens for c in points.read([tmp_path]).curves for p in c.points}
    assert tokens == {("run", 1): 2e9, ("run", 2): 4e9, ("other", 1): None, ("other", 2): None}
    contents = report.gather(points.read([tmp_path]), by_tokens=True)
    assert contents.curves.runs == ["run"]
    assert any("no tokens are known of other" in note for note in contents.notes)
    table = tmp_path / "tokens.csv"
    table.write_text("checkpoint,tokens\nother/step_1,5e9\nother/step_2,1e10\n")
    told = CliRunner().invoke(main, ["curves", str(tmp_path), "--tokens", str(table), "--json", "--x", "tokens"])
    read = {(c["run"], p["step"]): p["tokens"] for c in json.loads(told.stdout)["curves"] for p in c["points"]}
    assert read["other", 2] == 1e10
    factor = points.read([tmp_path], tokens_per_step=7.0)
    assert {p.tokens for c in factor.curves if c.run == "other" for p in c.points} == {7.0, 14.0}


def test_npm_is_a_curve_where_all_its_tasks_are_there(tmp_path):
    """Five tasks of the easy half, at two of three steps: the mean of their NPM, by hand."""
    tasks = {"calame_pt": 0.0, "lambada_poly_pt": 0.0, "global_piqa_pt_br": 0.5, "arc_challenge_poly_pt": 0.25,
             "hellaswag_poly_pt": 0.25}  # fmt: skip
    for step in (1, 2, 3):
        for task in list(tasks)[: 5 if step < 3 else 4]:
            inside = write(tmp_path, f"run/step_{step}", task, [1, 1, 1, 0] if step == 2 else [1, 1, 0, 0])
            path = inside / f"results_{task}_{DATE}.json"
            path.write_text(path.read_text().replace('"acc', '"acc_norm').replace('"acc_norm_norm', '"acc_norm')
                            if "piqa" in task or "arc" in task or "hella" in task else path.read_text())  # fmt: skip
    (easy,) = points.read([tmp_path]).of("NPM Easy")
    assert easy.steps == [1, 2]
    share = {1: 0.5, 2: 0.75}
    for point in easy.points:
        expected = np.mean([(share[point.step] - random) / (1 - random) for random in tasks.values()])
        assert point.score == pytest.approx(expected)


# What is shown


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """Two trainings of which one has a hostile name, five steps, both formats of a benchmark."""
    folder = tmp_path_factory.mktemp("results")
    chance = np.random.default_rng(9)
    for name, gain in (("evil<script>alert(1)</script>", 0.05), ("b", 0.08)):
        for step in (1, 10, 100, 1000, 10000):
            for task in ("enem_mcf", "enem_cf", "piqa"):
                outcomes = chance.random(200) < 0.25 + gain * math.log10(step)
                inside = write(folder, f"{name}/step_{step}".replace("</", "<"), task, outcomes)
                if task == "enem_cf":
                    path = inside / f"results_{task}_{DATE}.json"
                    path.write_text(path.read_text().replace('"acc', '"acc_norm'))
    return report.gather(points.read([folder]))


def test_the_page_loads_nothing_and_takes_no_name_for_markup(contents):
    """Only its own scripts run, named by their hashes."""
    html = report.page(contents)
    assert "<script>alert" not in html
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    allowed = set(re.findall(r"'sha256-(.*?)'", policy))
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    libraries = re.findall(r'<script type="text/plain" class="library">(.*?)</script>', html, re.DOTALL)
    scripts += [unpacked(library) for library in libraries]
    assert {base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts} == allowed
    assert len(scripts) == 3
    assert not re.search(r'(?:src|href)="(?!#)', html)


def test_behind_each_picture_there_is_its_table(contents):
    """As many rows as points; both formats of a benchmark in one picture."""
    made = {card.chart: card for card in report.cards(contents)}
    charts = report.charts(contents)
    assert set(charts) == {*made, "agreement"}
    for name, card in made.items():
        shown = sum(len(curve.points) for _, curve in card.curves)
        assert len(card.rows) == len(charts[name]["data"]["values"]) == shown
    (enem,) = [card for card in made.values() if card.name == "enem"]
    assert [form for form, _ in enem.curves] == ["CF", "CF", "MCF", "MCF"]
    html = report.page(contents)
    assert html.count("<details><summary>") == len(made) + 1  # and the licences


def test_steps_that_double_have_a_logarithmic_axis(contents):
    """Powers of ten are not five points on the left edge, and have a tick each."""
    spec = report.charts(contents)[report.cards(contents)[0].chart]
    x = spec["layer"][0]["encoding"]["x"]
    assert x["scale"]["type"] == "symlog"
    assert x["axis"]["values"] == [1, 10, 100, 1000, 10000]
    assert all(chart["description"] for chart in report.charts(contents).values())


def test_a_legend_of_long_names_has_one_column(tmp_path):
    """Three columns of long names would be cut at the edge of the picture, and trainings be left without a colour."""
    contents = report.gather(points.read([runs.many(tmp_path / "many")]))
    legends = [
        chart["layer"][0]["encoding"]["color"]["legend"] if "layer" in chart else chart["encoding"]["color"]["legend"]
        for chart in report.charts(contents).values()
    ]
    assert {legend["columns"] for legend in legends} == {1}


@pytest.mark.slow
def test_pictures_are_drawn(contents, tmp_path):
    """Each as SVG and PNG."""
    pytest.importorskip("vl_convert")
    files = report.pictures(contents, tmp_path)
    assert len(files) == 2 * len(report.charts(contents))
    assert all(path.stat().st_size > 1000 for path in files)
    assert "<svg" in files[0].read_text()


def test_everything_goes_into_files(contents, tmp_path):
    """JSON without NaN, and a CSV with a row for each point."""
    said = json.loads(json.dumps(printing.plain(data(contents)), allow_nan=False))
    assert {one["task"] for one in said["usefulness"]} == {"enem_mcf", "enem_cf", "piqa"}
    points.write_csv(contents.curves, tmp_path / "points.csv")
    with (tmp_path / "points.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 30
    assert {row["task"] for row in rows} == {"enem_mcf", "enem_cf", "piqa"}
