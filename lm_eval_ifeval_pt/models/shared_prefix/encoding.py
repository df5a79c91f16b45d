"""Tokens of contexts and continuations, the text that they share encoded once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

# A space between letters, at which a tokenizer that splits words starts a piece, whatever surrounds it.
BOUNDARY = re.compile(r"(?<=[^\W\d_]) (?=[^\W\d_])")
SAMPLE = "palavra", " outra"
CHECKED = 16  # contexts of which a pair is also encoded whole, to compare

Pair = tuple[list[int], list[int]]


class Encoder:
    """Encodes pairs as `whole` does, by parts where the tokenizer lets words not influence each other.

    Args:
        whole: Encodes a non-empty context and a continuation.
        encode: Encodes a text, with the special tokens before it.
        plain: Encodes a text without special tokens.
        by_parts: Whether parts may be encoded by themselves, see `splits_words`.
    """

    def __init__(
        self,
        whole: Callable[[str, str], Pair],
        encode: Callable[[str], list[int]],
        plain: Callable[[str], list[int]],
        by_parts: bool,
    ) -> None:
        self.whole, self.encode, self.plain, self.by_parts = whole, encode, plain, by_parts
        self._before = ""  # the context encoded last
        self._shared: tuple[str, list[int]] = "", []  # what contexts have in common, and its tokens
        self._head: list[int] = []  # its tokens up to the last boundary
        self._tail = ""  # the rest of it
        self._context: list[int] = []
        self._unchecked = CHECKED

    def pair(self, context: str, continuation: str) -> Pair:
        """Return the tokens of both; white space that ends the context counts as the continuation's."""
        stripped = context.rstrip()
        if not self.by_parts or not stripped:
            return self.whole(context, continuation)
        new = stripped != self._before
        if new:
            self._encode_context(stripped)
        rest = self._tail + context[len(stripped) :] + continuation
        together = [*self._head, *self.plain(rest)] if self._head else self.encode(rest)
        tokens = self._context, together[len(self._context) :]
        if new and self._unchecked:
            self._unchecked -= 1
            expected = self.whole(context, continuation)
            self.by_parts = tokens == expected
            return expected
        return tokens

    def _encode_context(self, context: str) -> None:
        """Encode up to the last boundary, from what it has in common with the context before."""
        text, tokens = self._shared
        if not text or not context.startswith(text):
            less = _until_boundary(_common(text, context))
            enough = 2 * len(less) > len(text)
            text = less if enough else _until_boundary(_common(self._before, context))
            tokens = self.encode(text) if text else []
            self._shared = text, tokens
        head = _until_boundary(context)
        if text and len(head) > len(text):
            self._head = [*tokens, *self.plain(head[len(text) :])]
        else:
            self._head = self.encode(head) if head else []
        self._tail = context[len(head) :]
        self._context = [*self._head, *self.plain(self._tail)] if head else self.encode(context)
        self._before = context


def splits_words(tokenizer: Any, encode: Callable[[str], list[int]], plain: Callable[[str], list[int]]) -> bool:
    """Return whether the tokenizer encodes each word by itself, and adds no special token behind a text.

    It has to say itself that it splits before a space: that no sample shows a merge over one proves little.
    """
    backend: Any = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or backend.pre_tokenizer is None:
        return False
    if any(" " in token for token in tokenizer.get_added_vocab()):
        return False
    text = "".join(SAMPLE)
    if backend.normalizer is not None:
        text = backend.normalizer.normalize_str(text)
    first, second = SAMPLE
    return (
        len(backend.pre_tokenizer.pre_tokenize_str(text)) == len(SAMPLE)
        and encode(first + second) == encode(first) + plain(second)
        and plain(first + second) == plain(first) + plain(second)
    )


def _common(text: str, other: str) -> str:
    """Return the longest beginning that both texts share."""
    pairs = enumerate(zip(text, other, strict=False))
    length = next((index for index, (left, right) in pairs if left != right), min(len(text), len(other)))
    return text[:length]


def _until_boundary(text: str) -> str:
    """Return the text before its last boundary, nothing if it has none."""
    end = len(text)
    while (end := text.rfind(" ", 0, end)) > 0:
        if BOUNDARY.match(text, end):
            return text[:end]
    return ""
