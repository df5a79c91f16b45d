"""The word lists in `data/lexicon/`, read when first asked for."""

from __future__ import annotations

from functools import cache

from lm_eval_ifeval_pt.paths import bundled


@cache
def lines(name: str) -> tuple[str, ...]:
    """The entries of `data/lexicon/<name>.txt`, one a line; lines that start with `#` are comments."""
    path = bundled("data") / "lexicon" / f"{name}.txt"
    entries = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return tuple(entry for entry in entries if entry and not entry.startswith("#"))


@cache
def words(name: str) -> frozenset[str]:
    """The words of a list with one word a line."""
    return frozenset(lines(name))


@cache
def groups(name: str) -> dict[str, str]:
    """The group of each word of a list whose lines read `group: word word …`; the first group that has it."""
    table: dict[str, str] = {}
    for line in lines(name):
        group, _, members = line.partition(":")
        for member in members.split():
            table.setdefault(member, group)
    return table
