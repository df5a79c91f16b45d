"""Where the files that come with the package lie: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def bundled(name: str) -> Path:
    """The folder `name` (`"data"` or `"tasks"`) that this installation reads.

    Raises:
        FileNotFoundError: the installation is broken; naming both places where the folder may lie.
    """
    places = (_PACKAGE / name, _PACKAGE.parent / name)
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"no folder {name!r} in this installation; looked at {places[0]} and {places[1]}")
