"""The hook: where it puts our folder and our model, and that it never gets in the way of Python or the harness."""

from __future__ import annotations

import os
import pkgutil
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from lm_eval_ifeval_pt._hook import MODEL, SWITCH, add_tasks
from lm_eval_ifeval_pt.paths import bundled

ROOT = Path(__file__).parents[1]
INSTALL = "import lm_eval_ifeval_pt._hook as hook; hook.install()\n"
BUILD = "from lm_eval.tasks.manager import TaskIndex; print(*TaskIndex.build([]))\n"
HARNESS = """
class TaskIndex:
    @staticmethod
    def build(paths, *, resolve_includes=True):
        return [str(path) for path in paths]
"""


def run(code: str, *, path: Path = ROOT, site: str = "-S", **env: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new Python that imports from `path` and this checkout, and not from site-packages."""
    return subprocess.run(
        [sys.executable, *filter(None, [site]), "-c", code],
        env={**os.environ, SWITCH: "", "PYTHONPATH": f"{path}{os.pathsep}{ROOT}", **env},
        capture_output=True,
        text=True,
        check=True,
    )


def harness(folder: Path, manager: str = HARNESS) -> Path:
    """Write an lm_eval that consists of its task manager alone."""
    (folder / "lm_eval/tasks").mkdir(parents=True)
    for package in ("lm_eval", "lm_eval/tasks"):
        (folder / package / "__init__.py").touch()
    (folder / "lm_eval/tasks/manager.py").write_text(manager)
    return folder


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """The built-in folder, ours and the user's."""
    made = tmp_path / "lm_eval/tasks", tmp_path / "ours/tasks", tmp_path / "user"
    for folder in made:
        folder.mkdir(parents=True)
    return made


class TestPlace:
    """Where our folder goes among those that the harness reads; a later one overrides an earlier one."""

    def test_between_builtin_and_included(self, folders: tuple[Path, Path, Path]) -> None:
        """We override nothing of the user's, and nothing of the harness overrides us."""
        builtin, ours, user = folders
        assert add_tasks([builtin, user], ours, str(builtin)) == [builtin, ours, user]

    def test_without_builtin(self, folders: tuple[Path, Path, Path]) -> None:
        """`include_defaults=False` leaves out the harness's tasks, not ours."""
        builtin, ours, user = folders
        assert add_tasks([], ours, str(builtin)) == [ours]
        assert add_tasks([user], ours, str(builtin)) == [ours, user]

    def test_already_there(self, folders: tuple[Path, Path, Path]) -> None:
        """A folder that the harness reads already, by any name or within another, is not read twice."""
        builtin, ours, user = folders
        link = user / "link"
        link.symlink_to(ours)
        for included in (ours, ours.parent, link, Path(os.path.relpath(ours))):
            assert add_tasks([builtin, included], ours, str(builtin)) == [builtin, included]

    def test_similar_name(self, folders: tuple[Path, Path, Path]) -> None:
        """A folder whose name merely begins like ours does not hold our tasks."""
        builtin, ours, _ = folders
        similar = ours.parent / "task"
        assert add_tasks([builtin, similar], ours, str(builtin)) == [builtin, ours, similar]


class TestHarness:
    """The real harness, in a new process."""

    @pytest.mark.slow
    def test_finds_tasks(self, tmp_path: Path) -> None:
        """It finds our tasks in our folder, prefers a task of that name of the user's, and prints nothing."""
        (tmp_path / "mine.yaml").write_text("task: ifeval_pt\n")
        done = run(
            INSTALL
            + "import logging; logging.basicConfig()\n"
            + "from lm_eval.tasks import TaskManager\n"
            + "index = lambda **kw: TaskManager(include_defaults=False, **kw).task_index\n"
            + "find = lambda **kw: print(index(**kw)['ifeval_pt'].yaml_path)\n"
            + f"find(); find(include_path={str(bundled('tasks'))!r})\n"
            + f"logging.disable(); find(include_path={str(tmp_path)!r})\n",
            site="",
        )
        ours = bundled("tasks") / "ifeval_pt" / "ifeval_pt.yaml"
        assert done.stdout.splitlines() == [str(ours), str(ours), str(tmp_path / "mine.yaml")]
        assert done.stderr == ""

    @pytest.mark.slow
    def test_finds_model(self) -> None:
        """It knows our model beside its own, also if the hook comes late, and imports it when asked."""
        late = "import lm_eval.models\n" + INSTALL
        for start in (INSTALL + INSTALL, late):
            done = run(
                start
                + "from lm_eval.api.registry import model_registry\n"
                + "import lm_eval.models, sys\n"
                + "print('hf' in model_registry, 'hf-shared' in model_registry, 'torch' in sys.modules)\n",
                site="",
            )
            assert done.stdout == "True True False\n"
            assert done.stderr == ""
        ask = "from lm_eval.api.registry import get_model\nprint(get_model('hf-shared'))"
        done = run(INSTALL + ask, site="")
        assert done.stdout == "<class 'lm_eval_ifeval_pt.models.shared_prefix.model.SharedPrefixLM'>\n"

    def test_model_of_another(self) -> None:
        """A model of that name that is there already stays."""
        other = "from lm_eval.api.registry import model_registry as known\n"
        other += "known.register('hf-shared', target='a:b')\n"
        done = run(INSTALL + other + "import lm_eval.models; print(known._objs['hf-shared'])", site="")
        assert done.stdout == "a:b\n"
        assert done.stderr == ""


class TestProcess:
    """What the hook does to a process."""

    def test_start_imports_nothing_else(self) -> None:
        """A Python start pays for our two small modules and for no other."""
        before = "import site, sys; before = set(sys.modules)\n"
        done = run(before + INSTALL + "print(*sorted(set(sys.modules) - before))")
        assert done.stdout.split() == ["lm_eval_ifeval_pt", "lm_eval_ifeval_pt._hook"]

    def test_once(self, tmp_path: Path) -> None:
        """Installing twice, importing the manager again or reloading it adds our folder once."""
        again = "import importlib, sys; importlib.reload(sys.modules['lm_eval.tasks.manager'])\n"
        anew = "del sys.modules['lm_eval.tasks.manager']\n"
        count = "print(sum(isinstance(finder, hook.HarnessFinder) for finder in sys.meta_path))\n"
        done = run(INSTALL + INSTALL + BUILD + again + BUILD + anew + BUILD + count, path=harness(tmp_path))
        assert done.stdout.splitlines() == [str(bundled("tasks"))] * 3 + ["1"]

    def test_late(self, tmp_path: Path) -> None:
        """A program may install the hook itself after it has imported the harness."""
        done = run("import lm_eval.tasks.manager\n" + INSTALL + BUILD, path=harness(tmp_path))
        assert done.stdout.split() == [str(bundled("tasks"))]

    @pytest.mark.parametrize("value", ["0", "false", "off", "No"])
    def test_switch(self, value: str, tmp_path: Path) -> None:
        """LM_EVAL_IFEVAL_PT_HOOK=0 leaves the harness as it is."""
        done = run(INSTALL + BUILD, path=harness(tmp_path), **{SWITCH: value})
        assert done.stdout.split() == []

    def test_zip(self, tmp_path: Path) -> None:
        """A harness in a zip file works too; its other modules, of the same loader, are left alone."""
        (harness(tmp_path / "harness") / "lm_eval/tasks/other.py").touch()
        archive = shutil.make_archive(str(tmp_path / "harness"), "zip", tmp_path / "harness")
        done = run(INSTALL + BUILD + "import lm_eval.tasks.other\n", path=Path(archive))
        assert done.stdout.split() == [str(bundled("tasks"))]
        assert done.stderr == ""

    def test_source(self, tmp_path: Path) -> None:
        """Tools still read the source of the wrapped module: its loader is its own."""
        show = "import inspect, lm_eval.tasks.manager as manager; print(inspect.getsource(manager))"
        assert HARNESS in run(INSTALL + show, path=harness(tmp_path)).stdout


class TestFailure:
    """A harness that we no longer understand keeps working; one line says what to do."""

    @pytest.mark.parametrize(
        "manager",
        [
            "def tasks(): return []\n",
            "class TaskIndex:\n    def build(self, folders): return []\n",
            "TaskIndex = None\n",
        ],
        ids=["no index", "other arguments", "no class"],
    )
    def test_other_harness(self, manager: str, tmp_path: Path) -> None:
        """The module is imported all the same."""
        done = run(INSTALL + "import lm_eval.tasks.manager; print('on')", path=harness(tmp_path, manager))
        assert done.stdout == "on\n"
        (line,) = done.stderr.splitlines()
        assert line.startswith("lm_eval_ifeval_pt: its tasks were not added to lm_eval (")
        assert "lm-eval-pt doctor" in line
        assert f"{SWITCH}=0" in line

    def test_other_registry(self, tmp_path: Path) -> None:
        """Models can be imported from a harness whose registry is another."""
        (harness(tmp_path) / "lm_eval/models").mkdir()
        (tmp_path / "lm_eval/models/__init__.py").touch()
        done = run(INSTALL + "import lm_eval.models; print('on')", path=tmp_path)
        assert done.stdout == "on\n"
        (line,) = done.stderr.splitlines()
        assert line.startswith("lm_eval_ifeval_pt: its model hf-shared was not added to lm_eval (")
        assert f"{SWITCH}=0" in line

    def test_no_tasks_folder(self, tmp_path: Path) -> None:
        """The index is built without our tasks."""
        lost = "import pathlib, lm_eval_ifeval_pt.paths as paths; paths._PACKAGE = pathlib.Path('/none/it')\n"
        done = run(lost + INSTALL + BUILD, path=harness(tmp_path))
        assert done.stdout == "\n"
        assert len(done.stderr.splitlines()) == 1

    def test_harness_fails(self, tmp_path: Path) -> None:
        """An error of the harness's own stays as it is."""
        code = INSTALL + "try: import lm_eval.tasks.manager\nexcept ZeroDivisionError: print('its own')"
        done = run(code, path=harness(tmp_path, "1 / 0\n"))
        assert done.stdout == "its own\n"
        assert done.stderr == ""

    def test_no_stderr(self, tmp_path: Path) -> None:
        """A process without stderr, as a Windows service, is not broken by our message."""
        code = "import sys; sys.stderr = None\n" + INSTALL + "import lm_eval.tasks.manager; print('on')"
        assert run(code, path=harness(tmp_path, "\n")).stdout == "on\n"


class TestNames:
    """The names by which Python and the harness call us."""

    def test_startup_files(self) -> None:
        """Both start-up files, for Python up to 3.14 and from 3.15 on, call `install`."""
        start = (ROOT / "lm_eval_ifeval_pt/_hook.start").read_text().strip()
        pth = (ROOT / "lm_eval_ifeval_pt/_hook.pth").read_text().strip()
        assert pkgutil.resolve_name(start).__name__ == "install"
        assert pth.startswith("import ")
        assert run(pth + "\nimport sys; print('HarnessFinder' in repr(sys.meta_path))").stdout == "True\n"

    def test_model_entry_point(self) -> None:
        """The entry point of later harnesses names the class that the hook registers."""
        name, target = MODEL
        assert f'{name} = "{target}"\n' in (ROOT / "pyproject.toml").read_text()

    def test_entry_point(self) -> None:
        """The name that the harness's planned discovery looks up is the folder of our tasks."""
        spec = find_spec("lm_eval_ifeval_pt.tasks")
        assert spec is not None
        assert spec.submodule_search_locations is not None
        assert Path(next(iter(spec.submodule_search_locations))).samefile(bundled("tasks"))
