"""The one error of reading."""

from __future__ import annotations


class ResultsError(ValueError):
    """A result or sample file cannot be read as such. The message names the file and what to do."""
