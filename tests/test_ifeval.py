"""The ifeval_pt task: data set, metrics, and the harness's own run of it."""

import json
import math
from pathlib import Path

import pytest
import yaml

from lm_eval_ifeval_pt import ifeval
from lm_eval_ifeval_pt.definitions import tasks
from lm_eval_ifeval_pt.ifeval.dialects import DialectError
from lm_eval_ifeval_pt.ifeval.rows import RowsError
from lm_eval_ifeval_pt.paths import bundled

DOC = {
    "key": 7,
    "prompt": "Diga oi. Use crase. Não use dígitos.",
    "instruction_id_list": ["ptbr:crase", "ptbr:sem_digito"],
    "kwargs": [{}, {}],
    "dialect": "ifeval_pt",
    "mode": "pt",
}


def test_one_failed_instruction_fails_the_prompt():
    """Strict: crase followed, digits not; the prompt is not followed and npm is its 0-100 score."""
    metrics = ifeval.process_results(dict(DOC), ["Vou à feira às 5."])
    assert metrics == {
        "prompt_level_strict_acc": 0.0,
        "inst_level_strict_acc": [True, False],
        "prompt_level_loose_acc": 0.0,
        "inst_level_loose_acc": [True, False],
        "active_strict_acc": [True],
        "passive_strict_acc": [False],
        "npm": 0.0,
        "ifeval_pt_corrected": 0.0,
        "ifeval_pt_own_words": 0.0,
        "ifeval_pt_corrected_own_words": 0.0,
        "echo_rate": 0.0,
    }
    assert ifeval.process_results(dict(DOC), ["Vou à feira às cinco."])["npm"] == 100


def test_verdicts_are_logged_with_their_evidence():
    """The document that the harness logs carries per instruction the verdict, its sentence and where it stands."""
    doc, response = dict(DOC), "<think>à</think>Vou à feira às 5."
    ifeval.process_results(doc, [response])
    crase, digits = doc["verdicts"]
    assert [response[slice(*span)] for span in crase["strict"]["evidence"]] == ["à", "às"]
    assert [response[slice(*span)] for span in digits["strict"]["evidence"]] == ["5"]
    assert (crase["kind"], digits["kind"]) == ("active", "passive")
    json.dumps(doc)


def test_an_empty_answer_follows_nothing():
    """Neither the active nor the passive restriction is followed by an answer that is not there."""
    assert ifeval.process_results(dict(DOC), [" \n"])["inst_level_loose_acc"] == [False, False]


def test_the_bundled_rows_are_read_without_network():
    """308 documents = 14 base tasks x 22 restrictions, key 11 the card's own example."""
    documents = ifeval.load_dataset(version=1.0, pretrained="x")["test"]
    assert len(documents) == 308
    row = documents[11]
    assert (row["key"], row["prompt"], row["instruction_id_list"]) == (
        11,
        "Explique o que é reciclagem. Use crase pelo menos uma vez na resposta.",
        ["ptbr:crase"],
    )


def test_a_local_file_can_take_the_place_of_the_rows(tmp_path: Path):
    """Rows of that schema are read from a file, their generic ids resolved."""
    path = tmp_path / "rows.jsonl"
    row = {"key": 1, "prompt": "Oi.", "instruction_id_list": ["ptbr:min_frases"], "kwargs": [{"n": 2}]}
    path.write_text(json.dumps(row), encoding="utf-8")
    (document,) = ifeval.load_dataset(source=str(path))["test"]
    assert document["instruction_id_list"] == ["length_constraints:number_sentences"]
    assert document["kwargs"] == [{"num_sentences": 2, "relation": "at least"}]


def test_the_hub_is_asked_for_the_published_rows(monkeypatch):
    """`hub` names Magurofg/ifeval-pt; its test split is preferred."""
    import datasets

    asked = []

    def load_dataset(id):
        asked.append(id)
        return {"train": [], "test": [DOC]}

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    assert ifeval.load_dataset(source="hub")["test"][0]["key"] == 7
    assert asked == ["Magurofg/ifeval-pt"]


def test_without_network_the_message_names_the_way_out(monkeypatch):
    """A failed download names the data set and the bundled rows."""
    import datasets

    def load_dataset(id):
        raise ConnectionError("no route")

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    with pytest.raises(RowsError, match=r"Magurofg/ifeval-pt.*no route.*bundled"):
        ifeval.load_dataset(source="hub")


