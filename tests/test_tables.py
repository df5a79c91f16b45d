"""Tables on terminals of any width: a number is whole or its column is named as not shown, and names differ."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

import lm_eval_ifeval_pt
from lm_eval_ifeval_pt.cli import layout, main
from lm_eval_ifeval_pt.cli.layout import Table, shortened
from lm_eval_ifeval_pt.contamination.hints import Hint
from lm_eval_ifeval_pt.sweep import status
from tests import runs
from tests.chat_server import ChatServer

WIDTHS = (60, 80, 100, 200)


def table_numbers(runs: Any) -> Iterator[str]:
    """What `table` must show, from its JSON."""
    for run in runs:
        for rate in (*run["restrictions"], *run["totals"]):
            yield from (
                str(rate["n"]),
                f"{100 * rate['strict'] / rate['n']:.1f}",
                f"{100 * rate['loose'] / rate['n']:.1f}",
            )
        for level in run["levels"]:
            low, high = level["by_both"]["interval"].values()
            yield from (f"{100 * low:.1f}–{100 * high:.1f}", f"{100 * level['independent']['value']:.1f}")


def accident_numbers(runs: Any) -> Iterator[str]:
    """What `table --accidental` must show besides."""
    for run in runs:
        for one in run["accidental"]["restrictions"]:
            yield from (
                f"{100 * one['asked']:.1f}",
                f"{100 * one['accidental']:.1f}",
                "–" if one["corrected"] is None else f"{100 * one['corrected']['value']:.1f}",
            )


def diff_numbers(tasks: Any) -> Iterator[str]:
    """What `diff` must show."""
    for task in tasks:
        yield from (f"{100 * task[side]['mean']:.1f}" for side in ("a", "b"))
        yield from (
            f"{100 * task['difference']['value']:+.1f}",
            str(len(task["improved"])),
            str(len(task["regressed"])),
        )
        for one in task["restrictions"]:
            if one["improved"] or one["regressed"]:
                yield from (str(one[name]) for name in ("n", "a", "b", "improved", "regressed"))


def rank_numbers(data: Any) -> Iterator[str]:
    """What `rank` must show."""
    for one in data["items"]["standings"]:
        yield from (f"{one['score']['value']:.2f}", f"{one['strength']['value']:+.2f}")
        yield from (f"{bound:.1f}" for bound in one["score"]["interval"].values())


def stats_numbers(data: Any) -> Iterator[str]:
    """What `stats` must show."""
    for run in data["runs"]:
        for one in run["metrics"]:
            yield from (str(one["mean"]["n"]), f"{one['mean']['value']:.3f}")
            yield from (f"{bound:.3f}" for bound in one["mean"]["interval"].values() if bound is not None)


def npm_numbers(data: Any) -> Iterator[str]:
    """What `npm` must show where no average is complete."""
    for model in data["models"]:
        yield from (f"{task['npm']:.2f}" for task in model["tasks"].values())


def power_numbers(data: Any) -> Iterator[str]:
    """What `power` must show."""
    for row in data["rows"]:
        yield from (str(row["items"]), str(row["items_mcnemar"]), f"{100 * row['detectable']:.1f}")


COMMANDS = {
    "table": (["table"], ["--json"], table_numbers),
    "table --accidental": (["table", "--accidental"], ["--json"], accident_numbers),
    "diff": (["diff"], ["--json"], diff_numbers),
    "rank": (["rank", "--resamples", "100"], ["--json"], rank_numbers),
    "stats": (["stats"], ["--json"], stats_numbers),
    "npm": (["npm"], ["--format", "json"], npm_numbers),
    "power": (["power"], ["--json"], power_numbers),
}


def arguments(command: str, folder: Path) -> list[str]:
    """The files that a command is given."""
    if command == "power":
        return []
    return list(map(str, sorted(folder.iterdir())[:2])) if command == "diff" else [str(folder)]


@pytest.fixture(scope="module")
def expected(wide):
    """For each command the numbers that its JSON output says."""
    found = {}
    for command, (called, as_json, numbers) in COMMANDS.items():
        output = CliRunner().invoke(main, [*called, *arguments(command, wide), *as_json]).stdout
        found[command] = set(numbers(json.loads(output)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_number_is_whole_at_every_width(command, width, wide, expected):
    """What JSON says is in the text as a whole word, no line is wider than the terminal, and models differ."""
    called, *_ = COMMANDS[command]
    more = ["--show", "0"] if command == "diff" else []
    result = CliRunner().invoke(main, [*called, *arguments(command, wide), *more], env={"COLUMNS": str(width)})
    assert result.exit_code == 0, result.output
    words = set(result.stdout.split())
    assert expected[command]
    assert expected[command] <= words
    assert max(map(cell_len, result.stdout.splitlines())) <= width
    assert not re.search(r"\d…|…\d*[.,]\d", result.stdout.replace("v1.0", ""))
    if command in ("rank", "npm"):
        assert len(set(re.findall(r"\S*(?:lfa|eta|ama|fa|ta|ma)-i\S*", result.stdout))) == 3


@pytest.mark.slow
def test_a_pipe_has_no_width(wide):
    """Without a terminal nothing is shortened, dropped or broken."""
    output = CliRunner().invoke(main, ["stats", str(wide)], env={"COLUMNS": None}).stdout
    assert "…" not in output
    assert "Not shown" not in output
    assert "passive_strict_acc" in output


def test_npm_of_one_task_shows_the_task_and_not_what_is_missing(wide):
    """One task of nine is no average: no column lists the tasks that every model lacks."""
    output = CliRunner().invoke(main, ["npm", str(wide)], env={"COLUMNS": "80"}).stdout
    assert "bluex" not in output
    assert "ifeval_pt" in output


def rendered(table: Table, width: int) -> str:
    """A table as text."""
    console = Console(width=width, highlight=False, markup=False, emoji=False, force_terminal=False)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def numbers(count: int, spare: tuple[str, ...] = ()) -> Table:
    """A row of a name and some numbers of six digits."""
    table = Table("Title", ["model", *(f"c{number}" for number in range(count))], spare=spare)
    table.add_row("organization/a-model-of-a-long-name-7b", *(f"{number:06d}" for number in range(count)))
    return table


def test_names_go_before_columns_and_columns_before_rows():
    """As the width shrinks: whole, shortened, without the spare column, blocks with all columns."""
    table = numbers(4, ("c3",))
    assert "a-model-of-a-long-name-7b" in rendered(table, 80)
    narrow = rendered(table, 60)
    assert "…" in narrow
    assert "000003" in narrow
    dropped = rendered(table, 40)
    assert "000003" not in dropped
    assert "Not shown, for want of width: c3" in " ".join(dropped.split())
    blocks = rendered(table, 30)
    assert "organization/a-model-of-a-long-name-7b" in blocks.replace("\n", "")
    assert {"c0 000000", "c3 000003"} <= set(re.split(r" · |\n +|  +", blocks.replace("\n", "\n  ")))


def test_names_are_not_shortened_until_they_look_alike():
    """Two names that differ only late in the middle get rows of their own rather than one look."""
    table = Table("", ["model", "n"])
    table.add_row("a" * 30 + "1" + "b" * 30, "12345")
    table.add_row("a" * 30 + "2" + "b" * 30, "12345")
    for width in (20, 30, 50, 70):
        text = rendered(table, width).replace("\n", "")
        assert "1" in text.replace("12345", "")
        assert "2" in text.replace("12345", "")


def test_a_title_is_shortened_word_by_word_and_never_folded():
    """A model's name above a table that is longer than a line keeps its end, where the step stands."""
    table = Table("enem_pt  organization/a-model-of-a-long-name-7b/step_3000", ["metric", "n"])
    table.add_row("acc", "12")
    lines = rendered(table, 30).splitlines()
    assert "enem_pt" in lines[1]
    assert lines[2].startswith("organization/a")
    assert lines[2].endswith("…e-7b/step_3000")


