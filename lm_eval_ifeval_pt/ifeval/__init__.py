"""IFEval in Portuguese: where the rows come from, how an answer is scored, what differs between the data sets.

The task definitions name `load_dataset` and `process_results`.
"""

from lm_eval_ifeval_pt.ifeval.task import load_dataset, process_results

__all__ = ["load_dataset", "process_results"]
