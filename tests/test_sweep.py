"""Sweeps: what a cell is, that each is evaluated once whatever happens, and that the numbers are the harness's."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.curves import points as curves
from lm_eval_ifeval_pt.paths import bundled
from lm_eval_ifeval_pt.sweep import checkpoints, local, plan, status
from lm_eval_ifeval_pt.sweep.checkpoints import Checkpoint
from lm_eval_ifeval_pt.sweep.errors import SweepError
from lm_eval_ifeval_pt.sweep.folder import CELL, Folder, State
from lm_eval_ifeval_pt.sweep.owner import Owner
from lm_eval_ifeval_pt.sweep.settings import Settings
from tests import checkpoints as written
from tests import json_shapes

pytest.importorskip("torch")
pytest.importorskip("transformers")

TASKS = "arc_challenge_poly_pt", "calame_pt", "ifeval_pt"  # shots drawn at random, a perplexity, generation
SETTINGS = Settings(model="hf", batch_size=4, device="cpu", limit=4, gen_kwargs={"max_gen_toks": 8})
OPTIONS = ["--model", "hf", "--batch_size", "4", "--device", "cpu", "--limit", "4", "--gen_kwargs", "max_gen_toks=8"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A training with five checkpoints."""
    folder = tmp_path_factory.mktemp("trainings") / "run"
    written.write(folder, (100, 200, 300, 400, 500))
    return folder


@pytest.fixture(autouse=True)
def _samples(monkeypatch):
    """The suite's tasks read the few rows that lie in this folder."""
    import torch

    monkeypatch.chdir(written.SAMPLES)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch.set_num_threads(1)


def planned(folder, *paths, tasks=TASKS, settings=SETTINGS, retries=0):
    """A sweep's folder with a plan in it: the folder, the plan, and its cells."""
    complete, _ = checkpoints.discover(map(Path, paths))
    complete = [replace(each, weights=checkpoints.fingerprint(Path(each.source))) for each in complete]
    made = plan.make(tasks, settings, complete[0], retries, os.getcwd())
    home = Folder(folder)
    home.add(made, complete)
    return home, made, made.cells(complete)


def worker(home, made):
    """A worker of this process."""
    from lm_eval_ifeval_pt.sweep.worker import Worker

    return Worker(home, made)


def results(folder):
    """By checkpoint and task, what the harness wrote."""
    read = {}
    for path in folder.glob(f"results/**/{CELL}"):
        (result,) = path.parent.glob("results_*.json")
        (samples,) = path.parent.glob("samples_*.jsonl")
        cell = json.loads(path.read_text())
        name = cell["checkpoint"]["run"], cell["checkpoint"]["name"], cell["task"]
        assert name not in read, f"{name} was evaluated twice"
        read[name] = cell, json.loads(result.read_text()), [json.loads(line) for line in samples.open()]
    return read