def test_shortened_names_keep_both_ends_and_their_width():
    """Cells, not characters, are counted: signs of East Asia take two."""
    assert shortened("organization/model-7b", 12) == "organi…el-7b"
    assert shortened("short", 12) == "short"
    for size in range(3, 20):
        assert cell_len(shortened("漢字かな交じり文の名前です", size)) <= size


# Every command's tables, whatever is in them


BASELINES = {task: {"metric": "acc", "random": 0.2, "max": 1.0} for task in runs.TASKS}
SCORED = "exact_match,token_f1,label,rouge_l"


def tables_of_files(folder: Path, many: Path, scratch: Path) -> Iterator[list[str]]:
    """Commands that print tables from files that are there."""
    (scratch / "own.json").write_text(json.dumps(BASELINES), encoding="utf-8")
    last = sorted(map(str, many.glob("*/step_3000")))
    first, second, *_ = sorted(map(str, folder.iterdir()))
    yield from (["table", first], ["table", "--accidental", first], ["table", "--by", "subject", *last[:2]])
    yield from (["diff", first, second, "--show", "0"], ["diff", last[0], last[-1], "--show", "0", "--by", "subject"])
    ranked = ["rank", *last, "--resamples", "100"]
    yield from (ranked, [*ranked, "--weights", "acc=1,rouge_l=2", "--task", "perguntas_abertas_pt"])
    yield from (["stats", last[0], "--letters", "--lengths"], ["stats", first])
    yield from (["npm", str(many), "--baselines", str(scratch / "own.json"), "--tasks"], ["npm", str(folder)])
    yield from (["curves", str(many)], ["power"])
    answers = next(Path(last[0]).glob("samples_perguntas*"))
    yield ["score", str(answers), "--metrics", SCORED, "--output", str(scratch / "scored")]
    verified = str(next(Path(first).glob("samples_*")))
    yield ["filter", verified, "--all-followed", "--output", str(scratch / "kept.jsonl")]


