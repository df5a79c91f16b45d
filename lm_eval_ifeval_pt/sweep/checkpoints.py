"""Checkpoints: which there are, whether they are written completely, and what tells their weights apart."""

from __future__ import annotations

import csv
import fnmatch
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import regex

from lm_eval_ifeval_pt.sweep.errors import SweepError

DEPTH = 3
"""Levels below a given folder at which checkpoints are looked for."""

_WHOLE = 32 * 2**20  # bytes up to which a weight file is hashed whole
_BLOCK, _BLOCKS = 2**16, 256  # of longer ones so many blocks of so many bytes, evenly spread
_STEP = regex.compile(
    r"(?:step|checkpoint|ckpt|iter(?:ation)?|global_step)s?[-_]?(\d+)(?:([KMB])(?![a-z\d]))?", regex.IGNORECASE
)
_AMOUNT = r"(\d+(?:\.\d+)?)([KMBT])?"
_TOKENS = [regex.compile(form, regex.IGNORECASE) for form in (rf"tokens?[-_]?{_AMOUNT}", rf"{_AMOUNT}[-_]?tokens?")]
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_INDICES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_CONFIG = "config.json"
_TOKENIZER = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json"),
    *("merges.txt", "tokenizer.model", "chat_template.jinja", "chat_template.json", "spiece.model", "vocab.txt"),
)
_ALSO = ("generation_config.json", "adapter_config.json", "*.py")
_SAYS_NOTHING = ("_name_or_path", "transformers_version")  # of a config: names and versions that move no number


@dataclass(frozen=True)
class Weights:
    """What tells the weights of one checkpoint from those of another.

    Attributes:
        content: Hash of the names, sizes and contents of config, tokenizer and weight files; of a Hub revision, its
            commit.
        config: Hash of the configuration; models of equal ones can take each other's weights.
        tokenizer: Hash of the tokenizer's files.
        architecture: The model's class, as the configuration names it.
    """

    content: str
    config: str
    tokenizer: str
    architecture: str = ""


@dataclass(frozen=True)
class Checkpoint:
    """One state of a model in training.

    Attributes:
        run: The training that it belongs to.
        name: The checkpoint in that training, as the folder or revision is called.
        source: A folder, or the id of a Hub repository.
        revision: The commit of a Hub repository; empty for a folder.
        step: Optimiser steps, where something says it.
        tokens: Training tokens seen, where something says it.
        weights: What tells its weights apart; None as long as they have not been looked at.
    """

    run: str
    name: str
    source: str
    revision: str = ""
    step: int | None = None
    tokens: float | None = None
    weights: Weights | None = None

    @property
    def label(self) -> str:
        """How tables and logs call it."""
        return f"{self.run}/{self.name}"

    @property
    def origin(self) -> tuple[str, str]:
        """Where it lies; its weights may change there."""
        return self.source, self.revision or self.name

    @property
    def order(self) -> tuple[str, float, str]:
        """Sorts by training and step; what has no step comes first."""
        return self.run, -1.0 if self.step is None else float(self.step), self.name


@dataclass(frozen=True)
class Unready:
    """A folder that looks like a checkpoint and is none yet, and why."""

    path: Path
    reason: str


# ---- which there are


def discover(paths: Iterable[Path]) -> tuple[list[Checkpoint], list[Unready]]:
    """The checkpoints that folders are or hold, in order, and those that are not written completely.

    Raises:
        SweepError: a path leads to no folder, or to one without any checkpoint.
    """
    folders: dict[Path, None] = {}
    for path in paths:
        if not path.is_dir():
            raise SweepError(f"{path}: no such folder; a checkpoint is a folder with config.json and weights")
        below = list(_below(path, DEPTH))
        if not below:
            raise SweepError(
                f"{path}: no checkpoint there: no folder with config.json down to {DEPTH} levels below. "
                "For revisions of a Hub repository give --revisions"
            )
        folders |= dict.fromkeys(Path(os.path.abspath(folder)) for folder in below)
    complete, unready = [], []
    names = run_names(folder.parent for folder in folders)
    for folder in folders:
        if reason := fault(folder):
            unready.append(Unready(folder, reason))
        else:
            step, tokens = progress(folder)
            complete.append(Checkpoint(names[folder.parent], folder.name, str(folder), step=step, tokens=tokens))
    return sorted(complete, key=lambda checkpoint: checkpoint.order), unready


