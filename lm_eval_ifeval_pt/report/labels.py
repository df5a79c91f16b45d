"""Names of models that fit into a chart or the head of a column, and still differ."""

from __future__ import annotations

from collections.abc import Iterable


def shortened(names: Iterable[str], size: int) -> dict[str, str]:
    """Each name in at most `size` characters: its beginning and its end, around `…`.

    They are longer where that many characters would make two of the names alike.
    """
    distinct = set(names)
    longest = max(map(len, distinct), default=size)
    for limit in range(size, longest):
        short = {name: _cut(name, limit) for name in distinct}
        if len(set(short.values())) == len(distinct):
            return short
    return {name: name for name in distinct}


def _cut(name: str, size: int) -> str:
    if len(name) <= size:
        return name
    end = (size - 1) // 2
    return f"{name[: size - 1 - end].rstrip()}…{name[len(name) - end :]}"
