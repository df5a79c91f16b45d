"""What crossed prompts ask for before they say how."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import regex

_SENTENCE_END = regex.compile(r"""[.?!…]["'”’»)\]]*(?=\s)|(?=\n)""")
_LOOKED_AT = 30  # sentence ends of a prompt; a base task is no longer
_LONGEST = 4000


def base_tasks(prompts: Sequence[str], restrictions: Sequence[str]) -> list[str]:
    """The base task of each prompt: what it asks for before it says how.

    It is the beginning, up to the end of a sentence, that the most prompts share while no two of them have the same
    restriction (the longest of such beginnings); a prompt that shares none is its own base task. So nothing is
    assumed about keys or order of the rows, and a preamble that all prompts have is no base task.
    """
    sharing: dict[str, list[str]] = defaultdict(list)
    beginnings = [list(_beginnings(prompt)) for prompt in prompts]
    for starts, restriction in zip(beginnings, restrictions, strict=True):
        for start in starts:
            sharing[start].append(restriction)
    crossed = {start: len(asked) for start, asked in sharing.items() if 1 < len(asked) == len(set(asked))}

    def weight(start: str) -> tuple[int, int]:
        return crossed[start], len(start)

    return [
        max((start for start in starts if start in crossed), key=weight, default=prompt)
        for prompt, starts in zip(prompts, beginnings, strict=True)
    ]


def _beginnings(prompt: str) -> Iterator[str]:
    """The text up to each of the first sentence ends."""
    for number, end in enumerate(_SENTENCE_END.finditer(prompt, 0, _LONGEST)):
        if number == _LOOKED_AT:
            break
        if beginning := prompt[: end.end()].strip():
            yield beginning
