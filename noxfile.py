"""The versions that this package is tested with: `make matrix` runs what this machine has interpreters for.

A session installs the wheel's requirements at the versions below, runs the quick tests, and writes what it used and how
it ended to `build/matrix`; `python -m tests.quality.matrix` prints these as a table. What stands after `--` goes to
pytest in place of its options: `nox -s lowest -- tests/test_ifeval.py`. With `TORCH=` in the environment torch is left
out, which for most interpreters is a build of several GB: tests that load a model are skipped or must not be chosen.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import nox

nox.options.default_venv_backend = "uv|venv"
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_missing_interpreters = False
nox.options.stop_on_first_error = False

TORCH = os.environ.get("TORCH", "torch==2.13.0")  # as in the Makefile
SHOWN = ("lm_eval", "datasets", "transformers", "numpy", "torch")
SETS = {
    "lowest": ("lm_eval==0.4.13", "datasets==3.6.0", "transformers==4.56.2", "numpy==2.0.0", "scipy==1.15.0"),
    "middle": ("lm_eval==0.4.13", "datasets>=4,<5", "transformers>=4.57,<5", "numpy>=2"),
    "newest": ("lm_eval", "datasets>=4", "transformers>=5", "numpy>=2"),
}
SETS["pre"] = SETS["newest"]


def tested(session: nox.Session, versions: str) -> None:
    """Run the quick tests with a set of versions."""
    if TORCH:
        session.install(TORCH)
    session.install("-e", f".[{'hf,' if TORCH else ''}api,contamination,dev]", *SETS[versions])
    if versions == "pre":  # beyond the bound of pyproject.toml; that this one is a pre-release admits others
        session.install("--upgrade", "lm_eval[api]>=0.5.0.dev0")
    record = {"python": session.python, "set": versions, **_installed(session)}
    folder = Path("build/matrix")
    folder.mkdir(parents=True, exist_ok=True)
    output = session.run(
        *("python", "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider"),
        *(session.posargs or ("--numprocesses", "auto", "--maxprocesses", "2", "--dist", "loadfile")),
        silent=True,
        success_codes=[0, 1],
    )
    text = output if isinstance(output, str) else ""
    (folder / f"{session.python}-{versions}.log").write_text(text, encoding="utf-8")
    record["result"] = next(reversed(re.findall(r"^.*\d+ (?:passed|failed).*$", text, re.MULTILINE)), "no test ran")
    (folder / f"{session.python}-{versions}.json").write_text(json.dumps(record), encoding="utf-8")
    if " failed" in record["result"] or "error" in record["result"] or "passed" not in record["result"]:
        session.error(record["result"])


def _installed(session: nox.Session) -> dict[str, str]:
    code = (
        "from importlib.metadata import distributions; import json; "
        "print(json.dumps({each.name.replace('-', '_'): each.version for each in distributions()}))"
    )
    printed = session.run("python", "-c", code, silent=True)
    installed = json.loads(str(printed))
    return {name: installed.get(name, "-") for name in SHOWN}


@nox.session(python="3.10")
def lowest(session: nox.Session) -> None:
    """The lower bounds of pyproject.toml."""
    tested(session, "lowest")


@nox.session(python=["3.11"])
def middle(session: nox.Session) -> None:
    """The last releases before a major one."""
    tested(session, "middle")


@nox.session(python=["3.10", "3.11", "3.12", "3.13", "3.14"])
def newest(session: nox.Session) -> None:
    """What an install gives today."""
    tested(session, "newest")


@nox.session(python=["3.11", "3.12"])
def pre(session: nox.Session) -> None:
    """The harness's newest pre-release, where there is one."""
    tested(session, "pre")
