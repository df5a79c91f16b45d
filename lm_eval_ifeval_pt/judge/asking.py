"""Questions put to a chat endpoint: each different one once, however often it occurs and however often a run ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from lm_eval_ifeval_pt.judge.prompts import SYSTEM
from lm_eval_ifeval_pt.judge.rubric import Rubric

if TYPE_CHECKING:
    from lm_eval_ifeval_pt.models.endpoint.model import Endpoint


class Usage(NamedTuple):
    """The tokens that verdicts took, as the server counts them.

    Attributes:
        verdicts: How many different questions have an answer.
        failed: How many have none.
        prompt_tokens: Of all these questions.
        completion_tokens: Of all answers.
        truncated: How many answers the token limit cut.
    """

    verdicts: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    truncated: int


def cost(read: int, written: int, price_in: float | None, price_out: float | None) -> float:
    """What tokens cost, in the currency of the prices, which are per million tokens; a price of None counts as 0."""
    return (read * (price_in or 0) + written * (price_out or 0)) / 1e6


def ask(lm: Endpoint, rubric: Rubric, messages: Sequence[str]) -> tuple[dict[str, str], Usage]:
    """The judge's text for each message, and the tokens that all of them took.

    Raises:
        EndpointError: some have no answer. Those that came are stored.
        KeyboardInterrupt: likewise.
    """
    from lm_eval.api.instance import Instance
    from lm_eval.models.api_models import JsonChatStr

    different = list(dict.fromkeys(messages))
    requests = [
        Instance(
            request_type="generate_until",
            doc={},
            arguments=(
                JsonChatStr(json.dumps([{"role": "system", "content": SYSTEM}, {"role": "user", "content": message}])),
                {"until": [], "max_gen_toks": rubric.max_tokens, "temperature": rubric.temperature},
            ),
            idx=0,
        )
        for message in different
    ]
    said = dict(zip(different, lm.generate_until(requests) if requests else [], strict=True))
    usage = Usage(
        len(lm.used),
        len(lm.failed),
        sum(answer.prompt_tokens for answer in lm.used),
        sum(answer.completion_tokens for answer in lm.used),
        sum(answer.is_truncated for answer in lm.used),
    )
    return said, usage
