"""A manifest: read from JSON or YAML, checked against its schema and beyond it, each fault with its path."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import regex

from lm_eval_ifeval_pt import grading
from lm_eval_ifeval_pt.suite import data, entrypoints, schemas, scoring, templates
from lm_eval_ifeval_pt.suite.errors import Fault, ManifestError
from lm_eval_ifeval_pt.suite.extraction import PatternError, extractor

Entry = dict[str, Any]


@dataclass(frozen=True)
class ManifestTask:
    """A task of a manifest.

    Attributes:
        entry: As the manifest has it, with the programs of files in it as `source`.
        documents: What makes the prompts: the arguments of `task.load_dataset`, which the built definition holds.
        scoring: What makes the scores: the arguments of `task.Grading`.
        folder: Where the manifest lies.
    """

    entry: Mapping[str, Any]
    documents: Mapping[str, Any]
    scoring: Mapping[str, Any]
    folder: Path

    @property
    def id(self) -> str:
        """Its name."""
        return str(self.entry["id"])

    @property
    def asks_judge(self) -> bool:
        """Whether its grader asks a model."""
        return entrypoints.asks_model(self.scoring["grader"])

    @property
    def function(self) -> str:
        """The function of its grader in Python."""
        return entrypoints.function_of(self.scoring["grader"])

    def metric_of_builtin(self, id: str) -> str:
        """What a builtin grader itself calls one of its metrics."""
        grader = self.scoring["grader"]
        if id != grader.get("metric_id"):
            return id
        return scoring.builtin(grader).metrics[0]

    @property
    def has_program(self) -> bool:
        """Whether it runs a program of the manifest."""
        return "preprocess" in self.documents or self.scoring["grader"]["type"] == "python"

    @cached_property
    def version(self) -> str:
        """Eight hexadecimal digits that change with whatever changes a score.

        That is the data (of a file: what is in it), prompt, target, choices, shots, preprocessing, extraction, metric
        ids and aggregation, and the grader. Names, descriptions, notes and the limits of programs are left out.
        """
        said = copy.deepcopy({"documents": dict(self.documents), "scoring": dict(self.scoring)})
        for dataset in (said["documents"]["dataset"], said["documents"].get("fewshot", {}).get("dataset")):
            if dataset and "file" in dataset:
                dataset["file"] = _digest(self.folder / dataset["file"])
        for program in (said["documents"].get("preprocess", {}), said["scoring"]["grader"]):
            for without_effect in ("timeout_seconds", "max_model_calls", "name", "image_tag"):
                program.pop(without_effect, None)
        metrics = said["scoring"]["metrics"]
        said["scoring"]["metrics"] = [[metric["id"], metric["aggregation"]] for metric in metrics]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class Manifest:
    """A suite.

    Attributes:
        path: Its file.
        entry: What the file holds.
        tasks: Its tasks.
    """

    path: Path
    entry: Mapping[str, Any]
    tasks: Sequence[ManifestTask]

    @property
    def name(self) -> str:
        """The name of its group: the file's, told apart from its tasks'."""
        stem = regex.sub(r"[^A-Za-z0-9_.-]+", "_", self.path.stem)
        return f"{stem}_suite" if stem in {task.id for task in self.tasks} else stem

    @cached_property
    def sha256(self) -> str:
        """Of the file."""
        return _digest(self.path)


def load(path: Path, files: Mapping[str, Path] | None = None) -> Manifest:
    """Read and check a manifest. No data is read but the programs beside it.

    Args:
        path: A file in JSON, or in YAML if its name ends in .yaml or .yml.
        files: Files by `file_id`, for those that do not lie beside the manifest.

    Raises:
        ManifestError: with everything that is wrong.
    """
    entry = read(path)
    faults = schemas.faults(entry, schemas.MANIFEST)
    if faults:
        raise ManifestError(str(path), faults)
    collected: list[Fault] = []
    seen: dict[str, int] = {}
    tasks = []
    for index, task in enumerate(entry["tasks"]):
        check = _Checked(f"tasks[{index}]", path.parent, files or {}, collected)
        if task["id"] in seen:
            check.add("id", f"{task['id']!r} is also the id of tasks[{seen[task['id']]}]; each task needs its own")
        seen.setdefault(task["id"], index)
        tasks.append(_task(task, check))
    if collected:
        raise ManifestError(str(path), collected)
    return Manifest(path, entry, tasks)


def read(path: Path) -> Any:
    """What a file in JSON or YAML holds.

    In YAML, dates stay text, and only `true` and `false` are no text among words: `no` and `sim` are.

    Raises:
        ManifestError: it cannot be read, or has a key twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ManifestError(str(path), [Fault("", f"cannot be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        raise ManifestError(str(path), [Fault("", f"is not UTF-8: {error}")]) from error
    try:
        return _yaml(text) if path.suffix in (".yaml", ".yml") else json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        kind = "YAML" if path.suffix in (".yaml", ".yml") else "JSON (a name that ends in .yaml is read as YAML)"
        raise ManifestError(str(path), [Fault("", f"is no {kind}: {error or type(error).__name__}")]) from error


def _once(pairs: list[tuple[str, Any]]) -> Entry:
    keys = [key for key, _ in pairs]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return dict(pairs)


def _yaml(text: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """YAML as its version 1.2 has it, as far as words and dates go, without aliases."""

        yaml_implicit_resolvers = {  # noqa: RUF012  # as PyYAML has it
            first: [(tag, pattern) for tag, pattern in resolvers if tag not in _REPLACED]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            _once([(str(key), None) for key in keys])
            return super().construct_mapping(node, deep)

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.events.AliasEvent):
                raise ValueError("aliases (*) are not read")
            return super().compose_node(parent, index)

    tags = (("bool", "true|True|TRUE|false|False|FALSE", "tTfF"), ("int", r"[-+]?[0-9]+", "-+0123456789"))
    for tag, pattern, firsts in tags:
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", regex.compile(rf"^(?:{pattern})$"), list(firsts))
    try:
        return yaml.load(text, Loader)  # a SafeLoader
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


_REPLACED = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool", "tag:yaml.org,2002:int")


# Faults that the schema does not find, and what a task comes to


@dataclass(frozen=True)
class _Checked:
    """Where faults of one task are collected."""

    at: str
    folder: Path
    files: Mapping[str, Path]
    faults: list[Fault] = field(repr=False)

    def add(self, key: str, problem: str) -> None:
        self.faults.append(Fault(f"{self.at}.{key}" if key else self.at, problem))

    def tried(self, key: str, make: Callable[[], Any]) -> Any:
        """What a function makes; where it raises, None and a fault."""
        try:
            return make()
        except (ValueError, SyntaxError, OSError) as error:
            self.add(key, str(error))
            return None


def _task(given: Entry, check: _Checked) -> ManifestTask:
    task = copy.deepcopy(given)
    documents: Entry = {
        "dataset": _dataset(task["dataset"], "dataset", "test", check),
        "prompt_template": task["prompt_template"],
        "target_template": task.get("target_template", ""),
    }
    if "choices" in task:
        documents["choices"] = task["choices"]
    if shots := _fewshot(task, documents, check):
        documents["fewshot"] = shots
    if "preprocess" in task:
        documents["preprocess"] = _program(task["preprocess"], "preprocess", entrypoints.PREPROCESSORS, check)
    extraction = task.get("output_extraction", {"type": "none"})
    _check_extraction(extraction, check)
    grader, named = _grader(task, check)
    metrics = _metrics(task.get("metrics"), named, grader, check)
    scoring = {"output_extraction": extraction, "grader": grader, "metrics": metrics}
    return ManifestTask(task, documents, scoring, check.folder)


def _dataset(given: Entry, key: str, split: str, check: _Checked) -> Entry:
    """A data set as `data.rows` takes it."""
    if "file_id" in given:
        for wrong in sorted(set(given) - {"file_id", "format", "source", "max_rows"}):
            check.add(f"{key}.{wrong}", "has no meaning for a file; it belongs to a data set of the Hub")
        if given.get("source") == "huggingface":
            check.add(f"{key}.source", "is huggingface, but file_id names a file; give path, or leave source out")
        file = check.tried(f"{key}.file_id", lambda: data.located(given["file_id"], check.folder, check.files))
        kind = given.get("format") or data.format_of(str(file or given["file_id"]))
        if kind is None:
            check.add(f"{key}.format", f"is not to be told from the name {given['file_id']!r}; give jsonl or csv")
        limit = {"max_rows": given["max_rows"]} if "max_rows" in given else {}
        return {"file": str(file), "format": kind, **limit}
    if "format" in given:
        check.add(f"{key}.format", "has no meaning for a data set of the Hub; it belongs to a file_id")
    if given.get("source") == "file":
        check.add(f"{key}.source", "is file, but there is a path; give file_id, or leave source out")
    kwargs = given.get("dataset_kwargs", {})
    hub: Entry = {name: given[name] for name in ("path", "name", "revision", "max_rows", "data_files") if name in given}
    hub["split"] = given.get("split", split)
    for name in ("data_files", "revision"):
        if name in kwargs and name in given and kwargs[name] != given[name]:
            check.add(f"{key}.dataset_kwargs.{name}", f"is another {name} than that of {key}; give one of them")
        if name in kwargs:
            hub[name] = kwargs[name]
    where = f"{key}.data_files" if "data_files" in given else f"{key}.dataset_kwargs.data_files"
    is_builder = hub["path"] in data.BUILDERS
    if is_builder and "data_files" not in hub:
        check.add(f"{key}.data_files", f"is missing: the builder {hub['path']} reads HTTP(S) addresses")
    if not is_builder and "data_files" in hub:
        check.add(where, f"belongs to the builders {' and '.join(data.BUILDERS)}; path is {hub['path']!r}")
    if is_builder:
        for address in data.addresses(hub.get("data_files", ())):
            check.tried(where, partial(data.check_address, address))
        for wrong in ("name", "revision"):
            if wrong in hub:
                check.add(f"{key}.{wrong}", f"has no meaning for the builder {hub['path']}")
    return hub


def _fewshot(task: Entry, documents: Entry, check: _Checked) -> Entry:
    if "num_fewshot" in task and "fewshot" in task:
        check.add("fewshot", "stands beside num_fewshot, which says the same in short; give one of them")
    given = task.get("fewshot") or {"count": task.get("num_fewshot", 0)}
    if not given["count"]:
        return {}
    shots = {
        "count": given["count"],
        "prompt_template": given.get("prompt_template", documents["prompt_template"]),
        "target_template": given.get("target_template", documents["target_template"]),
        "example_template": given.get("example_template", "{{prompt}}\n{{target}}"),
        "separator": given.get("separator", "\n\n"),
        "strategy": given.get("strategy", "first"),
        "seed": given.get("seed", 0),
    }
    if not shots["target_template"]:
        check.add("target_template", "is missing: solved examples need a target")
    unknown = [name for name in templates.fields(shots["example_template"]) if name not in ("prompt", "target")]
    if unknown:
        check.add("fewshot.example_template", f"has {{{{{unknown[0]}}}}}; it knows {{{{prompt}}}} and {{{{target}}}}")
    if "dataset" in given:
        shots["dataset"] = _dataset(given["dataset"], "fewshot.dataset", "train", check)
    return shots


def _program(given: Entry, key: str, names: Mapping[str, Sequence[str]], check: _Checked) -> Entry:
    """A program with its source in it, which defines what it must."""
    if "file_id" in given:
        where = f"{key}.file_id"
        file = check.tried(where, lambda: data.located(given["file_id"], check.folder, check.files))
        text = check.tried(where, (check.folder / file).read_text) if file is not None else None
        given = {name: value for name, value in given.items() if name != "file_id"} | {"source": text}
    else:
        where = f"{key}.source"
    if given["source"] is not None:
        contract = given.get("contract", "sample")
        contract = "aggregate" if given.get("execution") == "aggregate" else contract
        check.tried(where, lambda: entrypoints.defined(given["source"], names[contract]))
    return given


def _check_extraction(extraction: Entry, check: _Checked) -> None:
    try:
        extractor(extraction)
    except PatternError as error:
        check.add(f"output_extraction.{error.key}", str(error))
    labels = extraction.get("labels", ())
    if not extraction.get("case_sensitive"):
        folded = [label.casefold() for label in labels]
        for index, label in enumerate(folded):
            if label in folded[:index]:
                other = labels[folded.index(label)]
                check.add(f"output_extraction.labels[{index}]", f"is {other!r} but for its case; see case_sensitive")


def _grader(task: Entry, check: _Checked) -> tuple[Entry, Sequence[str]]:
    """The grader with its program or options, and the scores that it names."""
    given = task["grader"]
    if given["type"] == "python":
        if given.get("contract") == "sample" and given.get("execution") == "aggregate":
            check.add("grader.execution", "is aggregate, the contract sample; batch is the contract of grade_batch")
        if given.get("contract") == "batch" and given.get("execution") == "per_sample":
            check.add("grader.execution", "is per_sample, the contract batch; sample is the contract of grade")
        if given.get("contract") == "model_backed" and given.get("model_access") == "none":
            check.add("grader.model_access", "is none, but the contract is model_backed")
        grader = _program(given, "grader", entrypoints.GRADERS, check)
        return grader, (grader.get("metric_id", "score"),)
    try:
        made = scoring.builtin(given)
    except (ValueError, ImportError) as error:
        options = scoring.options_of(given)
        key = next((name for name in options if f"{name!r}" in str(error) or f": {name} " in str(error)), "")
        check.add(f"grader.{key}" if key else "grader", str(error))
        return given, ()
    if grading.needs_target(given["id"]) and not task.get("target_template"):
        check.add("target_template", f"is missing: the grader {given['id']} compares with it")
    first, *others = made.metrics
    return given, (given.get("metric_id", first), *others)


def _metrics(given: Sequence[Entry] | None, named: Sequence[str], grader: Entry, check: _Checked) -> list[Entry]:
    """The metrics with all their entries."""
    is_builtin = grader["type"] == "builtin"
    metrics = given if given is not None else [{"id": name} for name in named]
    ids = [metric["id"] for metric in metrics]
    for index, id in enumerate(ids):
        if id in ids[:index]:
            check.add(f"metrics[{index}].id", f"{id!r} is also the id of metrics[{ids.index(id)}]")
        if is_builtin and named and id not in named:
            check.add(f"metrics[{index}].id", f"the grader {grader['id']} gives no {id!r}; it gives {', '.join(named)}")
    return [
        {
            "id": metric["id"],
            "aggregation": metric.get("aggregation", "mean"),
            "higher_is_better": metric.get("higher_is_better", not (is_builtin and _is_lower_better(metric["id"]))),
        }
        for metric in metrics
    ]


def _is_lower_better(id: str) -> bool:
    return id in grading.LOWER_IS_BETTER


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
