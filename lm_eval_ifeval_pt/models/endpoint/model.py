"""The harness's `local-chat-completions`, made to lose no answer."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import urllib.request
from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn
from urllib.parse import urlsplit

import aiohttp
import tenacity
from lm_eval.api.instance import Instance
from lm_eval.models.openai_completions import LocalChatCompletion
from lm_eval.models.utils import handle_stop_sequences

from lm_eval_ifeval_pt.models.endpoint import faults
from lm_eval_ifeval_pt.models.endpoint.address import Address
from lm_eval_ifeval_pt.models.endpoint.answers import AT_STOP, Answer, AnswerFile, Request, read_reply
from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError
from lm_eval_ifeval_pt.models.endpoint.gate import Gate, Tell
from lm_eval_ifeval_pt.models.endpoint.stops import Stops, cut


class Endpoint(LocalChatCompletion):  # type: ignore[misc]  # the harness is untyped
    """A chat model behind an OpenAI-compatible address.

    The harness calls `generate_until`. What is stored is not asked for; the rest goes through its own
    `get_batched_requests`, which makes the asyncio tasks, limits their number, retries, shows progress, and
    calls `amodel_call` for each attempt.

    Attributes:
        used: The answers handed to the harness, cut where they ended in a stop string of their task.
        stops: Which stop strings count.
        failed: The requests that have none, with the reason.
    """

    MULTIMODAL = False

    def __init__(
        self,
        address: Address,
        model: str,
        headers: dict[str, str],
        answers: AnswerFile,
        tell: Tell,
        *,
        concurrency: int,
        attempts: int,
        timeout: int,
        retry_empty: bool = False,
        empty_retries: int = 0,
        accept_failures: bool = False,
        stops: Stops = "answer",
    ) -> None:
        """Nothing is sent yet.

        Args:
            address: Where it is.
            model: Its name there.
            headers: Those of every request, the key included.
            answers: Where answers are kept.
            tell: What says to a person that something happened.
            concurrency: Requests at the same time.
            attempts: How often a request is sent before it counts as failed.
            timeout: In seconds, of one attempt.
            retry_empty: Whether a stored empty answer is asked for again.
            empty_retries: How often an answer that came empty is asked for again.
            accept_failures: Whether a request that failed counts as an empty answer or ends the run.
            stops: Which stop strings of a task count; with `server` they are sent, else answers are cut here.
        """
        super().__init__(
            model=model,
            base_url=address.chat,
            header=headers,
            tokenizer_backend=None,
            num_concurrent=concurrency,
            max_retries=attempts,
            timeout=timeout,
        )
        self.used: list[Answer] = []
        self.failed: dict[Request, EndpointError] = {}
        self.stops = stops
        self._offered = address.models
        self._answers = answers
        self._tell = tell
        self._retry_empty = retry_empty
        self._empty_retries = empty_retries
        self._accept_failures = accept_failures
        self._proxy = _proxy(address.chat)
        self._spelling: dict[str, str | None] = {}
        self._received = 0
        self._attempts: Counter[Request] = Counter()
        self._received_before: dict[Request, int] = {}

    def loglikelihood(self, requests: list[Instance], **_kwargs: Any) -> NoReturn:
        """Chat endpoints give no log-probabilities of a prompt."""
        raise EndpointError("no_generation", task=requests[0].task_name)

    loglikelihood_rolling = loglikelihood

    @property
    def parameters_left_out(self) -> list[str]:
        """The generation arguments of the harness that the server does not take."""
        return [name for name, spelling in self._spelling.items() if spelling is None]

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """The answer to each request, in order.

        Raises:
            EndpointError: some have none. Those that came are stored.
            KeyboardInterrupt: likewise.
        """
        asked = self._requests(requests)
        missing = [request for request in asked if self._answers.find(request, self._retry_empty) is None]
        self._tell("to_ask", missing=len(missing), stored=len(asked) - len(missing), path=self._answers.path)
        if missing:
            asyncio.run(self._collect(missing))
        for _ in range(self._empty_retries):
            came = ((request, self._answers.find(request)) for request in missing)
            if not (empty := [request for request, answer in came if answer and answer.is_empty]):
                break
            asyncio.run(self._collect(empty))
        if self.failed and not self._accept_failures:
            *_, last = self.failed.values()
            raise EndpointError("some_failed", failed=len(self.failed), last=last)
        texts = []
        for request, instance in zip(asked, requests, strict=True):
            answer = self._answers.find(request)
            if answer is not None:
                text = cut(answer.text, handle_stop_sequences(instance.args[1].get("until"), None), self.stops)
                if text != answer.text:
                    answer = dataclasses.replace(answer, text=text, finish_reason=AT_STOP)
                self.used.append(answer)
            texts.append(answer.text if answer else "")
        return texts

    def _requests(self, instances: list[Instance]) -> list[Request]:
        """The request of each instance; equal ones are told apart by number, since sampled answers differ."""
        requests, seen = [], Counter[str]()
        for instance in instances:
            context, gen_kwargs = instance.args
            payload = self._create_payload(
                self.create_message([context]),
                generate=True,
                gen_kwargs=copy.deepcopy(gen_kwargs),
                seed=self._seed,
            )
            if self.stops != "server" or not payload["stop"]:  # some servers refuse an empty list
                del payload["stop"]
            key = Request(self.base_url, payload).key
            requests.append(Request(self.base_url, payload, seen[key]))
            seen[key] += 1
        return requests

    async def _collect(self, missing: list[Request]) -> None:
        main = asyncio.current_task()
        assert main is not None
        self._gate = Gate(main, self._tell)
        try:
            with self._gate.interruptible():
                first, *others = missing
                await self._ask_alone(first)
                if others:
                    await self.get_batched_requests(others, others)
        except asyncio.CancelledError:
            if self._gate.ending is None:
                raise
        if self._gate.ending is not None:
            raise self._gate.ending

    async def _ask_alone(self, request: Request) -> None:
        """One request before the others, so that not all of them meet an endpoint that refuses them."""
        again = tenacity.retry(  # as the harness does
            stop=tenacity.stop_after_attempt(self.max_retries),
            wait=tenacity.wait_exponential(multiplier=0.5, min=1, max=10),
            reraise=True,
        )
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self.timeout)) as session:
            await again(self.amodel_call)(session, asyncio.Semaphore(1), [], cache_keys=[request])

    async def amodel_call(
        self,
        session: aiohttp.ClientSession,
        sem: asyncio.Semaphore,
        messages: list[Any],
        *,
        cache_keys: Sequence[Request] = (),
        **_kwargs: Any,
    ) -> list[str]:
        """One attempt at one request; the harness calls again after an error, `max_retries` times in all.

        Raises:
            EndpointError: a later attempt may pass.
        """
        (request,) = cache_keys
        self._received_before.setdefault(request, self._received)
        async with sem:
            while True:
                await self._gate.wait()
                try:
                    return [(await self._exchange(session, request)).text]
                except EndpointError as error:
                    if error.handling != "wait" or not self._gate.pause(error):
                        fault = error
                        break
        self._attempts[request] += 1
        if fault.handling == "retry" and self._attempts[request] < self.max_retries:
            self._gate.mention("again", attempt=self._attempts[request] + 1, attempts=self.max_retries, fault=fault)
            raise fault
        if self._is_general(fault, request):
            await self._gate.end(fault)
        self.failed[request] = fault
        return [""]

    def _is_general(self, fault: EndpointError, request: Request) -> bool:
        """Whether the endpoint is at fault, not this request alone."""
        if fault.handling == "reject":  # a second one, and never an answer
            return bool(self.failed) and not self._received and not len(self._answers)
        return fault.handling != "retry" or self._received == self._received_before[request]

    async def _exchange(self, session: aiohttp.ClientSession, request: Request) -> Answer:
        """Send a request and store its answer."""
        spelled = ((self._spelling.get(name, name), value) for name, value in request.payload.items())
        payload = {name: value for name, value in spelled if name is not None}
        with self._gate.under_way():
            try:
                async with session.post(
                    self.base_url, json=payload, headers=self.header, allow_redirects=False, proxy=self._proxy
                ) as response:
                    body = (await response.read()).decode("utf-8", "replace")
            except asyncio.TimeoutError as error:
                raise EndpointError("timeout", handling="retry", url=self.base_url, seconds=self.timeout) from error
            except (aiohttp.ClientError, OSError) as error:
                raise EndpointError("lost", handling="retry", url=self.base_url, reason=error) from error
            status = faults.status_of(response.status, body)
            if status == 200:
                answer = read_reply(self.base_url, body)
                self._answers.add(request, answer)
                self._received += 1
                self._gate.answered()
                return answer
        if parameter := faults.unsupported(status, body, payload):
            self._leave_out(parameter)
            return await self._exchange(session, request)
        raise faults.of_response(self.base_url, status, response.headers, body, self.model, self._offered)

    def _leave_out(self, parameter: str) -> None:
        if parameter not in self._spelling:
            self._tell("renamed" if parameter == "max_tokens" else "left_out", name=parameter)
        self._spelling[parameter] = "max_completion_tokens" if parameter == "max_tokens" else None


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for this address; the harness's session looks for none."""
    parts = urlsplit(url)
    if parts.hostname and urllib.request.proxy_bypass(parts.hostname):
        return None
    return urllib.request.getproxies().get(parts.scheme)
