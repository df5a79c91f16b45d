"""Global PIQA: which of two solutions goes with the prompt."""

from __future__ import annotations

from lm_eval_ifeval_pt.benchmarks.benchmark import DRAWN_BUT_FOR_ITSELF, TUCANO2, Benchmark, Rows, Shots
from lm_eval_ifeval_pt.benchmarks.choices import cloze, index, lettered
from lm_eval_ifeval_pt.benchmarks.docs import Row


def _options(row: Row) -> list[str]:
    return [row["solution0"], row["solution1"]]


def _gold(row: Row) -> int | None:
    return index(row["label"], 2)


_METRICS = ("acc", "acc_norm", "acc_bytes")
_SHOWN = """\
{{prompt}}
A. {{solution0}}
B. {{solution1}}
Resposta:"""

GLOBAL_PIQA = Benchmark(
    rows=Rows(
        "mrlbenchmarks/global-piqa-nonparallel",
        licence="CC BY-SA 4.0; not to be used for training",
        name="por_latn_braz",
    ),
    chance=1 / 2,
    shots=Shots(5, split="test", sampler="LeakFree", about=DRAWN_BUT_FOR_ITSELF),
    formats=(
        cloze("global_piqa_pt_br", "{{prompt}}", _options, _gold, _METRICS),
        lettered("global_piqa_pt_br_mcf", _SHOWN, _options, _gold, _METRICS),
    ),
    source=TUCANO2,
    suite="easy",
)

cf, mcf = GLOBAL_PIQA.tasks
docs, process_results = cf.docs, cf.process_results
docs_mcf, process_results_mcf = mcf.docs, mcf.process_results