@pytest.fixture(scope="module")
def swept(run, tmp_path_factory):
    """A finished sweep over the training."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(written.SAMPLES)
        home, made, cells = planned(tmp_path_factory.mktemp("sweep"), run)
        assert worker(home, made).run() == len(cells) == 15
    return home, made, cells


# What a checkpoint is


@pytest.mark.parametrize(
    ("name", "step", "tokens"),
    [
        ("step_2000", 2000, None),
        ("checkpoint-500", 500, None),
        ("global_step143000", 143000, None),
        ("iter_0001000", 1000, None),
        ("step1000-tokens4B", 1000, 4e9),
        ("stage1-step10K-tokens21.5B", 10_000, 2.15e10),
        ("step5K", 5000, None),
        ("main", None, None),
        ("300B_tokens", None, 3e11),
        ("0042", 42, None),
    ],
)
def test_names_say_steps_and_tokens(name, step, tokens):
    """As trainers and published repositories of checkpoints name them."""
    assert checkpoints.named_progress(name) == (step, tokens)


def test_a_trainer_s_state_says_steps_and_tokens_better_than_a_name(tmp_path):
    """Where it counts no tokens, or is cut short, the name counts."""
    folder = tmp_path / "checkpoint-7-tokens2B"
    folder.mkdir()
    state = folder / "trainer_state.json"
    for text, step, tokens in [
        ('{"global_step": 500, "num_input_tokens_seen": 1048576}', 500, 1048576),
        ('{"global_step": 500, "num_input_tokens_seen": 0}', 500, 2e9),
        ('{"global_step": 5', 7, 2e9),
    ]:
        state.write_text(text, encoding="utf-8")
        assert checkpoints.progress(folder) == (step, tokens)


def test_a_table_says_tokens_by_label_name_or_step(tmp_path):
    """With a header or without; what no row names gets the tokens per step, if they are given."""
    table = tmp_path / "tokens.csv"
    table.write_text("checkpoint,tokens\nb/step_1,3e9\nstep_2,4e9\n3,5000000000\n", encoding="utf-8")
    named = [Checkpoint(run, f"step_{step}", "", step=step) for run, step in [("a", 1), ("b", 1), ("a", 2), ("a", 3)]]
    counted = checkpoints.with_tokens(named, 2e6, checkpoints.token_table(table))
    assert [checkpoint.tokens for checkpoint in counted] == [2e6, 3e9, 4e9, 5e9]
    table.write_text("step_1,3e9\nstep_2;4e9\n", encoding="utf-8")
    with pytest.raises(SweepError, match=r"tokens\.csv, line 2: expected checkpoint,tokens; got \['step_2;4e9'\]"):
        checkpoints.token_table(table)


@pytest.mark.slow
def test_two_trainings_whose_checkpoints_are_called_alike_are_told_apart(tmp_path):
    """The last part of the path is no name."""
    for name in ("a/run", "b/run"):
        written.write(tmp_path / name, (1,))
    complete, _ = checkpoints.discover([tmp_path])
    assert [checkpoint.label for checkpoint in complete] == ["a/run/step_1", "b/run/step_1"]


def test_weights_are_told_apart_by_content(tmp_path):
    """A copy under another name is the same; one changed weight, or one changed rule of the tokenizer, is not."""
    (original,) = written.write(tmp_path, (100,))
    copy = shutil.copytree(original, tmp_path / "elsewhere")
    assert checkpoints.fingerprint(copy) == checkpoints.fingerprint(original)
    data = bytearray((copy / "model.safetensors").read_bytes())
    data[-1] ^= 1
    (copy / "model.safetensors").write_bytes(data)
    assert checkpoints.fingerprint(copy).content != checkpoints.fingerprint(original).content
    told = json.loads((original / "tokenizer_config.json").read_text())
    (original / "tokenizer_config.json").write_text(json.dumps(told | {"add_bos_token": True}))
    assert checkpoints.fingerprint(original).tokenizer != checkpoints.fingerprint(copy).tokenizer


def test_a_checkpoint_that_is_not_whole_is_named_with_what_is_missing(tmp_path):
    """An index that names a shard that is not there, weights cut short, a configuration cut short, no weights."""
    whole, sharded, cut, torn, empty = written.write(tmp_path, (1, 2, 3, 4, 5))
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model.safetensors"}}
    (sharded / "model.safetensors.index.json").write_text(json.dumps(index))
    data = (cut / "model.safetensors").read_bytes()
    (cut / "model.safetensors").write_bytes(data[:-100])
    (torn / "config.json").write_text('{"architectures": [')
    (empty / "model.safetensors").unlink()
    complete, unready = checkpoints.discover([tmp_path])
    assert [checkpoint.source for checkpoint in complete] == [str(whole)]
    reasons = {folder.path: folder.reason for folder in unready}
    assert "model-00001-of-00002.safetensors" in reasons[sharded]
    assert reasons[cut] == f"model.safetensors: {len(data) - 100} bytes of {len(data)}"
    assert "config.json" in reasons[torn]
    assert "no weights" in reasons[empty]


def test_a_folder_without_a_checkpoint_is_refused(tmp_path):
    """With what a checkpoint is."""
    with pytest.raises(SweepError, match=r"no checkpoint there: no folder with config\.json"):
        checkpoints.discover([tmp_path])


# Order and keys


def test_ends_come_first_then_halves():
    """The first, the last, the middle, the quarters."""
    assert plan.halving(9) == [0, 8, 4, 2, 6, 1, 3, 5, 7]
    for count in range(40):
        assert sorted(plan.halving(count)) == list(range(count))


@pytest.mark.slow
def test_only_what_can_change_a_number_is_in_the_key(run, tmp_path):
    """Batch size and device are not; shots, limit, seeds, template, generation and model arguments are."""
    keys = {}
    variants = {
        "as it was": {},
        "batch": {"batch_size": 8, "device": "cuda"},
        "shots": {"num_fewshot": 1},
        "limit": {"limit": 3},
        "seeds": {"seeds": (0, 1234, 1234, 1)},
        "template": {"apply_chat_template": True},
        "generation": {"gen_kwargs": {"max_gen_toks": 9}},
        "dtype": {"model_args": {"dtype": "float16"}},
        "model": {"model": "hf-shared"},
    }
    for name, changed in variants.items():
        _, _, cells = planned(tmp_path / name, run, tasks=TASKS[:1], settings=replace(SETTINGS, **changed))
        keys[name] = cells[0].key
    assert keys["as it was"] == keys["batch"]
    assert len(set(keys.values())) == len(variants) - 1


# What a worker makes


@pytest.mark.slow
def test_results_are_the_harness_s_own_files(swept):
    """A result and its samples for each cell, under the names that the harness gives, and nothing half-written."""
    home, _, cells = swept
    read = results(home.path)
    assert len(read) == len(cells)
    for (_, _, task), (_, result, samples) in read.items():
        assert set(result["results"]) == {task}
        assert result["n-samples"][task]["effective"] == len({row["doc_id"] for row in samples}) == 4
        assert result["config"]["bootstrap_iters"] == 100_000
    assert not list(home.path.glob(".scratch/*"))


@pytest.mark.slow
def test_all_points_of_a_curve_are_asked_the_same(swept):
    """The generator that draws the shots lives in the harness's task objects: used twice, they ask something else."""
    home, _, _ = swept
    hashes, prompts = {}, {}
    for (_, _, task), (cell, _, samples) in results(home.path).items():
        hashes.setdefault(task, set()).add(cell["requests"])
        prompts.setdefault(task, set()).add(json.dumps([row["arguments"] for row in samples]))
    assert {task: len(different) for task, different in hashes.items()} == dict.fromkeys(TASKS, 1)
    assert {task: len(different) for task, different in prompts.items()} == dict.fromkeys(TASKS, 1)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["hf", "hf-shared"])
