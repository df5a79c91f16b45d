"""What is computed together, and in which order.

A `Row` is one or more subtrees laid out one after the other, each node before its children, so that the
descendants of a token are the tokens right after it: a tree attention mask needs one number per token. A
`Step` is one forward call: either a prefix, whose keys and values are kept for the steps after it, or a batch
of rows that continue the prefixes kept so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lm_eval_ifeval_pt.models.shared_prefix.trie import Node, ScoredSequence, Tokens, walk

ANCESTORS = 8  # how many of the places above a node it may be computed from; tries are rarely deeper


@dataclass(frozen=True)
class Cost:
    """Costs of a model on a machine, in units of what one token costs besides attention.

    Attributes:
        pair: Attention of one query to one key.
        copy: One kept key and value, handed to one row.
        call: A forward call, however few its tokens.
        row: Number of tokens up to which small subtrees are laid into one row.
    """

    pair: float
    copy: float
    call: float
    row: int = 128


@dataclass(frozen=True)
class Segment:
    """The tokens from depth `start` down to a node, and what is below it unless only the path is meant."""

    node: Node
    start: int
    below: bool = True

    @property
    def size(self) -> int:
        """Number of tokens."""
        return self.node.end - self.start + (self.node.size - _length(self.node) if self.below else 0)


@dataclass(frozen=True)
class Row:
    """A sequence of tokens with its tree.

    Attributes:
        tokens: The tokens.
        positions: Their positions in their inputs.
        last: For each token the index after its last descendant.
        slots: Indices of the tokens whose next token is scored, one for each request that asks.
        targets: Those next tokens.
        requests: Indices of the requests that ask.
    """

    tokens: Tokens
    positions: Tokens
    last: Tokens
    slots: Tokens
    targets: Tokens
    requests: Tokens


@dataclass(frozen=True)
class Step:
    """One forward call.

    Attributes:
        kept: How many of the prefixes kept before it continues; those after are let go.
        items: What each row holds.
        keep: Whether it is a prefix, whose keys and values are kept.
    """

    kept: int
    items: list[list[Segment]]
    keep: bool = False


@dataclass
class _Group:
    """What continues one chain of kept prefixes."""

    level: int
    prefix: Segment | None = None
    items: list[Segment] = field(default_factory=list)
    groups: list[_Group] = field(default_factory=list)


def steps(root: Node, cost: Cost, room: int) -> Iterator[Step]:
    """Yield the calls that compute every token of the tree.

    Args:
        root: The tree.
        cost: What calls, tokens and attention cost.
        room: The number of tokens that a call may have, padding included; at least the longest input.
    """
    waiting = [_group(root, _choices(root, cost, room))]
    while waiting:
        group = waiting.pop()
        if group.prefix is not None:
            yield Step(group.level - 1, [[group.prefix]], keep=True)
        start = 0 if group.prefix is None else group.prefix.node.end
        for rows in batches(group.items, start, cost, room):
            yield Step(group.level, rows)
        waiting.extend(reversed(group.groups))


def batches(items: Sequence[Segment], start: int, cost: Cost, room: int) -> Iterator[list[list[Segment]]]:
    """Yield rows to compute in one call, of nearly equal length, longest first.

    Args:
        items: What to compute.
        start: Depth at which they start, that is the length of the kept prefix.
        cost: The padding that a call may have is what a call costs.
        room: The number of tokens that a call may have; of kept keys handed out it may have four times that.
    """
    rows: list[list[Segment]] = []
    used = width = 0
    padding = 0.0
    for item in sorted(items, key=lambda item: -item.size):
        if rows and used + item.size <= width:
            rows[-1].append(item)
            used += item.size
            continue
        padding += width - used
        full = (len(rows) + 1) * width > room or (len(rows) + 1) * (start + width) > 4 * room
        if rows and (full or padding + width - item.size > max(cost.call, len(rows) * width / 16)):
            yield rows
            rows = []
        if not rows:
            width, padding = min(max(item.size, cost.row), room), 0.0
        rows.append([item])
        used = item.size
    if rows:
        yield rows


def row(items: Sequence[Segment], requests: Sequence[ScoredSequence], done: set[Node]) -> Row:
    """Lay the items out.

    Args:
        items: What the row holds, all from the same depth.
        requests: Those of the tree.
        done: The nodes whose scores have been asked for; those of this row are added. A node that several
            rows hold, as sharing it would not pay, is scored in the first.
    """
    pieces: list[tuple[Node, int, int]] = []  # node, index of its first token, index after its descendants
    size = 0
    for item in items:
        end = size + item.size
        for node in _path(item):
            pieces.append((node, size, end))
            size += node.end - max(node.start, item.start)
        below = walk(item.node) if item.below else iter((item.node,))
        next(below)
        for node in below:
            pieces.append((node, size, size + node.size))
            size += _length(node)
    tokens, positions, last = (np.empty(size, np.int64) for _ in range(3))
    scored: list[tuple[Tokens, Tokens, Tokens]] = []
    for node, index, end in pieces:
        start = max(node.start, items[0].start)
        stop = index + node.end - start
        tokens[index:stop] = requests[node.request].tokens[start : node.end]
        positions[index:stop] = np.arange(start, node.end)
        last[index:stop] = end
        if node in done:
            continue
        done.add(node)
        for part in node.scored:
            slots = np.arange(part.start, part.end) + (index - start)
            targets = requests[part.request].tokens[part.start + 1 : part.end + 1]
            scored.append((slots, targets, np.full(len(slots), part.request)))
    slots, targets, asking = (_joined([part[field] for part in scored]) for field in range(3))
    return Row(tokens, positions, last, slots, targets, asking)


def _joined(parts: list[Tokens]) -> NDArray[np.int64]:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def _length(node: Node) -> int:
    return node.end - node.start


def _path(item: Segment) -> list[Node]:
    """Return the nodes from the item's start down to its node."""
    path = []
    node: Node | None = item.node
    while node is not None and node.end > item.start:
        path.append(node)
        node = node.parent
    return path[::-1]


