"""What differs between the data sets that ask for the same constraints: their ids, arguments and loose texts.

A published number can only be compared with the counter that made it, so each data set has its dialect, and a
dialect has modes: `pt` (right for Portuguese) and, where a published checker is an oracle, `compat` (its
verdicts). One module per family of data sets.
"""

from __future__ import annotations

from lm_eval_ifeval_pt.ifeval.dialects.br import BR
from lm_eval_ifeval_pt.ifeval.dialects.capitu import CAPITU, CAPITU_COMPAT
from lm_eval_ifeval_pt.ifeval.dialects.dialect import Dialect, DialectError, unmarked
from lm_eval_ifeval_pt.ifeval.dialects.google import GAP_UFG, GOOGLE_PT, PT_EN
from lm_eval_ifeval_pt.ifeval.dialects.ifeval_pt import IFEVAL_PT
from lm_eval_ifeval_pt.ifeval.dialects.m_ifeval import M_IFEVAL

__all__ = [
    "BR",
    "CAPITU",
    "CAPITU_COMPAT",
    "DIALECTS",
    "GAP_UFG",
    "GOOGLE_PT",
    "IFEVAL_PT",
    "M_IFEVAL",
    "PT_EN",
    "Dialect",
    "DialectError",
    "get",
    "unmarked",
]

DIALECTS = (IFEVAL_PT, GOOGLE_PT, GAP_UFG, PT_EN, CAPITU, CAPITU_COMPAT, BR, M_IFEVAL)


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
