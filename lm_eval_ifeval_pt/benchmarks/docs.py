"""Rows of a data set turned into documents of a task."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datasets import Dataset

log = logging.getLogger(__name__)

Row = dict[str, Any]


class PlainRows(list[Row]):
    """The documents of a task as plain rows: a `Dataset` decodes a row from Arrow each time it is read."""

    @property
    def features(self) -> dict[str, type]:
        """The columns, which the harness asks for by name."""
        return {name: type(value) for name, value in self[0].items()}


def derive(rows: Dataset, columns: Callable[[Row], Row | None]) -> PlainRows:
    """The rows of a split, in order, each with the columns that `columns` makes of it.

    Rows for which it makes None have no valid key and cannot be scored: they are left out, and the log says so.

    Raises:
        ValueError: no row is left.
    """
    docs = PlainRows(row | added for row in rows.to_list() if (added := columns(row)) is not None)
    if without := len(rows) - len(docs):
        split = f"{rows.info.dataset_name or 'data set'}, split {rows.split or 'unknown'}"
        message = f"{split}: {without} of {len(rows)} rows have no valid key and are left out"
        if not docs:
            raise ValueError(message)
        log.warning(message)
    return docs
