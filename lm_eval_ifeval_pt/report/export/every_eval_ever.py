"""The schema of every_eval_ever (https://github.com/evaleval/every_eval_ever), version 0.3.0.

One record per model and task, and one JSON line per answer and metric, in the folders of their data store:
`<task>/<developer>/<model>/<uuid>.json` and `<uuid>_samples.jsonl`.
"""

from __future__ import annotations

import hashlib
import json
import math
import uuid
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import regex

from lm_eval_ifeval_pt.analysis import restrictions
from lm_eval_ifeval_pt.results import Item, Measure, ResultsError, Run, origin

VERSION = "0.3.0"
Relationship = Literal["first_party", "third_party", "collaborative", "other"]

_ENGINES = {"hf": "transformers", "vllm": "vllm", "gguf": "llama.cpp"}
_SHARES = ("acc", "acc_norm", "acc_bytes", "exact_match", "f1", "pass@1")
Data = dict[str, Any]


def write(run: Run, folder: Path, retrieved: float, organization: str, relationship: Relationship) -> list[Path]:
    """Write the record of a run and its answers.

    Args:
        run: The run, with its result file.
        folder: The data store's folder, or a new one.
        retrieved: When, in seconds since 1970.
        organization: Who provides the data.
        relationship: Between whoever evaluated and the model.

    Returns:
        The record, and the file of answers.

    Raises:
        ResultsError: the run has no result file, or it does not hold the task.
        OSError: it cannot be written there.
    """
    if run.result is None:
        raise ResultsError(f"{run.path}: no result file goes with it")
    if not run.measures:
        raise ResultsError(f"{run.result}: no score of {run.task}")
    result = origin.parse(run.result)
    id = f"{run.task}/{run.model}/{int(retrieved)}"
    developer, model = _folders(run.model)
    name = str(uuid.UUID(bytes=hashlib.sha256(f"{id} {run.path.name}".encode()).digest()[:16], version=4))
    home = folder / _safe(run.task) / developer / model
    home.mkdir(parents=True, exist_ok=True)
    answers = home / f"{name}_samples.jsonl"
    record = _record(run, result, id, retrieved, organization, relationship)
    ids = {result["evaluation_result_id"] for result in record["evaluation_results"]}
    lines = "".join(json.dumps(row, allow_nan=False) + "\n" for row in _answers(run, id, ids))
    answers.write_text(lines, encoding="utf-8")
    record["detailed_evaluation_results"] = {
        "format": "jsonl",
        "file_path": f"data/{_safe(run.task)}/{developer}/{model}/{answers.name}",
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(lines.encode()).hexdigest(),
        "total_rows": lines.count("\n"),
    }
    file = home / f"{name}.json"
    file.write_text(json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    return [file, answers]


def _folders(model: str) -> tuple[str, str]:
    developer, _, name = model.rstrip("/").rpartition("/")
    return _safe(developer.rpartition("/")[2]) or "unknown", _safe(name)


def _safe(name: str) -> str:
    return regex.sub(r"[^\w.-]+", "_", name)


def _record(
    run: Run,
    result: Mapping[str, Any],
    id: str,
    retrieved: float,
    organization: str,
    relationship: Relationship,
) -> Data:
    date = result.get("date")
    when = {"evaluation_timestamp": str(int(date))} if isinstance(date, (int, float)) else {}
    return {
        "schema_version": VERSION,
        "evaluation_id": id,
        **when,
        "retrieved_timestamp": str(int(retrieved)),
        "source_metadata": {
            "source_name": "lm-evaluation-harness",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": relationship,
            "additional_details": {
                "exported_by": "lm_eval_ifeval_pt",
                **({"part_of_the_task": f"only {run.part}"} if run.part else {}),
            },
        },
        "eval_library": {"name": "lm_eval", "version": str(result.get("lm_eval_version") or "unknown")},
        "model_info": _model(run.model, result.get("config") or {}),
        "evaluation_results": [
            _result(run, name, measure, (result.get("configs") or {}).get(run.task) or {})
            for name, measure in run.measures.items()
            if name != "sample_len" and math.isfinite(measure.value)
        ],
    }


def _model(model: str, config: Mapping[str, Any]) -> Data:
    kind = str(config.get("model", ""))
    named = ("model_args", "model_num_parameters", "model_dtype", "model_revision", "model_sha")
    details = {name: _text(config[name]) for name in named if config.get(name)}
    return {
        "name": model,
        "id": model,
        "developer": _folders(model)[0],
        **({"inference_engine": {"name": _ENGINES[kind]}} if kind in _ENGINES else {}),
        "additional_details": {
            "deployment_type": "self_deployed" if kind in _ENGINES else "unknown",
            "model_availability": "unknown",
            **details,
        },
    }


def _result(run: Run, name: str, measure: Measure, config: Mapping[str, Any]) -> Data:
    metric, _, filter = name.partition(",")
    filter = filter or "none"
    uncertainty: Data = {"num_samples": len(run.under(filter)) or len(run.items)}
    if measure.stderr is not None:
        uncertainty["standard_error"] = {"value": measure.stderr, "method": "as lm_eval reports it"}
    if (interval := _interval(run, metric)) is not None:
        uncertainty["confidence_interval"] = interval
    return {
        "evaluation_result_id": _result_id(metric, filter),
        "evaluation_name": _name(run.task, filter),
        "source_data": _source(run.task, config),
        "metric_config": {
            "evaluation_description": _description(run, metric, filter),
            "metric_name": metric,
            "lower_is_better": run.higher_is_better.get(metric) is False,
            "score_type": "continuous",
            **_bounds(metric),
        },
        "score_details": {"score": measure.value, "uncertainty": uncertainty},
        **_generation(config),
    }


def _description(run: Run, metric: str, filter: str) -> str:
    notes = [*([f"filter: {filter}"] if filter != "none" else []), *([f"only {run.part}"] if run.part else [])]
    return f"{metric} ({'; '.join(notes)})" if notes else metric


def _interval(run: Run, metric: str) -> Data | None:
    """The clustered interval of a prompt-level metric of verified documents."""
    names = {"prompt_level_strict_acc": "prompt strict", "prompt_level_loose_acc": "prompt loose"}
    if metric not in names or not run.is_verified:
        return None
    levels = {level.name: level for level in restrictions.levels(run.under(run.filters[0]))}
    level = levels[names[metric]]
    low, high = level.honest.interval()
    clusters = "base task and restriction" if level.by_both else "base task"
    method = f"score interval, items counted by their standard error clustered by {clusters}"
    bounds = {"lower": low, "upper": high, "confidence_level": 0.95, "method": method}
    return None if math.isnan(low) else bounds


def _bounds(metric: str) -> Data:
    if metric in _SHARES or metric.endswith("_acc"):
        return {"metric_unit": "proportion", "min_score": 0.0, "max_score": 1.0}
    if metric == "npm":  # below chance it is negative, how far depends on the task
        return {"metric_unit": "points", "min_score": "-Infinity", "max_score": 100.0}
    return {"min_score": None, "max_score": None}


def _source(task: str, config: Mapping[str, Any]) -> Data:
    path = str(config.get("dataset_path") or "")
    if "/" not in path or path.startswith(("/", ".")):
        return {"dataset_name": task, "source_type": "other"}
    split = config.get("test_split") or config.get("validation_split")
    return {
        "dataset_name": task,
        "source_type": "hf_dataset",
        "hf_repo": path,
        **({"hf_split": split} if isinstance(split, str) else {}),
    }


def _generation(config: Mapping[str, Any]) -> Data:
    arguments = config.get("generation_kwargs")
    if not isinstance(arguments, dict):
        return {}
    names = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "max_gen_toks": "max_tokens"}
    known = {ours: arguments[theirs] for theirs, ours in names.items() if arguments.get(theirs) is not None}
    rest = {name: _text(value) for name, value in arguments.items() if name not in names}
    return {"generation_config": {"generation_args": known, "additional_details": rest}}


