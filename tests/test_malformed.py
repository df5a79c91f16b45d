"""Files that are not as they should be: one bad row costs that row, named; no traceback; never another model."""

import json

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt import ifeval, results
from lm_eval_ifeval_pt.cli import main

DAY = "2026-11-01T10-00-00.000001"


def good_row(number):
    """A verified document with its answer."""
    doc = {
        "key": number,
        "prompt": f"Tarefa {number}. Use crase.",
        "instruction_id_list": ["ptbr:crase"],
        "kwargs": [{}],
        "dialect": "ifeval_pt",
        "mode": "pt",
    }
    metrics = ifeval.process_results(doc, ["À noite."])
    for name in ("ifeval_pt_corrected", "ifeval_pt_corrected_own_words"):  # numbers that hold a whole document
        metrics.pop(name)
    return {
        "doc_id": number,
        "doc": doc,
        "target": "0",
        "arguments": {"gen_args_0": {"arg_0": doc["prompt"], "arg_1": {}}},
        "resps": [["À noite."]],
        "filtered_resps": ["À noite."],
        "filter": "none",
        "metrics": list(metrics),
        "doc_hash": f"d{number}",
        "prompt_hash": f"p{number}",
        "target_hash": "t",
        **metrics,
    }


def good_result(model="org/bad"):
    """The result file that goes with it."""
    return {
        "results": {"ifeval_pt": {"prompt_level_strict_acc,none": 1.0, "prompt_level_strict_acc_stderr,none": 0.0}},
        "configs": {"ifeval_pt": {"task": "ifeval_pt", "metadata": {"version": 1.0}}},
        "versions": {"ifeval_pt": 1.0},
        "n-shot": {"ifeval_pt": 0},
        "n-samples": {"ifeval_pt": {"original": 4, "effective": 4}},
        "higher_is_better": {"ifeval_pt": {"prompt_level_strict_acc": True}},
        "group_subtasks": {},
        "config": {"model": "hf", "model_args": {"pretrained": model}, "limit": None},
        "model_name": model,
    }


def write(folder, rows, result):
    """The two files of a run; text is written as it is."""
    folder.mkdir()
    text = rows if isinstance(rows, (str, bytes)) else "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    (folder / f"samples_ifeval_pt_{DAY}.jsonl").write_bytes(data)
    if result is not None:
        text = result if isinstance(result, str) else json.dumps(result)
        (folder / f"results_{DAY}.json").write_text(text, encoding="utf-8")


def with_doc(**changes):
    """A row whose document differs in some fields."""
    row = good_row(1)
    return row | {"doc": row["doc"] | changes}


def verdict(**changes):
    """A row whose verdict differs in some fields."""
    row = good_row(1)
    (first,) = row["doc"]["verdicts"]
    return row | {"doc": row["doc"] | {"verdicts": [first | changes]}}


