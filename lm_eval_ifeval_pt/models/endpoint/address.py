"""Where an endpoint is and what it offers."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError

_CHAT = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint.

    Attributes:
        chat: The address that answers chats.
        models: The names of the models it lists; empty where it lists none.
    """

    chat: str
    models: tuple[str, ...]


def find(url: str, headers: dict[str, str], timeout: float = 15.0) -> Address:
    """Reach the server and learn where under `url` it answers, from its list of models where it has one.

    Args:
        url: As people give it: with or without /v1, a trailing slash or /chat/completions.
        headers: Those of every request.
        timeout: In seconds.

    Raises:
        EndpointError: the address makes no sense, or nothing answers there.
    """
    bases = candidates(url)
    for base in bases:
        models = _models(base, headers, timeout)
        if models is not None:
            return Address(_join(base, _CHAT), models)
    return Address(_join(bases[0], _CHAT), ())


def candidates(url: str) -> list[str]:
    """The base addresses that may be meant, the likeliest first.

    Raises:
        EndpointError: the address makes no sense.
    """
    try:
        parts = urlsplit(url.strip())
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # no number as port, half an IPv6 address
        is_address = False
    if not is_address:
        raise EndpointError("bad_url", url=url)
    path = parts.path.rstrip("/")
    ends = next((end for end in (_CHAT, "/completions", "/models") if path.endswith(end)), "")
    path = path.removesuffix(ends)
    paths = [path] if ends or re.search(r"/v\d", path) else [f"{path}/v1", path]
    return [urlunsplit(parts._replace(path=path, fragment="")) for path in paths]


def _join(base: str, end: str) -> str:
    parts = urlsplit(base)
    return urlunsplit(parts._replace(path=parts.path + end))


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key meant for one host must not be carried to another."""

    def redirect_request(self, *_args: object) -> None:
        """Nothing is asked elsewhere: the redirection is an error of the request."""
        return None


def _models(base: str, headers: dict[str, str], timeout: float) -> tuple[str, ...] | None:
    """The models listed below this base; () where it has no list or keeps it, None where nothing is there."""
    url = _join(base, "/models")
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.build_opener(NoRedirect).open(request, timeout=timeout) as response:
            listed = json.load(response)
        return tuple(model["id"] for model in listed["data"])
    except urllib.error.HTTPError as error:
        return None if error.code == 404 else ()
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, ssl.SSLError):
            reason = reason.reason or reason
        raise EndpointError("unreachable", url=url, reason=getattr(reason, "strerror", None) or reason) from error
    except (ValueError, LookupError, TypeError):
        return ()
