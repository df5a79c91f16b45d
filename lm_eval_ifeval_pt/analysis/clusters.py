"""Clusters: documents that are not independent of one another, as those of one base task or conversation."""

from __future__ import annotations

from collections.abc import Sequence

from lm_eval_ifeval_pt.ifeval.base_tasks import base_tasks
from lm_eval_ifeval_pt.results import Item, ResultsError


def clusters(items: Sequence[Item], field: str | None = None) -> list[str]:
    """The cluster of each document, which standard errors must respect.

    Args:
        items: Documents of one task under one filter.
        field: The field of the documents that tells clusters apart, e.g. `subject`. By default the conversation
            where there is one, the base task of verified documents, and else each document is its own.

    Raises:
        ResultsError: a document does not have the field.
    """
    if field is not None:
        lacking = next((item for item in items if field not in item.columns), None)
        if lacking is not None:
            raise ResultsError(f"no field {field!r} to cluster by; documents have: {', '.join(lacking.columns)}")
        return [str(item.columns[field]) for item in items]
    if any(item.doc.get("conversation") is not None for item in items):
        return [str(item.doc.get("conversation")) for item in items]
    if any(item.instructions for item in items):
        prompts = [str(item.doc.get("prompt", item.prompt)) for item in items]
        asked = [" + ".join(instruction.restriction for instruction in item.instructions) for item in items]
        return base_tasks(prompts, asked)
    return [str(item.doc_id) for item in items]


def population(items: Sequence[Item], field: str | None = None) -> str:
    """The population to which an interval clustered by `clusters` generalises, e.g. "other base tasks".

    Args:
        items: As of `clusters`.
        field: As of `clusters`.
    """
    if field is not None:
        return f"other values of {field}"
    if any(item.doc.get("conversation") is not None for item in items):
        return "other conversations"
    is_crossed = any(item.instructions for item in items) and len(set(clusters(items))) < len(items)
    return "other base tasks" if is_crossed else "other documents"
