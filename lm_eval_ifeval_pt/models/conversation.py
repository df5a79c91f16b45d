"""Conversations in which a model sees its own earlier answers, which the harness by itself cannot hold.

    class Model(Conversing, HFLM): ...

    lm_eval.simple_evaluate(Model(pretrained="…"), tasks=["multi_if_pt"], apply_chat_template=True)

Everything else, from batching to result files, stays the harness's. `converse` is the loop alone, for any model.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from lm_eval_ifeval_pt.text.reasoning import answer

if TYPE_CHECKING:
    from lm_eval.api.instance import Instance
    from lm_eval.api.model import LM
else:
    LM = object

Messages = list[dict[str, str]]
Ask = Callable[[list[Messages]], list[str]]
"""Answers some conversations, each of which ends with what the user says."""


class Exchange(NamedTuple):
    """One turn: all messages that the model was given, and its answer as it came."""

    messages: Messages
    answer: str


def spoken(response: str) -> str:
    """The part of a response that goes on in the conversation: all but the reasoning before the answer."""
    text = answer(response)
    return response[slice(*text.span(0, len(text.text)))].strip()


def converse(
    ask: Ask,
    conversations: Sequence[Sequence[str]],
    heads: Sequence[Messages] | None = None,
    heard: Callable[[str], str] = spoken,
) -> list[list[Exchange]]:
    """Hold some conversations, all at the same time: first all first turns, then all second ones, and so on.

    Args:
        ask: Answers a list of conversations.
        conversations: What the user says, turn by turn.
        heads: The messages that come before each conversation, such as a system message.
        heard: What of an answer stands in the conversation afterwards.

    Returns:
        The turns of each conversation.
    """
    histories = [list(head) for head in heads] if heads else [[] for _ in conversations]
    held: list[list[Exchange]] = [[] for _ in conversations]
    for turn in range(max(map(len, conversations), default=0)):
        going_on = [index for index, turns in enumerate(conversations) if turn < len(turns)]
        for index in going_on:
            histories[index].append({"role": "user", "content": conversations[index][turn]})
        asked = [list(histories[index]) for index in going_on]
        for index, messages, said in zip(going_on, asked, ask(asked), strict=True):
            held[index].append(Exchange(messages, said))
            histories[index].append({"role": "assistant", "content": heard(said)})
    return held


class Prompt(str):
    """What a chat template made of messages, and the messages."""

    messages: Messages


class Conversing(LM):  # type: ignore[misc]  # the harness is untyped
    """What a model class of the harness inherits from first in order to hold conversations.

    The turns of a conversation are documents of their own, whose prompt is made for models that cannot be told their
    answers (see `sources.multi_if`). Such a prompt is put aside: the user's turns are asked one after another, and the
    arguments that the harness logs are what the model was given. Other documents are asked as ever.

    Attributes:
        conversed: Whether some conversations were held.
    """

    conversed = False

    def apply_chat_template(self, chat_history: Messages, *args: Any, **kwargs: Any) -> Any:
        """As the model does it; the messages are remembered."""
        rendered = super().apply_chat_template(chat_history, *args, **kwargs)
        if not isinstance(rendered, str):
            return rendered
        prompt = Prompt(rendered)
        prompt.messages = chat_history
        return prompt

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """The answer to each request.

        Raises:
            ValueError: a request belongs to a conversation, and no chat template is applied.
        """
        generate = partial(super().generate_until, disable_tqdm=disable_tqdm)
        answers: dict[int, str] = {}
        single = [index for index, request in enumerate(requests) if not request.doc.get("turns")]
        if single:
            answers.update(zip(single, generate([requests[index] for index in single]), strict=True))
        for talks in _by_task(requests):
            self.conversed = True
            answers.update(self._hold(requests, talks, generate))
        return [answers[index] for index in range(len(requests))]

    def _hold(
        self, requests: list[Instance], talks: list[list[int]], generate: Callable[[list[Instance]], list[str]]
    ) -> Iterator[tuple[int, str]]:
        """The answers of the conversations of one task, each given as the places of its requests."""
        firsts = [requests[talk[0]] for talk in talks]
        settings = firsts[0].args[1:]

        def ask(asked: list[Messages]) -> list[str]:
            return generate([self._instance(firsts[0], messages) for messages in asked])

        turns = [max((requests[index].doc["turns"] for index in talk), key=len) for talk in talks]
        held = converse(ask, turns, [_messages(first.args[0])[:-1] for first in firsts])
        for talk, exchanges in zip(talks, held, strict=True):
            for index in talk:
                exchange = exchanges[len(requests[index].doc["turns"]) - 1]
                requests[index].arguments = (self.apply_chat_template(exchange.messages), *settings)
                yield index, exchange.answer

    def _instance(self, like: Instance, messages: Messages) -> Instance:
        """A request of the same task with other messages."""
        request = copy.copy(like)
        request.arguments = (self.apply_chat_template(messages), copy.deepcopy(like.args[1]))
        return request


def _by_task(requests: list[Instance]) -> list[list[list[int]]]:
    """The places of the requests that belong to conversations: by task, then by conversation.

    Where requests are repeated, so are conversations.
    """
    tasks: dict[Any, dict[Any, list[int]]] = {}
    seen = Counter[Any]()
    for index, request in enumerate(requests):
        if request.doc.get("turns"):
            conversation = request.doc["conversation"]
            turn = (request.task_name, conversation, len(request.doc["turns"]))
            tasks.setdefault(request.task_name, {}).setdefault((conversation, seen[turn]), []).append(index)
            seen[turn] += 1
    return [list(talks.values()) for talks in tasks.values()]


def _messages(context: Any) -> Messages:
    """The messages that a prompt was made of."""
    if isinstance(context, Prompt):
        return context.messages
    if isinstance(context, tuple):  # the harness's JSON for chat endpoints
        messages: Messages = json.loads(context[0])
        return messages
    raise ValueError("conversations need a chat template: --apply_chat_template, or apply_chat_template=True")
