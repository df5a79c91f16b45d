"""OAB: the bar exam."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.benchmarks import exams
from lm_eval_ifeval_pt.benchmarks.benchmark import Benchmark, Rows

EXAM = exams.Exam(
    about=(
        "As perguntas a seguir são questões de múltipla escolha do Exame de Ordem da Ordem dos Advogados do Brasil "
        "(OAB)"
    ),
    word="Questão",
    letters="ABCD",
    shots=("2010-01_1", "2010-01_11", "2010-01_13"),
    unscored=(
        *("2010-01_23", "2010-01_26", "2010-01_28", "2010-01_38", "2010-01_48", "2010-01_58"),
        *("2010-01_68", "2010-01_76", "2010-01_83", "2010-01_85", "2010-01_91", "2010-01_99"),
    ),
    max_gen_toks=32,
)

read_letters = partial(exams.read_letters, EXAM)

OAB = Benchmark(
    rows=Rows("eduagarcia/oab_exams", licence="public exams; licence of the data set not stated", test="train"),
    chance=1 / 4,
    shots=exams.SHOTS,
    formats=exams.formats("oab_exams", EXAM, read_letters),
    source=exams.SOURCE,
    suite="hard",
)

written, cf, mcf = OAB.tasks
docs, shots, process_results = written.docs, written.pool, written.process_results
docs_cf, shots_cf, process_results_cf = cf.docs, cf.pool, cf.process_results
docs_mcf, shots_mcf, process_results_mcf = mcf.docs, mcf.pool, mcf.process_results
