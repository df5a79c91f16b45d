"""IFEval in Portuguese: where the rows come from, how an answer is scored, what differs between the data sets.

The task definitions name `load_dataset` and `process_results`. They need every verifier and are imported when they are
asked for, so that what only reads results starts without them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lm_eval_ifeval_pt.ifeval.task import load_dataset, process_results

__all__ = ["load_dataset", "process_results"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lm_eval_ifeval_pt.ifeval import task

    return getattr(task, name)
