"""What a scan has found: put together from its pieces, written as Parquet, read again.

    CONTAMINATION/
      scan.json       what was looked for and read, what was left out
      items.parquet   a row per part: shares, longest run, where (no text)
      hits.parquet    a row per part and document kept
      index/, pieces/ what an interrupted scan goes on from; not needed afterwards, and not to be published
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lm_eval_ifeval_pt.contamination.corpus import Piece
from lm_eval_ifeval_pt.contamination.evidence import Range, covered, ranges
from lm_eval_ifeval_pt.contamination.index import Index
from lm_eval_ifeval_pt.contamination.parts import Part, Role
from lm_eval_ifeval_pt.contamination.scan import KEPT, ScanSettings, piece_file
from lm_eval_ifeval_pt.writing import replacing

_ROWS = ("rows", "without_text", "unreadable", "other_encoding")

COMMON = 10
"""Documents from which a run may be a common phrase rather than a part of an item."""


class ContaminationError(ValueError):
    """A folder that holds no scan, or another one than was asked for; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found of one part of a document.

    Attributes:
        task: The task.
        doc_id: The document's index in its split.
        role: Which part it is.
        words: Folded words of the part.
        sought: Whether it was looked for.
        share: The share of its words (less those of phrases that others share) that stand in runs found anywhere in
            the corpus: Llama 3's measure.
        best: The same within the one document that has the most of it.
        longest: Words of the longest stretch of it in one document.
        near: The share of its words that one document has in order; None where it was not asked for.
        documents: How many documents have a run of it.
        path: The file of the best document; empty where there is none, as are the next two.
        row: Its row in the file, from 1.
        offset: Where in the document it begins, in characters.
        text_hash: SHA-256 of the part's text.
        text: The part's text; empty unless the scan kept texts.
    """

    task: str
    doc_id: int
    role: Role
    words: int
    sought: bool
    share: float
    best: float
    longest: int
    near: float | None
    documents: int
    path: str
    row: int
    offset: int
    text_hash: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class SeenDocument:
    """One document that has some of a part; the fields mean what they do in `Seen`."""

    task: str
    doc_id: int
    role: Role
    path: str
    row: int
    offset: int
    share: float
    longest: int
    near: float | None
    snippet: str = ""
    text_hash: str = ""


@dataclass(frozen=True)
class Findings:
    """A finished scan.

    Attributes:
        parts: A row per part of every document.
        hits: A row per part and document kept, the best first.
        about: What was looked for and read: `scan.json`.
    """

    parts: tuple[Seen, ...]
    hits: tuple[SeenDocument, ...]
    about: Mapping[str, Any]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in order."""
        return tuple(dict.fromkeys(part.task for part in self.parts))

    @cached_property
    def _shares(self) -> Mapping[tuple[str, Role], Mapping[int, float]]:
        shares: dict[tuple[str, Role], dict[int, float]] = defaultdict(dict)
        for part in self.parts:
            if part.sought:
                own = shares[part.task, part.role]
                own[part.doc_id] = max(own.get(part.doc_id, 0.0), part.share, part.near or 0.0)
        return shares

    def shares(self, task: str, role: Role = "question") -> Mapping[int, float]:
        """How much of each document was seen, by its index; documents that were not looked for are left out.

        It is the share of words in runs, or, where the scan looked for changed copies, the nearness if that is more.
        Of several options the one that was seen most counts.
        """
        return self._shares.get((task, role), {})


def prepare(folder: Path, index: Index, parts: Sequence[Part], settings: ScanSettings, patterns: Sequence[str]) -> bool:
    """Make a folder ready for a scan; whether an earlier start of the same scan goes on.

    Raises:
        ContaminationError: the folder holds a scan for something else, or other files.
    """
    about = {
        "ngram": index.ngram,
        "fingerprint": index.fingerprint,
        "corpus": list(patterns),
        "tasks": list(dict.fromkeys(part.task for part in parts)),
        "settings": dataclasses.asdict(settings),
    }
    known = folder / "scan.json"
    if known.exists():
        earlier = json.loads(known.read_text(encoding="utf-8"))
        differing = [name for name in about if earlier.get(name) != about[name] and name != "corpus"]
        if differing:
            raise ContaminationError(
                f"{folder} holds a scan that differs in: {', '.join(differing)}; choose another --output"
            )
        return True
    if folder.exists() and any(folder.iterdir()):
        raise ContaminationError(f"{folder} is not empty and holds no scan; choose another --output")
    (folder / "pieces").mkdir(parents=True, exist_ok=True)
    index.save(folder / "index")
    rows = (json.dumps(dataclasses.asdict(part), ensure_ascii=False) for part in parts)
    (folder / "index" / "parts.jsonl").write_text("\n".join(rows), encoding="utf-8", errors="surrogatepass")
    _write_json(known, about | {"finished": False})
    return False


