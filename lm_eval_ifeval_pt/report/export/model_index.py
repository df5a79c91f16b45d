"""`model-index`: the results in the metadata of a model card on the Hugging Face Hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_ifeval_pt.ifeval.sources import SOURCES
from lm_eval_ifeval_pt.results import Run, origin
from lm_eval_ifeval_pt.results.scores import TaskScore

_URL = "https://github.com/EleutherAI/lm-evaluation-harness"


def model_index(scores: Sequence[TaskScore], runs: Sequence[Run] = ()) -> str:
    """The `model-index` of some models, as YAML to put between the `---` of a README.md.

    Args:
        scores: Their task scores.
        runs: Their runs, which know few-shot counts and, through the result file, the data sets.
    """
    import yaml
    from huggingface_hub.repocard_data import eval_results_to_model_index

    by_model: dict[str, list[TaskScore]] = {}
    for score in scores:
        by_model.setdefault(score.model, []).append(score)
    known = {(run.result, run.task): run for run in runs}
    entries = [
        entry
        for model, found in by_model.items()
        for entry in eval_results_to_model_index(
            _name(model),
            [one for score in found for one in _results(score, known.get((score.path, score.task)))],
        )
    ]
    return str(yaml.safe_dump({"model-index": entries}, allow_unicode=True, sort_keys=False, width=120))


def _name(model: str) -> str:
    return model.rstrip("/").rsplit("/", 1)[-1]


def _results(score: TaskScore, run: Run | None) -> list[Any]:
    from huggingface_hub import EvalResult

    config = origin.mapping(origin.mapping(origin.parse(score.path).get("configs")).get(score.task))
    arguments = {"num_few_shot": run.settings["n-shot"]} if run and "n-shot" in run.settings else None
    return [
        EvalResult(
            task_type="text-generation",
            dataset_type=_dataset(config, score.task),
            dataset_name=score.task,
            dataset_config=config.get("dataset_name"),
            dataset_split=config.get("test_split") or config.get("validation_split"),
            dataset_args=arguments,
            metric_type=name.partition(",")[0],
            metric_name=name.removesuffix(",none"),
            metric_value=measure.value,
            metric_args=None if measure.stderr is None else {"stderr": measure.stderr},
            source_name="lm-evaluation-harness with lm_eval_ifeval_pt",
            source_url=_URL,
        )
        for name, measure in score.measures.items()
        if name not in ("sample_len",)
    ]


def _dataset(config: Mapping[str, Any], task: str) -> str:
    """The Hub id of a task's rows; the task's name where none is known."""
    metadata = config.get("metadata") if isinstance(config.get("metadata"), dict) else {}
    name, source = (metadata or {}).get("dataset", task), (metadata or {}).get("source")
    if source == "hub" and name in SOURCES:
        return SOURCES[name].place
    return str(config.get("dataset_path") or task)
