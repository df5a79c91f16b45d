"""What a run of the tests says at its end: one line per reason to skip, one for the programs that are missing."""

from __future__ import annotations

from collections import Counter

import pytest

from tests import programs


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each reason, however many tests it skipped."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else str(report.longrepr)
        for report in terminalreporter.stats.get("skipped", [])
        if not hasattr(report, "wasxfail")
    )
    lines = [f"skipped {count} test{'s' * (count > 1)}: {reason}" for reason, count in reasons.most_common()]
    if "not slow" in terminalreporter.config.option.markexpr:
        lines.append("skipped all tests marked slow: `make test` runs them")
    if lines:
        terminalreporter.section("left out")
        for line in lines:
            terminalreporter.write_line(" ".join(line.split()))


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line: what was not tested, and the command that installs what it needs."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if line := reporter and programs.advice(programs.missing()):
        reporter.write_line(line)
