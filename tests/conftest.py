"""What several modules test with, and what a run of the tests says at its end.

That is one line per reason to skip, and one for the programs that are missing.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests import programs


@pytest.fixture(scope="session")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of three models with long names that differ in the middle, on all of ifeval_pt; to be read only."""
    from tests import runs  # which needs all verifiers

    return runs.wide(tmp_path_factory.mktemp("wide"))


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of six models at three steps each on four tasks; to be read only."""
    from tests import runs

    return runs.many(tmp_path_factory.mktemp("many"))


@pytest.fixture(scope="session")
def answering_slurm() -> None:
    """Skips where no Slurm can be tried; asked when needed, as one that is down takes seconds to say so."""
    if shutil.which("sbatch") is None:
        pytest.skip("there is no Slurm (apt-get install slurm-wlm munge; then .ci/slurm)")
    try:
        subprocess.run(["sinfo"], check=True, capture_output=True, timeout=10)
    except (subprocess.SubprocessError, OSError):
        pytest.skip("Slurm does not answer (.ci/slurm starts one)")


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
