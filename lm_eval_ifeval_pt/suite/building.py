"""A manifest turned into task definitions of the harness: plain YAML, to read, change and keep."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt import grading
from lm_eval_ifeval_pt.benchmarks.definition import Function, as_yaml
from lm_eval_ifeval_pt.suite import entrypoints
from lm_eval_ifeval_pt.suite.errors import SuiteError
from lm_eval_ifeval_pt.suite.manifest import Manifest, ManifestTask
from lm_eval_ifeval_pt.suite.scoring import counts
from lm_eval_ifeval_pt.writing import replacing

GENERATION: Mapping[str, Any] = {"until": [], "do_sample": False, "temperature": 0.0, "max_gen_toks": 512}
"""How answers are generated where a run does not say."""

_COLUMNS = ("prompt", "target", "row")
"""Of documents: the harness would take their values for a text of that name."""
_FOLDER = "suite_files"
_MARK = "Built by lm-eval-pt suite build"
_ROOM = "lm_eval_ifeval_pt.suite.task"


def build(
    manifest: Manifest,
    folder: Path,
    trust_code: bool = False,
    judge: Mapping[str, Any] | None = None,
    generation: Mapping[str, Any] | None = None,
    only: Sequence[str] = (),
) -> list[Path]:
    """Write the definitions of a manifest's tasks, and of a group of all.

    Args:
        manifest: What to build.
        folder: Where to; it is made. Definitions of an earlier build are replaced, other files are let be.
        trust_code: Whether programs run in the harness's process.
        judge: url, model, embedding_model, answers, concurrency, for graders that ask models.
        generation: In place of `GENERATION`, as far as it goes: `Generation.settings`.
        only: The ids of the tasks to build; all by default.

    Returns:
        The files, the group's last.

    Raises:
        SuiteError: a file is there that no build has made, or there is no such task.
    """
    known = [task.id for task in manifest.tasks]
    if unknown := [id for id in only if id not in known]:
        raise SuiteError(f"{manifest.path} has no task {unknown[0]!r}; it has {', '.join(known)}")
    tasks = [task for task in manifest.tasks if not only or task.id in only]
    texts = {
        f"{task.id}.yaml": _text(
            _header(manifest, task), definition(manifest, task, folder, trust_code, judge, generation or {})
        )
        for task in tasks
    }
    group = {
        "group": manifest.name,
        **({"group_alias": manifest.entry["name"]} if "name" in manifest.entry else {}),
        "task": [task.id for task in tasks],
        "metadata": {
            "version": _version(manifest),
            **({"metadata": manifest.entry["metadata"]} if manifest.entry.get("metadata") else {}),
        },
    }
    texts[f"_{manifest.name}_group.yaml"] = _text(_header(manifest, None), group)
    texts[f"{_FOLDER}.py"] = (
        f'"""{_MARK}: data sets are looked for from this folder."""\n\n'
        f"from {_ROOM} import datasets_beside\n\nload_dataset = datasets_beside(__file__)\n"
    )
    for name in texts:
        path = folder / name
        if path.exists() and _MARK not in path.read_text(encoding="utf-8", errors="replace")[:200]:
            raise SuiteError(f"{path} is there and was not made by suite build; move it, or build into another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        with replacing(folder / name) as file:
            file.write(text)
    return [folder / name for name in texts if name.endswith(".yaml")]


def definition(
    manifest: Manifest,
    task: ManifestTask,
    folder: Path,
    trust_code: bool = False,
    judge: Mapping[str, Any] | None = None,
    generation: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A task as the harness reads it; functions by their names.

    Args:
        manifest: Where the task stands.
        task: Which one.
        folder: Where the definition will lie: data files are named from there.
        trust_code: See `build`; `judge` and `generation` too.
        judge: See `build`.
        generation: See `build`.
    """
    documents = _from_folder(task, folder)
    grader = task.scoring["grader"]
    runs = [*(["program"] if grader["type"] == "python" else []), *entrypoints.asked_models(grader)]
    how: dict[str, Any] = {"trust_code": True} if trust_code and task.has_program else {}
    how |= {"judge": dict(judge)} if judge and task.asks_judge else {}
    settings = dict(generation or {})
    prefix = {"gen_prefix": _literal(settings.pop("gen_prefix"))} if "gen_prefix" in settings else {}
    system = {"description": _literal(settings.pop("description"))} if "description" in settings else {}
    return {
        "task": task.id,
        **({"task_alias": task.entry["name"]} if "name" in task.entry else {}),
        "custom_dataset": Function(f"{_FOLDER}.load_dataset"),
        "dataset_kwargs": {"suite": documents, **({"runs": runs} if runs else {}), **how},
        "test_split": "test",
        "output_type": "generate_until",
        "num_fewshot": 0,  # the prompt holds the shots, to the letter
        **system,
        "doc_to_text": Function(f"{_ROOM}.prompt"),
        "doc_to_target": Function(f"{_ROOM}.target"),
        "target_delimiter": "",
        **prefix,
        "generation_kwargs": {**GENERATION, **settings},
        "filter_list": [
            {
                "name": "none",
                "filter": [
                    {"function": Function(f"{_ROOM}.Grading"), "suite": dict(task.scoring), **how},
                ],
            }
        ],
        "process_results": Function(f"{_ROOM}.process_results"),
        "metric_list": [*_metrics(task), *_counted(task)],
        "metadata": {
            "version": task.version,
            "manifest": {
                "file": manifest.path.name,
                "sha256": manifest.sha256,
                "schema_version": manifest.entry["schema_version"],
                "task": task.id,
                "type": task.entry.get("type", "custom"),
                "shots": task.documents.get("fewshot", {}).get("count", 0),
                **({"metadata": task.entry["metadata"]} if task.entry.get("metadata") else {}),
            },
        },
    }


