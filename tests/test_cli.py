"""The command line as a person types it."""

import importlib
import json
import re
import shlex
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt.cli import COMMANDS, main
from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.text import Text
from tests import runs
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


@pytest.fixture
def definition(tmp_path):
    """A task of somebody's own in a folder of theirs: IFEval-pt's ids, and one that the package calls otherwise."""
    (tmp_path / "_template").write_text("num_fewshot: 0\nmetadata: {}\n", encoding="utf-8")
    path = tmp_path / "minha.yaml"
    path.write_text(
        "include: _template\ntask: minha_tarefa\ndataset_path: fulano/linhas\n"
        'metadata: {dialect: ifeval_pt, mode: pt, aliases: {"minha:crase": "ptbr:crase"}}\n',
        encoding="utf-8",
    )
    return path


def test_ls_lists_the_tasks_of_other_folders_too(definition):
    """`--include-path`: a task with what its definition includes, beside the package's own."""
    output = run("ls", "tasks", "--include-path", str(definition.parent)).output
    assert re.search(r"^minha_tarefa +fulano/linhas +0$", output, re.M)
    assert re.search(r"^ifeval_pt ", output, re.M)


def test_verify_explain_and_ls_speak_as_a_task_of_ones_own(definition):
    """An alias of its metadata is an id for all three, whether the task is given by name or by file."""
    by_name = ("--task", "minha_tarefa", "--include-path", str(definition.parent))
    for task in (by_name, ("--task", str(definition))):
        assert run("verify", "minha:crase", *task, text="Fui à feira.").exit_code == 0
        assert run("verify", "minha:crase", *task, text="Fui a feiras.").exit_code == 1
        assert "## `ptbr:crase`" in run("explain", "minha:crase", *task).output
        assert re.search(r"^minha:crase +ptbr:crase ", run("ls", *task).output, re.M)
    assert run("verify", "minha:crase", text="Fui à feira.").exit_code == 2


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (("--task", "ifeval_ptt"), "no task 'ifeval_ptt'; did you mean ifeval_pt"),
        (("--task", "nada.yaml"), "nada.yaml: No such file"),
        (("--task", "arc_challenge_poly_pt"), "names no dialect"),
        (("--task", "ifeval_pt", "--dialect", "capitu"), "leave --dialect and --mode out"),
    ],
)
def test_a_task_that_says_no_dialect_is_told(task, message):
    """Unknown tasks, missing files, tasks without constraints and two answers to one question exit with 2."""
    result = run("verify", "ptbr:crase", *task, text="Oi.")
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize("width", [80, 100, 200])
@pytest.mark.parametrize("arguments", [["all"], ["--dialect", "br"], ["--dialect", "google_pt"]])
def test_ls_wraps_wordings_on_a_narrow_terminal_and_never_cuts_a_name(arguments, width, monkeypatch):
    """What people copy is whole, no word of the wording is lost, and no line is wider than the terminal."""
    monkeypatch.delenv("COLUMNS", raising=False)
    unlimited = run("ls", *arguments).output
    monkeypatch.setenv("COLUMNS", str(width))
    output = run("ls", *arguments).output
    assert max(map(len, output.splitlines())) <= width
    assert output.split() == unlimited.split()
    if arguments == ["all"]:
        assert all(re.search(rf"^{re.escape(id)} ", output, re.M) for id in registry.constraints())


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["--help"], {"lm_eval_ifeval_pt.constraints", "regex", "rich", "numpy", "yaml"}),
        (["explain", "ptbr:crase"], {"rich", "numpy", "yaml", "concurrent.futures", "datasets", "lm_eval"}),
        (["ls"], {"rich", "numpy", "concurrent.futures", "datasets", "lm_eval"}),
    ],
)
def test_a_command_starts_without_what_it_does_not_use(arguments, unneeded):
    """What a person waits for at every call is imports: these commands name a few modules and print text."""
    assert not unneeded & modules_of(arguments)


