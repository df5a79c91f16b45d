"""The tree of all inputs, in which each shared token stands once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.int64]


@dataclass(frozen=True)
class ScoredSequence:
    """A sequence of which the last `scored` tokens are to be scored; the last one is never an input.

    Attributes:
        tokens: Context and continuation, at least two tokens.
        scored: Number of tokens in the continuation, from 1 to len(tokens) - 1.
    """

    tokens: Tokens
    scored: int

    def __len__(self) -> int:
        """Return the number of input tokens."""
        return len(self.tokens) - 1


@dataclass(frozen=True)
class Targets:
    """The input positions from `start` to `end` of a request; each is asked for the token after it."""

    request: int
    start: int
    end: int


@dataclass(eq=False)
class Node:
    """A run of tokens after which inputs part or end.

    Attributes:
        request: A request whose input passes through here, for its tokens.
        start: Depth of the first token, that is its position in the input.
        end: Depth after the last token.
        parent: The node that ends where this one starts, or None.
        children: The nodes that start where this one ends.
        size: Number of tokens here and below.
        scored: The positions in this node that are scored.
    """

    request: int
    start: int
    end: int
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    size: int = 0
    scored: list[Targets] = field(default_factory=list)


def build(requests: Sequence[ScoredSequence]) -> Node:
    """Return the root, an empty node; its size is the number of distinct input tokens."""
    keys = [request.tokens[:-1].astype(">u4").tobytes() for request in requests]
    root = Node(-1, 0, 0)
    path = [root]
    before = np.empty(0, np.int64)
    for index in sorted(range(len(keys)), key=keys.__getitem__):
        tokens = requests[index].tokens[:-1]
        shared = common(before, tokens)
        while path[-1].start >= shared and len(path) > 1:
            path.pop()
        if path[-1].end > shared:
            path[-1] = _split(path[-1], shared)
        if len(tokens) > shared:
            leaf = Node(index, shared, len(tokens), path[-1])
            path[-1].children.append(leaf)
            path.append(leaf)
        _score(path[-1], index, len(tokens) - requests[index].scored)
        before = tokens
    for node in reversed(list(walk(root))):
        node.size = node.end - node.start + sum(child.size for child in node.children)
    return root


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and those below it, each before its children."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def common(tokens: Tokens, other: Tokens) -> int:
    """Return the number of tokens that both begin with."""
    length = min(len(tokens), len(other))
    differ = tokens[:length] != other[:length]
    return int(differ.argmax()) if differ.any() else length


def _split(node: Node, depth: int) -> Node:
    """Part the node at this depth and return the upper part; the lower one stays the same object."""
    upper = Node(node.request, node.start, depth, node.parent, [node])
    assert node.parent is not None
    node.parent.children[-1] = upper
    node.start, node.parent = depth, upper
    for scored in node.scored:
        if scored.start < depth:
            upper.scored.append(Targets(scored.request, scored.start, depth))
    node.scored = [
        Targets(scored.request, max(scored.start, depth), scored.end) for scored in node.scored if scored.end > depth
    ]
    return upper


def _score(leaf: Node, request: int, start: int) -> None:
    """Mark the positions from `start` to the leaf's end, along its ancestors."""
    node: Node | None = leaf
    while node is not None and node.end > start:
        node.scored.append(Targets(request, max(start, node.start), node.end))
        node = node.parent
