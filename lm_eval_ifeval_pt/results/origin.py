"""What a result file says about its run, whichever version or fork of the harness wrote it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import regex

from lm_eval_ifeval_pt.results.errors import ResultsError

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
    config = data.get("config") or {}
    general = data.get("config_general") or {}
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        arguments = dict(pair.split("=", 1) for pair in arguments.split(",") if "=" in pair)
    from_arguments = (arguments or {}).get("pretrained") or (arguments or {}).get("model")
    names = (data.get("model_name"), general.get("model_name"), from_arguments, data.get("model_name_or_path"))
    return str(next((name for name in names if name), path.stem))


def date_in(name: str) -> str:
    """The date in a file's name, sortable; empty where it has none."""
    match = _DATE.search(name)
    return match.group().replace(":", "-") if match else ""


def date(data: Mapping[str, Any], path: Path) -> str:
    """When the run was made, sortable; empty where nothing says it."""
    if named := date_in(path.name):
        return named
    date = data.get("date") or (data.get("config_general") or {}).get("start_date")
    if isinstance(date, (int, float)):
        from datetime import datetime, timezone

        return datetime.fromtimestamp(date, timezone.utc).strftime("%Y-%m-%dT%H-%M-%S")
    return str(date or "").replace(":", "-")


def limit(data: Mapping[str, Any]) -> float | None:
    """The `--limit` of the run, if any."""
    limit = (data.get("config") or {}).get("limit")
    return float(limit) if isinstance(limit, (int, float)) and not isinstance(limit, bool) else None
