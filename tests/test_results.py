"""Reading the harness's sample files."""

import json
from pathlib import Path

import pytest
from lm_eval_ifeval_pt import ifeval, results
from lm_eval_ifeval_pt.results import ResultsError


def write(path: Path, *answers: str) -> Path:
    """A sample file with one document per answer."""
    lines = []
    for key, answer in enumerate(answers):
        doc = {"key": key, "prompt": "Oi.", "instruction_id_list": ["ptbr:crase"], "kwargs": [{}],
               "dialect": "ifeval_pt", "mode": "pt"}
        metrics = ifeval.process_results(doc, [answer])
        lines.append(json.dumps({"doc_id": key, "doc": doc, "filter": "none", **metrics}, ensure_ascii=False))
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_folder_gives_the_latest_run_of_each_task(tmp_path):
    """Two runs in one model's folder: the newer one counts; another model's folder is another run."""
    write(tmp_path / "a" / "samples_ifeval_pt_2026-01-01T00-00-00.000001.jsonl", "Oi.")
    new = write(tmp_path / "a" / "samples_ifeval_pt_2026-01-02T00-00-00.000001.jsonl", "Vou à feira.")
    other = write(tmp_path / "b" / "samples_ifeval_pt_2026-01-01T00-00-00.000001.jsonl", "Oi.")
    assert results.sample_files([tmp_path]) == [new, other]


def test_a_run_holds_its_verdicts(tmp_path):
    """Task name, restriction, kind and both verdicts are read back."""
    run = results.read_run(write(tmp_path / "samples_ifeval_pt_2026-01-01T00-00-00.000001.jsonl", "Oi.", "À noite."))
    assert run.task == "ifeval_pt"
    assert [(item.key, item.restriction, item.kind, item.strict) for item in run.items] == [
        (0, "ptbr:crase", "active", False),
        (1, "ptbr:crase", "active", True),
    ]


def test_another_task_has_no_verdicts(tmp_path):
    """A sample file of another task is told apart, not misread."""
    path = tmp_path / "samples_arc_2026-01-01T00-00-00.000001.jsonl"
    path.write_text('{"doc": {"question": "?"}}\n', encoding="utf-8")
    assert results.read_run(path) is None


def test_what_cannot_be_read_is_named(tmp_path):
    """A missing path, an empty folder and a torn line each say what is wrong and where."""
    with pytest.raises(ResultsError, match="no such file"):
        results.sample_files([tmp_path / "x"])
    with pytest.raises(ResultsError, match="--log_samples"):
        results.sample_files([tmp_path])
    path = tmp_path / "samples_ifeval_pt_x.jsonl"
    path.write_text('{"doc": {}}\n{"do', encoding="utf-8")
    with pytest.raises(ResultsError, match="line 2"):
        list(results.samples(path))


def test_the_same_id_with_another_relation_is_another_restriction():
    """"pelo menos 3 frases" and "no máximo 2 frases" share an id, not a row."""
    assert results.restriction("length_constraints:number_sentences", {"relation": "at least"}) == (
        "length_constraints:number_sentences (at least)"
    )
    assert results.restriction("ptbr:crase", {}) == "ptbr:crase"
