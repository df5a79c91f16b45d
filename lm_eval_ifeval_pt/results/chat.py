"""Prompts of chats, as sample files hold them."""

from __future__ import annotations

import json
from typing import Any

_ROLES = {"system": "Sistema", "user": "Usuário", "assistant": "Assistente"}


def asked_of(prompt: str) -> str:
    """A prompt as a person reads it: of the messages of a chat, which sample files hold as JSON, what they say."""
    messages: Any = prompt
    for _ in range(3):  # a list that holds a text that is a list of messages
        if isinstance(messages, list) and len(messages) == 1 and isinstance(messages[0], str):
            messages = messages[0]
        if isinstance(messages, str) and messages.startswith("["):
            try:
                messages = json.loads(messages)
            except (ValueError, RecursionError):
                return prompt
    is_chat = isinstance(messages, list) and all(isinstance(said, dict) and "content" in said for said in messages)
    if not is_chat:
        return prompt
    if len(messages) == 1:
        return str(messages[0]["content"])
    return "\n\n".join(f"{_ROLES.get(str(said.get('role')), said.get('role'))}: {said['content']}" for said in messages)