def test_numbers_are_those_of_a_model_loaded_anew(model, run, tmp_path):
    """After two checkpoints whose weights came into the same standing model: bit for bit under `hf`.

    `hf-shared` lays its calls out by how fast the machine is, so that last digits of log-likelihoods may differ.
    """
    import lm_eval

    settings = replace(SETTINGS, model=model)
    home, made, _ = planned(tmp_path, *(run / f"step_{step}" for step in (100, 300, 500)), settings=settings)
    worker(home, made).run()
    read = results(home.path)
    assert sorted(cell["swapped"] for cell, _, _ in read.values()) == [False] * 3 + [True] * 6
    for step, task in [(300, TASKS[0]), (500, TASKS[1]), (500, TASKS[2])]:
        manager = lm_eval.tasks.TaskManager(include_path=str(bundled("tasks")), include_defaults=False)
        alone = lm_eval.simple_evaluate(
            model=model, model_args={"pretrained": str(run / f"step_{step}")}, tasks=[task], batch_size=4,
            device="cpu", limit=4, gen_kwargs={"max_gen_toks": 8}, task_manager=manager,
        )  # fmt: skip
        _, result, samples = read["run", f"step_{step}", task]
        expected = json.loads(json.dumps(alone["results"][task]))
        swept = {name: result["results"][task][name] for name in expected}
        for name, value in expected.items():
            if isinstance(value, float):
                value = pytest.approx(value, rel=0 if model == "hf" else 1e-5, abs=0, nan_ok=True)
            assert swept[name] == value
        for row, other in zip(samples, alone["samples"][task], strict=True):
            said, other_said = ([list(map(str, given[0])) for given in each["resps"]] for each in (row, other))
            if model == "hf" or task == "ifeval_pt":
                assert said == other_said
            else:
                nats, other_nats = ([float(answer[0]) for answer in answers] for answers in (said, other_said))
                assert nats == pytest.approx(other_nats, abs=1e-4)
                assert [answer[1] for answer in said] == [answer[1] for answer in other_said]


@pytest.mark.slow
def test_sample_files_are_the_harness_s_byte_for_byte(run, tmp_path, monkeypatch):
    """Those of later checkpoints, which are made without it, of log-likelihoods and of what was generated."""
    from lm_eval_ifeval_pt.sweep.tasks import KeptTask

    written_as = {}
    tasks = *TASKS, "gsm8k_pt"
    for kept in (True, False):
        if not kept:
            monkeypatch.setattr(KeptTask, "keep_samples", lambda *_: None)
        home, made, _ = planned(tmp_path / str(kept), run / "step_100", run / "step_300", tasks=tasks)
        made_by = worker(home, made)
        made_by.run()
        (of_tokenizer,) = made_by._tasks.values()
        has_kept = {name for name, task in of_tokenizer.items() if task.samples is not None}
        assert has_kept == ({*tasks} - {"ifeval_pt"} if kept else set()), "ifeval_pt writes verdicts into documents"
        for path in home.path.glob("results/**/samples_*.jsonl"):
            written_as.setdefault((path.parent.parts[-3:-1]), []).append(path.read_bytes())
    assert len(written_as) == 8
    for with_it, without in written_as.values():
        assert with_it == without
        assert with_it


@pytest.mark.slow
def test_a_task_that_writes_into_documents_is_logged_by_the_harness(run, tmp_path):
    """What it writes depends on the answers of each checkpoint, and belongs in the rows."""
    (tmp_path / "noting.py").write_text(
        "def note(doc, results):\n    doc['answer'] = str(results[0][0])\n    return {'acc': 1.0}\n", encoding="utf-8"
    )
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "o"}\n{"text": "a"}\n', encoding="utf-8")
    (tmp_path / "noting.yaml").write_text(
        f"task: noting\ndataset_path: json\ndataset_kwargs: {{data_files: {{test: {rows}}}}}\ntest_split: test\n"
        "output_type: loglikelihood\ndoc_to_text: '{{text}}'\ndoc_to_target: ' fim'\n"
        "process_results: !function noting.note\nmetric_list: [{metric: acc}]\n",
        encoding="utf-8",
    )
    settings = replace(SETTINGS, include_path=(str(tmp_path),))
    paths = run / "step_100", run / "step_300"
    home, made, _ = planned(tmp_path / "sweep", *paths, tasks=["noting"], settings=settings)
    assert worker(home, made).run() == 2
    for _, _, samples in results(home.path).values():
        assert [row["doc"]["answer"] for row in samples] == [row["resps"][0][0][0] for row in samples]


