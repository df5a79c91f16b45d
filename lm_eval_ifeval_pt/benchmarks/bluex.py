"""BLUEX: entrance exams of UNICAMP (4 options) and USP (5 options), questions without images."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.benchmarks import choices, exams

EXAM = exams.Exam(
    word="Pergunta",
    letters="ABCDE",
    shots=("USP_2018_3", "UNICAMP_2018_2", "USP_2018_35"),
    unscored=("UNICAMP_2018_16", "USP_2018_89"),
)

docs = partial(exams.scored, EXAM, exams.generative)
docs_cf = partial(exams.scored, EXAM, exams.cf)
docs_mcf = partial(exams.scored, EXAM, exams.mcf)

shots = partial(exams.pool, EXAM, exams.generative)
shots_cf = partial(exams.pool, EXAM, exams.cf)
shots_mcf = partial(exams.pool, EXAM, exams.mcf)

read_letters = partial(exams.read_letters, EXAM)

process_results = exams.scorer("bluex")
process_results_cf = choices.scorer("bluex_cf")
process_results_mcf = choices.scorer("bluex_mcf")
