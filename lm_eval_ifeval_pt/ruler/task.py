"""The two functions that RULER's task definitions name."""

from lm_eval_ifeval_pt.benchmarks.ruler.task import load_dataset, process_results

__all__ = ["load_dataset", "process_results"]
