"""Answers that follow, kept to train on."""

import json

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import check
from lm_eval_ifeval_pt.cli import main
from tests import runs

ASKED = {"instruction_id_list": ["ptbr:cedilha", "ptbr:crase"], "kwargs": [{}, {}]}
BOTH = "A força da lição está na caça às boas ideias."
ONE = "A força da lição está na caça de boas ideias."
LIST = "À força, ação, lição, caça, praça, onça, laço."


@pytest.fixture
def run(tmp_path):
    """The command on some rows: what was kept, the result."""

    def call(rows, *options):
        file = tmp_path / "answers.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        result = CliRunner().invoke(main, ["filter", str(file), *options])
        return [json.loads(line) for line in result.stdout.splitlines()], result

    return call


def test_answers_that_follow_all_are_kept_as_they_came(run):
    """In their order, with all their columns; each constraint is counted."""
    rows = [{**ASKED, "key": key, "response": text, "mine": 1} for key, text in enumerate([ONE, BOTH, "Sim.", BOTH])]
    kept, result = run(rows, "--all-followed")
    assert kept == [rows[1], rows[3]]
    assert result.exit_code == 0
    counted = [line.split() for line in result.stderr.splitlines() if line.startswith("ptbr:")]
    assert counted == [["ptbr:crase", "4", "2", "50.0"], ["ptbr:cedilha", "4", "3", "75.0"]]
    assert "2 of 4 answers follow all that was asked; 2 are kept, to 2 of 4 prompts" in result.stderr


def test_the_best_of_a_prompt_is_kept(run):
    """The first of those that follow most; with --all-followed only if it follows all."""
    rows = [
        {**ASKED, "prompt": "P", "responses": ["Sim.", BOTH, ONE, BOTH + " "]},
        {**ASKED, "prompt": "Q", "completion": ONE},
        {**ASKED, "prompt": "Q", "completion": "Não."},
    ]
    kept, _ = run(rows, "--best")
    assert kept == [{**ASKED, "prompt": "P", "response": BOTH}, rows[1]]
    kept, result = run(rows, "--best", "--all-followed")
    assert kept == [{**ASKED, "prompt": "P", "response": BOTH}]
    assert "1 are kept, to 1 of 2 prompts" in result.stderr


def test_what_follows_in_letter_only_is_not_kept_unless_asked(run):
    """A list of words; the trick is named."""
    kept, result = run([{**ASKED, "response": LIST}], "--all-followed")
    assert kept == []
    assert "followed in letter only, and not counted: word_list (1)" in result.stderr
    assert len(run([{**ASKED, "response": LIST}], "--all-followed", "--allow-gaming")[0]) == 1


def test_samples_of_the_harness_are_filtered(run, tmp_path):
    """The answers of a run on ifeval_pt that follow strictly, with the columns of their rows."""
    folder = runs.write(tmp_path, "acme/alfa", runs.careful(0.5, seed=1))
    samples = [json.loads(line) for file in folder.glob("samples_*.jsonl") for line in file.open(encoding="utf-8")]
    kept, _ = run(samples, "--all-followed", "--allow-gaming")
    assert len(kept) == sum(row["prompt_level_strict_acc"] for row in samples)
    assert all(check(row, row["response"]).strict and "verdicts" not in row for row in kept)


def test_rows_that_cannot_be_verified_are_named_and_the_others_kept(run):
    """Exit code 2, after all."""
    rows = [
        {**ASKED, "key": 5, "response": None},
        {"response": "Sim."},
        {**ASKED, "instruction_id_list": ["ptbr:crases", "x"], "response": BOTH},
        {**ASKED, "response": BOTH},
    ]
    kept, result = run(rows, "--all-followed")
    assert (kept, result.exit_code) == ([rows[3]], 2)
    for message in ("row 1 (key 5): a completion must be", "row 2: missing columns", "row 3: unknown constraint"):
        assert message in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [([], "--all-followed, --best, or both"), (["--best", "--dialect", "klingon"], "no dialect 'klingon'")],
)
def test_bad_options_are_one_sentence(run, options, message):
    """Nothing is kept."""
    kept, result = run([{**ASKED, "response": BOTH}], *options)
    assert (kept, result.exit_code) == ([], 2)
    assert message in result.stderr