def settings_of(folder: Path) -> ScanSettings:
    """The settings that a folder was prepared with.

    Raises:
        ContaminationError: the folder holds no scan.
    """
    try:
        about = json.loads((folder / "scan.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ContaminationError(f"{folder}: was not prepared for a scan") from error
    return ScanSettings(**about["settings"])


def parts_of(folder: Path) -> list[Part]:
    """What a scan looks for, in the order of its index; none where `index/` is gone, as from a published scan."""
    file = folder / "index" / "parts.jsonl"
    if not file.exists():
        return []
    rows = file.read_text(encoding="utf-8", errors="surrogatepass").split("\n")
    return [Part(**json.loads(row)) for row in rows if row]


def _write_json(path: Path, data: Any) -> None:
    with replacing(path) as file:
        json.dump(data, file, ensure_ascii=False, indent=2)


def merge(
    folder: Path, parts: Sequence[Part], pieces: Sequence[Piece], settings: ScanSettings, skipped: Iterable[str] = ()
) -> Findings:
    """Put together what the pieces of a corpus left behind, and write it; the rest is as of `merge_tallies`.

    Args:
        folder: Where the scan was made.
        parts: What was looked for, in the order of the index.
        pieces: All pieces of the corpus, in order.
        settings: Those of the scan.
        skipped: Files that could not be read at all, each with its reason.
    """
    return merge_tallies(folder, parts, [piece_file(folder, piece) for piece in pieces], settings, skipped)


def merge_tallies(
    folder: Path, parts: Sequence[Part], tallies: Sequence[Path], settings: ScanSettings, skipped: Iterable[str] = ()
) -> Findings:
    """Put together tallies that scans of parts of a corpus left behind, and write the findings.

    Runs that stand in `COMMON` documents or more, most of which are no copy of an item that has them, are common
    phrases ("assinale a alternativa correta"): they are taken out of every share.

    Args:
        folder: Where the scan was made.
        parts: What was looked for, in the order of the index.
        tallies: What `scan.write_tally` wrote; those of one file in the order of its rows.
        settings: Those of the scan.
        skipped: Files that could not be read at all, each with its reason.
    """
    index = Index.open(folder / "index")
    runs, copied, texts = Counter[int](), Counter[int](), Counter[int]()
    best: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    totals = Counter[str]()
    broken = list(skipped)
    rows_before = Counter[str]()
    for tally in tallies:
        data = json.loads(tally.read_text(encoding="utf-8", errors="surrogatepass"))
        path = data["path"]
        for name in _ROWS:
            totals[name] += data["read"][name]
        if "error" in data:
            broken.append(data["error"])
        else:
            totals["documents"] += data["documents"]
            totals["bytes"] += data["bytes"]
            for run, count, copies in data["runs"]:
                runs[run] += count
                copied[run] += copies
            texts.update(dict(data["texts"]))
            for text, row, offset, begun, near, snippet in data["evidence"]:
                best[text].append((path, rows_before[path] + row + 1, offset, begun, near, snippet))
        rows_before[path] += data["read"]["rows"]
    common = np.zeros(len(index.hashes), bool)
    for run, count in runs.items():
        common[run] = count >= COMMON and 2 * copied[run] < count
    about = json.loads((folder / "scan.json").read_text(encoding="utf-8")) | {
        "finished": True,
        "files": len(rows_before),
        "left_out": broken,
        "common_runs": int(common.sum()),
        **{name: totals[name] for name in ("documents", "bytes", *_ROWS)},
    }
    measured = _Measured(index, runs, texts, common, best)
    seen, hits = [], []
    for number, part in enumerate(parts):
        row, own = measured.part(part, int(index.text_of[number]), settings.with_text)
        seen.append(row)
        hits += own
    findings = Findings(tuple(seen), tuple(hits), about)
    _write_parquet(folder / "items.parquet", [dataclasses.asdict(row) for row in seen], Seen)
    _write_parquet(folder / "hits.parquet", [dataclasses.asdict(row) for row in hits], SeenDocument)
    _write_json(folder / "scan.json", about)
    return findings


class _Measured:
    """Shares and places of each text, after common phrases are taken out."""

    def __init__(
        self,
        index: Index,
        runs: Mapping[int, int],
        texts: Mapping[int, int],
        common: Any,
        best: Mapping[int, list[tuple[Any, ...]]],
    ) -> None:
        self._index, self._texts, self._best = index, texts, best
        self._cache: dict[int, tuple[int, float, list[tuple[Any, ...]]]] = {}
        owned: dict[int, list[tuple[int, int]]] = defaultdict(list)
        counts = np.diff(index.starts)
        run_of = np.repeat(np.arange(len(counts)), counts)
        for run, (text, word) in zip(run_of.tolist(), index.occurrences.tolist(), strict=True):
            if not common[run]:
                owned[text].append((word, run))
        self._owned, self._runs = owned, runs

    def part(self, part: Part, text: int, with_text: bool) -> tuple[Seen, list[SeenDocument]]:
        """The row of a part, and the documents that have it."""
        digest = hashlib.sha256(part.text.encode("utf-8", "surrogatepass")).hexdigest()
        shown = part.text if with_text else ""
        words = 0 if text < 0 else len(self._index.texts[text])
        if text < 0 or not self._owned[text]:
            row = Seen(
                part.task, part.doc_id, part.role, words, False, 0.0, 0.0, 0, None, 0, "", 0, 0, digest, shown
            )
            return row, []
        if text not in self._cache:
            self._cache[text] = self._measure(text)
        _, share, entries = self._cache[text]
        hits = [
            SeenDocument(
                *(part.task, part.doc_id, part.role, path, row, offset, own, longest, near),
                snippet=snippet or "",
                text_hash=digest,
            )
            for own, longest, near, path, row, offset, snippet in entries
        ]
        first = hits[0] if hits else None
        nears = [hit.near for hit in hits if hit.near is not None]
        return (
            Seen(
                task=part.task,
                doc_id=part.doc_id,
                role=part.role,
                words=words,
                sought=True,
                share=share,
                best=first.share if first else 0.0,
                longest=max((hit.longest for hit in hits), default=0),
                near=max(nears, default=None),
                documents=self._texts[text] if first else 0,
                path=first.path if first else "",
                row=first.row if first else 0,
                offset=first.offset if first else 0,
                text_hash=digest,
                text=shown,
            ),
            hits,
        )

    def _measure(self, text: int) -> tuple[int, float, list[tuple[Any, ...]]]:
        length = min(self._index.ngram, len(self._index.texts[text]))
        own = sorted(self._owned[text])
        sought = _total(covered(ranges(word for word, _ in own), length))
        met = _total(covered(ranges(word for word, run in own if self._runs.get(run)), length))
        allowed = {word for word, _ in own}
        entries = []
        for path, row, offset, begun, near, snippet in self._best[text]:
            words = [word for first, behind in begun for word in range(first, behind) if word in allowed]
            stretches = covered(ranges(words), length)
            if stretches:
                longest = max(end - start for start, end in stretches)
                entries.append((_total(stretches) / sought, longest, near, path, row, offset, snippet))
        entries.sort(key=lambda entry: (-entry[0], -(entry[2] or 0.0), entry[3], entry[4], entry[5]))
        return sought, met / sought, entries[:KEPT]


def _total(stretches: Iterable[Range]) -> int:
    return sum(end - start for start, end in stretches)


def _write_parquet(path: Path, rows: list[dict[str, Any]], record: type) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"int": pa.int64(), "float": pa.float64(), "float | None": pa.float64(), "bool": pa.bool_()}
    schema = pa.schema([(field.name, kinds.get(str(field.type), pa.string())) for field in dataclasses.fields(record)])
    with replacing(path) as file:
        pq.write_table(pa.Table.from_pylist(rows, schema), file.buffer, compression="zstd")


def read(folder: Path) -> Findings:
    """The findings of a finished scan.

    Raises:
        ContaminationError: there are none, or the scan has not ended.
    """
    import pyarrow.parquet as pq

    try:
        about = json.loads((folder / "scan.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ContaminationError(f"{folder}: holds no scan (`lm-eval-pt contamination scan` makes one)") from error
    if not (folder / "items.parquet").exists():
        raise ContaminationError(f"{folder}: the scan has not ended; the same command goes on with it")
    seen = tuple(Seen(**row) for row in pq.read_table(folder / "items.parquet").to_pylist())
    hits = tuple(SeenDocument(**row) for row in pq.read_table(folder / "hits.parquet").to_pylist())
    return Findings(seen, hits, about)
