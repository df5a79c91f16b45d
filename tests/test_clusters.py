"""Which documents belong together."""

import json
from collections import Counter

import pytest

from lm_eval_ifeval_pt.analysis.clusters import base_tasks, clusters
from lm_eval_ifeval_pt.paths import bundled
from lm_eval_ifeval_pt.results import ResultsError
from lm_eval_ifeval_pt.results.samples import read_items
from tests.test_results import sample, write_rows


def test_the_bundled_rows_have_fourteen_base_tasks():
    """The data sheet: key = restriction x 14 + base task."""
    text = (bundled("data") / "ifeval_pt" / "ifeval_pt_input_data.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    found = base_tasks([row["prompt"] for row in rows], [str(row["key"] // 14) for row in rows])
    assert Counter(Counter(found).values()) == {22: 14}
    by_key = {row["key"]: base for row, base in zip(rows, found, strict=True)}
    assert all(by_key[key] == by_key[key % 14] for key in by_key)
    assert by_key[11] == "Explique o que é reciclagem."


def test_a_preamble_is_no_base_task():
    """All prompts share "Seja breve."; each restriction occurs twice below it, once below each base task."""
    tasks = ("Seja breve. Fale do mar.", "Seja breve. Fale do rio.")
    prompts = [f"{task} {asked}" for task in tasks for asked in ("Use x.", "Use y.")]
    assert base_tasks(prompts, ["x", "y", "x", "y"]) == [tasks[0], tasks[0], tasks[1], tasks[1]]


def test_prompts_that_share_nothing_are_their_own_base_tasks():
    """Also one that is the beginning of another word by word, but not up to the end of a sentence."""
    prompts = ["Fale do mar", "Fale do mar alto. Use x.", ""]
    assert base_tasks(prompts, ["a", "b", "c"]) == prompts


def test_an_endless_prompt_is_no_trouble():
    """A megabyte of sentences."""
    assert len(base_tasks(["a. " * 300_000, "b"], ["x", "y"])) == 2


def test_documents_cluster_by_a_field_or_not_at_all(tmp_path):
    """A subject, as in MMLU; without a field each document of another task is its own cluster."""
    rows = [sample(n, acc=1.0) | {"doc": {"subject": subject}} for n, subject in enumerate("aab")]
    items = read_items(write_rows(tmp_path / "samples_mmlu.jsonl", rows)).items
    assert clusters(items, "subject") == ["a", "a", "b"]
    assert len(set(clusters(items))) == 3
    with pytest.raises(ResultsError, match="documents have: subject"):
        clusters(items, "topic")
