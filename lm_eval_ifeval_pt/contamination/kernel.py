"""The compiled pass: UTF-8 bytes in, runs of words that the index holds out. Needs numba (extra `contamination`).

Block by block: decode, fold and hash each word; then roll the hash of the last n words, ask a bit filter (which says
no to nearly every run without leaving the cache) and then the table. Memory does not grow with the length of a
document.
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
_BITS_PER_RUN = 12
"""More would let fewer runs through to the table, but the filter itself would leave the cache."""
_BLOCK = 1024
"""Words that are hashed before their runs are looked up: few enough to stay in the cache."""
_LONGEST_EXPANSION = 32
"""Words that one character may become, at most (18 characters are the most: U+FDFA)."""
_WHOLE = -1
"""In `Tables.quick`: the character has to be decoded in full."""
_LEAD = 24
"""In `Tables.quick`: the bits from which on a first byte of two stands."""
_FIELDS = 5
"""Columns of a hit: document, run, first word, first byte, byte after the last."""


@dataclass(frozen=True)
class Tables:
    """An index, and the folding of characters, as arrays for the kernel.

    Attributes:
        codes: Per character below U+20000: its folded code, 0 for a separator, -1 for nothing, or -2 - i where
            it becomes the codes at `expansions[i]`, of which the first is their number.
        quick: Per byte of a character of one byte, then, 256 each, per second byte of those of two, in the order of
            the first byte's low five bits: the letter's folded code, 0 for a separator, `_WHOLE` for what is neither
            or needs more bytes; a first byte of two leads on by its low five bits, shifted by `_LEAD`.
        expansions: See `codes`.
        lengths: The lengths of runs that occur, ascending.
        powers: Per length, what the oldest word is multiplied by when it leaves the rolling hash.
        bits: The bit filter.
        keys: Hash table with open addressing; 0 is an empty slot.
        values: The run of each slot.
    """

    codes: I32
    quick: I32
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
        return cls(codes, _quick(codes), expansions, lengths, powers, bits, keys, values)


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


def _quick(codes: I32) -> I32:
    quick = np.full((32, 256), _WHOLE, np.int32)
    quick[0, :0x80] = np.maximum(codes[:0x80], _WHOLE)
    for first in range(0xC2, 0xE0):
        low = first & 0x1F
        quick[0, first] = low << _LEAD
        quick[low, 0x80:0xC0] = np.maximum(codes[low << 6 : (low + 1) << 6], _WHOLE)
    return quick.reshape(-1)


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
            tables.quick,
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
    data, ends, codes, quick, expansions, lengths, powers, bits, keys, values, out
):
    longest = lengths[-1]
    hashes = np.empty(longest + _BLOCK + _LONGEST_EXPANSION, np.uint64)
    spans = np.empty((len(hashes), 2), np.int64)
    sums = np.empty(len(lengths), np.uint64)
    count = 0
    begin = 0
    for document in range(len(ends)):
        end = ends[document]
        sums[:] = np.uint64(0)
        at, word, value, word_start, word_end = begin, 0, np.uint64(_SEED), begin, begin
        filled = longest  # what stands before are the last words of the block before
        while at < end:
            at, filled, value, word_start, word_end = _hash_words(
                data, at, end, codes, quick, expansions, value, word_start, word_end, hashes, spans, longest
            )
            if at == end and word_end > word_start:
                hashes[filled], spans[filled, 0], spans[filled, 1] = _finished(value), word_start, word_end
                filled += 1
            count = _look_up(
                hashes, spans, longest, filled, word, document, begin, sums, lengths, powers, bits, keys, values,
                out, count,
            )
            word += filled - longest
            for place in range(longest):
                hashes[place] = hashes[filled - longest + place]
                spans[place, 0] = spans[filled - longest + place, 0]
        begin = end
    return count


@numba.njit(cache=True, nogil=True, inline="always")
def _finished(value):  # type: ignore[no-untyped-def]  # compiled
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@numba.njit(cache=True, nogil=True)
def _hash_words(  # type: ignore[no-untyped-def]  # compiled
    data, at, end, codes, quick, expansions, value, word_start, word_end, hashes, spans, filled
):
    """Hash the words from a byte on until the document or the block ends.

    What stands between two blocks of a word goes out and in again: its hash so far, its first byte, and the byte
    after its last; a word has begun when these two differ.
    """
    seed, prime = np.uint64(_SEED), np.uint64(_PRIME)
    full = len(hashes) - _LONGEST_EXPANSION
    lead = 0
    while at < end:
        entry = quick[np.uintp(lead << 8 | data[np.uintp(at)])]
        if entry > 0:
            at += 1
            lead = entry >> _LEAD
            letter = lead == 0
            value = (value ^ np.uint64(entry)) * prime if letter else value
            word_end = at if letter else word_end
            continue
        if entry == 0:
            at += 1
            lead = 0
            if word_end > word_start:
                hashes[filled], spans[filled, 0], spans[filled, 1] = _finished(value), word_start, word_end
                filled += 1
                value = seed
            word_start = at
        else:
            start = at - (lead > 0)
            lead = 0
            code, at = _decoded(data, start, end, codes)
            expands, expansion, left = code < -1, -2 - code, 1
            if expands:
                left = expansions[expansion]
            for part in range(left):
                if expands:
                    code = expansions[expansion + 1 + part]
                if code > 0:
                    if word_end <= word_start:
                        word_start = start
                    value = (value ^ np.uint64(code)) * prime
                    word_end = at
                elif code == 0:
                    if word_end > word_start:
                        hashes[filled], spans[filled, 0], spans[filled, 1] = _finished(value), word_start, word_end
                        filled += 1
                        value = seed
                    word_start = at
                elif word_end <= word_start:
                    word_start = at
        if filled >= full:
            break
    return at, filled, value, word_start, word_end


@numba.njit(cache=True, nogil=True)
def _decoded(data, start, end, codes):  # type: ignore[no-untyped-def]  # compiled
    """What the character at a byte folds to, as in `Tables.codes`, and the byte behind it."""
    byte = np.int64(data[start])
    if byte < 0x80:
        return np.int64(codes[byte]), start + 1
    if 0xC2 <= byte <= 0xDF:
        size, point = 2, byte & 0x1F
    elif 0xE0 <= byte <= 0xEF:
        size, point = 3, byte & 0x0F
    elif 0xF0 <= byte <= 0xF4:
        size, point = 4, byte & 0x07
    else:
        return np.int64(0), start + 1
    if start + size > end:
        return np.int64(0), start + 1
    for at in range(start + 1, start + size):
        if data[at] & 0xC0 != 0x80:
            return np.int64(0), start + 1
        point = point << 6 | np.int64(data[at]) & 0x3F
    if point < _FOLDED_BELOW:
        return np.int64(codes[point]), start + size
    return (point if point < _IGNORED_FROM else np.int64(-1)), start + size


@numba.njit(cache=True, nogil=True)
def _look_up(  # type: ignore[no-untyped-def]  # compiled
    hashes, spans, first, behind, word, document, begin, sums, lengths, powers, bits, keys, values, out, count
):
    """Write the hits of the runs that end at some words of a block; how many hits there are now.

    The first of these words is `word` in its document, and what stands before it in the block are words before it.
    """
    base, one = np.uint64(_BASE), np.uint64(1)
    bit_mask, slot_mask = np.uint64(len(bits) * 64 - 1), np.uint64(len(keys) - 1)
    for last in range(first, behind):
        words = word + last - first + 1
        for kind in range(len(lengths)):
            length = lengths[kind]
            total = sums[kind] * base + hashes[last]
            if words > length:
                total -= hashes[last - length] * powers[kind]
            sums[kind] = total
            if words < length:
                continue
            key = _finished(total + np.uint64(length))
            bit = key & bit_mask
            if not (bits[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & one:
                continue
            slot = (key >> np.uint64(20)) & slot_mask
            while values[slot] >= 0:
                if keys[slot] == key:
                    if count < len(out):
                        out[count, 0] = document
                        out[count, 1] = values[slot]
                        out[count, 2] = words - length
                        out[count, 3] = spans[last - length + 1, 0] - begin
                        out[count, 4] = spans[last, 1] - begin
                    count += 1
                    break
                slot = (slot + one) & slot_mask
    return count
