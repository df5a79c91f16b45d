"""What is built and installed, in virtual environments of their own.

They borrow the dependencies of the environment that runs the tests, but not this package nor lm_eval. Most
get an lm_eval without its 14,000 task files, which starts in a tenth of the time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import textwrap
import venv
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import lm_eval
import pytest

from lm_eval_ifeval_pt._hook import SWITCH

ROOT = Path(__file__).parents[1]
HARNESS = Path(lm_eval.__file__).parent
SITE = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="the environments are made of symbolic links"),
]


def run(*command: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, offline; what it printed is shown when a test fails."""
    inherited = {name: os.environ[name] for name in os.environ.keys() - {SWITCH, "PYTHONPATH"}}
    env = {**inherited, "HF_HUB_OFFLINE": "1", **env}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
    print(done.stdout, done.stderr)
    return done


@dataclass(frozen=True)
class Environment:
    """A virtual environment; commands run in a folder beside it, with its commands first on the PATH."""

    folder: Path

    @property
    def site(self) -> Path:
        """Where packages are installed."""
        return self.folder / SITE

    def run(self, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command of this environment, which must succeed."""
        elsewhere = self.folder.parent / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        done = run(self.folder / "bin" / command[0], *command[1:], cwd=elsewhere, PATH=path, **env)
        assert done.returncode == 0, done.stderr
        return done

    def pip(self, *arguments: str) -> None:
        """Run the pip of the environment that runs the tests on this one, without an index."""
        pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(self.folder / "bin/python")]
        done = run(*pip, *arguments, cwd=self.folder, PIP_NO_INDEX="1")
        assert done.returncode == 0, done.stderr


def make_environment(folder: Path, harness: Callable[[Environment], None]) -> Environment:
    """Make a virtual environment with our dependencies, and with lm_eval as `harness` puts it there."""
    environment = Environment(folder / "venv")
    venv.create(environment.folder, symlinks=True)
    dependencies = folder / "dependencies/site-packages"  # dill takes modules for installed ones by this name
    dependencies.mkdir(parents=True)
    for package in HARNESS.parent.iterdir():
        if package.name != "lm_eval" and "lm_eval_ifeval_pt" not in package.name:
            (dependencies / package.name).symlink_to(package)
    (environment.site / "dependencies.pth").write_text(str(dependencies))
    command = environment.folder / "bin/lm_eval"
    code = "from lm_eval.__main__ import cli_evaluate\ncli_evaluate()\n"
    command.write_text(f"#!{environment.folder}/bin/python\n{code}")
    command.chmod(0o755)
    harness(environment)
    return environment


def full_harness(environment: Environment) -> None:
    """lm_eval as it is."""
    (environment.site / "lm_eval").symlink_to(HARNESS)


def small_harness(environment: Environment) -> None:
    """lm_eval without its task files."""
    copy_without_tasks(environment.site)


def editable_harness(environment: Environment) -> None:
    """lm_eval without its task files, behind an import hook, as setuptools does for `pip install -e`."""
    copy_without_tasks(environment.folder / "clone")
    (environment.site / "__editable__.lm_eval-0.4.13.pth").write_text("import __editable___lm_eval_finder\n")
    (environment.site / "__editable___lm_eval_finder.py").write_text(
        textwrap.dedent(f"""
            import importlib.util, sys
            class Finder:
                @staticmethod
                def find_spec(name, path=None, target=None):
                    if name == "lm_eval":
                        folder = {str(environment.folder / "clone/lm_eval")!r}
                        return importlib.util.spec_from_file_location(
                            name, folder + "/__init__.py", submodule_search_locations=[folder]
                        )
            sys.meta_path.append(Finder)
        """)
    )


def copy_without_tasks(folder: Path) -> None:
    """Copy lm_eval into a folder, less its task files."""
    tasks = str(HARNESS / "tasks")
    shutil.copytree(
        HARNESS,
        folder / "lm_eval",
        ignore=lambda at, names: [name for name in names if at == tasks and not name.endswith(".py")],
    )


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution of this checkout."""
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution as an index's users build it."""
    folder = tmp_path_factory.mktemp("wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return build("wheel", next(folder.iterdir()), folder)


def build(target: str, source: Path, folder: Path) -> Path:
    """Build one distribution of a source tree."""
    done = run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder), cwd=source)
    assert done.returncode == 0, done.stderr
    return next(file for file in folder.iterdir() if file.is_file())


