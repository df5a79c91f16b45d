"""BLUEX: entrance exams of UNICAMP (4 options) and USP (5 options), questions without images."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.benchmarks import exams
from lm_eval_ifeval_pt.benchmarks.benchmark import Benchmark, Rows

EXAM = exams.Exam(
    about=(
        "As perguntas a seguir são questões de múltipla escolha de provas de vestibular de universidades brasileiras"
    ),
    word="Pergunta",
    letters="ABCDE",
    shots=("USP_2018_3", "UNICAMP_2018_2", "USP_2018_35"),
    unscored=("UNICAMP_2018_16", "USP_2018_89"),
)

read_letters = partial(exams.read_letters, EXAM)

BLUEX = Benchmark(
    rows=Rows(
        "eduagarcia-temp/BLUEX_without_images",
        licence="public exams; licence of the data set not stated",
        test="train",
    ),
    chance=(1 / 4 + 1 / 5) / 2,  # half of its exams offer 4 options, the other half 5
    shots=exams.SHOTS,
    formats=exams.formats("bluex", EXAM, read_letters),
    source=exams.SOURCE,
    suite="hard",
)

written, cf, mcf = BLUEX.tasks
docs, shots, process_results = written.docs, written.pool, written.process_results
docs_cf, shots_cf, process_results_cf = cf.docs, cf.pool, cf.process_results
docs_mcf, shots_mcf, process_results_mcf = mcf.docs, mcf.pool, mcf.process_results
