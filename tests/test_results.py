"""Reading the harness's sample files, of any version, into the item table."""

import json
from pathlib import Path

import pytest

from lm_eval_ifeval_pt import ifeval, results
from lm_eval_ifeval_pt.results import ResultsError, cache, reader
from tests import runs, timing
from tests.quality import reading

DAY = "2026-01-0{}T00-00-00.000001"


def write(path: Path, *answers: str) -> Path:
    """A sample file of an IFEval task with one document per answer."""
    rows = []
    for key, answer in enumerate(answers):
        doc = {"key": key, "prompt": "Oi.", "instruction_id_list": ["ptbr:crase"], "kwargs": [{"relation": None}],
               "dialect": "ifeval_pt", "mode": "pt"}
        metrics = ifeval.process_results(doc, [answer])
        rows.append({"doc_id": key, "doc": doc, "resps": [[answer]], "filter": "none", **metrics})
    return write_rows(path, rows)


def write_rows(path: Path, rows: list[dict]) -> Path:
    """A sample file of any rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def sample(number: int, **metrics: object) -> dict:
    """A row of another task, as lm_eval 0.4.13 writes it."""
    return {
        "doc_id": number, "doc": {"question": f"q{number}"}, "target": "1", "filter": "none", "metrics": list(metrics),
        "arguments": {"gen_args_0": {"arg_0": f"q{number}", "arg_1": " a"},
                      "gen_args_1": {"arg_0": f"q{number}", "arg_1": " b"}},
        "resps": [[["-1.5", "False"]], [["-0.5", "True"]]], "filtered_resps": [["-1.5", "False"], ["-0.5", "True"]],
        "doc_hash": f"d{number}", "prompt_hash": f"p{number}", "target_hash": f"t{number}", **metrics,
    }


def write_result(path: Path, model: str, task: str, **more: object) -> Path:
    """The result file of one task."""
    data = {
        "results": {task: {"acc,none": 0.5}}, "group_subtasks": {task: [], "suite": [task]},
        "configs": {task: {"task": task, "metadata": {"mode": "pt"}}}, "versions": {task: 2.0}, "n-shot": {task: 5},
        "higher_is_better": {task: {"acc": True}}, "n-samples": {task: {"original": 3, "effective": 3}},
        "config": {"model": "hf", "limit": None}, "model_name": model, **more,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def only(*paths: Path, **options: bool) -> results.Run:
    """The one run there is."""
    (run,) = results.read(paths, **options).runs
    return run


def test_verdicts_are_read_back(tmp_path):
    """Restriction, kind, verdicts with their evidence, and the response they are about."""
    run = only(write(tmp_path / f"samples_ifeval_pt_{DAY.format(1)}.jsonl", "Oi.", "À noite."))
    assert (run.task, run.is_verified) == ("ifeval_pt", True)
    instructions = [item.instructions[0] for item in run.items]
    assert [(one.restriction, one.kind, one.strict.followed) for one in instructions] == [
        ("ptbr:crase", "active", False), ("ptbr:crase", "active", True),
    ]
    (span,) = instructions[1].strict.evidence
    assert run.items[1].response[span.start : span.end] == "À"
    assert instructions[0].kwargs == {}


def test_lists_keep_their_numbers(tmp_path):
    """Metrics that are a list of booleans, as IFEval's instruction level, or of numbers, as perplexities."""
    row = sample(0, acc=1.0, inst_level_strict_acc=[True, False], word_perplexity=[-12.5, 4], passive=[])
    run = only(write_rows(tmp_path / "samples_t.jsonl", [row]))
    assert run.items[0].metrics == {
        "acc": 1.0, "inst_level_strict_acc": (1.0, 0.0), "word_perplexity": (-12.5, 4.0), "passive": (),
    }


def test_what_is_no_number_is_said_not_dropped_silently(tmp_path):
    """"N/A", null, NaN and pairs of strings (BLEU) are left out by name; a boolean is a number."""
    row = sample(0, acc=True, a="N/A", b=None, c=float("nan"), bleu=["ref", "pred"])
    reading = results.read([write_rows(tmp_path / "samples_t.jsonl", [row])])
    assert reading.runs[0].items[0].metrics == {"acc": 1.0}
    for name in ("a", "b", "c", "bleu"):
        assert any(f"metric {name} where it is no number (1x)" in note for note in reading.notes)


