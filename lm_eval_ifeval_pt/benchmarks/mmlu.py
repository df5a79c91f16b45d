"""MMLU. Every question, of whatever subject, gets the same 5 shots, and no line names the subject."""

from __future__ import annotations

from lm_eval_ifeval_pt.benchmarks.benchmark import TUCANO2, Benchmark, Rows, Shots
from lm_eval_ifeval_pt.benchmarks.choices import cloze, index, lettered, letters, position
from lm_eval_ifeval_pt.benchmarks.docs import Row


def _options(row: Row) -> list[str]:
    return list(row["choices"])


def _gold(row: Row) -> int | None:
    """The key is a letter or, in other editions of the data set, a position."""
    options = row["choices"]
    letter = position(row["answer"], letters(options))
    return index(row["answer"], len(options)) if letter is None else letter


_SHOWN = """\
{{question.strip()}}
A. {{choices[0]}}
B. {{choices[1]}}
C. {{choices[2]}}
D. {{choices[3]}}
Answer:"""

MMLU = Benchmark(
    rows=Rows("Polygl0t/MMLU-poly", licence="CC BY-NC 4.0 (translation by Okapi)", name="pt"),
    chance=1 / 4,
    shots=Shots(5, split="dev", sampler="first_n"),
    formats=(
        lettered("mmlu_poly_pt", _SHOWN, _options, _gold),
        cloze("mmlu_poly_pt_cf", "{{question.strip()}}\nAnswer:", _options, _gold),
    ),
    source=TUCANO2,
    suite="hard",
)

mcf, cf = MMLU.tasks
docs, process_results = mcf.docs, mcf.process_results
docs_cf, process_results_cf = cf.docs, cf.process_results
