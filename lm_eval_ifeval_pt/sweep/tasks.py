"""Tasks that are loaded once: their fingerprints, and their requests kept over all checkpoints.

The generator that draws few-shot examples lives in the harness's task objects: evaluating twice with the same objects
gives other prompts. Here requests are built once, from a fresh seed, and given out again with their answers removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import regex

from lm_eval_ifeval_pt.models.harness import UnknownTaskError, quiet, task_index
from lm_eval_ifeval_pt.nearest import did_you_mean
from lm_eval_ifeval_pt.sweep import samples
from lm_eval_ifeval_pt.sweep.checkpoints import digest
from lm_eval_ifeval_pt.sweep.errors import CellError, SweepError
from lm_eval_ifeval_pt.sweep.settings import Settings

if TYPE_CHECKING:
    from lm_eval.tasks import TaskManager

NO_PART = ("pretrained", "revision", "config_source")
"""Metadata of a task that say which model is asked and where the definition lies: they move no number."""


@dataclass
class KeptTask:
    """A task of the harness whose requests are built once.

    Attributes:
        task: The harness's object.
        requests: Hash of all its requests; empty until they are built.
        samples: The rows of its sample file, from the first evaluation on; None where the harness is to write them.
    """

    task: Any
    requests: str = ""
    samples: samples.KeptSamples | None = None
    _instances: list[Any] = field(default_factory=list)
    _check: int = 0
    _docs: Any = None
    _unwritten: Sequence[Any] | None = None  # copies that all evaluations share, as long as no scoring writes into them

    def __post_init__(self) -> None:
        """Put the kept requests and documents in the place of the harness's building of both; listen to the scoring."""
        self._build: Callable[..., None] = self.task.build_all_requests
        self.task.build_all_requests = self._restore
        name = "test_docs" if self.task.has_test_docs() else "validation_docs"
        self._read: Callable[[], Any] = getattr(self.task, name)
        setattr(self.task, name, self._kept_docs)
        self._score: Callable[[Any, Any], Mapping[str, Any]] = self.task.process_results
        self.task.process_results = self._heard_score

        self._can_keep = "bypass" not in getattr(self.task, "_metric_fn_list", {})  # which is made of the logged rows

    def keep_samples(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep what the harness logged of an evaluation, so that it need not be made again."""
        if self._can_keep:
            self.samples = samples.keep(rows, self._instances)
            self._can_keep = self.samples is not None

    def drop_samples(self) -> None:
        """Leave the logging to the harness, for good."""
        self.samples, self._can_keep, self._unwritten = None, False, None

    def _heard_score(self, doc: Any, results: Any) -> Mapping[str, Any]:
        metrics = self._score(doc, results)
        if self.samples is not None:
            self.samples.add(doc, metrics)
        return metrics

    def _kept_docs(self) -> Any:
        """The documents: as they were read while requests are built, then copies, as tasks may write into them."""
        if self._docs is None:
            self._docs = self._read()
        elif self._instances and not isinstance(self._docs, _Copies):
            with contextlib.suppress(pickle.PicklingError, TypeError, AttributeError):
                self._docs = _Copies([pickle.dumps(doc) for doc in self._docs])
        if self.samples is None or not isinstance(self._docs, _Copies):
            return self._docs
        if self._unwritten is None:
            self._unwritten = list(self._docs)
        return self._unwritten

    def _restore(self, **arguments: Any) -> None:
        if not self._instances:
            self._build(**arguments)
            self._instances = self.task._instances
            self.requests, self._check = requests_hash(self._instances), _quick_hash(self._instances)
        elif _quick_hash(self._instances) != self._check:
            raise CellError("changed", f"{self.task.config.task}: its requests were written into by an evaluation")
        for instance in self._instances:
            instance.resps, instance.filtered_resps = [], {}
        self.task._instances = self._instances
        if self.samples is not None:
            self.samples.metrics = []


class _Copies(Sequence[Any]):
    """Rows of which everyone gets a copy of their own, for less than reading them from Arrow again."""

    def __init__(self, rows: Sequence[bytes]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return pickle.loads(self._rows[index])


def _quick_hash(instances: Sequence[Any]) -> int:
    """Hash within this process: Python keeps those of texts, so that looking again costs next to nothing."""
    try:
        return hash(tuple([(instance.doc_id, instance.idx, instance.arguments) for instance in instances]))
    except TypeError:  # arguments of generation are mappings
        return hash(tuple((instance.doc_id, instance.idx, *map(_hashable, instance.args)) for instance in instances))


def _hashable(argument: Any) -> Any:
    return argument if isinstance(argument, str) else json.dumps(argument, sort_keys=True, default=str)


def requests_hash(instances: Sequence[Any]) -> str:
    """One hash of all requests of a task: kind, document and arguments of each, in order."""
    sha = hashlib.sha256()
    for instance in instances:
        request = instance.request_type, instance.doc_id, instance.idx, instance.args
        sha.update(json.dumps(request, ensure_ascii=False, default=str).encode("utf-8", errors="surrogatepass"))
    return sha.hexdigest()


def load(names: Iterable[str], settings: Settings, pretrained: str = "") -> dict[str, Any]:
    """The tasks behind names of tasks, groups and tags, as `lm_eval` would set them up with these settings.

    Args:
        names: As after --tasks.
        settings: Of the sweep.
        pretrained: The model whose tokenizer tasks may ask for.

    Raises:
        SweepError: there is no such task, or it cannot be loaded.
    """
    wanted = list(names)
    metadata = {**settings.model_args, **({"pretrained": pretrained} if pretrained else {}), **settings.metadata}
    with quiet():
        manager = _index(wanted, settings.include_path, metadata)
        try:
            loaded: dict[str, Any] = manager.load(wanted)["tasks"]
        except Exception as error:  # whatever a task definition or its data set raises
            raise SweepError(f"{', '.join(wanted)}: cannot be loaded: {type(error).__name__}: {error}") from error
    for task in loaded.values():
        _configure(task, settings)
    return loaded


def _index(names: Sequence[str], include: Sequence[str], metadata: dict[str, Any]) -> TaskManager:
    try:
        return task_index(names, include, metadata)
    except UnknownTaskError as error:
        hint = did_you_mean(error.name, error.known) or "`lm_eval ls tasks` lists them"
        raise SweepError(f"{error}; {hint}") from None


def _configure(task: Any, settings: Settings) -> None:
    """What `simple_evaluate` does to a task before it evaluates."""
    if task.get_config("output_type") == "generate_until" and settings.gen_kwargs:
        task.set_config(key="generation_kwargs", value=dict(settings.gen_kwargs), update=True)
    if settings.num_fewshot is not None:
        if task.get_config("num_fewshot") != 0:
            task.set_config(key="num_fewshot", value=settings.num_fewshot)
    elif task.get_config("num_fewshot") is None:
        task.set_config(key="num_fewshot", value=0)
    task.set_fewshot_seed(seed=settings.seeds[3])


def parts(task: Any) -> dict[str, str]:
    """What of a task can change a number, by names for a person: its configuration and the rows it reads."""
    config = task.dump_config()
    shots = config.pop("num_fewshot", None)
    if isinstance(metadata := config.get("metadata"), dict):
        config["metadata"] = {name: value for name, value in metadata.items() if name not in NO_PART}
    return {
        "task configuration": digest(_without_addresses(config)),
        "shots": str(shots),
        "rows": _rows_hash(task),
    }


def _without_addresses(data: Any) -> Any:
    """The data with functions named as they are called, not by where they lie in memory."""
    if isinstance(data, dict):
        return {str(name): _without_addresses(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_without_addresses(item) for item in data]
    if callable(data):
        return f"{getattr(data, '__module__', '')}.{getattr(data, '__qualname__', type(data).__name__)}"
    if data is None or isinstance(data, (bool, int, float)):
        return data
    return regex.sub(r" at 0x[\da-f]+", "", str(data))


def _rows_hash(task: Any) -> str:
    """Hash of the rows of the splits that the task evaluates and draws its shots from."""
    shots = getattr(getattr(task, "fewshot_cfg", None), "split", None)
    splits = {task.config.test_split or task.config.validation_split, shots}
    dataset = task.dataset
    known = [split for split in sorted(filter(None, splits)) if dataset is not None and split in dataset]
    return digest([(split, _table_hash(dataset[split])) for split in known])


def _table_hash(rows: Any) -> str:
    sha = hashlib.sha256()
    for row in rows:
        sha.update(json.dumps(row, ensure_ascii=False, sort_keys=True, default=repr).encode("utf-8", "surrogatepass"))
    return sha.hexdigest()