def test_filters_stay_apart(tmp_path):
    """Two filters are two rows of one document, not two documents."""
    rows = [sample(n, exact_match=float(n == m)) | {"filter": f} for m, f in enumerate(("strict", "flexible"))
            for n in (0, 1)]
    run = only(write_rows(tmp_path / "samples_gsm8k_x.jsonl", rows))
    assert run.filters == ("strict", "flexible")
    assert [item.metrics["exact_match"] for item in run.under("flexible")] == [0.0, 1.0]


def test_log_likelihoods_are_kept(tmp_path):
    """The choices of a multiple-choice document with their log-likelihoods; no response was written."""
    item = only(write_rows(tmp_path / "samples_t.jsonl", [sample(0, acc=1.0)])).items[0]
    assert item.choices == ((" a", -1.5), (" b", -0.5))
    assert (item.responses, item.prompt, item.target) == ((), "q0", "1")


def test_repeats_are_kept(tmp_path):
    """Each of several answers to one prompt."""
    row = sample(0, acc=1.0) | {"arguments": {"gen_args_0": {"arg_0": "q", "arg_1": {}}},
                                "resps": [["a", "b", "a"]], "filtered_resps": ["a"]}
    item = only(write_rows(tmp_path / "samples_t.jsonl", [row])).items[0]
    assert (item.responses, item.response, item.answer) == (("a", "b", "a"), "a", "a")


def test_the_result_file_of_the_same_time_says_whose_it_is(tmp_path):
    """Model, version, groups and settings come from the result file with the date of the sample file."""
    write_result(tmp_path / "m" / "results.json", "org/undated", "t")
    write_result(tmp_path / "m" / f"results_{DAY.format(1)}.json", "org/old", "t")
    write_result(tmp_path / "m" / f"results_{DAY.format(2)}.json", "org/new", "t")
    path = write_rows(tmp_path / "m" / f"samples_t_{DAY.format(2)}.jsonl", [sample(n, acc=1.0) for n in range(3)])
    run = only(path)
    assert (run.model, run.protocol["version"], run.groups, run.documents) == ("org/new", "2.0", ("suite",), (3, 3))
    assert (run.settings["n-shot"], run.settings["metadata"]) == (5, {"mode": "pt"})
    assert run.higher_is_better == {"acc": True}
    assert only(tmp_path / "m" / f"results_{DAY.format(2)}.json") == run


def test_without_a_result_file_the_folder_names_the_model(tmp_path):
    """And this is said."""
    reading = results.read([write_rows(tmp_path / "org__m" / "samples_t.jsonl", [sample(0, acc=1.0)])])
    assert reading.runs[0].model == "org__m"
    assert any("no result file goes with it" in note for note in reading.notes)


def test_samples_in_the_folder_of_a_result(tmp_path):
    """`lm-eval-pt run --output r.json` writes r.json and r/samples_*.jsonl."""
    result = write_result(tmp_path / "r.json", "org/m", "t")
    path = write_rows(tmp_path / "r" / f"samples_t_{DAY.format(2)}.jsonl", [sample(0, acc=1.0)])
    assert [only(one).model for one in (result, path, tmp_path / "r")] == ["org/m"] * 3


def test_the_latest_run_in_a_folder_counts_and_this_is_said(tmp_path):
    """Two runs of one model on one task; another model's folder is another run; --every-run gives all."""
    write(tmp_path / "a" / f"samples_ifeval_pt_{DAY.format(1)}.jsonl", "Oi.")
    new = write(tmp_path / "a" / f"samples_ifeval_pt_{DAY.format(2)}.jsonl", "Vou à feira.")
    other = write(tmp_path / "b" / f"samples_ifeval_pt_{DAY.format(1)}.jsonl", "Oi.")
    reading = results.read([tmp_path])
    assert [run.path for run in reading.runs] == [new, other]
    assert any(f"2 runs of a on ifeval_pt; the latest counts, {new.name}" in note for note in reading.notes)
    assert len(results.read([tmp_path], every_run=True).runs) == 3


def test_a_partial_run_is_flagged(tmp_path):
    """--limit, and fewer documents than the split has."""
    write_result(tmp_path / f"results_{DAY.format(1)}.json", "org/m", "t", config={"limit": 2.0})
    path = write_rows(tmp_path / f"samples_t_{DAY.format(1)}.jsonl", [sample(n, acc=1.0) for n in range(2)])
    assert any("only 2 of 3 documents" in note for note in results.read([path]).notes)
    write_result(tmp_path / f"results_{DAY.format(1)}.json", "org/m", "t")
    assert any("only 2 of 3 documents" in note for note in results.read([path]).notes)


