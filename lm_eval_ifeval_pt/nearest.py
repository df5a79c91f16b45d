"""Names that are near to one that is not known."""

from __future__ import annotations

from collections.abc import Iterable

_CUTOFF = 0.5  # of difflib's ratio: `no_comma` is near to `punctuation:no_comma`


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that are like a name, the nearest first; none where none is."""
    import difflib

    return difflib.get_close_matches(name, list(known), n=most, cutoff=_CUTOFF)


def did_you_mean(name: str, known: Iterable[str], most: int = 3) -> str:
    """The question "did you mean crase or craseado?"; empty where no known name is near."""
    near = nearest(name, known, most)
    return f"did you mean {' or '.join(near)}?" if near else ""


def with_nearest(said: str, name: str, known: Iterable[str]) -> str:
    """What is said of a name that is not known, with the nearest known one: "no such key, did you mean scale?"."""
    return ", ".join(filter(None, [said, did_you_mean(name, known, most=1)]))
