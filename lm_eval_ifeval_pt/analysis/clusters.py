"""Which documents are not independent of one another: those of one base task, or of one conversation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import regex

from lm_eval_ifeval_pt.results import Item, ResultsError

_SENTENCE_END = regex.compile(r"""[.?!…]["'”’»)\]]*(?=\s)|(?=\n)""")
_LOOKED_AT = 30  # sentence ends of a prompt; a base task is no longer
_LONGEST = 4000


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
        lacking = next((item for item in items if field not in item.doc), None)
        if lacking is not None:
            raise ResultsError(f"no field {field!r} to cluster by; documents have: {', '.join(lacking.doc)}")
        return [str(item.doc[field]) for item in items]
    if any(item.doc.get("conversation") is not None for item in items):
        return [str(item.doc.get("conversation")) for item in items]
    if any(item.instructions for item in items):
        prompts = [str(item.doc.get("prompt", item.prompt)) for item in items]
        asked = [" + ".join(one.restriction for one in item.instructions) for item in items]
        return base_tasks(prompts, asked)
    return [str(item.doc_id) for item in items]


def base_tasks(prompts: Sequence[str], restrictions: Sequence[str]) -> list[str]:
    """The base task of each prompt: what it asks for before it says how.

    It is the beginning, up to the end of a sentence, that the most prompts share while no two of them have the same
    restriction (the longest of such beginnings); a prompt that shares none is its own base task. So nothing is
    assumed about keys or order of the rows, and a preamble that all prompts have is no base task.
    """
    sharing: dict[str, list[str]] = defaultdict(list)
    for prompt, restriction in zip(prompts, restrictions, strict=True):
        for beginning in _beginnings(prompt):
            sharing[beginning].append(restriction)

    def base(prompt: str) -> str:
        crossed = [one for one in _beginnings(prompt) if 1 < len(sharing[one]) == len(set(sharing[one]))]
        return max(crossed, key=lambda one: (len(sharing[one]), len(one)), default=prompt)

    return [base(prompt) for prompt in prompts]


def _beginnings(prompt: str) -> Iterator[str]:
    """What stands before each of the first sentence ends."""
    for number, end in enumerate(_SENTENCE_END.finditer(prompt, 0, _LONGEST)):
        if number == _LOOKED_AT:
            break
        if beginning := prompt[: end.end()].strip():
            yield beginning
