"""How often each restriction was followed, and how sure the score is."""

import json

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt.analysis import restrictions
from lm_eval_ifeval_pt.analysis.restrictions import Level
from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.statistics import Estimate
from tests.test_accidental import crossed
from tests.test_results import only, write, write_rows


def run(*arguments):
    """`lm-eval-pt table`."""
    return CliRunner().invoke(main, ["table", *map(str, arguments)], env={"COLUMNS": "200"})


def items(path):
    """The items of a model that follows crase in 7 of 14 tasks, and everything passive."""
    return only(crossed(path, lambda number, asked: "Vou à feira." if number % 2 else "Oi.")).items


def test_a_row_per_restriction_with_wilson_s_interval(tmp_path):
    """7 of 14 is .268 to .732 (Wilson); the sums by kind are those of the rows."""
    found = items(tmp_path)
    rows = {rate.name: rate for rate in restrictions.rates(found)}
    crase = rows["ptbr:crase"]
    assert (crase.kind, crase.n, crase.strict, crase.loose) == ("active", 14, 7, 7)
    assert crase.interval == pytest.approx((0.268, 0.732), abs=5e-4)
    totals = [(rate.name, rate.n, rate.strict) for rate in restrictions.totals(found)]
    assert totals == [("all active", 28, 7), ("all passive", 28, 28), ("all", 56, 35)]


def test_standard_errors_by_what_counts_as_independent(tmp_path):
    """Means of 14 tasks are 1/2 and 3/4 by turns; means of four restrictions 1/2, 1, 0 and 1."""
    prompt, loose = restrictions.levels(items(tmp_path))
    assert (prompt.name, loose.name) == ("prompt strict", "prompt loose")
    assert prompt.independent.value == 0.625
    # sd of fourteen values .5, .75: .125 * sqrt(14/13); sd of .5, 1, 0, 1: sqrt(.6875 / 3)
    assert prompt.by_task.stderr == pytest.approx(0.125 * (14 / 13) ** 0.5 / 14**0.5)
    assert prompt.by_restriction.stderr == pytest.approx((0.6875 / 3) ** 0.5 / 4**0.5)
    assert (prompt.by_task.df, prompt.by_restriction.df, prompt.by_both.df) == (13, 3, 3)
    assert prompt.honest is prompt.by_both


def test_several_instructions_of_a_prompt_are_its_cluster(tmp_path):
    """Two prompts of two instructions: four instructions, one degree of freedom, and no restriction of the prompt."""
    path = write(tmp_path / "samples_ifeval_pt.jsonl", "Vou à feira.", "Oi.")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["doc"]["prompt"] += f" {row['doc_id']}"
        for name in ("instruction_id_list", "kwargs", "verdicts"):
            row["doc"][name] = row["doc"][name] * 2
    write_rows(path, rows)
    found = {level.name: level for level in restrictions.levels(only(path).items)}
    assert list(found) == ["prompt strict", "prompt loose", "instruction strict", "instruction loose"]
    assert found["prompt strict"].by_restriction is None
    instructions = found["instruction strict"]
    assert (instructions.independent.n, instructions.by_task.df, instructions.by_task.stderr) == (4, 1, 0.5)


def test_what_can_be_told_apart():
    """308 items at .328: 7.5 points with 80 % chance if outcomes correlate by one half (Miller's formula)."""
    score = Estimate(0.328, (0.328 * 0.672 / 308) ** 0.5, 307, 308)
    alone = Level("prompt strict", score, score._replace(stderr=0.01), None, None)
    assert restrictions.detectable(alone) == pytest.approx(0.075, abs=5e-4)
    wide = alone.__class__("prompt strict", score, score._replace(stderr=2 * score.stderr), None, None)
    assert restrictions.detectable(wide) == pytest.approx(0.15, abs=1e-3)


def test_the_table_is_in_the_order_that_was_asked_for(tmp_path):
    """From the least followed, or by name."""
    path = tmp_path / "samples_ifeval_pt.jsonl"
    items(tmp_path)

    def order(*options):
        rows = [line.split() for line in run(path, *options).output.splitlines()]
        return [row[0].split(":")[1] for row in rows if row and row[0].count(":") == 1 and "14" in row]

    assert order() == ["mesoclise", "crase", "number_words", "sem_digito"]
    assert order("--sort", "name") == ["number_words", "crase", "mesoclise", "sem_digito"]


def test_the_table_says_what_the_prompts_cannot_tell_apart(tmp_path):
    """Margins for other tasks and restrictions, the detectable difference, and the width of one restriction."""
    items(tmp_path)
    output = run(tmp_path / "samples_ifeval_pt.jsonl").output
    assert "56 prompts, 14 base tasks, 4 restrictions" in output
    assert "told apart from about" in output
    assert "n = 14, the median, has a Wilson interval up to 46 points wide" in output
    (data,) = json.loads(run(tmp_path / "samples_ifeval_pt.jsonl", "--json").stdout)
    assert data["levels"][0]["by_task"]["df"] == 13
    assert [rate["strict"] for rate in data["totals"]] == [7, 28, 35]
