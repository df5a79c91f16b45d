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
    end = 0
    for match in _CLOSE.finditer(text.text):
        end = match.end()
    if not end and _OPEN.match(text.text):
        end = len(text.text)
    return text.without([(0, end)]) if end else text
