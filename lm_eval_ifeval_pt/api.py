"""The Python interface to single texts: `verify` and `explain`."""

from __future__ import annotations

from typing import Any

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import Constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text


def verify(id: str, response: str, **kwargs: Any) -> Verdict:
    """Whether a response follows one constraint, and why.

    Args:
        id: Instruction id, e.g. `"ptbr:crase"`; `constraints()` has them all.
        response: The text to check, as the model wrote it.
        **kwargs: The arguments of the constraint.

    Raises:
        UnknownConstraint: no constraint has this id.
        BadKwargs: an argument is missing, unknown or of the wrong type.
    """
    return registry.get(id).bind(kwargs).verify(Text(response))


def explain(id: str) -> Constraint:
    """The constraint with this id: rule, wording, kind, parameters and examples.

    Raises:
        UnknownConstraint: no constraint has this id.
    """
    return registry.get(id)
