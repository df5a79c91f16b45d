"""The floor plan: which part of the package may import which, and what the definitions and the README name."""

import importlib
import re
from collections import Counter, defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

import lm_eval_ifeval_pt

ROOT = Path(__file__).parents[1]
PACKAGE = Path(lm_eval_ifeval_pt.__file__).parent

# A room is a folder or a module right below the package; "lm_eval_ifeval_pt" is its `__init__`. An arrow is in the
# table if and only if something is imported along it. The table is in the order of the floors: a room imports only
# rooms above it.
ROOMS = {
    "paths": set(),
    "writing": set(),
    "nearest": set(),
    "jsonl": set(),
    "statistics": set(),
    "corpus": set(),
    "contamination": {"writing"},
    "_hook": {"paths"},
    "definitions": {"nearest", "paths"},
    "text": {"paths"},
    "constraints": {"nearest", "text"},
    "models": {"nearest", "paths", "text"},
    "results": {"constraints", "text", "writing"},
    "npm": {"definitions", "results", "statistics"},
    "ifeval": {"constraints", "jsonl", "models", "nearest", "npm", "paths", "statistics", "text"},
    "api": {"constraints", "ifeval", "text"},
    "lm_eval_ifeval_pt": {"api", "constraints", "ifeval", "text"},
    "rewards": {"constraints", "ifeval", "text"},
    "training": {"constraints", "ifeval", "paths", "rewards", "text"},
    "benchmarks": {"corpus", "npm", "paths", "statistics", "text"},
    "ruler": {"benchmarks"},
    "demo": {"corpus", "paths"},
    "doctor": {"_hook", "paths"},
    "grading": {"benchmarks", "constraints", "ifeval", "jsonl", "nearest", "results", "statistics", "text"},
    "judge": {"jsonl", "models", "nearest", "results", "statistics", "text"},
    "suite": {"benchmarks", "grading", "jsonl", "models", "nearest", "text", "writing"},
    "analysis": {"contamination", "grading", "ifeval", "npm", "results", "statistics"},
    "sweep": {"models", "nearest", "writing"},
    "curves": {"analysis", "npm", "results", "statistics", "sweep"},
    "report": {"analysis", "constraints", "contamination", "curves", "ifeval", "npm", "results", "statistics"},
    "cli": {
        *("analysis", "constraints", "contamination", "curves", "definitions", "demo", "doctor", "grading", "ifeval"),
        *("judge", "models", "nearest", "npm", "paths", "report", "results", "rewards", "statistics"),
        *("suite", "sweep", "text", "training", "writing"),
    },
    "__main__": {"cli"},
}

# What task scoring may see of the NPM room, which also holds the leaderboard that reads result files.
NPM_FOR_TASKS = {"lm_eval_ifeval_pt.npm", "lm_eval_ifeval_pt.npm.formula", "lm_eval_ifeval_pt.npm.baselines"}

# The names of functions and classes in the task definitions of 0.1.0, which people copied into their own.
NAMED_BY_0_1_0 = """
benchmarks.arc: docs docs_mcf process_results process_results_mcf
benchmarks.belebele: docs docs_cf process_results process_results_cf
benchmarks.bluex: docs docs_cf docs_mcf process_results process_results_cf process_results_mcf read_letters
benchmarks.bluex: shots shots_cf shots_mcf
benchmarks.completion: calame_results docs lambada_results perplexity
benchmarks.enem: docs docs_cf docs_mcf process_results process_results_cf process_results_mcf read_letters
benchmarks.enem: shots shots_cf shots_mcf
benchmarks.exams: count
benchmarks.global_piqa: docs docs_mcf process_results process_results_mcf
benchmarks.gsm8k: docs docs_cot docs_zeroshot keep_all shots_cot
benchmarks.gsm8k: process_results process_results_cot process_results_votes process_results_zeroshot
benchmarks.hellaswag: docs docs_mcf process_results process_results_mcf
benchmarks.humaneval: docs docs_complete process_results process_results_64 run_answered run_continued
benchmarks.mmlu: docs docs_cf process_results process_results_cf
benchmarks.oab: docs docs_cf docs_mcf process_results process_results_cf process_results_mcf read_letters
benchmarks.oab: shots shots_cf shots_mcf
benchmarks.shots: FirstOthers LeakFree
ifeval: load_dataset process_results
ruler.task: load_dataset process_results
"""


