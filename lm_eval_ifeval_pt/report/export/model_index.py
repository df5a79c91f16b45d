"""`model-index`: the results in the metadata of a model card on the Hugging Face Hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_ifeval_pt.ifeval.sources import SOURCES
from lm_eval_ifeval_pt.results import ResultsError, Run, origin

_URL = "https://github.com/EleutherAI/lm-evaluation-harness"


def model_index(runs: Sequence[Run]) -> str:
    """The `model-index` of some models, as YAML to put between the `---` of a README.md.

    A run on a part of a task says so in the name of the data set, which the Hub shows, and in `args`.

    Args:
        runs: Their runs; those without a result file have no scores.

    Raises:
        ResultsError: no run has scores.
    """
    import yaml
    from huggingface_hub.repocard_data import eval_results_to_model_index

    by_model: dict[str, list[Any]] = {}
    for run in runs:
        if run.measures:
            by_model.setdefault(run.model, []).extend(_results(run))
    if not by_model:
        raise ResultsError("no result file goes with the samples, so no score to export")
    entries = [
        entry
        for model, results in by_model.items()
        for entry in eval_results_to_model_index(_name(model), results)
    ]
    return str(yaml.safe_dump({"model-index": entries}, allow_unicode=True, sort_keys=False, width=120))


def _name(model: str) -> str:
    return model.rstrip("/").rsplit("/", 1)[-1]


def _results(run: Run) -> list[Any]:
    from huggingface_hub import EvalResult

    result = origin.parse(run.result) if run.result else {}
    config = origin.mapping(origin.of_task(result, "configs", run.task))
    shots = {"num_few_shot": run.settings["n-shot"]} if "n-shot" in run.settings else {}
    part = {"only": run.part} if run.part else {}
    return [
        EvalResult(
            task_type="text-generation",
            dataset_type=_dataset(config, run.task),
            dataset_name=f"{run.task} (only {run.part})" if run.part else run.task,
            dataset_config=config.get("dataset_name"),
            dataset_split=config.get("test_split") or config.get("validation_split"),
            dataset_args=(shots | part) or None,
            metric_type=name.partition(",")[0],
            metric_name=name.removesuffix(",none"),
            metric_value=measure.value,
            metric_args=None if measure.stderr is None else {"stderr": measure.stderr},
            source_name="lm-evaluation-harness with lm_eval_ifeval_pt",
            source_url=_URL,
        )
        for name, measure in run.measures.items()
        if name not in ("sample_len",)
    ]


def _dataset(config: Mapping[str, Any], task: str) -> str:
    """The Hub id of a task's rows; the task's name where none is known."""
    metadata = config.get("metadata") if isinstance(config.get("metadata"), dict) else {}
    name, source = (metadata or {}).get("dataset", task), (metadata or {}).get("source")
    if source == "hub" and name in SOURCES:
        return SOURCES[name].place
    return str(config.get("dataset_path") or task)
