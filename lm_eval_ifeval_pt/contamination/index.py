"""The index: every run of n words of the items as a 64-bit hash, with the places where it stands in them.

Left out are runs that several different texts share, such as the instruction phrases of IFEval-pt: they tell nothing
of any item. Texts of fewer than n words are looked for whole, very short ones not at all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.contamination import folding
from lm_eval_ifeval_pt.contamination.parts import Part

U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]
I32 = npt.NDArray[np.int32]

NGRAM = 8
"""Words of a run, as in Llama 3's measure (arXiv:2407.21783, section 5.1.4)."""
SHORTEST = 4
"""Texts of fewer words are not looked for: everybody writes them."""
SHARED_BY = 3
"""A run that stands in so many different texts belongs to none of them."""

_SEED = 0xCBF29CE484222325  # FNV-1a's basis and prime
_PRIME = 0x100000001B3
_BASE = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


def word_hash(word: str) -> int:
    """The hash of a folded word: FNV-1a over code points, finished as in splitmix64."""
    value = _SEED
    for character in word:
        value = (value ^ ord(character)) * _PRIME & _MASK
    return _finish(value)


def _finish(value: int) -> int:
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _MASK
    return value ^ value >> 31


def run_hashes(word_hashes: U64, length: int) -> U64:
    """The hash of each run of `length` words: a polynomial in `_BASE`, so that it can be rolled, finished."""
    count = len(word_hashes) - length + 1
    if count <= 0:
        return np.empty(0, np.uint64)
    sums = np.zeros(count, np.uint64)
    for offset in range(length):
        sums = sums * np.uint64(_BASE) + word_hashes[offset : offset + count]
    return finish_all(sums + np.uint64(length))


def finish_all(values: U64) -> U64:
    """`_finish` of an array."""
    values = (values ^ values >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    finished: U64 = values ^ values >> np.uint64(31)
    return finished


@dataclass(frozen=True)
class Index:
    """What is looked for.

    Attributes:
        ngram: Words of a run.
        texts: The distinct folded texts; several parts may have the same.
        text_of: The text of each part; -1 where it is too short to be looked for.
        hashes: The hash of each run, ascending.
        lengths: How many words each run has: `ngram`, or fewer for a short text as a whole.
        starts: Where the occurrences of each run begin in `occurrences`; one entry more than runs.
        occurrences: Text and word at which a run stands, one row each.
        excluded: How many words of each text are in no run that is left, because other texts share theirs.
    """

    ngram: int
    texts: tuple[tuple[str, ...], ...]
    text_of: I32
    hashes: U64
    lengths: I32
    starts: I64
    occurrences: I32
    excluded: I32

    @property
    def fingerprint(self) -> str:
        """Equal for indexes that find the same."""
        digest = hashlib.sha256(f"{self.ngram} {len(self.texts)}".encode())
        for array in (self.text_of, self.hashes, self.occurrences):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def places(self, runs: Sequence[int]) -> list[list[list[int]]]:
        """The texts and words at which each of some runs stands, as `occurrences` has them."""
        numbers = np.asarray(runs, np.int64)
        begins, ends = self.starts[numbers], self.starts[numbers + 1]
        counts = ends - begins
        bounds = [0, *np.cumsum(counts).tolist()]
        # Row i of the answer is row i + (where its run begins here - where it begins in the answer) of `occurrences`.
        shifts = np.repeat(begins - bounds[:-1], counts)
        rows: list[list[int]] = self.occurrences[np.arange(bounds[-1]) + shifts].tolist()
        return [rows[first:behind] for first, behind in pairwise(bounds)]

    def save(self, folder: Path) -> None:
        """Write the index; arrays can be mapped into several processes."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name))
        texts = {"ngram": self.ngram, "texts": [" ".join(text) for text in self.texts]}
        (folder / "texts.json").write_text(json.dumps(texts, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def open(cls, folder: Path) -> Index:
        """The index that `save` wrote."""
        data: Mapping[str, Any] = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
        arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}
        return cls(ngram=data["ngram"], texts=tuple(tuple(text.split()) for text in data["texts"]), **arrays)


_ARRAYS = ("text_of", "hashes", "lengths", "starts", "occurrences", "excluded")


def build(parts: Sequence[Part], ngram: int = NGRAM, shortest: int = SHORTEST) -> Index:
    """The index of some parts.

    Args:
        parts: What to look for.
        ngram: Words of a run.
        shortest: Texts of fewer words are not looked for.

    Raises:
        ValueError: nothing is long enough to be looked for.
    """
    numbers: dict[tuple[str, ...], int] = {}
    text_of = np.full(len(parts), -1, np.int32)
    for number, part in enumerate(parts):
        folded = tuple(folding.words(part.text))
        if len(folded) >= shortest:
            text_of[number] = numbers.setdefault(folded, len(numbers))
    texts = tuple(numbers)
    if not texts:
        raise ValueError(f"no text of {shortest} words or more to look for")
    known: dict[str, int] = {}
    hashed = [_hashed(text, known) for text in texts]
    runs, lengths, occurrences = [], [], []
    for number, word_hashes in enumerate(hashed):
        length = min(ngram, len(word_hashes))
        hashes = run_hashes(word_hashes, length)
        runs.append(hashes)
        lengths.append(np.full(len(hashes), length, np.int32))
        occurrences.append(np.stack([np.full(len(hashes), number), np.arange(len(hashes))], axis=1).astype(np.int32))
    return _assembled(ngram, texts, text_of, np.concatenate(runs), np.concatenate(lengths), np.concatenate(occurrences))


def _hashed(text: tuple[str, ...], known: dict[str, int]) -> U64:
    for word in text:
        if word not in known:
            known[word] = word_hash(word)
    return np.fromiter((known[word] for word in text), np.uint64, len(text))


def _assembled(
    ngram: int, texts: tuple[tuple[str, ...], ...], text_of: I32, runs: U64, lengths: I32, occurrences: I32
) -> Index:
    order = np.lexsort((occurrences[:, 1], occurrences[:, 0], runs))
    runs, lengths, occurrences = runs[order], lengths[order], occurrences[order]
    hashes, first = np.unique(runs, return_index=True)
    ends = np.append(first[1:], len(runs))
    new_text = np.ones(len(runs), bool)
    new_text[1:] = (runs[1:] != runs[:-1]) | (occurrences[1:, 0] != occurrences[:-1, 0])
    sharing = np.add.reduceat(new_text.astype(np.int64), first)
    kept = sharing < SHARED_BY
    # A short text is looked for whole, also where longer texts hold it.
    kept |= lengths[first] < ngram
    mask = np.repeat(kept, ends - first)
    counts = (ends - first)[kept]
    left = occurrences[mask]
    return Index(
        ngram=ngram,
        texts=texts,
        text_of=text_of,
        hashes=hashes[kept],
        lengths=lengths[first][kept],
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        occurrences=left,
        excluded=_excluded(texts, left, np.repeat(lengths[first][kept], counts)),
    )


def _excluded(texts: Sequence[tuple[str, ...]], occurrences: I32, lengths: I32) -> I32:
    begins = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts])])
    steps = np.zeros(begins[-1] + 1, np.int64)
    at = begins[occurrences[:, 0]] + occurrences[:, 1]
    np.add.at(steps, at, 1)
    np.add.at(steps, at + lengths, -1)
    covered = np.cumsum(steps) > 0
    return np.array(
        [len(text) - int(covered[start : start + len(text)].sum()) for text, start in zip(texts, begins, strict=False)],
        np.int32,
    )
