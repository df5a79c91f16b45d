"""The Python interface to single texts and to files of them: `verify`, `check`, `check_many` and `explain`.

The default dialect reads the package's own ids and arguments, and CAPITU's beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_ifeval_pt.constraints.registry import Constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.ifeval import dialects
from lm_eval_ifeval_pt.ifeval.checking import DIALECT, MODE, Checked, Checker, check_many
from lm_eval_ifeval_pt.text import Text

__all__ = ["Checked", "check", "check_many", "explain", "verify"]


def verify(id: str, response: str, *, dialect: str = DIALECT, mode: str = MODE, **kwargs: Any) -> Verdict:
    """Whether a response follows one constraint, and why.

    Args:
        id: Instruction id, e.g. `"ptbr:crase"`; `constraints()` has them all, `lm-eval-pt ls --dialect` those of a
            data set.
        response: The text to check, as the model wrote it.
        dialect: How id and arguments are written: as a data set writes them (`ifeval.dialects`). Every dialect reads
            the package's own ids.
        mode: `pt` (right for Portuguese), or `compat` (the verdicts of the published checker) where the dialect has it.
        **kwargs: The arguments of the constraint.

    Raises:
        UnknownConstraint: no constraint has this id in this dialect; the dialects that know it are named.
        BadKwargs: an argument is missing, unknown or of the wrong type.
        DialectError: there is no such dialect or mode.
    """
    return dialects.bind(id, kwargs, dialects.get(dialect, mode)).verify(Text(response))


def check(
    doc: Mapping[str, Any],
    response: str,
    *,
    dialect: str | None = None,
    mode: str | None = None,
    reasoning: str | None = None,
) -> Checked:
    """The verdicts on an answer to a whole row, as the task grades it: strict and loose, with evidence.

    Args:
        doc: A document of a task, or a row with the columns of google/IFEval (`instruction_id_list`, `kwargs`).
        response: The answer, as the model wrote it.
        dialect: By default the document's, else `capitu`.
        mode: By default the document's, else `pt`.
        reasoning: `remove` or `keep` what a model thinks before its answer; by default as the document says, else
            `remove`.

    Raises:
        RowsError: the row does not say what it asks for, or the answer is no text.
        DialectError: there is no such dialect or mode.
    """
    return Checker(dialect, mode, reasoning)(doc, response)


def explain(id: str, *, dialect: str = DIALECT, mode: str = MODE) -> Constraint:
    """The constraint with this id: rule, wording, kind, parameters and examples.

    Raises:
        UnknownConstraint: no constraint has this id in this dialect; the dialects that know it are named.
        DialectError: there is no such dialect or mode.
    """
    return dialects.constraint(id, dialects.get(dialect, mode))