@pytest.mark.slow
def test_a_worker_that_starts_later_tokenises_nothing_again(run, tmp_path, monkeypatch):
    """It has the tokens of the first one, and the numbers of one that has none."""
    from lm_eval_ifeval_pt.models.shared_prefix.model import SharedPrefixLM

    settings = replace(SETTINGS, model="hf-shared")
    scores = {}
    for home_of in ("alone", "shared"):
        if home_of == "shared":
            home, made, _ = planned(tmp_path / home_of, run / "step_100", tasks=TASKS[:2], settings=settings)
            worker(home, made).run()
            monkeypatch.setattr(SharedPrefixLM, "_encode_pair", lambda *_: pytest.fail("it tokenised"))
        home, made, _ = planned(tmp_path / home_of, run / "step_300", tasks=TASKS[:2], settings=settings)
        assert worker(home, made).run() == 2
        scores[home_of] = {
            name[2]: [row["resps"][0][0][1] for row in rows]
            for name, (_, _, rows) in results(home.path).items() if name[1] == "step_300"
        }  # fmt: skip
    assert scores["alone"] == scores["shared"]


@pytest.mark.slow
def test_stored_tokens_are_those_of_their_texts_or_none(run, tmp_path, monkeypatch):
    """Of other texts, another tokenizer or another length there are none; nor of a file that is broken anywhere."""
    import numpy as np

    from lm_eval_ifeval_pt.models.shared_prefix.trie import ScoredSequence
    from lm_eval_ifeval_pt.sweep import tokens

    weights = checkpoints.fingerprint(run / "step_100")
    store = tokens.StoredTokens(tmp_path, weights, SETTINGS)
    texts = ("a b", " c"), ("a b", " d"), ("a", " b")
    given = [ScoredSequence(np.array(ids), 1) for ids in ([5, 6, 7], [5, 6, 70_000], [5, 6])]

    def plain(sequences):
        return sequences and [(sequence.tokens.tolist(), sequence.scored) for sequence in sequences]

    assert store.read(texts, 64) is None
    store.write(texts, 64, given)
    assert plain(store.read(texts, 64)) == plain(given)
    assert store.read(texts[:2], 64) is None
    assert store.read((("a", " bb"), *texts[1:]), 64) is None
    assert store.read(texts, 65) is None
    for other in (replace(weights, tokenizer="other"), replace(weights, config="other")):
        assert tokens.StoredTokens(tmp_path, other, SETTINGS).read(texts, 64) is None
    path = store.path(texts, 64)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        assert plain(store.read(texts, 64)) in (None, plain(given)), f"byte {place}"
        path.write_bytes(whole[:place])
        assert store.read(texts, 64) is None
    path.unlink()
    monkeypatch.setattr(tokens, "MOST", 7)
    store.write(texts, 64, given)
    assert not list(tmp_path.iterdir()), "more than may be stored"


@pytest.mark.parametrize("argument", ["tokenizer", "gguf_file", "trust_remote_code"])
def test_tokens_from_where_no_fingerprint_looks_are_not_stored(run, tmp_path, argument):
    """What lies behind such an argument may change without its name."""
    from lm_eval_ifeval_pt.sweep.tokens import stored_tokens

    folder = run / "step_100"
    weights = checkpoints.fingerprint(folder)
    assert stored_tokens(tmp_path, folder, weights, SETTINGS) is not None
    assert stored_tokens(tmp_path, folder, weights, replace(SETTINGS, model_args={argument: "x"})) is None
    assert stored_tokens(tmp_path, None, weights, SETTINGS) is None


@pytest.mark.slow
def test_a_sweep_that_is_complete_evaluates_nothing(swept):
    """Not in another process, not under another name of its folder."""
    home, made, _ = swept
    assert worker(Folder(home.path), made).run() == 0


@pytest.mark.slow
def test_more_tasks_and_checkpoints_run_only_what_is_missing(run, tmp_path):
    """And other shots run again, with the old result beside the new one."""
    home, made, _ = planned(tmp_path, run / "step_100", tasks=TASKS[:1])
    assert worker(home, made).run() == 1
    home, made, _ = planned(tmp_path, run / "step_100", tasks=TASKS[:2])
    assert worker(home, made).run() == 1
    home, made, _ = planned(tmp_path, run / "step_100", run / "step_200", tasks=TASKS[:2])
    assert worker(home, made).run() == 2
    other = replace(SETTINGS, num_fewshot=1)
    home, made, cells = planned(tmp_path, run / "step_100", tasks=TASKS[:1], settings=other)
    (line,) = [line for line in status.of_plan(home, made) if line.cell.key == cells[0].key]
    told = status.explanation(home, line)
    assert "num_fewshot: None -> 1" in told
    assert "shots: 5 -> 1" in told
    assert "seeds" not in told, "they are the same"
    assert worker(home, made).run() == 1
    assert len(list(tmp_path.glob(f"results/run/step_100/{TASKS[0]}/*/{CELL}"))) == 2


