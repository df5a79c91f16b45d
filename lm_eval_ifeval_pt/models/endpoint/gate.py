"""When requests may be sent: all wait while the server asks for it, none is sent once the run is ending."""

from __future__ import annotations

import asyncio
import contextlib
import math
import signal
import time
from collections.abc import Iterator
from typing import Any, NoReturn, Protocol

from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError

_PATIENCE = 600.0
"""Seconds without any answer after which a server that asks to wait is left alone."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 2.0, 60.0
"""Bounds, in seconds, of a pause whose length the server leaves open."""

_SECONDS_BETWEEN_MENTIONS = 5.0


class Tell(Protocol):
    """Says a message of `messages` to a person."""

    def __call__(self, key: str, /, **values: Any) -> None:
        """`key` and `values` are those of `messages.say`."""


class Gate:
    """What the concurrent requests of one run pass before they are sent.

    A run ends in one way, be it a fault of the endpoint or Ctrl-C: nothing more is sent, the requests under
    way are awaited, since they are paid for, and then `main` is cancelled.
    """

    def __init__(self, main: asyncio.Task[Any], tell: Tell) -> None:
        """`main` is the task that awaits all requests."""
        self.ending: BaseException | None = None
        self._main = main
        self._tell = tell
        self._under_way = 0
        self._paused_until = 0.0
        self._last_answer = time.monotonic()
        self._mentioned: dict[str, float] = {}

    def answered(self) -> None:
        """An answer arrived."""
        self._last_answer = time.monotonic()

    def mention(self, key: str, /, **values: Any) -> None:
        """Say what many requests may meet at a time, but not once for each."""
        now = time.monotonic()
        if now - self._mentioned.get(key, -math.inf) >= _SECONDS_BETWEEN_MENTIONS:
            self._mentioned[key] = now
            self._tell(key, **values)

    async def wait(self) -> None:
        """Return when a request may be sent; never, once the run is ending."""
        while self.ending is None and (delay := self._paused_until - time.monotonic()) > 0:
            await asyncio.sleep(delay)
        if self.ending is not None:
            await _for_ever()

    def pause(self, fault: EndpointError) -> bool:
        """Hold all requests back for as long as the server asks; False if that is too long to wait for."""
        now = time.monotonic()
        silence = now - self._last_answer
        seconds = min(_LONGEST_PAUSE, max(_SHORTEST_PAUSE, silence)) if fault.wait is None else fault.wait
        if silence + seconds > _PATIENCE:
            return False
        if now + seconds > self._paused_until:
            self.mention("pause", status=fault.values["status"], seconds=f"{seconds:.0f}")
        self._paused_until = max(self._paused_until, now + seconds)
        return True

    @contextlib.contextmanager
    def under_way(self) -> Iterator[None]:
        """A request, from its sending until its answer is stored."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._leave_if_ended()

    async def end(self, reason: BaseException) -> NoReturn:
        """End the run, for the first reason given."""
        if self.ending is None:
            self._drain(reason)
        await _for_ever()

    def _drain(self, reason: BaseException) -> None:
        if self._under_way:
            self._tell("draining", waiting=self._under_way)
        self.ending = reason
        self._leave_if_ended()

    def _leave_if_ended(self) -> None:
        if self.ending is not None and not self._under_way:
            self._main.cancel()

    def _interrupt(self) -> None:
        if self.ending is None:
            self._drain(KeyboardInterrupt())
        else:
            self.ending = KeyboardInterrupt()
            self._main.cancel()

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """Ctrl-C ends the run; a second one does so without waiting for what is under way."""
        loop = asyncio.get_running_loop()
        with contextlib.ExitStack() as stack:
            # on Windows, or outside the main thread, Ctrl-C just interrupts
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(signal.SIGINT, self._interrupt)
                stack.callback(loop.remove_signal_handler, signal.SIGINT)
            yield


async def _for_ever() -> NoReturn:
    while True:
        await asyncio.sleep(3600)
