"""Start of each process."""

from __future__ import annotations

import json
from typing import Any

from .confine import become, drop_capabilities, filter_calls, hide, limit


def main(argument: str) -> None:
    """Confine this process, then play the part that the argument (JSON) names."""
    settings: dict[str, Any] = json.loads(argument)
    limits = settings["limits"]
    if settings["is_weak"]:
        hide()
    if settings["part"] in ("candidate", "program"):
        limit(limits)
        become(settings["uid"])
        if settings["is_weak"]:
            hide()
            drop_capabilities()
            filter_calls(bytes.fromhex(settings["filter"]))
        from . import candidate, program

        serve = candidate.serve if settings["part"] == "candidate" else program.serve
        serve(limits["output"])
    else:
        become(settings["uid"])
        if settings["is_weak"]:
            hide()
            drop_capabilities()
        from . import checker

        checker.serve(limits)
