"""Start of both processes."""

from __future__ import annotations

import json
from typing import Any

from . import candidate, checker
from .confine import confine, hide


def main(argument: str) -> None:
    """Confine this process, then play the part that the argument (JSON) names."""
    settings: dict[str, Any] = json.loads(argument)
    if settings["is_weak"]:
        hide()
    confine(settings["limits"], settings["uid"])
    output = settings["limits"]["output"]
    if settings["part"] == "candidate":
        candidate.serve(output)
    else:
        checker.serve(settings["responses"], settings["requests"], output)
