"""ENEM: the national exam at the end of secondary school."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.benchmarks import exams
from lm_eval_ifeval_pt.benchmarks.benchmark import Benchmark, Rows

EXAM = exams.Exam(
    about="As perguntas a seguir são questões de múltipla escolha do Exame Nacional do Ensino Médio (ENEM)",
    word="Pergunta",
    letters="ABCDE",
    shots=("2022_21", "2022_88", "2022_143"),
)

read_letters = partial(exams.read_letters, EXAM)

ENEM = Benchmark(
    rows=Rows("eduagarcia/enem_challenge", licence="public exams; licence of the data set not stated", test="train"),
    chance=1 / 5,
    shots=exams.SHOTS,
    formats=exams.formats("enem", EXAM, read_letters),
    source=exams.SOURCE,
    suite="hard",
)

written, cf, mcf = ENEM.tasks
docs, shots, process_results = written.docs, written.pool, written.process_results
docs_cf, shots_cf, process_results_cf = cf.docs, cf.pool, cf.process_results
docs_mcf, shots_mcf, process_results_mcf = mcf.docs, mcf.pool, mcf.process_results