def tables_of_others(many: Path, scratch: Path) -> None:
    """Commands whose tables need more than files: a judge, a scanned corpus, a sweep."""
    rubric = scratch / "rubrica.yaml"
    rubric.write_text("criteria: A resposta é correta?\n", encoding="utf-8")
    answers = str(next(many.glob("*/step_3000")))
    with ChatServer(lambda message, nth: '{"nota": 4}') as server:
        options = ["--url", server.url, "--model", "sabiá", "--output", str(scratch / "judged")]
        invoke(["judge", answers, "--rubric", str(rubric), *options])


def invoke(arguments: list[str]) -> None:
    """Run a command; it must not fail."""
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, (arguments, result.output)


@pytest.fixture(scope="module")
def tables(wide, many, tmp_path_factory):
    """The tables that commands print, each with the name of its command."""
    scratch = tmp_path_factory.mktemp("scratch")
    recorded: list[tuple[str, Table]] = []
    command = ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout.Table, "_fitted", lambda table, width: recorded.append((command, table)) or iter(()))
        for arguments in tables_of_files(wide, many, scratch):
            command = arguments[0]
            invoke(arguments)
        command = "judge"
        tables_of_others(many, scratch)
        command = "contamination"
        patch.setattr("lm_eval_ifeval_pt.contamination.findings.read", lambda folder: runs.seen("enem_pt"))
        patch.setattr("lm_eval_ifeval_pt.analysis.contaminated.check_documents", lambda *arguments: None)
        last = sorted(map(str, many.glob("*/step_3000")))[:2]
        show = ["contamination", "show", str(scratch)]
        for arguments in (show, [*show, "--task", "enem_pt"], [*show, "--results", last[0]]):
            invoke(arguments)
        invoke(["table", "--contamination", str(scratch), *last])
        patch.setattr("lm_eval_ifeval_pt.contamination.parts.load", lambda *arguments: [])
        patch.setattr("lm_eval_ifeval_pt.contamination.hints.model_of", lambda *arguments: None)
        patch.setattr("lm_eval_ifeval_pt.contamination.hints.hints", lambda *arguments: hints())
        command = "contamination hints"
        invoke(["contamination", "hints", "--model_args", "pretrained=x", "--tasks", ",".join(runs.TASKS)])
        command = "sweep --plan"
        invoke(["sweep", "--plan", str(many)])
        command = "sweep --status"
        patch.setattr(status, "lines", lambda folder: cells_of_a_sweep())
        CliRunner().invoke(main, ["sweep", "--status", str(scratch)])
    return recorded


