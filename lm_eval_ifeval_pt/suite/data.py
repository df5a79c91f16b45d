"""The rows of a data set that a manifest names: a file beside it, a data set of the Hub, or addresses."""

from __future__ import annotations

import csv
import io
import ipaddress
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lm_eval_ifeval_pt.benchmarks.sandbox import DEEPEST, is_deep
from lm_eval_ifeval_pt.jsonl import JsonlError, objects
from lm_eval_ifeval_pt.suite.errors import SuiteError

BUILDERS = ("json", "csv")
"""Paths that name no data set, but how to read addresses."""

_LARGEST = 1 << 30
"""Bytes of the largest file that is fetched from an address."""
_FIELD = 16 << 20
"""Characters of the longest value of a CSV file."""
_ENDS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv"}

Row = dict[str, Any]


def located(file_id: str, folder: Path, files: Mapping[str, Path]) -> str:
    """Where a file lies, as a path from the folder of the manifest.

    Raises:
        ValueError: it would lie outside the folder, or is not there.
    """
    if file_id in files:
        path = files[file_id]
        if not path.is_file():
            raise ValueError(f"{file_id!r} is mapped to {path}, which is no file")
        return str(path.resolve())
    path = folder / file_id
    if Path(file_id).is_absolute() or not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{file_id!r} lies outside the manifest's folder; map it: --files {file_id}=PATH")
    if not path.is_file():
        raise ValueError(
            f"no file {file_id!r} lies beside the manifest; where it lies elsewhere: --files {file_id}=PATH"
        )
    return file_id


def format_of(name: str) -> str | None:
    """jsonl or csv, by what a file's name ends in."""
    return _ENDS.get(Path(name).suffix.lower())


def rows(dataset: Mapping[str, Any], folder: Path) -> list[Row]:
    """The rows of a data set.

    Args:
        dataset: `{file, format}` or `{path, name, split, revision, data_files}`, and `max_rows`.
        folder: Where a `file` is looked for.

    Raises:
        SuiteError: it cannot be read, or has no rows.
    """
    if "file" in dataset:
        where = str(dataset["file"])
        made = _of_file(folder / where, dataset["format"])
    elif dataset["path"] in BUILDERS:
        where = f"{dataset['path']} of {', '.join(addresses(dataset['data_files']))}"
        made = _of_addresses(dataset)
    else:
        where = str(dataset["path"])
        made = _of_hub(dataset)
    read = list(islice(made, dataset.get("max_rows")))
    if not read:
        raise SuiteError(f"{where} has no rows")
    return read


def _of_file(path: Path, kind: str) -> Iterator[Row]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            yield from _READERS[kind](lines, str(path))
    except OSError as error:
        raise SuiteError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SuiteError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from error


def jsonl(lines: Iterator[str] | io.TextIOBase, where: str) -> Iterator[Row]:
    """The objects of JSON lines.

    Raises:
        SuiteError: naming the line that holds none.
    """
    try:
        for at, row in objects(lines, where):
            if is_deep(row):
                raise SuiteError(f"{at}: has more than {DEEPEST} levels of lists and objects")
            yield row
    except JsonlError as error:
        raise SuiteError(str(error)) from error


def csv_rows(lines: Iterator[str] | io.TextIOBase, where: str) -> Iterator[Row]:
    """The rows of CSV, whose first row names the columns. All values are text: "01" is not 1.

    Columns are parted by commas or, where the header has more of them, by semicolons, as Portuguese spreadsheets do.

    Raises:
        SuiteError: naming the line that is wrong.
    """
    csv.field_size_limit(_FIELD)
    iterator = iter(lines)
    header = next(iterator, "")
    mark = ";" if header.count(";") > header.count(",") else ","
    reader = csv.reader(_chained(header, iterator), delimiter=mark, strict=True)
    try:
        columns = next(reader, [])
        twice = next((name for name in columns if columns.count(name) > 1), None)
        if twice is not None:
            raise SuiteError(f"{where}: the column {twice!r} stands twice in the header")
        for values in reader:
            if len(values) != len(columns) and values:
                number = f"{len(values)} values, the header has {len(columns)} columns"
                raise SuiteError(f"{where}, line {reader.line_num}: {number}")
            if values:
                yield dict(zip(columns, values, strict=True))
    except csv.Error as error:
        raise SuiteError(f"{where}, line {reader.line_num}: {error}") from error


