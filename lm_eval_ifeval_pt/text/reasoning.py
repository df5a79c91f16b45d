"""The reasoning that some models print before their answer. It is not the answer and is not graded."""

from __future__ import annotations

import regex

from lm_eval_ifeval_pt.text import Text

_OPEN = regex.compile(r"\s*<(think|thinking|reasoning)>")
_CLOSE = regex.compile(r"</(?:think|thinking|reasoning)>")


def answer(response: str) -> Text:
    """The response without its reasoning: what follows the last `</think>`, nothing where it was never closed.

    An opening tag may be missing, since chat templates often put it into the prompt. Offsets still lead to `response`.
    """
    text = Text(response)
    end = answer_start(text.text)
    return text.without([(0, end)]) if end else text


def answer_start(response: str) -> int:
    """The offset at which the answer begins: see `answer`. For responses that must not be normalised, such as code."""
    end = 0
    for match in _CLOSE.finditer(response):
        end = match.end()
    if not end and _OPEN.match(response):
        end = len(response)
    return end