def test_a_torn_line_and_a_repeated_document_are_said(tmp_path):
    """An interrupted run leaves half a line; a resumed one appends: of one document the last row counts."""
    path = write_rows(tmp_path / "samples_t.jsonl", [sample(0, acc=0.0), sample(1, acc=0.0), sample(0, acc=1.0)])
    path.write_text(path.read_text(encoding="utf-8") + '{"doc_id": 2, "do', encoding="utf-8")
    reading = results.read([path])
    assert [item.metrics["acc"] for item in reading.runs[0].items] == [1.0, 0.0]
    assert any("line 4, which is no JSON object" in note for note in reading.notes)
    assert any("the earlier one (1x)" in note for note in reading.notes)


def test_one_broken_file_does_not_hide_the_others(tmp_path):
    """An empty sample file is skipped with a note; alone, it is an error."""
    empty = write_rows(tmp_path / "samples_a.jsonl", [])
    with pytest.raises(ResultsError, match=r"samples_a\.jsonl: no sample"):
        results.read([empty])
    write_rows(tmp_path / "samples_t.jsonl", [sample(0, acc=1.0)])
    reading = results.read([tmp_path])
    assert [run.task for run in reading.runs] == ["t"]
    assert any("samples_a.jsonl: no sample in it; skipped" in note for note in reading.notes)


def test_half_a_surrogate_pair_is_replaced(tmp_path, monkeypatch):
    """JSON can hold it, neither a terminal nor Parquet can; offsets of evidence stay."""
    monkeypatch.setattr(reader, "CACHED_FROM", 0)
    row = sample(0, acc=1.0) | {"resps": [["a\ud83db"]], "doc": {"q": "\udc00"}}
    (tmp_path / "samples_t.jsonl").write_text(json.dumps(row), encoding="ascii")
    for _ in range(2):
        item = only(tmp_path).items[0]
        assert (item.response, item.doc) == ("a?b", {"q": "?"})


def test_what_leads_nowhere_is_named(tmp_path):
    """A missing path, and a folder without samples, which names the option that was missing."""
    with pytest.raises(ResultsError, match="no such file"):
        results.read([tmp_path / "x"])
    with pytest.raises(ResultsError, match="--log_samples"):
        results.read([tmp_path])


def test_a_file_of_version_0_3(tmp_path):
    """*_write_out_info.json: metrics are strings, log-likelihoods are logit_0, logit_1, …; no document, no filter."""
    rows = [{"doc_id": 0, "prompt_0": "2+2=", "logit_0": "-3.5", "prompt_1": "2+2=", "logit_1": -0.25, "truth": "1",
             "acc": "1.0", "acc_norm": "False"}]
    (tmp_path / "arithmetic_write_out_info.json").write_text(json.dumps(rows), encoding="utf-8")
    write_result(tmp_path / "results.json", "org/gpt", "arithmetic")
    run = only(tmp_path)
    assert (run.model, run.task, run.items[0].metrics) == ("org/gpt", "arithmetic", {"acc": 1.0, "acc_norm": 0.0})
    assert [choice.loglikelihood for choice in run.items[0].choices] == [-3.5, -0.25]
    assert (run.items[0].prompt, run.items[0].target) == ("2+2=", "1")


def test_a_file_of_version_0_4_0(tmp_path):
    """<model arguments>_<task>.jsonl beside results.json: one JSON list; no filter, no list of metrics, no hashes."""
    row = {"doc_id": 0, "doc": {"q": "?"}, "target": 1, "arguments": [["?", " a"]], "resps": [[[-1.5, False]]],
           "filtered_resps": [[-1.5, False]], "acc": 1.0}
    (tmp_path / "pretrained__org__m_t.jsonl").write_text(json.dumps([row], indent=2), encoding="utf-8")
    write_result(tmp_path / "results.json", "org/m", "t")
    run = only(tmp_path)
    assert (run.model, run.task, run.filters, run.items[0].metrics) == ("org/m", "t", ("none",), {"acc": 1.0})
    # printf '{\n  "q": "?"\n}' | sha256sum
    assert run.items[0].doc_hash == "2c6b7ad422370a3235cfedee12af45c2ddaa20d6a90822d273a26a8d8c05f8de"


def test_verdicts_are_no_part_of_the_document(tmp_path):
    """Two models' answers to one document have one hash, also where the file has none."""
    answers = (("a", "À noite."), ("b", "Oi."))
    one, other = (write(tmp_path / name / "samples_ifeval_pt.jsonl", answer) for name, answer in answers)
    assert only(one).items[0].doc_hash == only(other).items[0].doc_hash


