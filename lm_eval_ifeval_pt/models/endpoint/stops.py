"""Where an answer ends: the stop strings of a task, most of which were written for base models.

A base model goes on with the next question of its prompt, and `Pergunta:` or an empty line ends its answer. A chat
model ends by itself, and may begin with just these: with a thought, with the question, with a sentence and an empty
line. So the strings are looked for here, in the whole answer, which is kept as it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import regex

from lm_eval_ifeval_pt.text.reasoning import answer_start

Stops = Literal["answer", "server", "none"]
"""`answer`: after the thought and the first line; `server`: anywhere, as the task says; `none`: nowhere."""
STOPS: tuple[Stops, ...] = get_args(Stops)

_FIRST_LINE = regex.compile(r"\s*+[^\n]*+")
_TOKEN = regex.compile(r"<[^<>\s]++>")
"""A special token of a template: the end of a message, wherever it stands."""


def cut(text: str, stops: Sequence[str], mode: Stops) -> str:
    """The answer up to the first stop string that counts.

    Args:
        text: The answer, with its thought if it has one.
        stops: The stop strings of the task.
        mode: Which of them count.
    """
    if mode == "none":
        return text
    answer = 0 if mode == "server" else answer_start(text)
    first_line = _FIRST_LINE.match(text, answer)
    after = 0 if mode == "server" or first_line is None else first_line.end()
    ends = (text.find(stop, answer if _TOKEN.fullmatch(stop) else after) for stop in stops if stop)
    return text[: min((end for end in ends if end >= 0), default=len(text))]