@pytest.fixture(scope="session", params=["wheel", "editable", "wheel beside an editable lm_eval"])
def installed(
    request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    """An environment into which this package was installed, in one of the ways people do it."""
    harness = editable_harness if "editable lm_eval" in request.param else small_harness
    environment = make_environment(tmp_path_factory.mktemp("environment"), harness)
    editable = ["--no-build-isolation", "--editable", str(ROOT)]
    environment.pip("install", *(editable if request.param == "editable" else [str(wheel)]))
    return environment


class TestDistributions:
    """What is in the sdist and in the wheel."""

    def test_sdist(self, sdist: Path) -> None:
        """The sdist holds every file of the repository."""
        listed = run("git", "ls-files", cwd=ROOT)
        if listed.returncode:
            pytest.skip("not a git checkout")
        with tarfile.open(sdist) as archive:
            packed = {name.partition("/")[2] for name in archive.getnames()}
        assert set(listed.stdout.splitlines()) <= packed

    def test_wheel(self, wheel: Path) -> None:
        """The wheel holds package, tasks, data and start-up files, and would install nothing else."""
        names = zipfile.ZipFile(wheel).namelist()
        assert {name.partition("/")[0] for name in names} == {
            "lm_eval_ifeval_pt",
            "lm_eval_ifeval_pt-0.1.0.dist-info",
            "lm_eval_ifeval_pt.pth",
            "lm_eval_ifeval_pt.start",
        }
        folders = {name.split("/")[1] for name in names if name.startswith("lm_eval_ifeval_pt/")}
        assert {"tasks", "data", "py.typed", "constraints", "text"} <= folders
        assert folders.isdisjoint({"tests", "_hook.pth", "_hook.start"})

    @pytest.mark.parametrize("folder", ["tasks", "data"])
    def test_wheel_files(self, folder: str, wheel: Path) -> None:
        """Of tasks/ and data/ the wheel holds what is read when tasks run: all but what made the data."""
        prefix = f"lm_eval_ifeval_pt/{folder}/"
        names = zipfile.ZipFile(wheel).namelist()
        packed = {name.removeprefix(prefix) for name in names if name.startswith(prefix)}
        files = {file.relative_to(ROOT / folder) for file in (ROOT / folder).rglob("*") if file.is_file()}
        assert packed == {file.as_posix() for file in files if file.suffix not in (".py", ".pyc")}
        assert packed


class TestInstalled:
    """What works after one `pip install`, from a folder that has nothing to do with it."""

    def test_lists_tasks(self, installed: Environment) -> None:
        """`lm_eval ls tasks` shows our task and where it is; nothing is said of the hook."""
        for command in (["lm_eval"], ["python", "-m", "lm_eval"]):
            done = installed.run(*command, "ls", "tasks")
            assert "ifeval_pt.yaml" in done.stdout
            assert "lm_eval_ifeval_pt:" not in done.stderr

    def test_python(self, installed: Environment) -> None:
        """The Python interface finds the task, and so does a process that Python spawns."""
        script = installed.folder / "script.py"
        script.write_text(
            textwrap.dedent("""
                import multiprocessing
                from lm_eval import simple_evaluate

                def evaluate(task):
                    return simple_evaluate(model="dummy", tasks=[task], limit=1)["results"]

                if __name__ == "__main__":
                    print("here", *evaluate("ifeval_pt"))
                    with multiprocessing.get_context("spawn").Pool(1) as pool:
                        print("there", *pool.apply(evaluate, ["ifeval_pt"]))
            """)
        )
        done = installed.run("python", str(script))
        assert "here ifeval_pt" in done.stdout
        assert "there ifeval_pt" in done.stdout

    def test_doctor(self, installed: Environment) -> None:
        """The doctor has nothing to advise."""
        done = installed.run("lm-eval-pt", "doctor")
        assert [line for line in done.stdout.splitlines() if not line.startswith("✓")] == []

    def test_tasks_dir(self, installed: Environment) -> None:
        """`--include_path` with our folder works where the hook is off, and does no harm where it is on."""
        folder = installed.run("lm-eval-pt", "tasks-dir").stdout.strip()
        for switch in "01":
            done = installed.run(
                *("lm_eval", "validate", "--tasks", "ifeval_pt", "--include_path", folder),
                **{SWITCH: switch},
            )
            assert "overrides" not in done.stderr

    def test_entry_point(self, installed: Environment) -> None:
        """The harness's planned discovery will find our tasks by name."""
        code = """
            from importlib.metadata import entry_points
            from importlib.util import find_spec
            (ours,) = entry_points(group="lm_eval.tasks")
            print(next(iter(find_spec(ours.value).submodule_search_locations)))
        """
        found = installed.run("python", "-c", textwrap.dedent(code)).stdout.strip()
        assert (Path(found) / "ifeval_pt" / "ifeval_pt.yaml").is_file()


def test_uninstall(wheel: Path, tmp_path: Path) -> None:
    """After `pip uninstall` no file of ours is left, and the harness works as before."""
    environment = make_environment(tmp_path, small_harness)
    before = set(environment.folder.rglob("*"))
    environment.pip("install", str(wheel))
    assert "ifeval_pt" in environment.run("lm_eval", "ls", "tasks").stdout
    environment.pip("uninstall", "--yes", "lm_eval_ifeval_pt")
    left = set(environment.folder.rglob("*")) - before
    assert {file for file in left if environment.site / "lm_eval" not in file.parents} == set()
    done = environment.run("lm_eval", "ls", "tasks")
    assert "ifeval_pt" not in done.stdout
    assert done.stderr == ""


def test_package_deleted_by_hand(wheel: Path, tmp_path: Path) -> None:
    """Where only the start-up file is left, Python says so and starts all the same."""
    environment = make_environment(tmp_path, small_harness)
    environment.pip("install", str(wheel))
    shutil.rmtree(environment.site / "lm_eval_ifeval_pt")
    assert environment.run("python", "-c", "print('on')").stdout == "on\n"


def test_accelerate(wheel: Path, tmp_path: Path) -> None:
    """Each process of `accelerate launch` finds the task; the first one prints."""
    environment = make_environment(tmp_path, small_harness)
    environment.pip("install", str(wheel))
    done = environment.run(
        *("python", "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2"),
        *("-m", "lm_eval", "--tasks", "ifeval_pt", "--model", "dummy", "--limit", "1"),
    )
    assert "prompt_level_strict_acc" in done.stdout


def test_literal_command(wheel: Path, tmp_path: Path) -> None:
    """The command of the README, with the whole harness and its own tasks."""
    environment = make_environment(tmp_path, full_harness)
    environment.pip("install", str(wheel))
    done = environment.run(
        *("lm_eval", "--tasks", "ifeval_pt", "--model", "dummy", "--limit", "2"),
        *("--output_path", str(tmp_path / "results"), "--log_samples"),
    )
    assert "prompt_level_strict_acc" in done.stdout
    assert "N/A" not in done.stdout
    assert len(list((tmp_path / "results").rglob("samples_ifeval_pt_*.jsonl"))) == 1
