"""What differs between the data sets that ask for the same constraints: their ids, arguments and loose texts.

A published number can only be compared with the counter that made it, so each data set has its dialect, and a dialect
has modes: `pt` (right for Portuguese) and, where a published checker is an oracle, `compat` (its verdicts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lm_eval_ifeval_pt import aliases, registry
from lm_eval_ifeval_pt.registry import Bound
from lm_eval_ifeval_pt.scoring import Variants
from lm_eval_ifeval_pt.text import Text


class DialectError(ValueError):
    """No dialect has this name, or the dialect does not have this mode."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one data set writes its instructions.

    Attributes:
        name: The name that documents and results carry.
        mode: `pt` or `compat`.
        canonical: Maps an instruction id and its arguments to a constraint of the registry; maps those to themselves.
        variants: The texts, besides the response as it came, on which a constraint may hold for the loose score.
    """

    name: str
    mode: str
    canonical: Callable[[str, Mapping[str, Any]], tuple[str, Mapping[str, Any]]]
    variants: Variants

    def bind(self, id: str, kwargs: Mapping[str, Any] | None) -> Bound:
        """The verifier of one instruction of a row.

        Raises:
            UnknownConstraint: the id is neither a constraint nor an alias of one.
            BadKwargs: the arguments do not fit.
        """
        given = {name: value for name, value in (kwargs or {}).items() if value is not None}
        canonical_id, arguments = self.canonical(id, given)
        return registry.get(canonical_id).bind(arguments)


def unmarked(text: Text) -> tuple[Text]:
    """The loose text of the IFEval-pt card: without markdown marks, quotation marks and surplus white space."""
    return (text.unmarked,)


IFEVAL_PT = Dialect("ifeval_pt", "pt", aliases.canonical, unmarked)
"""Magurofg/ifeval-pt: twelve `ptbr:` ids, and generic ones whose spelling on the Hub is read tolerantly."""

DIALECTS = (IFEVAL_PT,)


def get(name: str, mode: str = "pt") -> Dialect:
    """The dialect of that name in that mode.

    Raises:
        DialectError: with what there is.
    """
    for dialect in DIALECTS:
        if (dialect.name, dialect.mode) == (name, mode):
            return dialect
    there_are = ", ".join(f"{dialect.name} ({dialect.mode})" for dialect in DIALECTS)
    raise DialectError(f"no dialect {name!r} in mode {mode!r}; there are: {there_are}")
