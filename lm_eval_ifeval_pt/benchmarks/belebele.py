"""Belebele: questions on a passage, with 4 options."""

from __future__ import annotations

from dataclasses import replace

from lm_eval_ifeval_pt.benchmarks.benchmark import TUCANO2, Benchmark, Rows, Shots
from lm_eval_ifeval_pt.benchmarks.choices import cloze, lettered, position
from lm_eval_ifeval_pt.benchmarks.docs import Row

_NUMBERS = ("1", "2", "3", "4")


def _options(row: Row) -> list[str]:
    return [row[f"mc_answer{number}"] for number in _NUMBERS]


def _gold(row: Row) -> int | None:
    return position(str(row["correct_answer_num"]), _NUMBERS)


_HIDDEN = """\
P: {{flores_passage}}
Q: {{question.strip()}}
Answer:"""
_SHOWN = """\
P: {{flores_passage}}
Q: {{question.strip()}}
A: {{mc_answer1}}
B: {{mc_answer2}}
C: {{mc_answer3}}
D: {{mc_answer4}}
Answer:"""

BELEBELE = Benchmark(
    rows=Rows("facebook/belebele", licence="CC BY-SA 4.0", name="por_Latn"),
    chance=1 / 4,
    shots=Shots(5, split="test", sampler="FirstOthers"),
    formats=(
        # acc_norm as published, though it is acc where every option is one letter
        replace(lettered("belebele_pt", _SHOWN, _options, _gold), metric="acc_norm"),
        cloze("belebele_pt_cf", _HIDDEN, _options, _gold),
    ),
    source=TUCANO2,
    suite="hard",
)

mcf, cf = BELEBELE.tasks
docs, process_results = mcf.docs, mcf.process_results
docs_cf, process_results_cf = cf.docs, cf.process_results
