"""What can go wrong before a sample exists."""

from __future__ import annotations


class RulerError(ValueError):
    """Samples cannot be generated as asked. The message says why and what to do."""


class TooShort(RulerError):
    """A length leaves no room for the task."""
