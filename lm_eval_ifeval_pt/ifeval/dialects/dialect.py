"""What a dialect is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import Bound, Constraint
from lm_eval_ifeval_pt.ifeval.scoring import Variants
from lm_eval_ifeval_pt.text import Text


class DialectError(ValueError):
    """No dialect has this name, or the dialect does not have this mode."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one data set writes its instructions.

    Attributes:
        name: The name that documents and results carry.
        mode: `pt` or `compat`.
        canonical: Maps an instruction id and its arguments to a constraint of the registry; maps those to
            themselves.
        variants: The texts, besides the response as it came, on which a constraint may hold for the loose
            score.
        find: Gives the constraint with a canonical id; those of a published checker in mode `compat`.
        names: The ids by which its data sets know a constraint that the registry calls otherwise, each with the
            canonical id. `canonical` reads these and may read more.
    """

    name: str
    mode: str
    canonical: Callable[[str, Mapping[str, Any]], tuple[str, Mapping[str, Any]]]
    variants: Variants
    find: Callable[[str], Constraint] = registry.get
    names: Mapping[str, str] = field(default_factory=dict)

    def constraint(self, id: str) -> Constraint:
        """The constraint that an id of a row stands for, whatever its arguments.

        Raises:
            UnknownConstraint: the id is neither a constraint nor a name of one.
        """
        return self.find(self.names.get(id, id))

    def bind(self, id: str, kwargs: Mapping[str, Any] | None) -> Bound:
        """The verifier of one instruction of a row.

        Raises:
            UnknownConstraint: the id is neither a constraint nor an alias of one.
            BadKwargs: the arguments do not fit.
        """
        given = {name: value for name, value in (kwargs or {}).items() if value is not None}
        canonical_id, arguments = self.canonical(id, given)
        return self.find(canonical_id).bind(arguments)


def unmarked(text: Text) -> tuple[Text]:
    """The loose text of the IFEval-pt card: no markdown marks, no quotation marks, no surplus white space."""
    return (text.unmarked,)
