"""Two baselines without a neural network behind an OpenAI-compatible address, so that they are scored as any model is.

    python examples/emails/modelos.py --port 8009

serves `palavras`, which counts key words, and `regras`, which asks in order what an e-mail wants to be done.
"""

from __future__ import annotations

import argparse
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORDS = {
    "cancelamento": r"cancel\w*|desist\w*|encerr\w*",
    "reclamação": r"reclam\w*|atras\w*|quebrad\w*|péssim\w*|absurdo|err\w+|não chegou|vergonha",
    "elogio": r"parabéns|ador\w+|obrigad\w+|ótim\w+|excelente|maravilh\w+|perfeit\w+",
    "dúvida": r"como|qual|quanto|onde|posso|funciona|prazo",
}
"""What speaks for a category, a regular expression of whole words."""

RULES = (
    ("dúvida", r"\bcancel\w*[^.?!]*multa|\bsó para saber\b"),
    ("cancelamento", r"\b(?:cancelem?|cancelar|cancelamento|desisto|desistência|encerramento|interromper)\b"),
    ("reclamação", r"\b(?:quebrad|errad|trincad|péssim|inadmissível|absurdo|descaso|vergonha|enganad)"),
    ("reclamação", r"\bnão (?:cheg|ca[ií]|funciona|apareceu|consigo|resolve)"),
    ("elogio", r"\b(?:parabéns|ador[oe]|encantad|excelente|maravilhos|agradecer|nota dez|perfeit)"),
    ("dúvida", r"\?"),
    ("elogio", r"\b(?:ótim|obrigad)"),
)
"""The first whose regular expression is found decides."""


def keywords(email: str) -> str:
    """The category of which the most words occur; `outro` if none does."""
    counts = {name: len(re.findall(rf"\b(?:{pattern})\b", email.lower())) for name, pattern in WORDS.items()}
    return max(counts, key=lambda name: counts[name]) if any(counts.values()) else "outro"


def rules(email: str) -> str:
    """The category of the first rule that holds; `outro` if none does."""
    return next((name for name, pattern in RULES if re.search(pattern, email.lower())), "outro")


MODELS = {"palavras": keywords, "regras": rules}


def answer(model: str, prompt: str) -> str:
    """What a model says to a prompt of the suite: it reads what comes after its instructions."""
    return MODELS[model](prompt.rpartition("\nAssunto: ")[2].replace("\nE-mail: ", "\n"))


class Handler(BaseHTTPRequestHandler):
    """/v1/models and /v1/chat/completions."""

    def do_GET(self) -> None:
        """The list of models."""
        self._send({"data": [{"id": name} for name in MODELS]})

    def do_POST(self) -> None:
        """One answer."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked["model"] not in MODELS:
            self._send({"error": {"message": f"model_not_found: there are {', '.join(MODELS)}"}}, 404)
            return
        content = answer(asked["model"], asked["messages"][-1]["content"])
        self._send({"choices": [{"index": 0, "message": {"role": "assistant", "content": content}}]})

    def _send(self, body: object, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Silent."""


def server(port: int = 0) -> ThreadingHTTPServer:
    """A server on loopback; 0 is any free port."""
    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8009)
    with server(parser.parse_args().port) as running:
        print(f"http://127.0.0.1:{running.server_port}/v1: {', '.join(MODELS)}", flush=True)
        running.serve_forever()
