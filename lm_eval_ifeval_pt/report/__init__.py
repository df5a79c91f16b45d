"""The report: one HTML file with leaderboard, restrictions, NPM and every answer, which opens from disk.

    gather(reading)  ->  Contents (numbers)  ->  page(contents)  ->  HTML
                                             ->  figures.write(contents, folder)  ->  SVG, PNG
"""

from __future__ import annotations

from lm_eval_ifeval_pt.report.build import page
from lm_eval_ifeval_pt.report.contents import Contents, gather

__all__ = ["Contents", "gather", "page"]