def rooms_on_disk():
    """The folders and modules right below the package; `__init__` counts as the package itself."""
    folders = {path.parent.name for path in PACKAGE.glob("*/*.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    return folders | modules | {"lm_eval_ifeval_pt"}


def room_of(module):
    """The room that holds a module of the package."""
    return module.split(".")[1] if "." in module else module


@pytest.fixture(scope="module")
def imports():
    """(importing module, imported module) of every import within the package, those in functions too."""
    graph = grimp.build_graph("lm_eval_ifeval_pt", cache_dir=None)
    # The package's path also reaches the checkout, with tests/, tasks/ and the package itself in it.
    below = rooms_on_disk() - {"lm_eval_ifeval_pt"}
    modules = [module for module in graph.modules if "." not in module or room_of(module) in below]
    return {(module, other) for module in modules for other in graph.find_modules_directly_imported_by(module)}


def test_each_room_has_its_row():
    """A new room is added to the table, a room that is gone leaves it."""
    assert set(ROOMS) == rooms_on_disk()


def test_each_room_imports_what_its_row_says(imports):
    """An arrow that is not in the table is a fault or a decision; one along which nothing is imported is deleted."""
    arrows = defaultdict(set)
    for module, other in imports:
        if room_of(module) != room_of(other):
            arrows[room_of(module)].add(room_of(other))
    witnesses = {(room_of(module), room_of(other)): f"{module} imports {other}" for module, other in sorted(imports)}
    forbidden = [witnesses[room, other] for room in arrows for other in arrows[room] - ROOMS.get(room, set())]
    assert not forbidden
    unused = {room: unused for room, allowed in ROOMS.items() if (unused := allowed - arrows[room])}
    assert not unused


def test_no_arrow_of_the_table_runs_back():
    """Each room imports only rooms that stand above it in the table, so that there is no circle either."""
    order = list(ROOMS)
    back = {(room, other) for room in ROOMS for other in ROOMS[room] if order.index(other) >= order.index(room)}
    assert not back
    TopologicalSorter(ROOMS).prepare()


def test_scoring_an_answer_reads_no_result_files(imports):
    """IFEval and the benchmarks use NPM's formula and baselines, not its leaderboard."""
    used = {other for module, other in imports if room_of(module) in ("ifeval", "benchmarks")}
    assert {module for module in used if room_of(module) == "npm"} <= NPM_FOR_TASKS


def test_the_readme_names_every_room_once():
    """Its section "How it works" lists the folders of the package and the hook."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## How it works\n")[2].partition("\n## ")[0]
    listed = re.search(r"^ +lm_eval_ifeval_pt/\n((?: {6,}.*\n)+)", section, re.MULTILINE).group(1)
    named = re.findall(r"([\w.]+)(?:/|(?<=\.py))(?=[ ,])", "\n".join(line[:34] for line in listed.splitlines()))
    folders = {path.parent.name for path in PACKAGE.glob("*/*.py")}
    assert sorted(named) == sorted(folders | {"_hook.py"})


@pytest.mark.parametrize("line", NAMED_BY_0_1_0.split("\n")[1:-1])
def test_names_in_definitions_made_for_0_1_0_still_exist(line):
    """A definition that someone copied from 0.1.0 still loads."""
    module, names = line.split(": ")
    for name in names.split():
        assert callable(getattr(importlib.import_module(f"lm_eval_ifeval_pt.{module}"), name))


def test_a_notion_has_one_definition():
    """Of these, two were once written twice, and differed."""
    defined = [
        name
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r"^def (mean|ranks|pass_at_k|labels|_latest)\(", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert sorted(defined) == ["_latest", "labels", "mean", "pass_at_k", "ranks"]


def test_a_class_name_means_one_thing():
    """No two modules have a public class of the same name."""
    names = Counter(
        name
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r"^class ([A-Za-z]\w*)", path.read_text("utf-8"), re.MULTILINE)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_restrictions_are_ifeval_pt_s():
    """What verifies is a constraint, what a row asks for an instruction; rooms below the task know no third word."""
    below = ("text", "constraints", "models", "statistics", "corpus", "benchmarks")
    modules = (path for room in below for path in (PACKAGE / room).rglob("*.py"))
    assert [path for path in modules if "restriction" in path.read_text("utf-8").lower()] == []