def hints() -> list[Hint]:
    """What a model's preferences tell of tasks of long names."""
    kinds = (("options", None), ("rows", None), ("completion", 0.125))
    return [
        Hint(task, kind, 1000 + number, -0.0123 * number, 0.0456, continued)
        for number, task in enumerate(runs.TASKS)
        for kind, continued in kinds
    ]


def cells_of_a_sweep() -> list[Any]:
    """Cells of checkpoints in folders of long names."""
    return [
        SimpleNamespace(
            cell=SimpleNamespace(checkpoint=SimpleNamespace(order=step, label=f"{model}/step_{step}"), label="cell"),
            state=SimpleNamespace(status=("done", "running")[step > 1000], owner="host", result=None, failures=()),
        )
        for model in runs.MODELS
        for step in (1000, 2000)
    ]


def test_commands_print_their_tables_in_this_test(tables):
    """The list of commands is complete: whoever adds a table adds it above."""
    makers = {
        path.stem
        for path in (Path(lm_eval_ifeval_pt.__file__).parent / "cli").glob("*.py")
        if "printing.table(" in path.read_text(encoding="utf-8")
    }
    named = {command.split()[0] for command, _ in tables}
    assert {"contamination hints", "sweep --plan", "sweep --status"} <= {command for command, _ in tables}
    assert makers - {"scoring_by_metrics", "fields"} <= named


@pytest.mark.parametrize("width", [80, 100, 200])
def test_no_number_of_any_command_is_cut(tables, width):
    """Each number is whole, or its column is named as not shown; no line is wider than the terminal."""
    for command, table in tables:
        assert_whole(table, width, command)


def assert_whole(table: Table, width: int, command: str = "") -> None:
    """Each number of a table stands in its text as often as it should, but for columns that are named as not shown."""
    text = rendered(table, width)
    assert max(map(cell_len, text.splitlines())) <= width, command
    dropped = re.search(r"Not shown, for want of width: (.*?)\. A wider", " ".join(text.split()))
    shown = [
        column
        for column in range(table.left, len(table.columns))
        if not (dropped and table.columns[column] in dropped[1])
    ]
    words = Counter(text.split())
    for column in shown:
        wanted = Counter(word for cells, _ in table.rows for word in cells[column].split())
        assert not wanted - words, (command, table.columns[column], text)


def test_all_commands_lay_out_their_tables_in_one_way():
    """Rich's own tables cut numbers; the demo's has four short columns."""
    package = Path(lm_eval_ifeval_pt.__file__).parent
    modules = [path for path in package.rglob("*.py") if "rich.table" in path.read_text("utf-8")]
    assert {path.relative_to(package).as_posix() for path in modules} == {"demo/__init__.py"}


def any_table(chance: random.Random) -> Table:
    """A table of some names and numbers."""

    def word(signs: str, most: int) -> str:
        return "".join(chance.choice(signs) for _ in range(chance.randint(1, most)))

    left, right = chance.randint(0, 3), chance.randint(1, 6)
    header = [f"{word('abc', 7)} {word('abc', 7)} c{column}" for column in range(left + right)]
    spare = chance.sample(header, chance.randint(0, left + right - 1))
    table = Table(word("ab ", 30), header, left, spare)
    for row in range(chance.randint(0, 4)):
        names = [f"{row}{word('xyz-/漢', 40)}" for _ in range(left)]
        numbers = [f"{chance.randrange(10**6)}.{row}" for _ in range(right)]
        table.add_row(*names, *numbers)
    return table


@given(st.integers(0, 2**32), st.integers(24, 200))
def test_no_table_cuts_a_number(seed, width):
    """Whatever names, numbers and widths there are."""
    assert_whole(any_table(random.Random(seed)), width)
