"""ENEM: the national exam at the end of secondary school."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.benchmarks import choices, exams

EXAM = exams.Exam(
    word="Pergunta",
    letters="ABCDE",
    shots=("2022_21", "2022_88", "2022_143"),
)

docs = partial(exams.scored, EXAM, exams.generative)
docs_cf = partial(exams.scored, EXAM, exams.cf)
docs_mcf = partial(exams.scored, EXAM, exams.mcf)

shots = partial(exams.pool, EXAM, exams.generative)
shots_cf = partial(exams.pool, EXAM, exams.cf)
shots_mcf = partial(exams.pool, EXAM, exams.mcf)

read_letters = partial(exams.read_letters, EXAM)

process_results = exams.scorer("enem")
process_results_cf = choices.scorer("enem_cf")
process_results_mcf = choices.scorer("enem_mcf")
