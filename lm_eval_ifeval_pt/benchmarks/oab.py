"""OAB: the bar exam."""

from __future__ import annotations

from functools import partial

from lm_eval_ifeval_pt.benchmarks import choices, exams

EXAM = exams.Exam(
    word="Questão",
    letters="ABCD",
    shots=("2010-01_1", "2010-01_11", "2010-01_13"),
    unscored=(
        *("2010-01_23", "2010-01_26", "2010-01_28", "2010-01_38", "2010-01_48", "2010-01_58"),
        *("2010-01_68", "2010-01_76", "2010-01_83", "2010-01_85", "2010-01_91", "2010-01_99"),
    ),
)

docs = partial(exams.scored, EXAM, exams.generative)
docs_cf = partial(exams.scored, EXAM, exams.cf)
docs_mcf = partial(exams.scored, EXAM, exams.mcf)

shots = partial(exams.pool, EXAM, exams.generative)
shots_cf = partial(exams.pool, EXAM, exams.cf)
shots_mcf = partial(exams.pool, EXAM, exams.mcf)

read_letters = partial(exams.read_letters, EXAM)

process_results = exams.scorer("oab_exams")
process_results_cf = choices.scorer("oab_exams_cf")
process_results_mcf = choices.scorer("oab_exams_mcf")
