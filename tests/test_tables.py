"""Tables on terminals of any width: a number is whole or its column is named as not shown, and names differ."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.cells import cell_len
from rich.console import Console

from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.cli.layout import Table, shortened
from tests import runs

WIDTHS = (60, 80, 100, 200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three models with long names that differ in the middle."""
    folder = tmp_path_factory.mktemp("wide")
    for name, answer in (("alfa", runs.careful(0.95, 1)), ("beta", runs.careful(0.4, 2)), ("gama", runs.parrot)):
        runs.write(folder, f"uma-organizacao-de-nome-bem-comprido/modelo-{name}-instruct-7b-v1.0", answer)
    return folder


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
            low, high = level["by_both"]["bounds"].values()
            yield from (f"{100 * low:.1f}–{100 * high:.1f}", f"{100 * level['independent']['value']:.1f}")


def accident_numbers(runs: Any) -> Iterator[str]:
    """What `table --accidental` must show besides."""
    for run in runs:
        for one in run["accidental"]["restrictions"]:
            yield from (
                f"{100 * one['asked']:.1f}",
                f"{100 * one['accidental']:.1f}",
                f"{100 * one['lift']['value']:.1f}",
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
        yield from (f"{bound:.1f}" for bound in one["score"]["bounds"].values())


def stats_numbers(data: Any) -> Iterator[str]:
    """What `stats` must show."""
    for run in data["runs"]:
        for one in run["metrics"]:
            yield from (str(one["mean"]["n"]), f"{one['mean']['value']:.3f}")
            yield from (f"{bound:.3f}" for bound in (one["mean"]["bounds"] or {}).values())


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
def expected(folder):
    """For each command the numbers that its JSON output says."""
    found = {}
    for command, (called, as_json, numbers) in COMMANDS.items():
        output = CliRunner().invoke(main, [*called, *arguments(command, folder), *as_json]).stdout
        found[command] = set(numbers(json.loads(output)))
    return found


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_number_is_whole_at_every_width(command, width, folder, expected):
    """What JSON says is in the text as a whole word, no line is wider than the terminal, and models differ."""
    called, *_ = COMMANDS[command]
    more = ["--show", "0"] if command == "diff" else []
    result = CliRunner().invoke(main, [*called, *arguments(command, folder), *more], env={"COLUMNS": str(width)})
    assert result.exit_code == 0, result.output
    words = set(result.stdout.split())
    assert expected[command]
    assert expected[command] <= words
    assert max(map(cell_len, result.stdout.splitlines())) <= width
    assert not re.search(r"\d…|…\d*[.,]\d", result.stdout.replace("v1.0", ""))
    if command in ("rank", "npm"):
        assert len(set(re.findall(r"\S*(?:lfa|eta|ama|fa|ta|ma)-i\S*", result.stdout))) == 3


def test_a_pipe_has_no_width(folder):
    """Without a terminal nothing is shortened, dropped or broken."""
    output = CliRunner().invoke(main, ["stats", str(folder)], env={"COLUMNS": None}).stdout
    assert "…" not in output
    assert "Not shown" not in output
    assert "passive_strict_acc" in output


def test_npm_of_one_task_shows_the_task_and_not_what_is_missing(folder):
    """One task of nine is no average: no column lists the tasks that every model lacks."""
    output = CliRunner().invoke(main, ["npm", str(folder)], env={"COLUMNS": "80"}).stdout
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


def test_shortened_names_keep_both_ends_and_their_width():
    """Cells, not characters, are counted: signs of East Asia take two."""
    assert shortened("organization/model-7b", 12) == "organi…el-7b"
    assert shortened("short", 12) == "short"
    for size in range(3, 20):
        assert cell_len(shortened("漢字かな交じり文の名前です", size)) <= size
