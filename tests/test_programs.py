"""What the end of a run says of programs that are missing, and of tests that were skipped."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs

ROOT = Path(__file__).parents[1]


def machine(monkeypatch: pytest.MonkeyPatch, *installed: str) -> None:
    """Only these programs are there."""
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}" if name in installed else None)


def test_nothing_is_said_where_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any of a browser's names will do."""
    machine(monkeypatch, "bwrap", "google-chrome", "chromedriver")
    assert programs.advice(programs.missing()) == ""


def test_the_command_is_that_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names what was not tested and the packages, by their names in each system."""
    machine(monkeypatch, "apt-get")
    assert programs.advice(programs.missing()) == (
        "not tested for want of a program: programs of models in bubblewrap and the report in a browser; "
        "to test it: apt-get install bubblewrap chromium chromium-driver"
    )
    machine(monkeypatch, "pacman", "bwrap")
    assert programs.advice(programs.missing()).endswith(": the report in a browser; to test it: pacman -S chromium")


def test_bubblewrap_is_no_package_of_homebrew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a program cannot be had, no command is offered."""
    machine(monkeypatch, "brew", "chromium", "chromedriver")
    assert programs.advice(programs.missing()) == "not tested for want of a program: programs of models in bubblewrap"


@pytest.mark.slow
def test_each_reason_to_skip_is_one_line_and_the_programs_come_last(tmp_path: Path) -> None:
    """Twenty tests without their data are one line; the last line names the missing programs."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('number', range(20))\n"
        "def test_data(number): pytest.skip('no data')\n"
        "def test_other(): pytest.skip('no other')\n",
        encoding="utf-8",
    )
    env = {"PATH": "", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", str(tmp_path)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("skipped ")] == [
        "skipped 20 tests: no data",
        "skipped 1 test: no other",
        "skipped all tests marked slow: `make test` runs them",
    ]
    assert lines[-1].startswith("not tested for want of a program: ")
