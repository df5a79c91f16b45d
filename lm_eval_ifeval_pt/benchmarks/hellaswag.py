"""HellaSwag: how a described scene goes on."""

from __future__ import annotations

import re

from lm_eval_ifeval_pt.benchmarks.benchmark import TUCANO2, Benchmark, Rows, Shots
from lm_eval_ifeval_pt.benchmarks.choices import cloze, index, lettered
from lm_eval_ifeval_pt.benchmarks.docs import Row

_MARK = re.compile(r"\[.*?\]")


def clean(text: str) -> str:
    """The text without the marks that WikiHow pages left in it: `[title]` ends a sentence, the others go."""
    return _MARK.sub("", text.strip().replace(" [title]", ". ")).replace("  ", " ")


def _options(row: Row) -> list[str]:
    return [clean(ending) for ending in row["endings"]]


def _gold(row: Row) -> int | None:
    return index(row["label"], len(row["endings"]))


# The same cleaning, in the words of Jinja.
_CLEAN = r"strip()|replace(' [title]', '. ')|regex_replace('\\[.*?\\]', '')|replace('  ', ' ')"
_HIDDEN = f"{{{{(activity_label ~ ': ' ~ ctx_a ~ ' ' ~ ctx_b.capitalize()).{_CLEAN}}}}}"
_SHOWN = f"""\
{_HIDDEN}
{{% for text in endings %}}{{{{'ABCD'[loop.index0]}}}}. {{{{text.{_CLEAN}}}}}
{{% endfor %}}Resposta:"""

HELLASWAG = Benchmark(
    rows=Rows("Polygl0t/Hellaswag-poly", licence="CC BY-NC 4.0 (translation by Okapi)", name="pt", test="validation"),
    chance=1 / 4,
    shots=Shots(5, split="validation"),
    formats=(
        cloze("hellaswag_poly_pt", _HIDDEN, _options, _gold),
        lettered("hellaswag_poly_pt_mcf", _SHOWN, _options, _gold),
    ),
    source=TUCANO2,
    suite="easy",
)

cf, mcf = HELLASWAG.tasks
docs, process_results = cf.docs, cf.process_results
docs_mcf, process_results_mcf = mcf.docs, mcf.process_results