def _below(folder: Path, depth: int) -> Iterator[Path]:
    """The folder if it holds a model, or those below that do."""
    if (folder / _CONFIG).is_file() or any((folder / index).is_file() for index in _INDICES):
        yield folder
    elif depth:
        with os.scandir(folder) as entries:
            inner = sorted(Path(entry.path) for entry in entries if entry.is_dir() and not entry.name.startswith("."))
        for entry in inner:
            yield from _below(entry, depth - 1)


def run_names(parents: Iterable[Path]) -> dict[Path, str]:
    """For each folder of checkpoints a name of the training: as much of its path's end as tells it from the others."""
    distinct = list(dict.fromkeys(parents))
    names: dict[Path, str] = {}
    for parent in distinct:
        name = ""
        for length in range(1, len(parent.parts) + 1):
            name = "/".join(parent.parts[-length:])
            if sum("/".join(other.parts[-length:]) == name for other in distinct) == 1:
                break
        names[parent] = name.strip("/") or "root"
    return names


def progress(folder: Path) -> tuple[int | None, float | None]:
    """Step and training tokens of a checkpoint: from its `trainer_state.json`, else from its name."""
    step, tokens = named_progress(folder.name)
    try:
        state = json.loads((folder / "trainer_state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return step, tokens
    if isinstance(said := state.get("global_step"), int):
        step = said
    seen = state.get("num_input_tokens_seen")
    return step, float(seen) if isinstance(seen, (int, float)) and seen > 0 else tokens


def named_progress(name: str) -> tuple[int | None, float | None]:
    """Step and tokens that a name says: `step_2000`, `checkpoint-500`, `step1000-tokens4B`; or a number alone."""
    tokens = None
    if match := _TOKENS[0].search(name) or _TOKENS[1].search(name):
        tokens = float(match[1]) * _UNITS[(match[2] or "").upper()]
        name = name.replace(match.group(), " ")
    if match := _STEP.search(name):
        return int(match[1]) * _UNITS[(match[2] or "").upper()], tokens
    return (int(name) if tokens is None and name.isdecimal() else None), tokens


def with_tokens(
    checkpoints: Iterable[Checkpoint], per_step: float | None, table: Mapping[str, float]
) -> list[Checkpoint]:
    """The checkpoints with their training tokens: by a table of label, name or step, else by tokens per step."""
    made = []
    for checkpoint in checkpoints:
        names = checkpoint.label, checkpoint.name, str(checkpoint.step)
        tokens = next((table[name] for name in names if name in table), None)
        if tokens is None and per_step is not None and checkpoint.step is not None:
            tokens = per_step * checkpoint.step
        made.append(checkpoint if tokens is None else replace(checkpoint, tokens=tokens))
    return made


def token_table(path: Path) -> dict[str, float]:
    """A CSV of two columns, checkpoint (label, name or step) and tokens; a header is allowed.

    Raises:
        SweepError: the file cannot be read, or a row is no such pair.
    """
    table = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            for number, row in enumerate(csv.reader(lines), 1):
                if not row:
                    continue
                try:
                    table[row[0].strip()] = float(row[1])
                except (IndexError, ValueError):
                    if number > 1:
                        raise SweepError(f"{path}, line {number}: expected checkpoint,tokens; got {row}") from None
    except (OSError, UnicodeError) as error:
        raise SweepError(f"{path}: cannot be read: {error}") from error
    return table


# ---- whether they are complete


def fault(folder: Path) -> str:
    """Why a folder is no complete checkpoint: what is missing or cut short; empty if nothing is."""
    if not (folder / _CONFIG).is_file():
        return f"there is no {_CONFIG}"
    if _mapping(folder / _CONFIG) is None:
        return f"{_CONFIG} is no JSON object (cut short?)"
    for index in _INDICES:
        if (folder / index).is_file():
            parsed = _mapping(folder / index)
            shards = parsed.get("weight_map") if parsed else None
            if not isinstance(shards, dict):
                return f"{index} is no index (cut short?)"
            if missing := sorted({str(shard) for shard in shards.values() if not (folder / str(shard)).is_file()}):
                return f"{index} names {missing[0]}, which is not there ({len(missing)} missing)"
    files = weight_files(folder)
    if not files:
        return "there are no weights (*.safetensors or pytorch_model*.bin)"
    for path in files:
        if path.suffix == ".safetensors" and (reason := _cut(path)):
            return f"{path.name}: {reason}"
    return ""


def _cut(path: Path) -> str:
    """Why a safetensors file is not whole: its length is not what its header says."""
    try:
        header, start = safetensors_header(path)
    except (OSError, ValueError) as error:
        return f"no readable header ({error})"
    ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
    expected, size = start + max(ends, default=0), path.stat().st_size
    return "" if size == expected else f"{size} bytes of {expected}"


def safetensors_header(path: Path) -> tuple[dict[str, Any], int]:
    """The header of a safetensors file, and where the data begin.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no such header.
    """
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= 100 * 2**20:
            raise ValueError(f"a header of {length} bytes")
        text = file.read(length)
    if len(text) < length:
        raise ValueError("cut short")
    header = json.loads(text)
    if not isinstance(header, dict):
        raise ValueError("no JSON object")
    return header, 8 + length


def weight_files(folder: Path) -> list[Path]:
    """The weight files: safetensors if there are any, else those of torch."""
    for pattern in _WEIGHTS:
        if files := sorted(folder.glob(pattern)):
            return files
    return []


def is_settled(folder: Path, seconds: float) -> bool:
    """Whether no file of the folder has changed for so many seconds."""
    latest = max((path.stat().st_mtime for path in folder.iterdir()), default=0.0)
    return time.time() - latest >= seconds


# ---- what tells them apart


def fingerprint(folder: Path) -> Weights:
    """What tells the weights in a folder apart, whatever the folder is called.

    Of large files the size, the header and blocks spread evenly over the whole are hashed: training moves every weight.

    Raises:
        SweepError: a file cannot be read.
    """
    try:
        config = _mapping(folder / _CONFIG) or {}
        told = {name: value for name, value in config.items() if name not in _SAYS_NOTHING}
        also = {path.name: _hash_file(path) for pattern in _ALSO for path in sorted(folder.glob(pattern))}
        config_hash = digest([told, also])
        tokenizer = digest({name: _hash_file(folder / name) for name in _TOKENIZER if (folder / name).is_file()})
        weights = [(path.name, path.stat().st_size, _hash_file(path)) for path in weight_files(folder)]
    except OSError as error:
        raise SweepError(f"{folder}: cannot be read: {error}") from error
    architectures = config.get("architectures") or [config.get("model_type", "")]
    return Weights(digest([config_hash, tokenizer, weights]), config_hash, tokenizer, str(architectures[0]))


def stamp(folder: Path) -> str:
    """What changes when a file of a checkpoint is written anew: cheap, to notice that it was."""
    paths = [*weight_files(folder), folder / _CONFIG]
    return digest([(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in paths])


def digest(data: Any) -> str:
    """A SHA-256 of plain data."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


def _hash_file(path: Path) -> str:
    size = path.stat().st_size
    sha = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        if size <= _WHOLE:
            while block := file.read(2**20):
                sha.update(block)
            return sha.hexdigest()
        for number in range(_BLOCKS):
            file.seek(number * (size - _BLOCK) // (_BLOCKS - 1))
            sha.update(file.read(_BLOCK))
    return sha.hexdigest()


def _mapping(path: Path) -> dict[str, Any] | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None


# ---- the Hub


def revisions(repository: str, pattern: str) -> list[Checkpoint]:
    """The branches and tags of a Hub repository that match a pattern, by their commits.

    Raises:
        SweepError: the Hub cannot be asked, or nothing matches.
    """
    from huggingface_hub import HfApi

    try:
        refs = HfApi().list_repo_refs(repository)
    except Exception as error:  # any of the client's and of its transport's
        raise SweepError(f"{repository}: the Hub does not list its revisions: {error}") from error
    commits = {ref.name: ref.target_commit for ref in (*refs.branches, *refs.tags)}
    names = [name for name in commits if fnmatch.fnmatchcase(name, pattern)]
    if not names:
        known = ", ".join(sorted(commits)[:8])
        raise SweepError(f"{repository}: none of its {len(commits)} revisions matches {pattern!r}; it has {known}")
    made = []
    for name in names:
        step, tokens = named_progress(name)
        weights = Weights(f"{repository}@{commits[name]}", "", repository)
        made.append(Checkpoint(repository, name, repository, commits[name], step, tokens, weights))
    return sorted(made, key=lambda checkpoint: checkpoint.order)