def _chained(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


_READERS = {"jsonl": jsonl, "csv": csv_rows}


def _of_hub(dataset: Mapping[str, Any]) -> Iterator[Row]:
    import datasets

    path, split = dataset["path"], dataset["split"]
    name = dataset.get("name") or _configuration(path, split, dataset.get("revision"))
    try:
        loaded = datasets.load_dataset(path, name, split=split, revision=dataset.get("revision"))
    except Exception as error:  # of many kinds, none of them ours
        reason = " ".join(str(error).split())[:300]
        raise SuiteError(f"{path} ({name}, split {split}) cannot be read: {type(error).__name__}: {reason}") from error
    limit = dataset.get("max_rows")
    part = loaded if limit is None else loaded.select(range(min(limit, len(loaded))))
    yield from part


def _configuration(path: str, split: str, revision: str | None) -> str:
    """The one configuration that has a split; `default` if several do.

    Raises:
        SuiteError: which one is meant is not to be told.
    """
    import datasets

    try:
        names = datasets.get_dataset_config_names(path, revision=revision)
        if len(names) == 1:
            return str(names[0])
        having = [name for name in names if split in datasets.get_dataset_split_names(path, name, revision=revision)]
    except Exception as error:
        reason = " ".join(str(error).split())[:300]
        raise SuiteError(f"{path} cannot be read: {type(error).__name__}: {reason}") from error
    if "default" in having or len(having) == 1:
        return "default" if "default" in having else str(having[0])
    told = f"{len(having)} configurations have the split {split}" if having else f"none has the split {split}"
    raise SuiteError(f"{path}: {told}; give dataset.name, one of {', '.join(names[:30])}")


# Addresses


def addresses(data_files: Any) -> list[str]:
    """All addresses that `data_files` names."""
    if isinstance(data_files, str):
        return [data_files]
    values = data_files.values() if isinstance(data_files, Mapping) else data_files
    return [address for value in values for address in addresses(value)]


def check_address(address: str) -> None:
    """Refuse what is no public HTTP(S) address, as far as its name tells.

    Raises:
        ValueError: why.
    """
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").rstrip(".").lower()
    except ValueError as error:
        raise ValueError(f"{address!r} is no address: {error}") from error
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise ValueError(f"{address!r} is no HTTP(S) address; a file beside the manifest is named with file_id")
    number = _number(host)
    if number is not None and not number.is_global:
        raise ValueError(f"{address!r} is on a local or private network")
    names = ("localhost", "local", "internal", "lan", "home", "corp", "intranet", "localdomain")
    if number is None and ("." not in host or host.rpartition(".")[2] in names):
        raise ValueError(f"{address!r} is on a local or private network")


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address that a host is, also in the short and octal forms that resolvers read."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.ip_address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


class _Checking(urllib.request.HTTPRedirectHandler):
    """Follows redirections to public addresses only."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> Any:
        made = super().redirect_request(*args, **kwargs)
        if made is not None:
            _check_resolved(made.full_url)
        return made


def _check_resolved(address: str) -> None:
    """Refuse an address whose host is, by its name or by what that resolves to, not public.

    Raises:
        SuiteError: why.
    """
    try:
        check_address(address)
        parts = urlsplit(address)
        resolved = socket.getaddrinfo(parts.hostname, parts.port or 443, proto=socket.IPPROTO_TCP)
    except (ValueError, OSError) as error:
        raise SuiteError(f"{address} is not fetched: {error}") from error
    for *_, (number, *_port) in resolved:
        if not ipaddress.ip_address(str(number).partition("%")[0]).is_global:
            raise SuiteError(f"{address} is not fetched: {number} is on a local or private network")


def _of_addresses(dataset: Mapping[str, Any]) -> Iterator[Row]:
    files = dataset["data_files"]
    if isinstance(files, Mapping):
        if dataset["split"] not in files:
            raise SuiteError(f"data_files has no split {dataset['split']!r}; it has {', '.join(files)}")
        files = files[dataset["split"]]
    for address in addresses(files):
        _check_resolved(address)
        lines = io.StringIO(_fetched(address), newline="")
        yield from _READERS["csv" if dataset["path"] == "csv" else "jsonl"](lines, address)


def _fetched(address: str) -> str:
    try:
        with urllib.request.build_opener(_Checking).open(address, timeout=60) as response:
            body: bytes = response.read(_LARGEST + 1)
    except (urllib.error.URLError, OSError) as error:
        raise SuiteError(f"{address} cannot be fetched: {getattr(error, 'reason', None) or error}") from error
    if len(body) > _LARGEST:
        raise SuiteError(f"{address} has more than {_LARGEST >> 20} MiB")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SuiteError(f"{address} is not UTF-8 (byte {error.start})") from error


def columns_of(read: Sequence[Row]) -> list[str]:
    """The names of all columns, in the order in which rows have them."""
    return list(dict.fromkeys(name for row in read for name in row))