@pytest.mark.slow
def test_equal_weights_are_evaluated_once(run, tmp_path):
    """And both names have the result."""
    shutil.copytree(run / "step_100", tmp_path / "copies/step_100")
    shutil.copytree(run / "step_100", tmp_path / "copies/step_150")
    home, made, cells = planned(tmp_path / "sweep", tmp_path / "copies", tasks=TASKS[:1])
    assert worker(home, made).run() == 1
    assert [home.state(cell, 0).status for cell in cells] == ["done", "done"]
    (curve,) = curves.read([tmp_path / "sweep"]).curves
    assert curve.steps == [100, 150], "shown twice"


@pytest.mark.slow
def test_other_configurations_are_loaded_anew(tmp_path):
    """Two widths and two tokenizers in one sweep: each has its own model, its own requests, its own result."""
    written.write(tmp_path / "narrow", (1, 2))
    written.write(tmp_path / "wide", (1, 2), width=64, vocabulary=280)
    home, made, _ = planned(tmp_path / "sweep", tmp_path / "narrow", tmp_path / "wide", tasks=TASKS[:1])
    assert worker(home, made).run() == 4
    assert {name[0] for name in results(home.path)} == {"narrow", "wide"}


@pytest.mark.slow
def test_the_next_checkpoint_is_read_while_the_present_one_is_computed(run, tmp_path, monkeypatch):
    """Its weights are in memory when its turn comes, and are not read again."""
    import safetensors.torch
    import transformers  # which reads the first checkpoint by a `safe_open` of its own

    from lm_eval_ifeval_pt.sweep.worker import Worker

    assert transformers
    home, made, cells = planned(tmp_path, run, tasks=TASKS[:1])
    is_read = {cell.checkpoint.name: threading.Event() for cell in cells}
    load, harness, beside = safetensors.torch.load_file, Worker._harness, []

    def noted(path):
        tensors = load(path)
        is_read[path.parent.name].set()
        return tensors

    def only_after_reading(self, cell, *rest):
        if cell != cells[-1]:
            beside.append(is_read[self._next.name].wait(60))
        return harness(self, cell, *rest)

    monkeypatch.setattr(safetensors.torch, "load_file", noted)
    monkeypatch.setattr(safetensors, "safe_open", lambda *_, **__: pytest.fail("it was read again"))
    monkeypatch.setattr(Worker, "_harness", only_after_reading)
    assert worker(home, made).run() == 5
    assert beside == [True] * 4
    assert not is_read["step_100"].is_set(), "the first is loaded by transformers"


# Where workers run


def test_each_worker_sees_its_own_gpus(run, tmp_path, monkeypatch):
    """Two each of five, by their names; the one that is left over is used by none."""
    seen = tmp_path / "seen"
    seen.mkdir()
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\ncd "{seen}"\necho "$CUDA_VISIBLE_DEVICES" > $$\n'
        'while [ "$(ls | wc -l)" -lt 2 ]; do sleep 0.05; done\nexit 2\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,GPU-5,6,7,9")
    before = signal.getsignal(signal.SIGTERM)
    arguments = ["sweep", str(run), "--tasks", "calame_pt", "--device", "cuda", "--gpus-per-worker", "2"]
    try:
        told = CliRunner().invoke(main, [*arguments, "--output", str(tmp_path / "sweep")])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert told.exit_code == 2, told.output
    assert sorted(path.read_text(encoding="utf-8").strip() for path in seen.iterdir()) == ["4,GPU-5", "6,7"]


def test_a_worker_for_which_there_are_too_few_gpus_is_refused():
    """And --slots takes fewer workers than there are GPUs for."""
    assert [slot.gpus for slot in local.slots(2, ["0", "1", "2"], 1)] == [("0",), ("1",)]
    with pytest.raises(ValueError, match="--gpus-per-worker 4, and there are 3 GPUs"):
        local.slots(None, ["0", "1", "2"], 4)


# What goes wrong