def test_the_policy_for_unknown_ids_is_one_of_two():
    """A misspelt policy is refused, not taken for the default."""
    with pytest.raises(RowsError, match="ignore"):
        ifeval.load_dataset(unknown="ignore")


def test_a_dialect_or_mode_that_is_not_there_is_named():
    """`compat` exists only where a published checker is an oracle."""
    with pytest.raises(DialectError, match=r"'ifeval_pt' in mode 'compat'; there are: ifeval_pt \(pt\)"):
        ifeval.load_dataset(mode="compat")


def test_the_task_says_what_its_rows_are_and_who_scored_them():
    """Result files carry the source of the rows, the dialect, the mode and the version of this package."""
    (task,) = (task for task in tasks() if task.get("task") == "ifeval_pt")
    metadata = task["metadata"]
    from importlib.metadata import version

    assert metadata["package"] == f"lm_eval_ifeval_pt {version('lm_eval_ifeval_pt')}"
    assert (metadata["source"], metadata["dialect"], metadata["mode"]) == ("bundled", "ifeval_pt", "pt")
    assert metadata["npm"] == {"metric": "prompt_level_strict_acc", "random": 0.0, "max": 1.0}


def test_every_task_definition_is_valid_yaml():
    """The harness skips a broken file silently; we do not."""
    for path in bundled("tasks").rglob("*.yaml"):
        assert isinstance(yaml.compose(path.read_text(encoding="utf-8")), yaml.MappingNode), path


@pytest.fixture(scope="module")
def harness_run(tmp_path_factory):
    """A run of the unmodified task in the harness, with a model that always gives the same short answer."""
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Parrot(LM):
        def loglikelihood(self, requests):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

        def generate_until(self, requests):
            return ["Vou à feira."] * len(requests)

    manager = TaskManager(include_path=str(bundled("tasks")), include_defaults=False)
    return lm_eval.simple_evaluate(Parrot(), tasks=["ifeval_pt"], task_manager=manager, log_samples=True)


def test_every_metric_of_the_harness_table_has_a_stderr(harness_run):
    """None of the eight metrics prints N/A."""
    row = harness_run["results"]["ifeval_pt"]
    names = [name for name in row if name.endswith(",none") and "_stderr" not in name]
    assert len(names) == 11
    for name in names:
        stderr = row[name.replace(",none", "_stderr,none")]
        assert isinstance(stderr, float)
        assert math.isfinite(stderr), name


def test_one_short_answer_meets_passive_restrictions_by_accident(harness_run):
    """The card's warning, on the harness's own numbers: passive is high, active is low, the mean hides both."""
    row = harness_run["results"]["ifeval_pt"]
    assert row["passive_strict_acc,none"] > 0.6
    assert row["active_strict_acc,none"] < 0.2
    followed = [sample["prompt_level_strict_acc"] for sample in harness_run["samples"]["ifeval_pt"]]
    assert row["prompt_level_strict_acc,none"] == pytest.approx(sum(followed) / 308)
    assert row["npm,none"] == pytest.approx(100 * sum(followed) / 308)


def test_an_answer_that_ignores_the_prompt_gains_nothing_by_it(harness_run):
    """A parrot meets what it meets by accident: over a quarter of the prompts, 0 once that is taken off."""
    row = harness_run["results"]["ifeval_pt"]
    assert row["prompt_level_strict_acc,none"] > 0.25
    assert (row["ifeval_pt_corrected,none"], row["ifeval_pt_corrected_stderr,none"]) == (0, 0)
    json.dumps(harness_run["samples"]["ifeval_pt"])


def test_results_carry_where_the_rows_come_from(harness_run):
    """The metadata of the task arrives in the results."""
    assert harness_run["configs"]["ifeval_pt"]["metadata"]["source"] == "bundled"


def test_samples_carry_the_verdicts(harness_run):
    """Every logged document has one verdict per instruction."""
    for sample in harness_run["samples"]["ifeval_pt"]:
        assert [verdict["instruction_id"] for verdict in sample["doc"]["verdicts"]] == sample["doc"][
            "instruction_id_list"
        ]
