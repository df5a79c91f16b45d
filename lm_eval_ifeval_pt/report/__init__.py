"""The report: one HTML file with leaderboard, restrictions, NPM and every answer, which opens from disk.

    gather(reading)  ->  Contents (numbers)  ->  page(contents)  ->  HTML
                                             ->  figures.write(contents, folder)  ->  SVG, PNG

The three are imported when they are asked for: other commands write numbers as the report does (`numbers`, `tables`)
and make no page.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lm_eval_ifeval_pt.report.build import page
    from lm_eval_ifeval_pt.report.contents import Contents, gather

__all__ = ["Contents", "gather", "page"]

_HOMES = {"Contents": "contents", "gather": "contents", "page": "build"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
