"""Output folders as the harness writes them, of models that answer with given texts: for tests of what comes after."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt import ifeval
from lm_eval_ifeval_pt.contamination.findings import Findings, Seen
from lm_eval_ifeval_pt.ifeval.metrics import Outcomes

DATE = "2026-01-02T03-04-05.678901"
ANSWERS = Path(__file__).parent / "data/ifeval_pt_answers.jsonl"

Answerer = Callable[[Mapping[str, Any]], str]


def write(folder: Path, model: str, answer: Answerer, documents: int | None = None) -> Path:
    """The output folder of one model on ifeval_pt.

    Args:
        folder: Where to put it.
        model: The model's name.
        answer: What it answers to a document.
        documents: How many of the 308 documents; by default all.
    """
    found = list(ifeval.load_dataset()["test"])[:documents]
    rows = [_row(number, doc, answer(doc)) for number, doc in enumerate(found)]
    names = [name for name in rows[0] if name.endswith("_acc") or name == "npm"]
    inside = folder / model.replace("/", "__")
    inside.mkdir(parents=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (inside / f"samples_ifeval_pt_{DATE}.jsonl").write_text(lines, encoding="utf-8")
    result = {
        "results": {"ifeval_pt": {"alias": "ifeval_pt", **{f"{name},none": _rate(rows, name) for name in names}}},
        "group_subtasks": {},
        "configs": {"ifeval_pt": {"task": "ifeval_pt", "metadata": {"dialect": "ifeval_pt", "source": "bundled"},
                                  "generation_kwargs": {"do_sample": False, "temperature": 0.0, "max_gen_toks": 256}}},
        "versions": {"ifeval_pt": 1.0},
        "n-shot": {"ifeval_pt": 0},
        "higher_is_better": {"ifeval_pt": dict.fromkeys(names, True)},
        "n-samples": {"ifeval_pt": {"original": 308, "effective": len(rows)}},
        "config": {"model": "hf", "model_args": {"pretrained": model}, "limit": None, "bootstrap_iters": 100000},
        "date": 1767323045.678901,
        "lm_eval_version": "0.4.13",
        "model_name": model,
    }  # fmt: skip
    (inside / f"results_{DATE}.json").write_text(json.dumps(result), encoding="utf-8")
    return inside


def _row(number: int, doc: dict[str, Any], answer: str) -> dict[str, Any]:
    metrics = ifeval.process_results(doc, [answer])
    prompt = doc["prompt"]
    return {
        "doc_id": number, "doc": doc, "target": "0", "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {}}},
        "resps": [[answer]], "filtered_resps": [answer], "filter": "none", "metrics": list(metrics),
        "doc_hash": f"{number:064x}", "prompt_hash": f"{number + 1000:064x}", "target_hash": f"{0:064x}", **metrics,
    }  # fmt: skip


def _rate(rows: list[dict[str, Any]], name: str) -> float:
    values = [row[name] for row in rows]
    flat = [one for value in values for one in value] if isinstance(values[0], Outcomes) else values
    return sum(flat) / max(len(flat), 1)


def parrot(doc: Mapping[str, Any]) -> str:
    """Always the same short answer: passive restrictions are met by accident."""
    return "A reciclagem reaproveita materiais."


def careful(share: float, seed: int) -> Answerer:
    """An answer that follows, to about that share of the documents; another document's answer to the others."""
    kept = [json.loads(line) for line in ANSWERS.read_text(encoding="utf-8").splitlines()]
    right = {key: row["response"] for row in kept if row["followed"] for key in row["keys"]}
    generator = random.Random(seed)

    def answer(doc: Mapping[str, Any]) -> str:
        if doc["key"] in right and generator.random() < share:
            return str(right[doc["key"]])
        return str(generator.choice(kept)["response"])

    return answer


def three(folder: Path) -> Path:
    """Three models on all of ifeval_pt: one that answers well, one half as well, and a parrot."""
    write(folder, "acme/alfa-7b", careful(0.95, seed=1))
    write(folder, "acme/beta-2b", careful(0.4, seed=2))
    write(folder, "acme/papagaio", parrot)
    return folder