def test_a_file_of_version_0_4_3(tmp_path):
    """samples_<task>_<date>.json: one JSON list, and no result file itself."""
    path = tmp_path / f"samples_t_{DAY.format(1)}.json"
    path.write_text(json.dumps([sample(0, acc=1.0)], indent=2), encoding="utf-8")
    write_result(tmp_path / f"results_{DAY.format(1)}.json", "org/m", "t")
    for start in (tmp_path, path):
        assert (only(start).model, only(start).task, only(start).items[0].metrics) == ("org/m", "t", {"acc": 1.0})


def test_parquet_gives_back_the_same_run(tmp_path):
    """Every field, list-valued and empty metrics and verdicts included; also when the samples are gone."""
    write_result(tmp_path / f"results_{DAY.format(1)}.json", "org/m", "ifeval_pt")
    path = write(tmp_path / f"samples_ifeval_pt_{DAY.format(1)}.jsonl", "Oi.", "Vou à feira.")
    run = only(path)
    cache.write(run, path.with_suffix(".parquet"))
    assert cache.read(path.with_suffix(".parquet")) == run
    path.unlink()
    assert only(tmp_path).items == run.items


def test_parquet_is_used_until_the_samples_change(tmp_path, monkeypatch):
    """A large file is read from Parquet the second time, and anew once it has changed."""
    monkeypatch.setattr(reader, "CACHED_FROM", 0)
    path = write_rows(tmp_path / "samples_t.jsonl", [sample(0, acc=1.0)])
    run = only(path)
    with monkeypatch.context() as patch:
        patch.setattr(reader, "read_items", lambda path: pytest.fail("the samples were read"))
        assert only(path) == run
    write_rows(path, [sample(0, acc=0.0), sample(1, acc=0.0)])
    assert len(only(path).items) == 2


def test_a_folder_that_cannot_be_written_to_is_read(tmp_path, monkeypatch):
    """Without a Parquet file, and without complaint."""
    monkeypatch.setattr(reader, "CACHED_FROM", 0)
    path = write_rows(tmp_path / "samples_t.jsonl", [sample(0, acc=1.0)])
    path.with_suffix(".parquet").mkdir()
    assert len(only(path).items) == 1
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_foreign_parquet_is_refused(tmp_path):
    """A table that is not ours is named, not misread."""
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"a": [1]}), tmp_path / "samples_t.parquet")
    with pytest.raises(ResultsError, match="no item table of this package"):
        results.read([tmp_path / "samples_t.parquet"])


@pytest.mark.slow
def test_twelve_thousand_items_are_small_and_quick_to_read_again(tmp_path):
    """Under 10 MB of Parquet, and a third of the time from there, also on a busy machine."""
    path = reading.write(tmp_path / "samples_mmlu_x.jsonl", documents=12_000, shots=1)
    parsed = timing.seconds(lambda: only(path))
    assert path.with_suffix(".parquet").stat().st_size < 10e6
    assert min(timing.seconds(lambda: only(path)) for _ in range(3)) < parsed / 3
    assert len(only(path).items) == 12_000


def test_the_same_id_with_another_relation_is_another_restriction():
    """"pelo menos 3 frases" and "no máximo 2 frases" share an id, not a row."""
    assert results.instruction_name("length_constraints:number_sentences", {"relation": "at least"}) == (
        "length_constraints:number_sentences (at least)"
    )
    capitals = {"capital_relation": "less than", "capital_frequency": 2, "language": None}
    assert results.instruction_name("change_case:capital_word_frequency", capitals).endswith(" (less than)")
    assert results.instruction_name("change_case:capital", {"language": "pt"}) == "change_case:capital (pt)"
    assert results.instruction_name("ptbr:crase", {}) == "ptbr:crase"


def test_what_is_hidden_is_not_finished(tmp_path):
    """A sweep that was killed leaves half of a result in a hidden folder: no command reads it."""
    runs.write(tmp_path / ".scratch/1", "half", lambda doc: "Sim.", documents=2)
    with pytest.raises(results.ResultsError):
        results.read([tmp_path])
    with pytest.raises(results.ResultsError):
        results.read_scores([tmp_path])
    runs.write(tmp_path / "whole", "whole", lambda doc: "Sim.", documents=2)
    assert [run.model for run in results.read([tmp_path]).runs] == ["whole"]
    assert {score.model for score in results.read_scores([tmp_path]).scores} == {"whole"}
    assert results.read([tmp_path / ".scratch/1"]).runs, "unless it is named"
