"""What the commands that ask an OpenAI-compatible endpoint share: options, messages, and the way to the server."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from lm_eval_ifeval_pt.models.endpoint import address
from lm_eval_ifeval_pt.models.endpoint.address import Address
from lm_eval_ifeval_pt.models.endpoint.answers import AnswerFile
from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError, listed
from lm_eval_ifeval_pt.models.endpoint.gate import Tell
from lm_eval_ifeval_pt.models.endpoint.messages import Language, language_of

API_PACKAGES = ("aiohttp", "requests", "tenacity", "tqdm")  # those of lm-eval[api] that the harness asks for

Option = Callable[[Any], Any]


class Bilingual(click.Command):
    """Knows in which language its flags were given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave the language in `ctx.obj`."""
        ctx.obj = language_of(args, os.environ)
        return super().parse_args(ctx, args)


concurrency = click.option(
    "--concurrency",
    "--paralelo",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    help="Requests at the same time.",
)
retries = click.option(
    "--retries", "--tentativas", type=click.IntRange(1), default=8, show_default=True, help="Attempts per request."
)
api_key = click.option(
    "--api-key",
    envvar=["LM_EVAL_PT_API_KEY", "OPENAI_API_KEY"],
    help="Better set LM_EVAL_PT_API_KEY or OPENAI_API_KEY: other users of the machine see the command line.",
)


def timeout(help: str) -> Option:
    """The option --timeout, in seconds."""
    return click.option(
        "--timeout", "--tempo-limite", type=click.IntRange(1), default=300, show_default=True, help=help
    )


def prices(prefix: str = "", suffix: str = "") -> Option:
    """The options --price-in, --price-out and --currency of a judge's tokens.

    Args:
        prefix: Before the English names of the prices, where a command asks other models too: `judge-`.
        suffix: After the Portuguese ones: `-do-juiz`.
    """

    def add(command: Any) -> Any:
        for option in (
            click.option("--currency", "--moeda", default="USD", show_default=True, help="Of the prices."),
            click.option(
                f"--{prefix}price-out",
                f"--preco-de-saida{suffix}",
                type=click.FloatRange(0),
                help="Of a million tokens that the judge writes.",
            ),
            click.option(
                f"--{prefix}price-in",
                f"--preco-de-entrada{suffix}",
                type=click.FloatRange(0),
                help="Of a million tokens that the judge reads.",
            ),
        ):
            command = option(command)
        return command

    return add


def accept_failures(help: str) -> Option:
    """The flag --accept-failures."""
    return click.option("--accept-failures", "--aceitar-falhas", is_flag=True, help=help)


def retry_empty(help: str) -> Option:
    """The flag --retry-empty."""
    return click.option("--retry-empty", "--repetir-vazias", is_flag=True, help=help)


def teller(language: Language) -> Tell:
    """The function that says a message to a person, in their language, above a progress bar that may be there."""

    def tell(key: str, /, **values: Any) -> None:
        say_above_progress(EndpointError(key, **values).text(language))

    return tell


def say_above_progress(message: str) -> None:
    """Write to stderr, above a progress bar that may be there."""
    if "tqdm" in sys.modules:
        sys.modules["tqdm"].tqdm.write(message, file=sys.stderr)
    else:
        click.echo(message, err=True)


def check_packages() -> None:
    """See that what the harness asks endpoints with is installed.

    Raises:
        EndpointError: which packages are missing.
    """
    if missing := [name for name in API_PACKAGES if importlib.util.find_spec(name) is None]:
        raise EndpointError("no_api", missing=", ".join(missing))


def connect(url: str, model: str, api_key: str | None, tell: Tell) -> tuple[Address, dict[str, str]]:
    """Find the server and say where it does not list the model.

    Returns:
        The server, and the headers of every request.

    Raises:
        EndpointError: the key is none, or no server answers.
    """
    headers = _headers(api_key)
    server = address.find(url, headers)
    if server.models and model not in server.models:
        tell("not_listed", model=model, offered=listed(server.models))
    return server, headers


def _headers(api_key: str | None) -> dict[str, str]:
    """Without a key no Authorization is sent, where the harness would send an empty one."""
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise EndpointError("bad_key")
    return {"Accept": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}


@contextlib.contextmanager
def answer_file(path: Path, tell: Tell) -> Iterator[AnswerFile]:
    """The stored answers; of an interruption or a fault it is said that they are kept."""
    with AnswerFile(path) as answers:
        try:
            yield answers
        except BaseException:
            if len(answers):
                tell("kept", stored=len(answers), path=path)
            raise
