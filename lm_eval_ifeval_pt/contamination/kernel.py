"""The compiled pass: UTF-8 bytes in, runs of words that the index holds out. Needs numba (extra `contamination`).

One loop does all: decode, fold, hash each word, roll the hash of the last n words, ask a bit filter (which says no to
nearly every run without leaving the cache) and then the table. Nothing is allocated; memory does not grow with the
length of a document.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
import numpy.typing as npt

from lm_eval_ifeval_pt.contamination import folding
from lm_eval_ifeval_pt.contamination.index import _BASE, _PRIME, _SEED, I32, I64, U64, Index

_FOLDED_BELOW = 0x20000
_IGNORED_FROM = 0xE0000
_BITS_PER_RUN = 24
_FIELDS = 5
"""Columns of a hit: document, run, first word, first byte, byte after the last."""


@dataclass(frozen=True)
class Tables:
    """An index, and the folding of characters, as arrays for the kernel.

    Attributes:
        codes: Per character below U+20000: its folded code, 0 for a separator, -1 for nothing, or -2 - i where
            it becomes the codes at `expansions[i]`, of which the first is their number.
        expansions: See `codes`.
        lengths: The lengths of runs that occur, ascending.
        powers: Per length, what the oldest word is multiplied by when it leaves the rolling hash.
        bits: The bit filter.
        keys: Hash table with open addressing; 0 is an empty slot.
        values: The run of each slot.
    """

    codes: I32
    expansions: I32
    lengths: I64
    powers: U64
    bits: U64
    keys: U64
    values: I32

    @classmethod
    def of(cls, index: Index) -> Tables:
        """The tables of an index."""
        codes, expansions = _folding()
        lengths = np.unique(index.lengths).astype(np.int64)
        powers = np.array([pow(_BASE, int(length), 1 << 64) for length in lengths], np.uint64)
        count = max(len(index.hashes), 1)
        bits = np.zeros(max(1 << (count * _BITS_PER_RUN - 1).bit_length() >> 6, 1), np.uint64)
        slots = 1 << (2 * count).bit_length()
        keys, values = np.zeros(slots, np.uint64), np.full(slots, -1, np.int32)
        _fill(np.ascontiguousarray(index.hashes), bits, keys, values)
        return cls(codes, expansions, lengths, powers, bits, keys, values)


def _folding() -> tuple[I32, I32]:
    codes = np.zeros(_FOLDED_BELOW, np.int32)
    expansions: list[int] = []
    for code in range(_FOLDED_BELOW):
        folded = folding.fold_character(chr(code))
        parts = [0 if part == folding.SEPARATOR else ord(part) for part in folded]
        if len(parts) == 1:
            codes[code] = parts[0]
        elif not parts:
            codes[code] = -1
        else:
            codes[code] = -2 - len(expansions)
            expansions += [len(parts), *parts]
    return codes, np.array(expansions or [0], np.int32)


@numba.njit(cache=True, nogil=True)
def _fill(hashes, bits, keys, values):  # type: ignore[no-untyped-def]  # compiled
    bit_mask = np.uint64(len(bits) * 64 - 1)
    slot_mask = np.uint64(len(keys) - 1)
    for run in range(len(hashes)):
        value = hashes[run]
        bit = value & bit_mask
        bits[bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))
        slot = (value >> np.uint64(20)) & slot_mask
        while values[slot] >= 0:
            slot = (slot + np.uint64(1)) & slot_mask
        keys[slot] = value
        values[slot] = run


def scan(data: npt.NDArray[np.uint8], ends: I64, tables: Tables, capacity: int = 4096) -> I64:
    """The hits in some documents, in order: document, run, first word, first byte, byte after the last.

    Args:
        data: The documents in UTF-8, one after another; words and bytes are counted within each. Bytes that are no
            UTF-8 separate words.
        ends: Where each document ends.
        tables: What to look for.
        capacity: How many hits to make room for at first.
    """
    while True:
        out = np.empty((capacity, _FIELDS), np.int64)
        count = _scan(
            data,
            ends,
            tables.codes,
            tables.expansions,
            tables.lengths,
            tables.powers,
            tables.bits,
            tables.keys,
            tables.values,
            out,
        )
        if count <= capacity:
            return out[:count]
        capacity = int(count)


@numba.njit(cache=True, nogil=True)
def _scan(  # type: ignore[no-untyped-def]  # compiled
    data, ends, codes, expansions, lengths, powers, bits, keys, values, out
):
    base, prime, seed = np.uint64(_BASE), np.uint64(_PRIME), np.uint64(_SEED)
    mix1, mix2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
    s30, s27, s31, s6, s20 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(6), np.uint64(20)
    one, low6 = np.uint64(1), np.uint64(63)
    bit_mask, slot_mask = np.uint64(len(bits) * 64 - 1), np.uint64(len(keys) - 1)
    kinds = len(lengths)
    ring_size = 1
    while ring_size < lengths[kinds - 1] + 1:
        ring_size *= 2
    ring_mask = ring_size - 1
    ring_hash = np.zeros(ring_size, np.uint64)
    ring_start = np.zeros(ring_size, np.int64)
    sums = np.zeros(kinds, np.uint64)
    capacity = len(out)
    count = 0
    begin = 0
    for document in range(len(ends)):
        end = ends[document]
        word_count = 0
        in_word = False
        value = seed
        word_start = begin
        word_end = begin
        start = begin
        for kind in range(kinds):
            sums[kind] = np.uint64(0)
        at = begin
        pending = 0
        where = 0
        while at <= end:
            if pending:
                code = expansions[where]
                where += 1
                pending -= 1
            elif at == end:
                at += 1
                code = 0
            else:
                start = at
                byte = data[at]
                if byte < 0x80:
                    at += 1
                    code = codes[byte]
                else:
                    point = -1
                    step = 1
                    if 0xC2 <= byte <= 0xDF and at + 1 < end and data[at + 1] & 0xC0 == 0x80:
                        point = (np.int64(byte) & 0x1F) << 6 | (np.int64(data[at + 1]) & 0x3F)
                        step = 2
                    elif (
                        0xE0 <= byte <= 0xEF
                        and at + 2 < end
                        and data[at + 1] & 0xC0 == 0x80
                        and data[at + 2] & 0xC0 == 0x80
                    ):
                        point = (
                            (np.int64(byte) & 0x0F) << 12
                            | (np.int64(data[at + 1]) & 0x3F) << 6
                            | (np.int64(data[at + 2]) & 0x3F)
                        )
                        step = 3
                    elif (
                        0xF0 <= byte <= 0xF4
                        and at + 3 < end
                        and data[at + 1] & 0xC0 == 0x80
                        and data[at + 2] & 0xC0 == 0x80
                        and data[at + 3] & 0xC0 == 0x80
                    ):
                        point = (
                            (np.int64(byte) & 0x07) << 18
                            | (np.int64(data[at + 1]) & 0x3F) << 12
                            | (np.int64(data[at + 2]) & 0x3F) << 6
                            | (np.int64(data[at + 3]) & 0x3F)
                        )
                        step = 4
                    at += step
                    if point < 0:
                        code = 0
                    elif point < 0x20000:
                        code = codes[point]
                    elif point < 0xE0000:
                        code = point
                    else:
                        code = -1
                if code < -1:
                    where = -2 - code
                    pending = expansions[where] - 1
                    code = expansions[where + 1]
                    where += 2
            if code > 0:
                if not in_word:
                    in_word = True
                    value = seed
                    word_start = start
                value = (value ^ np.uint64(code)) * prime
                word_end = at
            elif code == 0 and in_word:
                in_word = False
                value = (value ^ (value >> s30)) * mix1
                value = (value ^ (value >> s27)) * mix2
                value = value ^ (value >> s31)
                ring_hash[word_count & ring_mask] = value
                ring_start[word_count & ring_mask] = word_start
                word_count += 1
                for kind in range(kinds):
                    length = lengths[kind]
                    total = sums[kind] * base + value
                    if word_count > length:
                        total -= ring_hash[(word_count - 1 - length) & ring_mask] * powers[kind]
                    sums[kind] = total
                    if word_count < length:
                        continue
                    key = total + np.uint64(length)
                    key = (key ^ (key >> s30)) * mix1
                    key = (key ^ (key >> s27)) * mix2
                    key = key ^ (key >> s31)
                    bit = key & bit_mask
                    if not (bits[bit >> s6] >> (bit & low6)) & one:
                        continue
                    slot = (key >> s20) & slot_mask
                    while values[slot] >= 0:
                        if keys[slot] == key:
                            if count < capacity:
                                out[count, 0] = document
                                out[count, 1] = values[slot]
                                out[count, 2] = word_count - length
                                out[count, 3] = ring_start[(word_count - length) & ring_mask] - begin
                                out[count, 4] = word_end - begin
                            count += 1
                            break
                        slot = (slot + one) & slot_mask
        begin = end
    return count