def _answers(run: Run, id: str, ids: Collection[str]) -> Iterator[Data]:
    """A row per answer and result that it counts for, as the schema wants."""
    for item in run.items:
        shared = _answer(run, item, id)
        for metric, value in item.metrics.items():
            if isinstance(value, float) and (result_id := _result_id(metric, item.filter)) in ids:
                evaluation = {"score": value, "is_correct": value == (100.0 if metric == "npm" else 1.0)}
                yield {**shared, "evaluation_result_id": result_id, "evaluation": evaluation}


def _answer(run: Run, item: Item, id: str) -> Data:
    reference = [] if item.instructions else [item.target]
    raw = list(item.responses)
    if item.choices:
        raw = [max(item.choices, key=lambda choice: choice.loglikelihood).text]
    hashed = json.dumps({"raw": item.prompt, "reference": reference}, sort_keys=True)
    verdicts = [
        {"restriction": asked.restriction, "strict": asked.strict.as_dict(), "loose": asked.loose.as_dict()}
        for asked in item.instructions
    ]
    return {
        "schema_version": VERSION,
        "evaluation_id": id,
        "model_id": run.model,
        "evaluation_name": _name(run.task, item.filter),
        "sample_id": str(item.doc_id),
        "sample_hash": hashlib.sha256(hashed.encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {
            "raw": item.prompt,
            "reference": reference,
            "choices": [choice.text for choice in item.choices] or None,
        },
        "output": {"raw": raw},
        "messages": None,
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": item.answer or (raw[0] if raw else ""),
                "extraction_method": item.filter,
                "is_terminal": True,
            }
        ],
        "metadata": {
            "doc_hash": item.doc_hash,
            "prompt_hash": item.prompt_hash,
            "target_hash": item.target_hash,
            **({"verdicts": json.dumps(verdicts)} if verdicts else {}),
        },
    }


def _result_id(metric: str, filter: str) -> str:
    return metric if filter == "none" else f"{metric},{filter}"


def _name(task: str, filter: str) -> str:
    return task if filter == "none" else f"{task}/{filter}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