def _literal(text: str) -> str:
    """A template of the harness that renders as a text, whatever that holds."""
    is_template = "{{" in text or "{%" in text or "{#" in text
    return f"{{{{ {json.dumps(text, ensure_ascii=False)} }}}}" if is_template or text in _COLUMNS else text


def _from_folder(task: ManifestTask, folder: Path) -> dict[str, Any]:
    """What makes the prompts, with files named from a folder."""
    documents: dict[str, Any] = dict(task.documents)
    documents["dataset"] = _dataset(documents["dataset"], task.folder, folder)
    if "dataset" in documents.get("fewshot", {}):
        shots = documents["fewshot"]
        documents["fewshot"] = {**shots, "dataset": _dataset(shots["dataset"], task.folder, folder)}
    return documents


def _dataset(dataset: Mapping[str, Any], at: Path, folder: Path) -> dict[str, Any]:
    if "file" not in dataset:
        return dict(dataset)
    path = (at / dataset["file"]).resolve()
    return {**dataset, "file": os.path.relpath(path, folder.resolve())}


def _metrics(task: ManifestTask) -> list[dict[str, Any]]:
    grader = task.scoring["grader"]
    is_batch = grader["type"] == "python" and task.function == "grade_batch"
    listed = []
    for metric in task.scoring["metrics"]:
        if metric["aggregation"] == "none":
            continue
        aggregation: str = Function(f"{_ROOM}.whole") if is_batch else "mean"
        if grader["type"] == "builtin":
            aggregation = _aggregation(task.metric_of_builtin(metric["id"]))
        listed.append(
            {"metric": metric["id"], "aggregation": aggregation, "higher_is_better": metric["higher_is_better"]}
        )
    return listed


def _counted(task: ManifestTask) -> list[dict[str, Any]]:
    own = {metric["id"] for metric in task.scoring["metrics"]}
    counted = [name for name in counts(task.scoring) if name not in own]
    return [{"metric": name, "aggregation": "mean", "higher_is_better": False} for name in counted]


def _aggregation(name: str) -> str:
    """How a metric of ours is made of all samples: `mean`, or the function that does it."""
    function = grading.aggregation(name)
    if function.__module__.startswith("lm_eval.") and function.__name__ == "mean":
        return "mean"
    return Function(f"{function.__module__}.{function.__qualname__}")


def _version(manifest: Manifest) -> str:
    return hashlib.sha256("".join(task.version for task in manifest.tasks).encode()).hexdigest()[:8]


# YAML


def _header(manifest: Manifest, task: ManifestTask | None) -> str:
    lines = [f"{_MARK} from {manifest.path.name}; to change it, change that and build it again."]
    entry = manifest.entry if task is None else task.entry
    lines += entry.get("description", "").splitlines()
    for metric in entry.get("metrics", ()):
        lines += f"{metric['id']}: {metric['description']}".splitlines() if "description" in metric else []
    return "".join(f"# {line}\n" for line in lines)


def _text(header: str, definition: Mapping[str, Any]) -> str:
    return header + as_yaml(definition)
