"""Times that are compared with times of the same minute, since a second means nothing on a busy machine.

The time of a call is compared with its time for twice the input, or with that of a calibration. Times are CPU seconds
of this process without the garbage collector, taken by turns so that a neighbour on the same core slows both sides, the
best of several; a ratio over its limit is measured again before it counts.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Input = TypeVar("Input")

LINEAR = 3.0
"""time(2n)/time(n) is 2 where the time is linear and 4 where it is quadratic."""

_ROUNDS = 8
_LEAST = 0.002  # seconds; below, the ratio is that of two noises


def seconds(call: Callable[[], Any]) -> float:
    """The CPU seconds of one call."""
    with _no_collection():
        start = time.process_time()
        call()
        return time.process_time() - start


def growth(build: Callable[[int], Input], work: Callable[[Input], Any], size: int, limit: float = LINEAR) -> float:
    """time(2n)/time(n) of `work` on what `build` makes, where n is `size` or, if that takes no time, more.

    Building is not timed; every call gets a new input, so that nothing kept with it is counted as speed.
    """

    def once(length: int) -> float:
        made = build(length)
        return seconds(lambda: work(made))

    most = 16 * size
    while size < most and once(size) < _LEAST:
        size *= 2

    return _ratio(lambda: once(2 * size), lambda: once(size), limit)


def assert_linear(build: Callable[[int], Input], work: Callable[[Input], Any], size: int) -> None:
    """Fail where twice the input takes more than three times as long."""
    ratio = growth(build, work, size)
    assert ratio < LINEAR, f"time(2n)/time(n) is {ratio:.1f} from n = {size}: not linear"


def repeated(unit: str) -> Callable[[int], str]:
    """What makes a text of about so many characters, of one unit over and over."""
    return lambda size: unit * (size // len(unit))


def loop(steps: int = 1_000_000) -> None:
    """A calibration: plain steps of the interpreter, about .05 s on a machine of 2020 for a million."""
    total = 0
    for number in range(steps):
        total += number & 7


def _ratio(first: Callable[[], float], second: Callable[[], float], limit: float) -> float:
    """The ratio of the best of several, at least two of each; more where it is not below the limit."""
    best, other = first(), second()
    for _ in range(_ROUNDS):
        best, other = min(best, first()), min(other, second())
        if best < limit * other:
            break
    return best / max(other, 1e-9)


@contextmanager
def _no_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
