"""What stops a sweep, or one of its cells."""

from __future__ import annotations


class SweepError(Exception):
    """A sweep cannot be planned or run. The message says why and what to do."""


class CellError(Exception):
    """A cell has no result, and trying again would give none.

    Attributes:
        kind: `unreadable`, `names`, `gone`, `changed` or `unsupported`.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
