"""Facts about a run from its result file, whichever version or fork of the harness wrote it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import regex

from lm_eval_ifeval_pt.results.errors import ResultsError
from lm_eval_ifeval_pt.results.records import DocumentCount

Variant = Mapping[str, str]
"""Arguments besides the name that can change a model's scores, as text; defaults are left out."""

_NAMES = frozenset({"pretrained", "model", "path", "engine"})
_OF_THE_MACHINE = frozenset(
    {
        "accelerate", "api_key", "auth_token", "backend", "base_url", "batch_size", "cache_dir",
        "data_parallel_size", "device", "device_map", "device_map_option", "disable_log_stats",
        "distributed_executor_backend", "dp", "dtype_auto", "enforce_eager", "eos_string",
        "gpu_memory_utilization", "gpus", "header", "logits_cache", "low_cpu_mem_usage", "max_batch_size",
        "max_cpu_memory", "max_memory", "max_memory_per_gpu", "max_num_seqs", "max_retries",
        "mem_fraction_static", "num_concurrent", "num_gpus", "offload_folder", "parallelize",
        "pipeline_parallel_size", "seed", "swap_space", "tensor_parallel_size", "threads", "timeout", "token",
        "tokenized_requests", "tokenizer_backend", "tp_size", "trust_remote_code", "url", "use_fast_tokenizer",
        "verify_certificate",
    }
)  # fmt: skip
"""Arguments that say where and how fast a model runs, not what it answers."""
DEFAULTS = {"revision": "main", "dtype": "auto", "subfolder": "", "softmax_dtype": "", "tokenizer": ""}
_NOTHING = ("", "None", "none", "False", "false", "{}")

_DATE = regex.compile(r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:\.\d+)?")


def parse(path: Path) -> dict[str, Any]:
    """The content of a result file, JSON or YAML.

    Raises:
        ResultsError: it cannot be read, or is no mapping.
    """
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix in (".yaml", ".yml"):
            data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        else:
            data = json.loads(text)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise ResultsError(f"{path}: no result file: a mapping is expected")
    return data


def model_name(data: Mapping[str, Any], path: Path) -> str:
    """The model's name, from wherever the formats keep it; the file's name as a last resort."""
    config, general = mapping(data.get("config")), mapping(data.get("config_general"))
    arguments = _arguments(config.get("model_args"))
    from_arguments = arguments.get("pretrained") or arguments.get("model")
    names = (data.get("model_name"), general.get("model_name"), from_arguments, data.get("model_name_or_path"))
    return str(next((name for name in names if name), path.stem))


def variant(data: Mapping[str, Any]) -> Variant:
    """The arguments besides the name that can change the scores of a result file's model.

    The precision that the harness has recorded counts rather than the one that was asked for, so that `auto` and what
    it stands for are the same.
    """
    config = mapping(data.get("config"))
    stated = {
        name: str(value).removeprefix("torch.")
        for name, value in _arguments(config.get("model_args")).items()
        if name not in _NAMES | _OF_THE_MACHINE
    }
    if (dtype := config.get("model_dtype")) is not None:
        stated["dtype"] = str(dtype).removeprefix("torch.")
    for name in ("revision", "sha"):
        if isinstance(value := config.get(f"model_{name}"), str):
            stated.setdefault(name, value)
    if isinstance(sha := stated.get("sha"), str):
        stated["sha"] = sha[:7]
    return {
        name: value
        for name, value in sorted(stated.items())
        if value not in _NOTHING and value != DEFAULTS.get(name, "")
    }


def _arguments(stated: Any) -> Mapping[str, Any]:
    if isinstance(stated, str):
        return dict(pair.strip().split("=", 1) for pair in stated.split(",") if "=" in pair)
    return mapping(stated)


def mapping(value: Any) -> Mapping[str, Any]:
    """A mapping of a file, or none where another type stands."""
    return value if isinstance(value, dict) else {}


def date_in(name: str) -> str:
    """The date in a file's name, sortable; empty where it has none."""
    match = _DATE.search(name)
    return match.group().replace(":", "-") if match else ""


def date(data: Mapping[str, Any], path: Path) -> str:
    """When the run was made, sortable; empty where nothing says it."""
    if named := date_in(path.name):
        return named
    date = data.get("date") or mapping(data.get("config_general")).get("start_date")
    if isinstance(date, (int, float)):
        from datetime import datetime, timezone

        return datetime.fromtimestamp(date, timezone.utc).strftime("%Y-%m-%dT%H-%M-%S")
    return str(date or "").replace(":", "-")


def of_task(data: Mapping[str, Any], part: str, task: str) -> Any:
    """The entry for a task in a part of a result file (`configs`, `n-shot`, …); None where there is none."""
    return mapping(data.get(part)).get(task)


def documents(data: Mapping[str, Any], task: str) -> DocumentCount:
    """The numbers of answered and of all documents of a task, from `n-samples`."""
    counts = mapping(of_task(data, "n-samples", task))
    answered, whole = counts.get("effective"), counts.get("original")
    return DocumentCount(answered if isinstance(answered, int) else None, whole if isinstance(whole, int) else None)


def protocol(data: Mapping[str, Any], task: str) -> dict[str, str]:
    """The protocol by which a task was asked and answered; without what the file does not state.

    Shots, version of the task, whether a chat template was applied, the system instruction, how shots are laid out
    (where a chat template makes turns of them), and of written answers how tokens are drawn, where answers stop and
    how long they may become.
    """
    said: dict[str, Any] = {"shots": of_task(data, "n-shot", task), "version": of_task(data, "versions", task)}
    if "chat_template_sha" in data or "chat_template" in data:
        said["chat template"] = "yes" if data.get("chat_template_sha") or data.get("chat_template") else "no"
    if "system_instruction" in data:
        said["system instruction"] = data["system_instruction"] or "none"
    if said["shots"] and said.get("chat template") != "no":
        said["shots as turns"] = {True: "yes", False: "no"}.get(data.get("fewshot_as_multiturn", ...))
    said |= _generation(mapping(of_task(data, "configs", task)).get("generation_kwargs"))
    return {name: str(value) for name, value in said.items() if value is not None}


_LENGTHS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
_DRAWING = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")


def _generation(arguments: Any) -> dict[str, str | None]:
    """Generation arguments, told alike where they mean the same."""
    if not isinstance(arguments, dict) or not arguments:
        return {}
    is_greedy = arguments.get("do_sample") is False or not arguments.get("temperature")
    drawn = [f"{name} {arguments[name]:g}" for name in _DRAWING if isinstance(arguments.get(name), (int, float))]
    until = arguments.get("until")
    stops = sorted(map(str, until)) if isinstance(until, list) else [] if until is None else [str(until)]
    longest = next((arguments[name] for name in _LENGTHS if arguments.get(name) is not None), None)
    return {
        "decoding": "greedy" if is_greedy else ", ".join(drawn),
        "until": ", ".join(json.dumps(stop, ensure_ascii=False) for stop in stops) or "none",
        "max_gen_toks": None if longest is None else str(longest),
    }


def limit(data: Mapping[str, Any]) -> float | None:
    """The `--limit` of the run, if any."""
    limit = mapping(data.get("config")).get("limit")
    return float(limit) if isinstance(limit, (int, float)) and not isinstance(limit, bool) else None