@pytest.mark.slow
def test_weights_that_are_not_the_model_s_are_refused(run, tmp_path):
    """Published curves sat at chance for months because weights of other names were left at random."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(run / "step_100", tmp_path / "bad/step_100")
    shutil.copytree(run / "step_300", tmp_path / "bad/step_300")
    file = tmp_path / "bad/step_300/model.safetensors"
    weights = load_file(file)
    weights["other.weight"] = weights.pop("model.layers.0.mlp.up_proj.weight")
    save_file(weights, file, {"format": "pt"})
    home, made, _ = planned(tmp_path / "sweep", tmp_path / "bad", tasks=TASKS[:1], retries=2)
    assert worker(home, made).run() == 1
    (line,) = [line for line in status.of_plan(home, made) if line.state.status == "failed"]
    assert line.cell.checkpoint.name == "step_300"
    assert line.state.attempt == 1, "it was tried again"
    assert "model.layers.0.mlp.up_proj.weight" in status.reason(line)


@pytest.mark.slow
def test_a_checkpoint_that_goes_before_its_turn_stops_nothing(run, tmp_path):
    """Trainers delete old checkpoints: it is listed."""
    copies = shutil.copytree(run, tmp_path / "copies")
    home, made, _ = planned(tmp_path / "sweep", copies, tasks=TASKS[:1], retries=2)
    shutil.rmtree(copies / "step_300")
    assert worker(home, made).run() == 4
    (line,) = [line for line in status.of_plan(home, made) if line.state.status == "failed"]
    assert "gone before it was evaluated" in status.reason(line)


@pytest.mark.slow
def test_a_cell_that_fails_is_tried_again_and_listed(run, tmp_path, monkeypatch):
    """So many times as --retries says; the others are evaluated, and the log has the reason."""
    from lm_eval_ifeval_pt.sweep.worker import Worker

    harness = Worker._harness
    tries = Counter()

    def falls(self, cell, kept, batch_size):
        name = cell.checkpoint.name
        tries[cell.task, name] += 1
        if cell.task == "calame_pt" and (name == "step_100" or tries[cell.task, name] < 3):
            raise ValueError("the disk says no")
        return harness(self, cell, kept, batch_size)

    monkeypatch.setattr(Worker, "_harness", falls)
    home, made, _ = planned(tmp_path, run / "step_100", run / "step_200", tasks=TASKS[:2], retries=2)
    assert worker(home, made).run() == 3
    assert tries["calame_pt", "step_100"] == tries["calame_pt", "step_200"] == 3
    (line,) = [line for line in status.of_plan(home, made) if line.state.status == "failed"]
    assert "ValueError: the disk says no" in status.reason(line)
    assert "the disk says no" in Path(line.state.failures[-1]["log"]).read_text(encoding="utf-8")
    assert status.exit_code(status.of_plan(home, made)) == 3


@pytest.mark.slow
def test_out_of_memory_halves_the_batch(run, tmp_path, monkeypatch):
    """Until it fits; it is no failure of the cell."""
    from lm_eval_ifeval_pt.sweep.worker import Worker

    harness, sizes = Worker._harness, []

    def crowded(self, cell, kept, batch_size):
        sizes.append(batch_size)
        if batch_size > 2:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return harness(self, cell, kept, batch_size)

    monkeypatch.setattr(Worker, "_harness", crowded)
    home, made, cells = planned(tmp_path, run / "step_100", tasks=TASKS[:1], settings=replace(SETTINGS, batch_size=8))
    assert worker(home, made).run() == 1
    assert sizes == [8, 4, 2]
    assert home.state(cells[0], 0).status == "done"


@pytest.mark.slow
def test_a_full_disk_leaves_no_result(run, tmp_path, monkeypatch):
    """The harness only logs that it could not write: what it wrote is looked at before it counts."""
    from lm_eval.loggers import EvaluationTracker

    monkeypatch.setattr(EvaluationTracker, "save_results_samples", lambda *_, **__: None)
    home, made, cells = planned(tmp_path, run / "step_100", tasks=TASKS[:1])
    assert worker(home, made).run() == 0
    assert home.state(cells[0], 0).status == "failed"
    assert not list(tmp_path.glob(f"results/**/{CELL}"))


def test_a_lease_is_had_by_one_and_outlives_no_one(run, tmp_path):
    """Of two that want a cell one gets it; it is free again when the process is gone, and not before."""
    home, _, cells = planned(tmp_path, run / "step_100", tasks=TASKS[:1])
    (cell,) = cells
    start = home.state(cell, 0)
    assert home.take(cell, start, Owner.this()) == 1
    assert Folder(tmp_path).take(cell, start, Owner.this()) is None
    assert home.state(cell, 0).status == "running"
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    from lm_eval_ifeval_pt.sweep.owner import started

    other = replace(Owner.this(), pid=child.pid, started=started(child.pid))
    home.end(cell, 1, "released", "")
    assert home.take(cell, home.state(cell, 0), other) == 2
    assert home.state(cell, 0).status == "running"
    child.communicate(b"\n")
    assert home.state(cell, 0).status == "missing"
    elsewhere = replace(Owner.this(), host="another")
    assert home.take(cell, home.state(cell, 0), elsewhere) == 3
    assert home.state(cell, 0).status == "running", "nothing is known of processes elsewhere"


# The command


def sweep(*arguments):
    """The command in a process of its own."""
    command = [sys.executable, "-m", "lm_eval_ifeval_pt", "sweep", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=written.SAMPLES, check=False)


def test_what_is_missing_is_said():
    """Exit code 2, with the option."""
    told = CliRunner().invoke(main, ["sweep", "somewhere", "--output", "x"])
    assert (told.exit_code, told.stderr) == (2, "Error: --tasks is missing; `lm-eval-pt sweep --help` tells more\n")


@pytest.mark.slow
def test_status_lists_cells_by_checkpoint(swept):
    """As a table, as JSON, and by the exit code."""
    home, _, _ = swept
    told = CliRunner().invoke(main, ["sweep", "--status", str(home.path)])
    assert told.exit_code == 0, told.output
    assert [line.split()[:2] for line in told.output.splitlines() if line.startswith("run/step")] == [
        [f"run/step_{step}", "3"] for step in (100, 200, 300, 400, 500)
    ]
    output = CliRunner().invoke(main, ["sweep", "--status", str(home.path), "--json"]).stdout
    json_shapes.check("sweep --status", output)
    data = json.loads(output)
    assert {cell["status"] for cell in data} == {"done"}


@pytest.mark.slow
def test_a_sweep_killed_at_random_ends_complete_with_each_cell_once(run, tmp_path):
    """kill -9 of the command and of its worker; nothing done is done again, nothing half-written counts."""
    command = [sys.executable, "-m", "lm_eval_ifeval_pt", "sweep", str(run), "--tasks", ",".join(TASKS), *OPTIONS]
    command += ["--output", str(tmp_path / "sweep")]
    seen: dict[Path, int] = {}
    chance = random.Random(5)
    for _ in range(3):
        process = subprocess.Popen(command, cwd=written.SAMPLES, start_new_session=True)
        before = len(list(tmp_path.glob(f"sweep/results/**/{CELL}")))
        end = time.monotonic() + 120
        while len(list(tmp_path.glob(f"sweep/results/**/{CELL}"))) < before + 2 and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(chance.random() / 2)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for path, changed in seen.items():
            assert path.stat().st_mtime_ns == changed
        seen |= {path: path.stat().st_mtime_ns for path in tmp_path.glob(f"sweep/results/**/{CELL}")}
    told = subprocess.run(command, cwd=written.SAMPLES, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert len(results(tmp_path / "sweep")) == 15
    for path, changed in seen.items():
        assert path.stat().st_mtime_ns == changed, f"{path} was written twice"
    assert not list(tmp_path.glob("sweep/.scratch/*"))


@pytest.mark.slow
def test_numbers_are_those_of_separate_processes(run, tmp_path):
    """Bit for bit, of a call of `lm_eval` for each cell; whole rows of the samples, and all that a result file has."""
    paths = run / "step_100", run / "step_400"
    done = sweep(*paths, "--tasks", ",".join(TASKS), *OPTIONS, "--output", tmp_path / "sweep")
    assert done.returncode == 0, done.stdout + done.stderr
    read = results(tmp_path / "sweep")
    for name, task in zip(("step_100", "step_400", "step_400"), TASKS, strict=True):
        alone = tmp_path / f"alone-{task}"
        command = [sys.executable, "-m", "lm_eval", "--tasks", task, *OPTIONS, "--log_samples"]
        command += ["--model_args", f"pretrained={run / name}", "--output_path", str(alone)]
        subprocess.run(command, check=True, cwd=written.SAMPLES, capture_output=True)
        (file,) = alone.glob("**/results_*.json")
        expected = json.loads(file.read_text())
        _, result, samples = read["run", name, task]
        assert result["results"] == expected["results"]
        assert set(result) == {*expected, "sweep"}
        (file,) = alone.glob("**/samples_*.jsonl")
        assert samples == [json.loads(line) for line in file.open()]


@pytest.mark.slow
def test_a_worker_that_dies_takes_only_its_cell(run, tmp_path):
    """A process that the system kills is replaced; its cell has lost one try, and exit code 3 says that one failed."""
    definitions = tmp_path / "tasks"
    definitions.mkdir()
    (definitions / "deadly.py").write_text(
        "import os, signal\n\n\ndef die(doc, results):\n    os.kill(os.getpid(), signal.SIGKILL)\n", encoding="utf-8"
    )
    (definitions / "deadly.yaml").write_text(
        "task: deadly\ndataset_path: json\ndataset_kwargs: {data_files: {test: rows.jsonl}}\ntest_split: test\n"
        "output_type: loglikelihood\ndoc_to_text: '{{text}}'\ndoc_to_target: ' fim'\n"
        "process_results: !function deadly.die\nmetric_list: [{metric: acc}]\n",
        encoding="utf-8",
    )
    (definitions / "rows.jsonl").write_text('{"text": "o"}\n', encoding="utf-8")
    command = [sys.executable, "-m", "lm_eval_ifeval_pt", "sweep", str(run / "step_100"), *OPTIONS, "--retries", "1"]
    command += ["--include_path", str(definitions), "--tasks", "deadly,ifeval_pt", "--output", str(tmp_path / "sweep")]
    done = subprocess.run(command, cwd=definitions, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "signal SIGKILL" in done.stderr
    told = sweep("--status", tmp_path / "sweep")
    assert told.returncode == 3
    assert "failed: run/step_100 × deadly: the worker ended with signal SIGKILL" in told.stdout.replace("\n", " ")
    lines = status.lines(Folder(tmp_path / "sweep"))
    assert {line.cell.task: (line.state.status, line.state.attempt) for line in lines} == {
        "deadly": ("failed", 2), "ifeval_pt": ("done", 0)
    }  # fmt: skip


@pytest.mark.slow
def test_checkpoints_are_evaluated_as_they_appear(run, tmp_path):
    """One that is still being written waits; what is gone before its turn stops nothing; Ctrl+C ends it."""
    training = tmp_path / "run"
    training.mkdir()
    shutil.copytree(run / "step_100", training / "step_100")
    command = [sys.executable, "-m", "lm_eval_ifeval_pt", "sweep", str(training), "--tasks", "calame_pt", *OPTIONS]
    command += ["--output", str(tmp_path / "sweep"), "--watch", "--settle", "1", "--poll", "0.5"]
    process = subprocess.Popen(
        command, cwd=written.SAMPLES, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    )  # fmt: skip

    def wait(names):
        end = time.monotonic() + 120
        while {name[1] for name in results(tmp_path / "sweep")} != names and time.monotonic() < end:
            time.sleep(0.2)
        assert {name[1] for name in results(tmp_path / "sweep")} == names

    try:
        wait({"step_100"})
        half = shutil.copytree(run / "step_200", training / "step_200")
        data = (half / "model.safetensors").read_bytes()
        (half / "model.safetensors").write_bytes(data[:-1000])
        time.sleep(3)
        shutil.copytree(run / "step_300", training / "step_300")
        wait({"step_100", "step_300"})
        (half / "model.safetensors").write_bytes(data)
        wait({"step_100", "step_200", "step_300"})
    finally:
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert f"waiting: model.safetensors: {len(data) - 1000} bytes of {len(data)}" in said, said


def test_revisions_of_a_repository_are_checkpoints(monkeypatch):
    """By branches and tags that match, each with its commit for a key; what does not match is said."""
    import huggingface_hub

    class Refs:
        def __init__(self, *names):
            self.branches = [SimpleNamespace(name=name, target_commit=f"commit-of-{name}") for name in names]
            self.tags = []

    refs = Refs("main", "step1000", "step200", "step3-tokens4B")
    monkeypatch.setattr(huggingface_hub.HfApi, "list_repo_refs", lambda self, repository: refs)
    matching = checkpoints.revisions("org/model", "step*")
    assert [(checkpoint.name, checkpoint.step, checkpoint.tokens) for checkpoint in matching] == [
        ("step3-tokens4B", 3, 4e9), ("step200", 200, None), ("step1000", 1000, None)
    ]  # fmt: skip
    assert matching[0].weights.content == "org/model@commit-of-step3-tokens4B"
    with pytest.raises(SweepError, match=r"none of its 4 revisions matches 'epoch\*'; it has main, step1000"):
        checkpoints.revisions("org/model", "epoch*")


@pytest.mark.slow
def test_a_task_that_needs_what_the_model_has_not_is_listed(run, tmp_path):
    """Generation under a model without it: no second try, and the other tasks run."""
    from lm_eval.api.registry import register_model
    from lm_eval.models.huggingface import HFLM

    @register_model("hf-without-generation")
    class WithoutGeneration(HFLM):
        def generate_until(self, *_, **__):
            raise NotImplementedError("this model writes nothing")

    settings = replace(SETTINGS, model="hf-without-generation")
    home, made, _ = planned(tmp_path, run / "step_100", settings=settings, retries=2)
    assert worker(home, made).run() == 2
    (line,) = [line for line in status.of_plan(home, made) if line.state.status == "failed"]
    assert (line.cell.task, line.state.attempt) == ("ifeval_pt", 1)
    assert "this model writes nothing (unsupported;" in status.reason(line)


@pytest.mark.slow
def test_an_unknown_task_is_named_with_what_was_meant(run, tmp_path):
    """Before anything is started."""
    arguments = ["sweep", str(run), "--tasks", "arc_challange_poly_pt", "--output", str(tmp_path / "sweep"), *OPTIONS]
    told = CliRunner().invoke(main, arguments)
    assert told.exit_code == 2
    assert "did you mean arc_challenge_poly_pt" in told.stderr


def test_what_is_left_is_estimated_from_what_is_done(tmp_path):
    """A task takes what it took, without the start of a worker; one that nobody knows, what the others take."""

    def line(step, task, seconds=None, state="missing"):
        folder = tmp_path / f"{task}-{step}"
        if seconds is not None:
            folder.mkdir()
            (folder / CELL).write_text(json.dumps({"task": task, "seconds": seconds}), encoding="utf-8")
        cell = plan.Cell(Checkpoint("run", f"step_{step}", "", step=step), task, {"weights": step})
        return status.CellStatus(cell, State(state, result=None if seconds is None else folder))

    done = [line(1, "a", 60.0, "done"), line(2, "a", 4.0, "done"), line(1, "b", 10.0, "done")]
    left = [line(3, "a"), line(2, "b", state="running"), line(1, "c"), line(9, "a", state="failed")]
    assert status.seconds_left([*done, *left], 2) == (4 + 10 + 4) / 2
    assert status.seconds_left(left, 2) is None


def test_bits_per_byte_that_jump_are_pointed_at(run, tmp_path):
    """A checkpoint whose weights were loaded wrong says so itself."""
    cells = {10: 3.0, 20: 2.5, 30: 7.9, 40: 2.2}
    lines = []
    for step, value in cells.items():
        folder = tmp_path / str(step)
        folder.mkdir()
        (folder / CELL).write_text(json.dumps({"bits_per_byte": value}))
        cell = plan.Cell(Checkpoint("run", f"step_{step}", "", step=step), "t", {})
        lines.append(status.CellStatus(cell, State("done", result=folder)))
    (said,) = status.suspicious(lines)
    assert said.startswith("run/step_30: 7.90 bits per byte of the fixed text, its neighbours 2.50 and 2.20")
