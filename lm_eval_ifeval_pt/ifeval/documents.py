"""What a document of an IFEval task asks for, and what of a response to it is graded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.ifeval import dialects
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.reasoning import answer


def instructions(doc: Mapping[str, Any]) -> list[Bound]:
    """The verifiers of a document of `load_dataset`."""
    dialect = dialects.get(doc["dialect"], doc["mode"])
    return [dialect.bind(id, kwargs) for id, kwargs in zip(doc["instruction_id_list"], doc["kwargs"], strict=True)]


def graded(doc: Mapping[str, Any], response: str) -> Text:
    """The part of a response that is graded: all but its reasoning, unless the document says to keep it."""
    return Text(response) if doc.get("reasoning") == "keep" else answer(response)
