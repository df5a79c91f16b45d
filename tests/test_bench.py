"""The table of `make bench`, its file, and the comparison of two."""

import json
import subprocess
import sys

import pytest

from tests.quality import bench
from tests.quality.row import NotMeasured, Row, at_most, cheaper, faster, in_loops


def test_a_ratio_says_how_much_better_than_a_peer_or_how_many_times_a_calibration():
    """Twice the rate, or half the cost, of a peer is 2; four times the cost of a calibration is 4."""
    assert faster("a", 10, "a CPU-s", "peer", 5, 2).ratio == 2
    assert cheaper("a", 5, "CPU-s", "peer", 10, 2).ratio == 2
    assert at_most("a", 4, "CPU-s", "calibration", 1, 3).ratio == 4


@pytest.mark.parametrize(
    ("row", "is_met"),
    [
        (faster("a", 10, "", "", 5, 2), True),
        (faster("a", 10, "", "", 5, 3), False),
        (at_most("a", 4, "", "", 1, 4), True),
        (at_most("a", 4, "", "", 1, 3), False),
        (faster("a", 10, "", "", 5), None),
    ],
)
def test_a_goal_is_a_least_ratio_beside_a_peer_and_a_most_beside_a_calibration(row, is_met):
    """15 times as fast is met by 15; ten calibrations are met by ten."""
    assert row.is_met is is_met


def test_a_goal_in_seconds_is_one_of_a_machine_whose_loop_takes_a_twenty_fifth_of_a_second():
    """At most .15 s there are three and three quarter loops here."""
    assert in_loops("a", 1.0, 0.15).goal == pytest.approx(3.75)
    assert in_loops("a", 1.0).goal is None


def test_the_file_has_what_the_table_has(tmp_path):
    """Rows come back as they were; what was not measured is named with its reason."""
    rows = (faster("a", 10, "a CPU-s", "peer", 5, 3), at_most("b", 4, "CPU-s", "calibration", 1))
    bench.write(tmp_path / "bench.json", [bench.Measurement("one", rows), bench.Measurement("two", (), "no gold")])
    assert bench.read(tmp_path / "bench.json") == list(rows)
    data = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert data["not_measured"] == {"two": "no gold"}
    assert [row["is_met"] for row in data["rows"]] == [False, None]
    assert [cells[-1] for cells, _ in bench.table(rows).rows] == ["NO", "–"]


def test_what_got_better_or_worse_is_marked_and_noise_is_not():
    """More is better beside a peer, less beside a calibration; rows that came or went are named."""

    def rows(fast: float, slow: float, noise: float, *more: Row) -> list[Row]:
        return [
            faster("fast", fast, "", "peer", 1),
            at_most("slow", slow, "", "loop", 1),
            at_most("noise", noise, "", "loop", 1),
            *more,
        ]

    table = bench.compared(
        rows(10, 10, 10, faster("old", 1, "", "peer", 1)), rows(20, 20, 11, faster("fresh", 1, "", "", 1))
    )
    assert {cells[0]: cells[-1] for cells, _ in table.rows} == {
        "fast": "better",
        "slow": "WORSE",
        "noise": "",
        "fresh": "new",
        "old": "gone",
    }


def test_a_work_that_cannot_be_measured_says_why(monkeypatch, capsys):
    """Missing gold or packages are a line below the table, no traceback."""
    module = type("Module", (), {"bench_rows": staticmethod(_missing)})
    monkeypatch.setitem(sys.modules, "tests.quality.missing", module)
    monkeypatch.setitem(bench.WORKS, "missing", bench.Work("missing"))
    bench.worker("missing")
    assert json.loads(capsys.readouterr().out) == {"rows": [], "reason": "no gold"}


def _missing() -> list[Row]:
    raise NotMeasured("no gold")


@pytest.mark.slow
def test_one_work_is_measured_by_name(tmp_path):
    """`--only aggregation -o FILE` prints its row and writes it; the others are named as left out."""
    file = tmp_path / "bench.json"
    command = [sys.executable, "-m", "tests.quality.bench", "--only", "aggregation", "-o", str(file)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "left out: commands, verifiers" in done.stdout
    assert [row.work for row in bench.read(file)] == ["NPM of 200 result files"]