def wide(folder: Path) -> Path:
    """Three models on all of ifeval_pt, whose long names differ in the middle."""
    for name, answer in (("alfa", careful(0.95, seed=1)), ("beta", careful(0.4, seed=2)), ("gama", parrot)):
        write(folder, f"uma-organizacao-de-nome-bem-comprido/modelo-{name}-instruct-7b-v1.0", answer)
    return folder


MODELS = [f"uma-organizacao-de-nome-bem-comprido/modelo-variante-{name}-instruct-7b-v1.0" for name in "abcdef"]
TASKS = {"enem_pt": 5, "oab_pt": 4, "tarefa_de_nome_muito_muito_comprido_pt": 3, "perguntas_abertas_pt": 0}
DOCUMENTS = 12


def _chosen(task: str, number: int, options: int, is_right: bool) -> dict[str, Any]:
    """A row of a sample file: an option chosen by its log-likelihood, or an answer of one letter."""
    subject = ("história", "biologia")[number % 2]
    doc = {"id": f"{task} {number}", "question": f"Pergunta {number} de {task}?", "subject": subject}
    key = number % options if options else 0
    row = {"doc_id": number, "doc": doc, "doc_hash": f"{task}{number}", "filter": "none", "acc": float(is_right)}
    if not options:
        answer = f"A resposta é {'certa' if is_right else 'errada'}."
        asked = {"arguments": [[doc["question"], {}]], "resps": [[answer]], "filtered_resps": [answer]}
        return row | asked | {"target": "A resposta é certa."}
    chosen = key if is_right else (key + 1) % options
    return row | {
        "target": str(key),
        "arguments": [[doc["question"], f" {letter}"] for letter in "ABCDE"[:options]],
        "resps": [[[str(-2.0 + (option == chosen)), "False"]] for option in range(options)],
        "filtered_resps": [],
    }


def many(folder: Path) -> Path:
    """Six models of long names at three steps each on four tasks: three of options, one of written answers."""
    chance = random.Random(0)
    for position, model in enumerate(MODELS):
        for step in (1000, 2000, 3000):
            inside = folder / model.replace("/", "__") / f"step_{step}"
            inside.mkdir(parents=True)
            rights = {task: [chance.random() < 0.3 + 0.1 * position for _ in range(DOCUMENTS)] for task in TASKS}
            for task, options in TASKS.items():
                rows = (_chosen(task, number, options, right) for number, right in enumerate(rights[task]))
                text = "".join(json.dumps(row) + "\n" for row in rows)
                (inside / f"samples_{task}_{DATE}.jsonl").write_text(text, encoding="utf-8")
            scores = {
                task: {"alias": task, "acc,none": sum(right) / DOCUMENTS, "acc_stderr,none": 0.1}
                for task, right in rights.items()
            }
            result = {
                "results": scores,
                "configs": {task: {"task": task} for task in TASKS},
                "n-samples": {task: {"original": DOCUMENTS, "effective": DOCUMENTS} for task in TASKS},
                "config": {"model": "hf", "model_args": {"pretrained": f"{model}/step_{step}"}},
                "model_name": f"{model}/step_{step}",
            }
            (inside / f"results_{DATE}.json").write_text(json.dumps(result), encoding="utf-8")
    return folder


def seen(task: str) -> Findings:
    """What a scan found of one task of `many`: none of the first question, more of each further one."""
    parts = [
        Seen(task, number, "question", 20, True, number / DOCUMENTS, 0.5, 19, None, number, "c.jsonl", 1, 0, "hash", "")
        for number in range(DOCUMENTS)
    ]
    names = ("without_text", "unreadable", "other_encoding", "documents", "bytes", "files", "common_runs")
    counts = dict.fromkeys(names, 0)
    return Findings(tuple(parts), (), {"ngram": 8, "tasks": [task], "settings": {}, "left_out": [], **counts})