OUTCOME = {"followed": True, "evidence": [[0, 1]], "detail": "x"}
ROWS = {
    "doc_id a word": good_row(1) | {"doc_id": "um"},
    "doc_id a list": good_row(1) | {"doc_id": [1]},
    "doc_id null": good_row(1) | {"doc_id": None},
    "doc_id an object": good_row(1) | {"doc_id": {}},
    "doc_id infinite": good_row(1) | {"doc_id": float("inf")},
    "doc a list": good_row(1) | {"doc": [1]},
    "doc a word": good_row(1) | {"doc": "x"},
    "doc null": good_row(1) | {"doc": None},
    "kwargs a word": with_doc(kwargs="x"),
    "kwargs of numbers": with_doc(kwargs=[1]),
    "kwargs of lists": with_doc(kwargs=[[1]]),
    "kwargs null": with_doc(kwargs=None),
    "kwargs an object": with_doc(kwargs={"a": 1}),
    "ids a word": with_doc(instruction_id_list="ptbr:crase"),
    "ids of numbers": with_doc(instruction_id_list=[1]),
    "ids null": with_doc(instruction_id_list=None),
    "verdicts a word": with_doc(verdicts="x"),
    "verdicts null": with_doc(verdicts=None),
    "verdicts of numbers": with_doc(verdicts=[1]),
    "verdicts of nulls": with_doc(verdicts=[None]),
    "verdict without id": with_doc(verdicts=[{"kind": "active", "strict": OUTCOME, "loose": OUTCOME}]),
    "verdict without strict": with_doc(verdicts=[{"instruction_id": "a", "kind": "active", "loose": OUTCOME}]),
    "strict a number": verdict(strict=1),
    "strict null": verdict(strict=None),
    "followed a word": verdict(strict=OUTCOME | {"followed": "sim"}),
    "evidence a number": verdict(strict=OUTCOME | {"evidence": 3}),
    "evidence of numbers": verdict(strict=OUTCOME | {"evidence": [1]}),
    "evidence of three": verdict(strict=OUTCOME | {"evidence": [[1, 2, 3]]}),
    "evidence of words": verdict(strict=OUTCOME | {"evidence": [["a", "b"]]}),
    "detail null": verdict(strict=OUTCOME | {"detail": None}),
    "kind a number": verdict(kind=3),
    "resps a number": good_row(1) | {"resps": 3},
    "resps of numbers": good_row(1) | {"resps": [3]},
    "resps null": good_row(1) | {"resps": None},
    "resps nested empty": good_row(1) | {"resps": [[]]},
    "filtered_resps a number": good_row(1) | {"filtered_resps": 3},
    "arguments a number": good_row(1) | {"arguments": 3},
    "arguments of numbers": good_row(1) | {"arguments": {"gen_args_0": 3}},
    "metrics a word": good_row(1) | {"metrics": "acc"},
    "metrics of numbers": good_row(1) | {"metrics": [1]},
    "metric an object": good_row(1) | {"prompt_level_strict_acc": {}},
    "filter a list": good_row(1) | {"filter": [1]},
    "target an object": good_row(1) | {"target": {"a": 1}},
    "doc_hash a number": good_row(1) | {"doc_hash": 3},
    "prompt a number": with_doc(prompt=3),
}
FILES = {
    "a byte order mark": "\ufeff" + "\n".join(json.dumps(good_row(number)) for number in range(4)),
    "a truncated last line": "\n".join(json.dumps(good_row(number)) for number in range(4))[:-30],
    "a line that is a number": "\n".join([*(json.dumps(good_row(number)) for number in range(3)), "3"]),
    "a JSON list with a number": json.dumps([good_row(0), 3, good_row(2), good_row(3)]),
    "bytes that are no UTF-8": "\n".join(json.dumps(good_row(number)) for number in range(4)).encode() + b'\n{"\xff"',
    "half a surrogate pair": "\n".join(
        [*(json.dumps(good_row(number)) for number in range(4)), '{"doc_id": 9, "doc": "\\ud800"}']
    ),
    "blank lines": "\n\n".join(json.dumps(good_row(number)) for number in range(4)) + "\n\n",
}
RESULTS = {
    "truncated": json.dumps(good_result())[:-40],
    "empty": "",
    "a list": "[]",
    **{
        f"{part} is {name}": good_result() | {part: value}
        for part in ("config", "configs", "n-samples", "n-shot", "versions", "higher_is_better", "group_subtasks")
        for name, value in (("a word", "x"), ("a list", [1]), ("null", None))
    },
    "configs of words": good_result() | {"configs": {"ifeval_pt": "x"}},
    "metadata a word": good_result() | {"configs": {"ifeval_pt": {"metadata": "x"}}},
    "n-samples of numbers": good_result() | {"n-samples": {"ifeval_pt": 4}},
    "model_args a number": good_result() | {"config": {"model_args": 3}},
    "limit a word": good_result() | {"config": {"limit": "dez"}},
}
COMMANDS = (["table"], ["stats"], ["report", "-o", "r.html"], ["npm"], ["export", "--format", "csv"])


def run_all(tmp_path, monkeypatch):
    """Every command on the folder: what it printed; fails on a traceback."""
    monkeypatch.chdir(tmp_path)
    said = ""
    for command in (*COMMANDS, ["rank", "--resamples", "100"], ["table", "--accidental"]):
        outcome = CliRunner().invoke(main, [command[0], str(tmp_path), *command[1:]], env={"COLUMNS": "200"})
        assert outcome.exception is None or isinstance(outcome.exception, SystemExit), (command, outcome.exception)
        said += outcome.output
    return said


@pytest.fixture
def other(tmp_path):
    """A good run of another model."""
    rows = [good_row(number) for number in range(4)]
    write(tmp_path / "good", rows, good_result("org/good"))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_bad_row_costs_that_row_at_most(other, monkeypatch, row):
    """The other rows of the file, and the other model, are there; what is left out is named with file and row."""
    write(other / "bad", [good_row(0), row, good_row(2), good_row(3)], good_result())
    reading = results.read([other])
    by_model = {run.model: run for run in reading.runs}
    assert len(by_model["org/good"].items) == 4
    assert {0, 2, 3} <= {item.doc_id for item in by_model["org/bad"].items}
    if len(by_model["org/bad"].items) == 3:
        assert any("samples_ifeval_pt" in note and "row 2" in note for note in reading.notes)
    assert "org/good" in run_all(other, monkeypatch)


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_an_odd_file_keeps_its_intact_rows(other, monkeypatch, text):
    """A byte order mark loses no row; a cut line loses itself."""
    write(other / "bad", text, good_result())
    by_model = {run.model: run for run in results.read([other]).runs}
    assert len(by_model["org/bad"].items) >= 3
    run_all(other, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_an_odd_result_file_does_not_cost_its_samples(other, monkeypatch, result):
    """The samples are intact, and so they are read, under the folder's name where the file names no model."""
    write(other / "bad", [good_row(number) for number in range(4)], result)
    runs = results.read([other]).runs
    assert sorted(len(run.items) for run in runs) == [4, 4]
    assert "org/good" in run_all(other, monkeypatch)
