"""The reasoning that some models print before their answer. It is not the answer and is not graded."""

from __future__ import annotations

import regex

from lm_eval_ifeval_pt.text import Text

_OPEN = regex.compile(r"\s*<(think|thinking|reasoning)>")
_CLOSE = regex.compile(r"</(?:think|thinking|reasoning)>")
# The channels of gpt-oss (the format "harmony"), with its special tokens and as a decoder leaves them that skips these.
_CHANNEL = regex.compile(r"\s*<\|channel\|>(?!final)|\s*analysis(?=<\|message\|>|\p{Lu})")
_FINAL = regex.compile(r"<\|channel\|>final[^<\n]{0,40}+(?:<\|constrain\|>[^<\n]{0,40}+)?+<\|message\|>")
_FINAL_BARE = regex.compile(r"assistantfinal")


def answer(response: str) -> Text:
    """The response without its reasoning: what follows the last `</think>`, nothing where it was never closed.

    An opening tag may be missing, since chat templates often put it into the prompt. Of the channels of gpt-oss only
    the last `final` is the answer. Offsets still lead to `response`.
    """
    text = Text(response)
    end = answer_start(text.text)
    return text.without([(0, end)]) if end else text


def answer_start(response: str) -> int:
    """The offset at which the answer begins: see `answer`. For responses that must not be normalised, such as code."""
    in_channels = _CHANNEL.match(response)
    if not (in_channels or "<" in response):
        return 0
    end = 0
    for closed in (_CLOSE, _FINAL, *((_FINAL_BARE,) if in_channels else ())):
        for match in closed.finditer(response):
            end = max(end, match.end())
    if not end and (in_channels or _OPEN.match(response)):
        end = len(response)
    return end
