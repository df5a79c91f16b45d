"""A real OpenAI-compatible server on loopback, whose replies a test scripts."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Reply:
    """What the server sends, after some seconds: an object is sent as JSON, bytes as they are."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


def chat(content: Any, finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    """The body of a good answer."""
    return {
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": finish_reason,
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    }


def error(status: int, message: str, **rest: Any) -> Reply:
    """A refusal as OpenAI words it."""
    return Reply({"error": {"message": message, **rest}}, status)


class ChatServer(ThreadingHTTPServer):
    """Serves /v1/models, /v1/chat/completions and /v1/embeddings while the `with` block runs.

    `script(prompt, nth)` gives the reply to the nth request (from 1) with this prompt, `embed(text)` the numbers of a
    text; without it there are no embeddings.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self,
        script: Callable[[str, int], Reply | str] = lambda prompt, nth: "Vou à feira.",
        *,
        models: tuple[str, ...] | None = ("sabiá",),
        key: str | None = None,
        prefix: str = "/v1",
        embed: Callable[[str], list[float]] | None = None,
    ) -> None:
        """`models` None: it has no list; `key`: what it asks for; `prefix`: where the API lies."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script, self.models, self.key, self.prefix = script, models, key, prefix
        self.embed = embed
        self.payloads: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.most_at_once = 0
        self.lock = threading.Lock()
        self.at_once = 0

    @property
    def host(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        """The address as a user gives it."""
        return self.host + self.prefix

    @property
    def prompts(self) -> list[str]:
        """The prompts asked, in order."""
        return [payload["messages"][-1]["content"] for payload in self.payloads if "messages" in payload]

    def __enter__(self) -> ChatServer:
        """Start to serve."""
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed in mid-answer is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.server.models is None or self._path() != f"{self.server.prefix}/models":
            self._send(error(404, "Not Found"))
        elif self._is_authorised():
            self._send(Reply({"data": [{"id": name} for name in self.server.models]}))

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.paths.append(self.path)
            self.server.headers.append(dict(self.headers))
        if self.server.embed is not None and self._path() == f"{self.server.prefix}/embeddings":
            with self.server.lock:
                self.server.payloads.append(payload)
            texts = [payload["input"]] if isinstance(payload["input"], str) else payload["input"]
            vectors = [{"index": nth, "embedding": self.server.embed(text)} for nth, text in enumerate(texts)]
            self._send(Reply({"data": vectors, "usage": {"prompt_tokens": 3}}))
        elif self._path() != f"{self.server.prefix}/chat/completions":
            self._send(error(404, f"Invalid URL (POST {self.path})"))
        elif self._is_authorised():
            self._answer(payload)

    def _answer(self, payload: dict[str, Any]) -> None:
        server, prompt = self.server, payload["messages"][-1]["content"]
        with server.lock:
            server.payloads.append(payload)
            nth = server.prompts.count(prompt)
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            reply = server.script(prompt, nth)
            reply = reply if isinstance(reply, Reply) else Reply(chat(reply))
            time.sleep(reply.delay)
        finally:
            with server.lock:
                server.at_once -= 1
        self._send(reply)

    def _path(self) -> str:
        return urlsplit(self.path).path

    def _is_authorised(self) -> bool:
        if self.server.key is None or self.headers.get("Authorization") == f"Bearer {self.server.key}":
            return True
        self._send(error(401, "Incorrect API key provided.", code="invalid_api_key"))
        return False

    def _send(self, reply: Reply) -> None:
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silent."""
