"""Reads the rows of each data set: where they come from, and how their own schema becomes that of google/IFEval.

A data set is read from the place where it is published, or from a local file of the same schema. What comes
out are rows with the columns key, prompt, instruction_id_list and kwargs. Rows of conversations have three
more: `conversation` (its key), `turn` (from 1) and `turns` (what the user says up to this turn, one string
    each). Which data sets there are say the modules of `dialects`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_ifeval_pt.ifeval import dialects
from lm_eval_ifeval_pt.ifeval.dialects.source import Row, Source
from lm_eval_ifeval_pt.ifeval.rows import RowsError, read_jsonl
from lm_eval_ifeval_pt.paths import bundled

_OF_DOCUMENTS = frozenset({"dialect", "mode", "reasoning", "rows_left_out", "verdicts"})  # what rows have not

SOURCES: Mapping[str, Source] = {source.name: source for source in dialects.held(Source)}
"""The published data sets by name."""


def logged(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The rows behind the documents that the harness logged with its answers (samples_*.jsonl)."""
    for row in rows:
        yield {name: value for name, value in row["doc"].items() if name not in _OF_DOCUMENTS}


def read(dataset: str, source: str) -> Iterator[dict[str, Any]]:
    """The rows of a data set in the schema of google/IFEval, not checked yet.

    Args:
        dataset: The name of a source of the dialects.
        source: `hub` (where it is published), `bundled`, a local .jsonl, .json, .csv or .parquet file, the
            address of a .jsonl file, or another Hub id. A local file may also be a samples_*.jsonl of the harness.

    Raises:
        RowsError: there is no such data set, or it cannot be read.
    """
    if dataset not in SOURCES:
        raise RowsError(f'metadata "dataset" is {dataset!r}; it must be one of: {", ".join(SOURCES)}')
    entry = SOURCES[dataset]
    rows = list(_raw(entry, dataset, source))
    if rows and all(isinstance(row.get("doc"), dict) and "resps" in row for row in rows):
        return logged(rows)
    return entry.convert(rows)


def _raw(entry: Source, dataset: str, source: str) -> Iterable[Row]:
    if source == "bundled":
        if entry.bundled is None:
            raise RowsError(f'{dataset}: no rows are bundled; use "hub" or the path of a local file')
        return read_jsonl(bundled("data") / entry.bundled)
    address = entry.place if source == "hub" else source
    if "://" in address:
        return read_jsonl(_downloaded(address))
    match Path(address).suffix:
        case ".jsonl" | ".json":
            return read_jsonl(Path(address))
        case ".csv":
            return _read_csv(Path(address))
        case ".parquet":
            return _read_parquet(Path(address))
    return _from_hub(address, entry.split, entry.files if source == "hub" else None, entry.bundled is not None)


def _read_csv(path: Path) -> Iterator[Row]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RowsError(f"{path}: cannot be read as CSV in UTF-8: {error}") from error


def _read_parquet(path: Path) -> list[Row]:
    import datasets

    try:
        return list(datasets.Dataset.from_parquet(str(path)))
    except (OSError, ValueError, datasets.exceptions.DatasetsError) as error:
        raise RowsError(f"{path}: cannot be read as Parquet: {error}") from error


def _downloaded(address: str) -> Path:
    import datasets

    try:
        return Path(datasets.DownloadManager().download(address))
    except Exception as error:  # of many kinds; the person needs the source and a way out
        raise RowsError(
            f"{address}: cannot be downloaded ({type(error).__name__}: {error}). Offline, name a local copy "
            """with --metadata '{"source": "path/to/rows.jsonl"}'."""
        ) from error


def _from_hub(hub_id: str, split: str | None, files: str | None, is_bundled: bool) -> list[Row]:
    import datasets

    try:
        splits = datasets.load_dataset(hub_id, **({"data_files": files} if files else {}))
    except Exception as error:  # of many kinds; the person needs the source and a way out
        way_out = (
            'leave "source" out: the bundled rows need no network.'
            if is_bundled
            else """name a local copy with --metadata '{"source": "path/to/rows.jsonl"}'."""
        )
        raise RowsError(
            f"{hub_id}: cannot be loaded from the Hugging Face Hub ({type(error).__name__}: {error}). "
            f"Offline, {way_out}"
        ) from error
    preferred = next((name for name in (split, "test") if name in splits), next(iter(splits)))
    return list(splits[preferred])
