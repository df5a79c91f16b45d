"""Portuguese evaluation for EleutherAI's lm-evaluation-harness.

The harness's import hook imports this package when Python starts, so nothing is imported here until it is
asked for.
"""

import os

TYPE_CHECKING = False  # what type checkers look for; `typing` takes several milliseconds to import
if TYPE_CHECKING:
    from lm_eval_ifeval_pt.api import check, check_many, explain, verify
    from lm_eval_ifeval_pt.constraints.registry import constraints
    from lm_eval_ifeval_pt.constraints.verdict import Verdict
    from lm_eval_ifeval_pt.ifeval.checking import Checked
    from lm_eval_ifeval_pt.text.span import Span

__all__ = ["Checked", "Span", "Verdict", "check", "check_many", "constraints", "explain", "verify"]

_HOMES = {
    "Checked": "ifeval.checking",
    "Span": "text.span",
    "Verdict": "constraints.verdict",
    "check": "api",
    "check_many": "api",
    "constraints": "constraints.registry",
    "explain": "api",
    "verify": "api",
}

# tasks/ is in the package in a wheel, beside it in a checkout: `lm_eval_ifeval_pt.tasks` names it in both.
if not os.path.isdir(os.path.join(__path__[0], "tasks")):
    __path__.append(os.path.dirname(__path__[0]))


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
