"""The one reader of what the harness writes: results_*.json and samples_*.jsonl, to a typed item table.

    read(paths)         ->  Reading(runs, notes)
                       Run: one model on one task      .model .task .items .filters .metrics …
                         Item: one answered document under one filter      .metrics .responses .instructions …
                           Instruction: one verified restriction      .restriction .kind .strict .loose
    read_scores(paths)  ->  Scores(scores, notes)
                              TaskScore: what one file says of one task      .model .task .measures .protocol …
"""

from __future__ import annotations

from lm_eval_ifeval_pt.constraints.registry import instruction_name
from lm_eval_ifeval_pt.results.cache import without_collection
from lm_eval_ifeval_pt.results.chat import asked_of
from lm_eval_ifeval_pt.results.errors import ResultsError
from lm_eval_ifeval_pt.results.files import SampleFile, result_files, sample_files
from lm_eval_ifeval_pt.results.reader import Reading, Scores, read, read_scores, scores_in
from lm_eval_ifeval_pt.results.records import (
    Choice,
    DocumentCount,
    Identity,
    Instruction,
    Item,
    Measure,
    Run,
    TaskScore,
    Value,
    by_identity,
)

__all__ = [
    "Choice",
    "DocumentCount",
    "Identity",
    "Instruction",
    "Item",
    "Measure",
    "Reading",
    "ResultsError",
    "Run",
    "SampleFile",
    "Scores",
    "TaskScore",
    "Value",
    "asked_of",
    "by_identity",
    "instruction_name",
    "read",
    "read_scores",
    "result_files",
    "sample_files",
    "scores_in",
    "without_collection",
]
