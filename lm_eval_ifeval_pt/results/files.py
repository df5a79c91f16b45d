"""Where result files and sample files lie, and which result file goes with each sample file: the one search of all
commands."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import regex

from lm_eval_ifeval_pt.results import origin
from lm_eval_ifeval_pt.results.errors import ResultsError

_NAME = regex.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+))?\.(?:jsonl?|parquet)")
_RESULT_ENDINGS = (".json", ".yaml", ".yml")
_OLD = "_write_out_info.json"  # what 0.3 calls sample files


@dataclass(frozen=True, slots=True)
class SampleFile:
    """A sample file.

    Attributes:
        path: The file.
        task: The task, as the file's name has it.
        date: The date in the file's name, or else of its result file; may be empty.
        result: The result file of the same run; None where none was found.
    """

    path: Path
    task: str
    date: str
    result: Path | None


def result_files(patterns: Iterable[str]) -> list[Path]:
    """The result files behind files, folders and glob patterns, each once, in order.

    In folders these are all .json and .yaml files that hold results, whatever their names: `--output_path x.json` and
    `run --output` give them others than `results_*.json`. A file that is called results* is taken for one unread, so
    that a broken one is not passed over.

    Raises:
        ResultsError: a pattern leads to nothing.
    """
    listed: dict[Path, None] = {}
    for pattern in patterns:
        matches = [Path(pattern)] if Path(pattern).exists() else [Path(match) for match in sorted(glob.glob(pattern))]
        files = [file for match in matches for file in (_results_in(match) if match.is_dir() else [match])]
        if not files:
            raise ResultsError(f"{pattern}: no result file there (results*.json, another .json of a run, or *.yaml)")
        listed |= dict.fromkeys(files)
    return list(listed)


def _results_in(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in _RESULT_ENDINGS
        and not _is_hidden(path.parent, folder)
        and path.is_file()
        and _holds_results(path)
    )


def _is_hidden(path: Path, folder: Path) -> bool:
    """Whether a path below a folder leads through a hidden one, where programs keep what is not finished."""
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _holds_results(path: Path) -> bool:
    """Whether a file in a folder is one of results, by its name or else by what is in it."""
    if path.name.startswith(("results", ".")) or path.suffix != ".json":
        return not path.name.startswith(".")
    if path.name.endswith(_OLD) or _NAME.fullmatch(path.name):
        return False
    try:
        return isinstance(origin.parse(path).get("results"), dict)
    except ResultsError:
        return False


def sample_files(paths: Iterable[Path]) -> list[SampleFile]:
    """The sample files that files and folders lead to, each once; folders are searched to any depth.

    A result file stands for the sample files of its run: those in the folder of its name (`lm-eval-pt run`),
    or those beside it with its date.

    Raises:
        ResultsError: a path does not exist, or leads to no sample file.
    """
    by_path: dict[Path, SampleFile] = {}
    for path in paths:
        if not path.exists():
            raise ResultsError(f"{path}: no such file or folder")
        if files := list(_behind(path)):
            by_path |= {file.path: file for file in files}
            continue
        old = " (version 0.3 and older ones write none without --write_out)" if path.suffix == ".json" else ""
        raise ResultsError(
            f"{path}: no samples_*.jsonl there{old}; run lm_eval with --output_path and --log_samples"
        )
    return list(by_path.values())


def _behind(path: Path) -> Iterator[SampleFile]:
    if path.is_dir():
        below = (folder for folder in path.rglob("*") if folder.is_dir() and not _is_hidden(folder, path))
        for folder in (path, *sorted(below)):
            yield from _in_folder(folder)
    elif path.suffix in (".jsonl", ".parquet") or path.name.endswith(_OLD) or _NAME.fullmatch(path.name):
        yield _sample_file(path, _results_beside(path.parent))
    elif (own := path.with_suffix("")).is_dir():
        yield from (SampleFile(file.path, file.task, file.date, path) for file in _in_folder(own))
    else:
        date = origin.date_in(path.name)
        for file in _in_folder(path.parent):
            if file.result == path or (date and file.date == date):
                yield SampleFile(file.path, file.task, file.date, path)


def _in_folder(folder: Path) -> Iterator[SampleFile]:
    """The sample files in a folder; a Parquet file only where the file it was made of is gone."""
    results = _results_beside(folder)
    for path in sorted(folder.iterdir()):
        is_copy = path.suffix == ".parquet" and any(path.with_suffix(end).exists() for end in (".jsonl", ".json"))
        is_sample = _NAME.fullmatch(path.name) or path.name.endswith(_OLD)
        is_of_040 = path.suffix == ".jsonl" and _task_of_040(path, results)
        if (is_sample or is_of_040) and not is_copy:
            yield _sample_file(path, results)


def _results_beside(folder: Path) -> list[Path]:
    """The result files that may go with the samples of a folder."""
    beside = [
        path
        for path in sorted(folder.glob("*.json"))
        if not path.name.endswith(_OLD) and not _NAME.fullmatch(path.name)
    ]
    above = folder.parent / f"{folder.name}.json"  # `lm-eval-pt run`
    return [*beside, above] if above.is_file() else beside


def _sample_file(path: Path, results: list[Path]) -> SampleFile:
    match = _NAME.fullmatch(path.name)
    task = (match["task"] if match else _task_of_040(path, results)) or path.name.removesuffix(_OLD)
    date = (match["date"] if match else None) or ""
    same_date = [result for result in results if date and origin.date_in(result.name) == date]
    undated = [result for result in results if not origin.date_in(result.name)]
    candidates = same_date or undated
    result = candidates[0] if len(candidates) == 1 else None
    return SampleFile(path, task, date or (origin.date_in(result.name) if result else ""), result)


def _task_of_040(path: Path, results: list[Path]) -> str | None:
    """The task of a sample file of version 0.4.0, `<model arguments>_<task>.jsonl` beside `results.json`."""
    for result in results:
        if result.name == "results.json":
            tasks = origin.parse(result).get("results") or {}
            ends = [task for task in tasks if path.stem.endswith(f"_{task}")]
            return max(ends, key=len, default=None)
    return None
