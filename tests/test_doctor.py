"""The doctor names each fault that keeps the harness from our tasks, and the command that helps."""

from __future__ import annotations

import site
import sys
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from lm_eval_ifeval_pt import doctor
from lm_eval_ifeval_pt._hook import SWITCH
from lm_eval_ifeval_pt.doctor import Diagnosis
from lm_eval_ifeval_pt.paths import bundled


def report(**changes: Any) -> dict[str, Any]:
    """What the probe reports where all is well."""
    found = {name: str(file) for name, file in doctor.definitions(bundled("tasks")).items()}
    return {"hooked": True, "tasks": found, "error": "", "said": "", **changes}


def test_tasks_found() -> None:
    """Nothing is to be done where the harness has our tasks from our folder."""
    finding = doctor.tasks(report())
    assert finding.ok
    assert str(bundled("tasks").resolve()) in finding.found
    assert finding.advice == ""


def test_tasks_missing() -> None:
    """The way out that works anywhere is --include_path with the folder; the hook's words are shown."""
    finding = doctor.tasks(report(tasks={}, said="lm_eval_ifeval_pt: it failed."))
    assert not finding.ok
    assert "not found" in finding.found
    assert "it failed" in finding.found
    assert f"--include_path {bundled('tasks').resolve()}" in finding.advice


def test_tasks_of_another(tmp_path: Path) -> None:
    """A task of our name from another folder is not ours."""
    found = report()["tasks"] | {"ifeval_pt": str(tmp_path / "ifeval_pt.yaml")}
    finding = doctor.tasks(report(tasks=found))
    assert not finding.ok
    assert str(tmp_path) in finding.found


def test_harness_does_not_start() -> None:
    """The harness's own failure is told as such."""
    finding = doctor.tasks(report(tasks={}, error="ImportError: no torch"))
    assert not finding.ok
    assert "ImportError: no torch" in finding.found


def test_unhooked_but_found() -> None:
    """Once the harness discovers us by itself, a missing hook is no reason to fail."""
    assert doctor.healthy([doctor.hook(report(hooked=False)), doctor.tasks(report())])
    assert not doctor.healthy([doctor.tasks(report(tasks={}))])


def test_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A switched-off hook is shown with the command that switches it on."""
    monkeypatch.setenv(SWITCH, "0")
    assert doctor.switch() == Diagnosis("switch", False, f"{SWITCH}=0", f"Run: unset {SWITCH}")
    monkeypatch.delenv(SWITCH)
    assert doctor.switch().ok


@pytest.mark.parametrize(
    ("version", "ok"),
    [("0.4.12", False), ("0.4.13", True), ("0.4.13.dev3+g1", True), ("0.10", True), ("1.0.0rc1", True)],
)
def test_harness_version(version: str, ok: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions are compared by number, not by letter; an old one is to be replaced."""
    monkeypatch.setattr(metadata, "version", lambda _: version)
    finding = doctor.harness()
    assert finding.ok is ok
    assert ("pip install 'lm-eval>=0.4.13'" in finding.advice) is not ok


def test_no_harness(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without lm_eval there is one thing to do."""

    def missing(_: str) -> str:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "version", missing)
    finding = doctor.harness()
    assert not finding.ok
    assert f"{sys.executable} -m pip install" in finding.advice


def test_startup_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a file in a folder where Python reads such files counts."""
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(tmp_path)])
    monkeypatch.setattr(site, "ENABLE_USER_SITE", False)
    missing = doctor.startup_file()
    (tmp_path / doctor.STARTUP_FILE).touch()
    present = doctor.startup_file()
    assert (missing.ok, present.ok) == (False, True)
    assert "-m pip install" in missing.advice
    assert present.found == str(tmp_path / doctor.STARTUP_FILE)


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`lm_eval` of another environment does not have our tasks; `python -m lm_eval` does."""
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    for folder in (here, elsewhere):
        folder.mkdir()
        (folder / "lm_eval").touch(mode=0o755)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(here))
    for path, ok in ((here, True), (elsewhere, False), (tmp_path, False)):
        monkeypatch.setenv("PATH", str(path))
        finding = doctor.command()
        assert finding.ok is ok
        assert (f"{sys.executable} -m lm_eval" in finding.advice) is not ok


def test_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing extra is named with its command, and does not fail the check: the other one may do."""
    monkeypatch.setitem(doctor.EXTRAS, "hf", ("json", "no_such_module"))
    finding = doctor.extra("hf")
    assert finding.found == "not installed: no_such_module"
    assert "'lm_eval_ifeval_pt[hf]'" in finding.advice
    assert doctor.healthy([finding])


def test_same_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A built-in task with a name of ours is found, wherever its file lies and whatever that is called."""
    (tmp_path / "tasks/some").mkdir(parents=True)
    (tmp_path / "tasks/some/other.yaml").write_text("tag: x\ntask: 'ifeval_pt'\n")
    monkeypatch.setattr(doctor, "_harness_folder", lambda: tmp_path)
    finding = doctor.same_names()
    assert not finding.ok
    assert "other.yaml" in finding.found
    assert f"{SWITCH}=0" in finding.advice


def test_definitions(tmp_path: Path) -> None:
    """Names are read from tasks and groups; members of a group are no definitions."""
    (tmp_path / "a.yaml").write_text("task: um\n")
    (tmp_path / "b.yaml").write_text("group: dois\ntask:\n  - um\n  - task: outro\n")
    assert doctor.definitions(tmp_path) == {"um": tmp_path / "a.yaml", "dois": tmp_path / "b.yaml"}


def test_probe_of_broken_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that does not start is reported, not raised."""
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    assert doctor.probe()["error"] == "exit code 3"
