"""What Windows and macOS ask of a checkout, and what is said where a program cannot be confined."""

import logging
import os
import shutil
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest

from lm_eval_ifeval_pt.benchmarks.sandbox import SandboxError, find

ROOT = Path(__file__).parents[1]
MODULE = sys.modules[find.__module__]  # whose name is the function's, too

# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
FORBIDDEN = set('<>:"\\|?*') | {chr(code) for code in range(32)}
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³")}
LONGEST = 260 - len("C:\\Users\\runneradmin\\AppData\\Local\\Temp\\a-checkout-of-a-person\\")


@pytest.fixture(scope="module")
def tracked():
    """The files of the repository."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("no checkout whose files git could list")
    listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    return [PurePosixPath(name) for name in listed.stdout.decode("utf-8").split("\0") if name]


def test_every_name_is_one_on_windows_and_macos(tracked):
    """No sign, name or length that Windows refuses, no two names that differ in case alone or only as Unicode."""
    for path in tracked:
        for part in path.parts:
            assert not FORBIDDEN & set(part), path
            assert not part.endswith((".", " ")), path
            assert part.partition(".")[0].lower() not in RESERVED, path
        assert len(str(path)) <= LONGEST, path
    folded = Counter(unicodedata.normalize("NFC", str(path)).casefold() for path in tracked)
    assert [name for name, count in folded.items() if count > 1] == []


def test_files_have_the_same_bytes_on_windows(tracked):
    """Git does not turn line ends there: rows and word lists are compared by content."""
    names = [str(path) for path in tracked if path.suffix in {".jsonl", ".txt", ".yaml", ".py", ".md"}]
    command = ["git", "check-attr", "-z", "--stdin", "eol"]
    said = subprocess.run(command, cwd=ROOT, input="\0".join(names).encode(), capture_output=True, check=True).stdout
    assert set(said.decode("utf-8").split("\0")[2::3]) == {"lf"}


@pytest.mark.parametrize(
    ("platform", "weak", "message"),
    [
        ("win32", False, "on Windows; run this in WSL 2"),
        ("win32", True, "on Windows; run this in WSL 2"),
        ("darwin", False, "bubblewrap is needed to run programs, but it is for Linux alone"),
    ],
)
def test_where_no_program_can_be_confined_it_is_said(platform, weak, message, monkeypatch):
    """The system by name, and where to go; nothing is run."""
    monkeypatch.setattr(MODULE, "sys", SimpleNamespace(platform=platform))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxError, match=message):
        find(weak)


def test_limits_alone_on_macos_are_a_warning(monkeypatch, caplog):
    """Where they were asked for."""
    monkeypatch.setattr(MODULE, "sys", SimpleNamespace(platform="darwin"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", "")
    with caplog.at_level(logging.WARNING):
        assert find(weak=True).is_weak
    assert "WITHOUT isolation" in caplog.text
    assert "Linux alone" in caplog.text
