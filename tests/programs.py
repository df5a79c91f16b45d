"""The programs beside Python that some tests need, where they are, and how they are installed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Need:
    """A program that some tests start."""

    tested: str  # what is not tested without it
    names: tuple[str, ...]  # any of them will do
    packages: dict[str, str]  # by package manager

    @property
    def path(self) -> str | None:
        """Where the program is; None where it is not installed."""
        return next(filter(None, map(shutil.which, self.names)), None)


BUBBLEWRAP = Need(
    "programs of models in bubblewrap",
    ("bwrap",),
    {"apt-get": "bubblewrap", "dnf": "bubblewrap", "pacman": "bubblewrap"},
)
CHROMIUM = Need(
    "the report in a browser",
    ("chromium", "google-chrome", "chromium-browser"),
    {"apt-get": "chromium", "dnf": "chromium", "pacman": "chromium", "brew": "--cask chromium"},
)
CHROMEDRIVER = Need(
    "the report in a browser",
    ("chromedriver",),
    {"apt-get": "chromium-driver", "dnf": "chromedriver", "pacman": "chromium", "brew": "chromedriver"},
)
NEEDS = (BUBBLEWRAP, CHROMIUM, CHROMEDRIVER)

_INSTALL = {"apt-get": "apt-get install", "dnf": "dnf install", "pacman": "pacman -S", "brew": "brew install"}


def missing() -> list[Need]:
    """The programs that are not installed."""
    return [need for need in NEEDS if need.path is None]


def advice(needs: Sequence[Need]) -> str:
    """One line that names what is not tested, and the command that installs what is missing; nothing if all is there.

    The command is that of the first package manager which this machine has; where it has none, of Debian's.
    """
    if not needs:
        return ""
    manager = next(filter(shutil.which, _INSTALL), "apt-get")
    packages = dict.fromkeys(need.packages[manager] for need in needs if manager in need.packages)
    untested = " and ".join(dict.fromkeys(need.tested for need in needs))
    command = f"; to test it: {_INSTALL[manager]} {' '.join(packages)}" if packages else ""
    return f"not tested for want of a program: {untested}{command}"
