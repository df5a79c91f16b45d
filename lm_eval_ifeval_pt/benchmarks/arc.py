"""ARC-Challenge. Questions have 3 to 5 options, labelled with letters or digits."""

from __future__ import annotations

from lm_eval_ifeval_pt.benchmarks.benchmark import TUCANO2, Benchmark, Rows, Shots
from lm_eval_ifeval_pt.benchmarks.choices import cloze, lettered, position
from lm_eval_ifeval_pt.benchmarks.docs import Row


def _options(row: Row) -> list[str]:
    return list(row["choices"]["text"])


def _gold(row: Row) -> int | None:
    return position(row["answerKey"], row["choices"]["label"])


# The options are named by letters, whatever their labels.
_SHOWN = """\
Question: {{question}}
{% for text in choices.text %}{{'ABCDE'[loop.index0]}}. {{text}}
{% endfor %}Answer:"""

ARC = Benchmark(
    rows=Rows(
        "Polygl0t/ARC-poly",
        licence="CC BY-NC 4.0 (translation by Okapi)",
        name="pt",
        validation="validation",
        training="train",
    ),
    chance=1 / 4,
    shots=Shots(5, split="train"),
    formats=(
        cloze("arc_challenge_poly_pt", "Question: {{question}}\nAnswer:", _options, _gold),
        lettered("arc_challenge_poly_pt_mcf", _SHOWN, _options, _gold),
    ),
    source=TUCANO2,
    suite="easy",
)

cf, mcf = ARC.tasks
docs, process_results = cf.docs, cf.process_results
docs_mcf, process_results_mcf = mcf.docs, mcf.process_results