@pytest.mark.slow
def test_what_only_reads_results_loads_no_verifier(tmp_path):
    """The verdicts stand in the files: `table`, `rank` and `diff` make no page and verify nothing."""
    for model in ("a", "b"):
        runs.write(tmp_path, model, runs.parrot, documents=4)
    both = [str(tmp_path / "a"), str(tmp_path / "b")]
    for arguments in (["table", *both], ["rank", *both], ["diff", *both]):
        modules = modules_of(arguments)
        assert not {"lm_eval_ifeval_pt.constraints.families", "lm_eval_ifeval_pt.report.build", "jinja2"} & modules


def modules_of(arguments: list[str]) -> set[str]:
    """The modules that a command has imported at its end."""
    code = (
        "import sys; from lm_eval_ifeval_pt.cli import main; main(sys.argv[1:], standalone_mode=False);"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


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
    assert result.exit_code == 2
    assert "--log_samples" in result.output


def test_help_lists_each_command_as_it_describes_itself():
    """`--help` imports none of them, so its list is compared with what they say."""
    for name, listed in COMMANDS.items():
        command = importlib.import_module(f"lm_eval_ifeval_pt.cli.{listed.module}").command
        assert (command.name, command.get_short_help_str(limit=80)) == (name, listed.help)
    assert [line.split()[0] for line in run("--help").output.partition("Commands:\n")[2].splitlines()] == list(COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["table", "{}/nichts"],
        ["table", "{}"],
        ["stats", "{}/nichts"],
        ["rank", "{}/nichts"],
        ["diff", "{}/nichts", "{}/nichts"],
        ["npm", "{}/nichts"],
        ["npm", "{}"],
        ["export", "{}/nichts", "--format", "csv"],
        ["report", "{}/nichts", "-o", "{}/r.html"],
        ["power", "{}/nichts", "{}/nichts"],
        ["score", "{}/nichts", "--task", "capitu"],
        ["verify", "ptbr:nenhum", "-"],
        ["explain", "ptbr:nenhum"],
        ["ls", "nenhum"],
        ["curves", "{}/nichts"],
        ["judge", "{}/nichts"],
        ["contamination", "show", "{}/nichts"],
        ["nenhum"],
    ],
)
def test_wrong_input_exits_with_2(tmp_path, arguments):
    """1 is what a gate says: a text that does not follow, a regression."""
    result = run(*(argument.format(tmp_path) for argument in arguments))
    assert result.exit_code == 2, result.output
    assert result.output.startswith(("Error: ", "Usage: "))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="pipes of another kind")
@pytest.mark.parametrize("arguments", [["ls"], ["table"], ["export", "--format", "csv", "--table", "items"]])
def test_a_reader_that_has_read_enough_is_no_error(tmp_path, arguments):
    """`lm-eval-pt … | head -1` with `set -o pipefail`: exit code 0 and nothing on stderr but notes."""
    if arguments != ["ls"]:
        runs.write(tmp_path, "a", runs.parrot)
        arguments = [*arguments, str(tmp_path)]
    command = shlex.join([sys.executable, "-m", "lm_eval_ifeval_pt", *arguments])
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | sleep 0"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_table_names_score_for_answers_without_verdicts(tmp_path):
    """After --predict_only samples have answers and what was asked, and no verdicts: `score` gives them some."""
    path = runs.write(tmp_path, "a", runs.parrot, documents=44)
    (samples,) = path.glob("samples_*")
    rows = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["doc"] = {name: value for name, value in row["doc"].items() if name != "verdicts"}
        row |= {"metrics": ["bypass"], "bypass": None}
    samples.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = run("table", str(samples))
    assert result.exit_code == 2
    assert f"`lm-eval-pt score --task ifeval_pt {samples}`" in result.output
    assert "stats" not in result.output
    assert "bypass" not in result.output


def test_what_holds_for_many_files_is_said_once(tmp_path):
    """A metric that is no number in 3 files of 44 rows is one note, not 132 and not 3."""
    for name in "abc":
        path = runs.write(tmp_path, name, runs.parrot, documents=44)
        (samples,) = path.glob("samples_*")
        rows = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
        samples.write_text("".join(json.dumps(row | {"npm": "?"}) + "\n" for row in rows), encoding="utf-8")
    notes = [line for line in run("stats", str(tmp_path)).stderr.splitlines() if "left out" in line]
    assert len(notes) == 1
    assert "and 2 more files: left out: metric npm where it is no number (132x)" in notes[0]
