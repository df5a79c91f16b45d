"""Where the rows of each data set come from, and how its own schema becomes that of google/IFEval.

A data set is read from the place where it is published, or from a local file of the same schema. What comes
out are rows with the columns key, prompt, instruction_id_list and kwargs. Rows of conversations have three
more: `conversation` (its key), `turn` (from 1) and `turns` (what the user says up to this turn, one string
    each).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lm_eval_ifeval_pt.ifeval.rows import RowsError, parsed, read_jsonl
from lm_eval_ifeval_pt.paths import bundled

Row = Mapping[str, Any]

_JSON_COLUMNS = ("instruction_id_list", "kwargs")
_OF_DOCUMENTS = frozenset({"dialect", "mode", "reasoning", "rows_left_out", "verdicts"})  # what rows have not


def plain(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Rows that have the four columns already; lists may be JSON strings, and keys may be missing."""
    for number, row in enumerate(rows, 1):
        columns = {"key": number, **{name: row[name] for name in ("key", "prompt") if name in row}}
        yield columns | {name: parsed(row[name], f"key {columns['key']!r}") for name in _JSON_COLUMNS if name in row}


def multi_if(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The Portuguese conversations of Multi-IF, one row a turn; a turn asks for what earlier ones did, and
    more.

    The data have no answers, so the prompt of a turn is all that the user has said up to there: the turns
    with an empty line between them.
    """
    for row in rows:
        if row.get("language", "Portuguese") != "Portuguese":
            continue
        contents, where = [], f"key {row.get('key')!r}"
        for turn in (1, 2, 3):
            message = parsed(row.get(f"turn_{turn}_prompt"), where)
            if not isinstance(message, dict):  # some conversations end after two turns
                break
            columns = {name: parsed(row.get(f"turn_{turn}_{name}"), where) for name in _JSON_COLUMNS}
            contents.append({"prompt": message.get("content"), **columns})
        yield from _turns(row.get("key"), contents)


def capitu_turns(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The conversations of CAPITU, one row a turn; a turn asks for what earlier ones did, and more.

    Prompts are made as for `multi_if`.
    """
    for row in rows:
        contents = row.get("turns")
        if not isinstance(contents, list) or not all(isinstance(content, dict) for content in contents):
            raise RowsError(f"key {row.get('key')!r}: turns must be a list of objects, they are {contents!r}")
        yield from _turns(row.get("key"), contents)


def _turns(key: Any, contents: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The rows of one conversation; the prompt of a turn is the user's turns so far."""
    turns: list[str] = []
    for turn, content in enumerate(contents, 1):
        turns.append(str(content.get("prompt") or ""))
        yield {
            "key": f"{key}/{turn}",
            "prompt": "\n\n".join(turns),
            **{name: content.get(name) for name in _JSON_COLUMNS},
            "conversation": str(key),
            "turn": turn,
            "turns": list(turns),
        }


def brcampidelli(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Rows of brcampidelli's IFEval-PT: a list of `instrucoes`, each with its `tipo` and arguments."""
    for row in rows:
        asked = row.get("instrucoes")
        if not isinstance(asked, list) or not all(isinstance(one, dict) for one in asked):
            raise RowsError(f"key {row.get('id')!r}: instrucoes must be a list of objects, they are {asked!r}")
        yield {
            "key": row.get("id"),
            "prompt": row.get("prompt"),
            "instruction_id_list": [f"br:{one.get('tipo')}" for one in asked],
            "kwargs": [{name: value for name, value in one.items() if name != "tipo"} for one in asked],
        }


def logged(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The rows behind the documents that the harness logged with its answers (samples_*.jsonl)."""
    for row in rows:
        yield {name: value for name, value in row["doc"].items() if name not in _OF_DOCUMENTS}


@dataclass(frozen=True, slots=True)
class Source:
    """A published data set.

    Attributes:
        place: Its Hub id, or the address of its .jsonl file.
        convert: Makes rows of the four columns of its rows.
        split: The split to evaluate; without it `test`, or else the first one.
        files: The files to read where the repository holds other data sets too; a pattern.
        bundled: The file in our data folder that stands in for it, if any.
    """

    place: str
    convert: Callable[[Iterable[Row]], Iterator[dict[str, Any]]] = plain
    split: str | None = None
    files: str | None = None
    bundled: str | None = None


_BR = "https://raw.githubusercontent.com/brcampidelli/llm-ptbr/HEAD/comeia/eval/benchmarks/"
_CAPITU = "https://raw.githubusercontent.com/maritaca-ai/capitu/HEAD/data/"
_GAP_UFG = "https://raw.githubusercontent.com/gap-ufg/Portuguese-IFEval/HEAD/data/"

SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        "ifeval_pt": Source("Magurofg/ifeval-pt", bundled="ifeval_pt/ifeval_pt_input_data.jsonl"),
        "polygl0t": Source("Polygl0t/IFEval-PT", split="train"),
        "amalia": Source("amalia-llm/IFEval-mt-pt"),
        "akawaai": Source("akawaai/Portuguese-IFEval"),
        "marco_mif": Source("AIDC-AI/Marco-Bench-MIF", files="**/pt.jsonl"),
        "multi_if": Source("facebook/Multi-IF", multi_if, split="train"),
        "gap_ufg": Source(_GAP_UFG + "pt_input_data_FINAL_CLEAN.jsonl"),
        "gap_ufg_translated": Source(_GAP_UFG + "pten_input_data.jsonl"),
        "brcampidelli": Source(_BR + "ifeval_pt.jsonl", brcampidelli),
        "capitu": Source(_CAPITU + "input_questions.jsonl"),
        "capitu_multiturn": Source(_CAPITU + "input_questions_multiturn.jsonl", capitu_turns),
    }
)


def read(dataset: str, source: str) -> Iterator[dict[str, Any]]:
    """The rows of a data set in the schema of google/IFEval, not checked yet.

    Args:
        dataset: A name in `SOURCES`.
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
    place = entry.place if source == "hub" else source
    if "://" in place:
        return read_jsonl(_downloaded(place))
    match Path(place).suffix:
        case ".jsonl" | ".json":
            return read_jsonl(Path(place))
        case ".csv":
            return _read_csv(Path(place))
        case ".parquet":
            return _read_parquet(Path(place))
    return _from_hub(place, entry.split, entry.files if source == "hub" else None, entry.bundled is not None)


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
