"""The metrics as the harness calls them: what `metric: !function lm_eval_ifeval_pt.grading.harness.token_f1` names.

    metric_list:
      - metric: !function lm_eval_ifeval_pt.grading.harness.token_f1
        aggregation: mean
        higher_is_better: true
        ignore_accents: true
      - metric: !function lm_eval_ifeval_pt.grading.harness.macro_f1
        aggregation: !function lm_eval_ifeval_pt.grading.harness.over_all_macro_f1
        higher_is_better: true
        labels: [elogio, reclamação]

    filter_list:
      - name: all
        filter:
          - function: custom
            filter_fn: !function lm_eval_ifeval_pt.grading.harness.keep_all

Options are those of the grader. Where a filter keeps all repeats of a document (`keep_all`), a score is the mean of
theirs, and `consistency` says how often they are the same words. With `_pass` behind its name a metric is 1 where the
score reaches the option `threshold` (`token_f1_pass`), so that its mean is the pass rate. Of a list of targets the
harness itself makes 1 wherever any score is above 0: right for `exact_match` and `contains` alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from lm_eval_ifeval_pt.benchmarks.gsm8k import keep_all as keep_all
from lm_eval_ifeval_pt.grading import labels, scores, similarity
from lm_eval_ifeval_pt.grading.builtins import BUILTINS, Grader, builtin
from lm_eval_ifeval_pt.grading.repeats import same_answers

Scored = Callable[..., float]


def _metric(id: str, name: str | None = None, passes: bool = False) -> Scored:
    """One metric of a grader, its first where none is named, or whether that passes, as the harness calls it."""

    def score(references: Sequence[Any], predictions: Sequence[Any], **options: Any) -> float:
        grader = _grader(id, json.dumps(options, sort_keys=True))
        metric = (name or grader.metrics[0]) + ("_pass" if passes else "")
        target, output = str(references[0]), predictions[0]
        if isinstance(output, str):
            return grader(output, target, {})[metric]
        of_repeats = [grader(repeated, target, {})[metric] for repeated in output]
        return sum(of_repeats) / len(of_repeats)

    score.__name__ = score.__qualname__ = (name or id) + ("_pass" if passes else "")
    score.__doc__ = f"`{score.__name__}` of one answer; see docs/metrics.md."
    return score


def __getattr__(name: str) -> Scored:
    """`token_f1_pass` and its like."""
    id = name.removesuffix("_pass")
    if id == name or id not in BUILTINS:
        raise AttributeError(f"no metric {name}")
    return _metric(id, passes=True)


@lru_cache(maxsize=256)
def _grader(id: str, options: str) -> Grader:
    return builtin(id, **json.loads(options))


exact_match = _metric("exact_match")
contains = _metric("contains")
token_f1 = _metric("token_f1")
numeric = _metric("numeric")
numeric_unread = _metric("numeric", "numeric_unread")
label_accuracy = _metric("label", "label_accuracy")
label_unmatched = _metric("label", "label_unmatched")
macro_f1 = _metric("label", "macro_f1")
bleu = _metric("bleu")
chrf_plus_plus = _metric("chrf_plus_plus")
rouge_l = _metric("rouge_l")
json_valid = _metric("json_valid")
json_schema = _metric("json_schema")
constraint = _metric("constraint")

over_all_median = scores.median
over_all_std = scores.std
over_all_min = scores.least
over_all_max = scores.greatest
over_all_macro_f1 = labels.macro_f1
over_all_bleu = similarity.corpus_bleu
over_all_chrf_plus_plus = similarity.corpus_chrf_plus_plus


def consistency(references: Sequence[Any], predictions: Sequence[Any], **_options: Any) -> float:
    """The share of pairs of a document's repeats that are the same words; needs `keep_all`."""
    (outputs,) = predictions
    return same_answers(outputs)
