"""An endpoint that holds conversations."""

from __future__ import annotations

from lm_eval_ifeval_pt.models.conversation import Conversing
from lm_eval_ifeval_pt.models.endpoint.model import Endpoint


class ConversingEndpoint(Conversing, Endpoint):
    """An `Endpoint` to which the turns of a conversation are put one after another, with its own answers."""
