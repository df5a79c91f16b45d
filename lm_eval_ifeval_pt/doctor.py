"""Does the harness find our tasks in this environment, and if not, what helps?"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt import _hook
from lm_eval_ifeval_pt.paths import bundled

OLDEST_HARNESS = (0, 4, 13)
STARTUP_FILE = "lm_eval_ifeval_pt.start" if sys.version_info >= (3, 15) else "lm_eval_ifeval_pt.pth"
EXTRAS = {"hf": ("torch", "transformers", "accelerate"), "api": ("aiohttp", "tenacity", "tiktoken")}

_PROBE = f"""
import json, sys
report = {{"tasks": {{}}, "error": ""}}
report["hooked"] = any(type(finder).__module__ == {_hook.__name__!r} for finder in sys.meta_path)
try:
    from lm_eval.tasks import TaskManager
    index = TaskManager(include_defaults=False).task_index
    report["tasks"] = {{name: str(entry.yaml_path) for name, entry in index.items()}}
except Exception as error:
    report["error"] = type(error).__name__ + ": " + str(error)
print(json.dumps(report))
"""


@dataclass(frozen=True)
class Diagnosis:
    """What one check found.

    Attributes:
        name: What was checked.
        ok: Whether it is as it should be.
        found: What is there.
        advice: What to do, with the command to run; empty if there is nothing to do.
        required: Whether `lm_eval --tasks ifeval_pt` cannot work if this is not as it should be.
    """

    name: str
    ok: bool
    found: str
    advice: str = ""
    required: bool = False


def diagnose() -> list[Diagnosis]:
    """Check this environment, causes before effects.

    Takes some seconds: it starts the harness in a new process.
    """
    report = probe()
    return [
        python(),
        harness(),
        switch(),
        startup_file(),
        hook(report),
        tasks(report),
        same_names(),
        command(),
        *(extra(name) for name in EXTRAS),
    ]


def healthy(findings: Iterable[Diagnosis]) -> bool:
    """Return whether everything that is required is as it should be."""
    return all(finding.ok for finding in findings if finding.required)


def probe() -> dict[str, Any]:
    """Ask a new Python, started in another folder, what the harness finds there.

    Returns:
        `hooked`, `tasks` (name to file), `error` of the harness, and `said`, what our hook wrote.
    """
    with tempfile.TemporaryDirectory() as elsewhere:
        run = subprocess.run([sys.executable, "-c", _PROBE], cwd=elsewhere, capture_output=True, text=True)
    if run.returncode:
        return {"hooked": False, "tasks": {}, "error": f"exit code {run.returncode}", "said": ""}
    ours = [line for line in run.stderr.splitlines() if line.startswith("lm_eval_ifeval_pt:")]
    return {**json.loads(run.stdout.splitlines()[-1]), "said": " ".join(ours)}


def python() -> Diagnosis:
    """Whether this Python reads start-up files."""
    version = f"{sys.version.split()[0]} at {sys.executable}"
    if sys.flags.no_site:
        return Diagnosis("Python", False, f"{version}, started with -S", "Start Python without -S.")
    return Diagnosis("Python", True, version)


def harness() -> Diagnosis:
    """Whether lm_eval is installed, and new enough."""
    oldest = ".".join(map(str, OLDEST_HARNESS))
    advice = f"Run: {_pip_install(f'lm-eval>={oldest}')}"
    try:
        version = metadata.version("lm_eval")
    except metadata.PackageNotFoundError:
        return Diagnosis("lm_eval", False, "not installed", advice, required=True)
    if tuple(map(int, re.findall(r"\d+", version)[:3])) < OLDEST_HARNESS:
        return Diagnosis("lm_eval", False, f"{version}, older than {oldest}", advice, required=True)
    return Diagnosis("lm_eval", True, f"{version} in {_harness_folder()}", required=True)


def switch() -> Diagnosis:
    """Whether the environment variable leaves the hook on."""
    if not _hook.enabled():
        value = f"{_hook.SWITCH}={os.environ[_hook.SWITCH]}"
        return Diagnosis("switch", False, value, f"Run: unset {_hook.SWITCH}")
    return Diagnosis("switch", True, f"{_hook.SWITCH} leaves the hook on")


def startup_file() -> Diagnosis:
    """Whether the file by which Python calls the hook lies where Python reads it."""
    folders = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    present = [file for folder in folders if os.path.isfile(file := os.path.join(folder, STARTUP_FILE))]
    if present:
        return Diagnosis("start-up file", True, ", ".join(present))
    absence = f"no {STARTUP_FILE} in {', '.join(folders)}"
    return Diagnosis("start-up file", False, absence, f"Run: {_reinstall()}")


def hook(report: Mapping[str, Any]) -> Diagnosis:
    """Whether a newly started Python has the hook."""
    if report["hooked"]:
        return Diagnosis("hook", True, "active in a new Python")
    advice = "It is not needed if the harness finds the tasks; else see the switch and the start-up file."
    return Diagnosis("hook", False, "not active in a new Python", advice)


def tasks(report: Mapping[str, Any]) -> Diagnosis:
    """Whether the harness finds all our tasks, and in our folder."""
    if report["error"]:
        problem = f"the harness does not start: {report['error']}"
        return Diagnosis("tasks", False, problem, f"Run: {_pip_install('lm_eval')}", required=True)
    folder = bundled("tasks").resolve()
    files = {name: report["tasks"].get(name, "not found") for name in sorted(definitions(folder))}
    wrong = [f"{name}: {file}" for name, file in files.items() if folder not in Path(file).resolve().parents]
    if wrong:
        problem = f"{len(wrong)} of {len(files)} not in our folder ({', '.join(wrong[:3])}) {report['said']}"
        advice = f"Meanwhile: lm_eval --include_path {shlex.quote(str(folder))} --tasks ..."
        return Diagnosis("tasks", False, problem.strip(), advice, required=True)
    return Diagnosis("tasks", True, f"all {len(files)} in {folder}", required=True)


def same_names() -> Diagnosis:
    """Whether the harness has built-in tasks of the same names as ours."""
    folder = _harness_folder()
    builtin = definitions(folder / "tasks") if folder else {}
    taken = sorted(builtin.keys() & definitions(bundled("tasks")).keys())
    if taken:
        clashes = ", ".join(f"{name} is also {builtin[name]}" for name in taken)
        advice = f"Ours is run. For the built-in one: {_hook.SWITCH}=0 lm_eval ..."
        return Diagnosis("names", False, clashes, advice)
    return Diagnosis("names", True, "no built-in task of the same name")


def definitions(folder: Path) -> dict[str, Path]:
    """Return the tasks and groups that the YAML files below a folder define, with the file of each."""
    definition = re.compile(rb"^(?:task|group):[ \t]*[\"']?([\w.-]+)[\"']?[ \t\r]*$", re.MULTILINE)
    files = folder.rglob("*.yaml")
    return {name.decode(): file for file in files for name in definition.findall(file.read_bytes())}


def command() -> Diagnosis:
    """Whether the command `lm_eval` is the one of this environment."""
    scripts = sysconfig.get_path("scripts")
    advice = f"Run: {shlex.quote(sys.executable)} -m lm_eval ..., or: export PATH={shlex.quote(scripts)}:$PATH"
    path = shutil.which("lm_eval")
    if path is None:
        return Diagnosis("command", False, "no lm_eval on PATH", advice)
    if os.path.realpath(os.path.dirname(path)) != os.path.realpath(scripts):
        return Diagnosis("command", False, f"{path} may be of another environment than {scripts}", advice)
    return Diagnosis("command", True, path)


def extra(name: str) -> Diagnosis:
    """Whether what an extra brings is installed."""
    missing = [module for module in EXTRAS[name] if find_spec(module) is None]
    if missing:
        advice = f"Run: {_pip_install(f'lm_eval_ifeval_pt[{name}]')}"
        return Diagnosis(f"extra [{name}]", False, f"not installed: {', '.join(missing)}", advice)
    return Diagnosis(f"extra [{name}]", True, ", ".join(EXTRAS[name]))


def _harness_folder() -> Path | None:
    spec = find_spec("lm_eval")
    return Path(spec.origin).parent if spec and spec.origin else None


def _pip_install(*arguments: str) -> str:
    return shlex.join([sys.executable, "-m", "pip", "install", *arguments])


def _reinstall() -> str:
    checkout = Path(__file__).parents[1]
    if (checkout / "pyproject.toml").is_file():
        return _pip_install("-e", str(checkout))
    return _pip_install("--force-reinstall", "--no-deps", "lm_eval_ifeval_pt")