def _choices(root: Node, cost: Cost, room: int) -> dict[tuple[Node, int], str]:
    """Say how each node is best computed from each depth that it may be computed from.

    "row": with all below it in one row. "keep": as a prefix whose keys and values are kept. "again": anew
    with each of its children.
    """
    starts: dict[Node, list[int]] = {root: [0]}
    nodes = list(walk(root))
    for node in nodes:
        for child in node.children:
            starts[child] = list(dict.fromkeys([node.end, *starts[node]]))[:ANCESTORS]
    best: dict[tuple[Node, int], float] = {}
    choices: dict[tuple[Node, int], str] = {}
    for node in reversed(nodes):
        for start in starts[node]:
            options = {"row": _row_cost(Segment(node, start), cost, room)}
            if node.children:
                kept = sum(best[child, node.end] for child in node.children)
                options["keep"] = cost.call + _chain_cost(node.end - start, start, cost) + kept
                options["again"] = sum(best.get((child, start), np.inf) for child in node.children)
            choice = min(options, key=options.__getitem__)
            choices[node, start], best[node, start] = choice, options[choice]
    choices[root, 0] = "again"
    return choices


def _row_cost(item: Segment, cost: Cost, room: int) -> float:
    if not item.node.children:
        return _chain_cost(item.size, item.start, cost) + cost.copy * item.start
    if item.size > room:
        return np.inf
    return item.size * (1 + cost.pair * (item.start + item.size)) + cost.copy * item.start


def _chain_cost(length: int, start: int, cost: Cost) -> float:
    """Return the cost of tokens that all follow each other; without a mask, half the attention is spared."""
    return length * (1 + cost.pair * (start + length if start else length / 2))


def _group(root: Node, choices: dict[tuple[Node, int], str]) -> _Group:
    """Return the whole tree as groups, by the choices."""
    whole = _Group(0)
    waiting = [(root, 0, whole)]
    while waiting:
        node, start, group = waiting.pop()
        choice = choices[node, start]
        if choice == "row":
            group.items.append(Segment(node, start))
            continue
        if choice == "keep":
            kept = _Group(group.level + 1, Segment(node, start, below=False))
            group.groups.append(kept)
            start, group = node.end, kept
        waiting.extend((child, start, group) for child in node.children)
    return whole
