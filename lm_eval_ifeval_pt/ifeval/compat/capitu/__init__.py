"""The rules of CAPITU's own checker, by instruction id.

Source: maritaca-ai/capitu, baa003b (Apache-2.0), re-stated. Two things differ: a missing argument is an
error, where the published checker draws one at random; and texts are normalised first (NFC, line ends,
invisible characters).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lm_eval_ifeval_pt.constraints.registry import Check
from lm_eval_ifeval_pt.ifeval.compat.capitu import amounts, forms, words

__all__ = ["RULES"]

RULES: Mapping[str, Check] = MappingProxyType({**amounts.RULES, **words.RULES, **forms.RULES})
