"""The tasks of the Portuguese IFEval data sets, and their group, in the harness."""

import math

import datasets
import lm_eval
import pytest
import yaml
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from lm_eval_ifeval_pt import ifeval
from lm_eval_ifeval_pt.definitions import tasks
from lm_eval_ifeval_pt.ifeval import dialects, sources
from lm_eval_ifeval_pt.paths import bundled
from tests import ifeval_rows

ROWS = {
    "ifeval_pt_300": ifeval_rows.POLYGL0T,
    "ifeval_mt_pt": ifeval_rows.POLYGL0T,
    "ifeval_akawaai_pt": ifeval_rows.POLYGL0T,
    "marco_mif_pt": ifeval_rows.MARCO,
    "ifeval_gap_ufg_pt": ifeval_rows.GAP_UFG,
    "capitu": ifeval_rows.CAPITU,
    "capitu_multiturn": ifeval_rows.CAPITU_TURNS,
    "multi_if_pt": [ifeval_rows.multi_if(), ifeval_rows.multi_if("6:1:pt", turns=2)],
}
FOUR = ("prompt_level_strict_acc", "inst_level_strict_acc", "prompt_level_loose_acc", "inst_level_loose_acc")
DEFINED = {task["task"]: task for task in tasks() if isinstance(task.get("task"), str)}


def manager(**metadata):
    """Our tasks only."""
    return TaskManager(include_path=str(bundled("tasks")), include_defaults=False, metadata=metadata)


@pytest.fixture
def model():
    """A model that always says the same."""

    class Parrot(LM):
        def loglikelihood(self, requests):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

        def generate_until(self, requests, disable_tqdm=False):
            return ["NÃO VOU À FEIRA"] * len(requests)

    return Parrot()


@pytest.mark.parametrize("name", ROWS)
def test_a_task_says_what_is_read_and_how(name):
    """Data set, dialect, mode, source, licence and package stand in the metadata, hence in the results."""
    metadata = DEFINED[name]["metadata"]
    assert metadata["dataset"] in sources.SOURCES
    assert dialects.get(metadata["dialect"], metadata["mode"])
    assert metadata["source"] == "hub"
    assert {"version", "licence", "about_source"} <= set(metadata)
    assert metadata["package"] == DEFINED["ifeval_pt"]["metadata"]["package"]
    assert metadata["npm"] == {"metric": "prompt_level_strict_acc", "random": 0.0, "max": 1.0}
    assert DEFINED[name]["dataset_path"] in sources.SOURCES[metadata["dataset"]].place


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_a_task_runs_in_the_harness_on_rows_of_its_schema(name, model, tmp_path):
    """Every metric is a number, with a stderr."""
    path = ifeval_rows.write(tmp_path / "rows.jsonl", ROWS[name])
    results = lm_eval.simple_evaluate(model, tasks=[name], task_manager=manager(source=path))
    row = results["results"][name]
    for metric in (*FOUR, "npm"):
        assert math.isfinite(row[f"{metric},none"]), metric
        assert math.isfinite(row[f"{metric}_stderr,none"]), metric
    assert ("conversation_strict_acc,none" in row) == (name in ("multi_if_pt", "capitu_multiturn"))
    assert results["configs"][name]["metadata"]["source"] == path


def test_gap_ufg_rows_are_scored_for_portuguese(model, tmp_path):
    """Capitals, crase and 'Não.' as its prompts ask: two of the four instructions fail on a text without a stop."""
    path = ifeval_rows.write(tmp_path / "rows.jsonl", ifeval_rows.GAP_UFG)
    results = lm_eval.simple_evaluate(
        model, tasks=["ifeval_gap_ufg_pt"], task_manager=manager(source=path), log_samples=True
    )
    verdicts = [sample["doc"]["verdicts"] for sample in results["samples"]["ifeval_gap_ufg_pt"]]
    assert [[verdict["strict"]["followed"] for verdict in row] for row in verdicts] == [[True, True], [True, False]]


