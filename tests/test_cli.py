"""The command line as a person types it."""

import json
import re

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.text import Text
from tests.test_results import write


def run(*arguments: str, text: str | bytes = ""):
    """The outcome of one command line."""
    return CliRunner().invoke(main, arguments, input=text)


def test_verify_marks_the_evidence_and_exits_with_0():
    """The README's example: mesóclise found, its place marked."""
    result = run("verify", "ptbr:mesoclise", text="Dar-lhe-ei o livro.\n")
    assert result.exit_code == 0
    assert "✓ seguiu" in result.output
    assert "⟦Dar-lhe-ei⟧ o livro." in result.output


def test_verify_exits_with_1_when_the_text_does_not_follow():
    """A text without crase fails with exit code 1 and says why."""
    result = run("verify", "ptbr:crase", text="Oi.")
    assert result.exit_code == 1
    assert "✗ não seguiu" in result.output


def test_verify_takes_arguments():
    """Numbers and lists are JSON, words are words."""
    arguments = ("verify", "length_constraints:number_words", "-k", "num_words=2", "-k", "relation=at least")
    assert run(*arguments, text="Tudo bem?").exit_code == 0
    assert run(*arguments, text="Oi!").exit_code == 1
    assert run("verify", "keywords:existence", "-k", 'keywords=["sol"]', text="O sol.").exit_code == 0


def test_verify_can_be_loose():
    """Bold marks after the last word fail strictly, not loosely."""
    arguments = ("verify", "startend:end_checker", "-k", "end_phrase=Fim.")
    assert run(*arguments, text="Acabou. **Fim.**").exit_code == 1
    assert run(*arguments, "--loose", text="Acabou. **Fim.**").exit_code == 0


def test_verify_prints_json_for_programs():
    """Verdict, evidence offsets and detail as one JSON object."""
    verdict = json.loads(run("verify", "ptbr:crase", "--json", text="Vou à feira.").output)
    assert (verdict["followed"], verdict["evidence"]) == (True, [[4, 5]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("verify", "ptbr:crasse"), "did you mean ptbr:crase"),
        (("verify", "ptbr:crase", "-k", "x=1"), "unknown argument 'x'"),
        (("verify", "ptbr:crase", "-k", "x"), "NAME=VALUE"),
        (("explain", "ptbr:crasse"), "did you mean ptbr:crase"),
    ],
)
def test_a_senseless_question_exits_with_2(arguments, message):
    """Unknown ids and arguments are told with what is near, without a traceback."""
    result = run(*arguments, text="Oi.")
    assert result.exit_code == 2
    assert message in result.output


def test_verify_refuses_text_that_is_not_utf8():
    """A Latin-1 file is a question that makes no sense (2), not a text that does not follow (1)."""
    result = run("verify", "ptbr:crase", text="À noite".encode("latin-1"))
    assert result.exit_code == 2
    assert "not UTF-8" in result.output


@pytest.mark.parametrize("id", [id for id, one in registry.constraints().items() if one.kind == "passive"])
def test_the_detail_of_an_absence_is_correct_portuguese(id):
    """ "A resposta não tem nenhum til", never "tem nenhum"."""
    example = registry.get(id).follows[0]
    detail = registry.get(id).bind(example.kwargs).verify(Text(example.text)).detail
    assert not re.search(r"(?<!não )\b(?:tem|há|ocorre)\b (?:\w+ )?nenhum", detail), detail


@pytest.mark.parametrize("id", registry.constraints())
def test_explain_shows_rule_kind_arguments_and_examples(id):
    """Each constraint is explained with its rule and with texts that follow and break it."""
    constraint = registry.get(id)
    output = run("explain", id).output
    assert constraint.rule.splitlines()[0] in output
    assert output.count("- follows: ") == len(constraint.follows) >= 2
    assert output.count("- breaks: ") == len(constraint.breaks) >= 2
    assert all(f"`{name}`" in output for name in constraint.parameters)


def test_ls_lists_constraints_and_tasks():
    """Every constraint and the task are listed."""
    output = run("ls").output
    assert "ifeval_pt" in output
    assert all(id in output for id in registry.constraints())


def test_tasks_dir_is_the_folder_for_include_path():
    """The printed folder holds the task definition."""
    from pathlib import Path

    assert (Path(run("tasks-dir").output.strip()) / "ifeval_pt" / "ifeval_pt.yaml").is_file()


def test_table_prints_a_row_per_restriction(tmp_path):
    """Two of three followed: rate, n and the Wilson interval (2 of 3: 21-94)."""
    path = write(tmp_path / "samples_ifeval_pt_2026-01-01T00-00-00.000001.jsonl", "Oi.", "Vou à feira.", "À noite.")
    output = run("table", str(path)).output
    (row,) = (line for line in output.splitlines() if "ptbr:crase" in line)
    assert row.split() == ["ptbr:crase", "active", "3", "66.7", "21–94", "66.7"]


def test_table_says_what_it_cannot_show(tmp_path):
    """A folder without samples names the option that was missing."""
    result = run("table", str(tmp_path))
    assert result.exit_code == 1
    assert "--log_samples" in result.output
