"""The report: one HTML file with leaderboard, restrictions, NPM and every answer, which opens from disk.

    contents.build(reading)  ->  Contents (numbers)  ->  build.page  ->  HTML
                                                     ->  figures.write  ->  SVG, PNG
"""

from __future__ import annotations

from lm_eval_ifeval_pt.report.build import page
from lm_eval_ifeval_pt.report.contents import Contents, build

__all__ = ["Contents", "build", "page"]