def test_rows_that_were_left_out_are_counted_in_the_results(model, tmp_path):
    """One of three cannot be verified; the table and the result file say so."""
    path = ifeval_rows.write(tmp_path / "rows.jsonl", ifeval_rows.PT_EN)
    chosen = {"dataset": "gap_ufg_translated", "dialect": "pt_en", "invalid": "skip"}
    results = lm_eval.simple_evaluate(model, tasks=["ifeval_gap_ufg_pt"], task_manager=manager(source=path, **chosen))
    assert results["results"]["ifeval_gap_ufg_pt"]["rows_left_out,none"] == 1


def test_reasoning_is_removed_unless_it_is_to_be_kept(tmp_path):
    """Commas in a thought break no rule, save where the metadata says that all of a response counts."""
    row = {"key": 1, "prompt": "Diga oi.", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
    path = ifeval_rows.write(tmp_path / "rows.jsonl", [row])
    for reasoning, expected in (("remove", 1.0), ("keep", 0.0)):
        (document,) = ifeval.load_dataset("polygl0t", "google_pt", source=path, reasoning=reasoning)["test"]
        metrics = ifeval.process_results(document, ["<think>hum, sim</think>Oi!"])
        assert metrics["prompt_level_strict_acc"] == expected
    with pytest.raises(ifeval.rows.RowsError, match="'drop'"):
        ifeval.load_dataset(reasoning="drop")


GROUP = "ifeval_pt_family"
MEMBERS = [
    "ifeval_pt",
    "ifeval_pt_300",
    "ifeval_mt_pt",
    "multi_if_pt",
    "ifeval_akawaai_pt",
    "marco_mif_pt",
    "ifeval_gap_ufg_pt",
    "capitu",
    "capitu_multiturn",
]


def test_the_group_has_a_leaf_of_its_own_for_every_task():
    """The harness refuses a task that is asked for by name and within a group, so the group has copies."""
    (group,) = (task for task in tasks() if task.get("group") == GROUP)
    members = [DEFINED[name] for name in group["task"]]
    assert [member["task_alias"] for member in members] == MEMBERS
    for member in members:
        original = DEFINED[member["task_alias"]]
        assert {**member, "task": original["task"], "task_alias": None} == {**original, "task_alias": None}
    assert [metric["metric"] for metric in group["aggregate_metric_list"]] == list(FOUR)


@pytest.mark.slow
def test_the_group_is_the_mean_of_its_tasks_and_stands_beside_them(model, monkeypatch, tmp_path):
    """`--tasks ifeval_pt,ifeval_pt_family` runs; each data set weighs the same, whatever its size."""
    places = {sources.SOURCES[DEFINED[name]["metadata"]["dataset"]].place: rows for name, rows in ROWS.items()}
    monkeypatch.setattr(datasets, "load_dataset", lambda place, **_: {"train": places[place]})
    monkeypatch.setattr(
        datasets.DownloadManager,
        "download",
        lambda _, place: ifeval_rows.write(tmp_path / "rows.jsonl", places[place]),
    )
    results = lm_eval.simple_evaluate(model, tasks=["ifeval_pt", GROUP], task_manager=manager(), limit=20)
    leaves = [name for name in results["results"] if name.startswith(f"{GROUP}_")]
    assert len(leaves) == len(MEMBERS)
    for metric in FOUR:
        values = [results["results"][leaf][f"{metric},none"] for leaf in leaves]
        assert results["groups"][GROUP][f"{metric},none"] == pytest.approx(sum(values) / len(values))
        assert math.isfinite(results["groups"][GROUP][f"{metric}_stderr,none"])


def test_definitions_are_valid_yaml():
    """The harness skips a broken file silently; we do not."""
    for path in (bundled("tasks") / "ifeval_family").rglob("*.yaml"):
        assert isinstance(yaml.compose(path.read_text(encoding="utf-8")), yaml.MappingNode), path
