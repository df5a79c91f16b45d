"""The one reader of what the harness writes: results_*.json and samples_*.jsonl, to a typed item table.

    read(paths)  ->  Reading(runs, notes)
                       Run: one model on one task      .model .task .items .filters .metrics …
                         Item: one answered document under one filter      .metrics .responses .instructions …
                           Instruction: one verified restriction      .restriction .kind .strict .loose
"""

from __future__ import annotations

from lm_eval_ifeval_pt.constraints.registry import instruction_name
from lm_eval_ifeval_pt.results.errors import ResultsError
from lm_eval_ifeval_pt.results.files import SampleFile, result_files, sample_files
from lm_eval_ifeval_pt.results.reader import Reading, read
from lm_eval_ifeval_pt.results.records import Choice, Instruction, Item, Run, Value

__all__ = [
    "Choice",
    "Instruction",
    "Item",
    "Reading",
    "ResultsError",
    "Run",
    "SampleFile",
    "Value",
    "instruction_name",
    "read",
    "result_files",
    "sample_files",
]
