"""Values between checker and candidate: built-in types as JSON, in frames of a stated length.

The candidate's side is under the program's control. So the checker reads data, never code: whatever arrives becomes a
value of exactly these built-in types, or an error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Set
from typing import Any

_LENGTH = 4
_SMALL = 1 << 53


class WireError(Exception):
    """The other side is gone, or sent what is no frame."""


class Unreadable(Exception):
    """A value that has no counterpart in data, such as a generator."""


def withheld() -> tuple[int, int]:
    """Standard input and output under other numbers; the program in this process gets neither, nor this folder."""
    channels = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    sys.path[:] = [path for path in sys.path if path not in ("", os.path.dirname(os.path.dirname(__file__)))]
    return channels


def send(fd: int, message: Any) -> None:
    """Write one frame.

    Raises:
        WireError: the other side no longer reads.
    """
    body = json.dumps(message).encode()
    data = memoryview(len(body).to_bytes(_LENGTH, "big") + body)
    try:
        while data:
            data = data[os.write(fd, data) :]
    except OSError as error:
        raise WireError(str(error)) from error


def receive(fd: int, limit: int) -> tuple[Any, int]:
    """Read one frame of at most `limit` bytes, and say how many it had.

    Raises:
        WireError: the other side closed, or sent something else.
    """
    size = int.from_bytes(_read(fd, _LENGTH), "big")
    if size > limit:
        raise WireError(f"a message of {size} bytes, {limit} allowed")
    try:
        return json.loads(_read(fd, size)), size
    except (ValueError, RecursionError, MemoryError) as error:
        raise WireError(f"no message: {type(error).__name__}") from error


def _read(fd: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(fd, min(size, 1 << 16))
        if not part:
            raise WireError("closed")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def encode(value: Any) -> Any:
    """A value as JSON. Subclasses become their built-in type, and numbers of NumPy become Python's.

    Raises:
        Unreadable: it is, or holds, something that is no plain value.
    """
    try:
        return _encode(value)
    except RecursionError:
        raise Unreadable("a value that holds itself, or too deep") from None


def _encode(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if -_SMALL < value < _SMALL else ["int", hex(value)]
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    for tag, kind in (("list", list), ("tuple", tuple), ("set", set), ("frozenset", frozenset)):
        if isinstance(value, kind):
            return [tag, [_encode(item) for item in value]]
    if isinstance(value, Mapping):
        return ["dict", [[_encode(key), _encode(item)] for key, item in value.items()]]
    if isinstance(value, Set):
        return ["set", [_encode(item) for item in value]]
    if isinstance(value, (bytes, bytearray)):
        return ["bytes", bytes(value).decode("latin-1")]
    if isinstance(value, complex):
        return ["complex", [value.real, value.imag]]
    # A value of a class of these modules exists only where the module is loaded.
    for tag, module in (("Fraction", "fractions"), ("Decimal", "decimal")):
        if module in sys.modules and isinstance(value, getattr(sys.modules[module], tag)):
            return [tag, str(value)]
    if "numbers" in sys.modules and isinstance(value, sys.modules["numbers"].Integral):
        return _encode(int(value))
    if type(value).__module__ == "numpy" and isinstance(item := value.item(), (bool, float, complex)):
        return _encode(item)
    raise Unreadable(type(value).__name__)


def _fraction(text: str) -> Any:
    from fractions import Fraction

    return Fraction(text)


def _decimal(text: str) -> Any:
    from decimal import Decimal

    return Decimal(text)


_BUILT: dict[str, Callable[[Any], Any]] = {
    "int": lambda text: int(text, 16),
    "bytes": lambda text: text.encode("latin-1"),
    "Fraction": _fraction,
    "Decimal": _decimal,
    "complex": lambda parts: complex(*parts),
    "list": lambda items: [decode(item) for item in items],
    "tuple": lambda items: tuple(decode(item) for item in items),
    "set": lambda items: {decode(item) for item in items},
    "frozenset": lambda items: frozenset(decode(item) for item in items),
    "dict": lambda items: {decode(key): decode(item) for key, item in items},
}


def decode(data: Any) -> Any:
    """The value of such JSON.

    Raises:
        WireError: it is no value's.
    """
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    try:
        tag, content = data
        return _BUILT[tag](content)
    except WireError:
        raise
    except Exception as error:  # the program may send anything
        raise WireError(f"no value: {type(error).__name__}") from None
