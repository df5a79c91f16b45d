"""Rows of a data set turned into documents of a task."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datasets import Dataset

Row = dict[str, Any]


def derive(rows: Dataset, columns: Callable[[Row], Row | None]) -> Dataset:
    """The rows of a split, in order, each with the columns that `columns` makes of it.

    Rows for which it makes None have no valid key and cannot be scored: they are left out, with a warning.

    Raises:
        ValueError: no row is left.
    """
    from datasets import Dataset

    made = [(row, columns(row)) for row in rows.to_list()]
    docs = [row | added for row, added in made if added is not None]
    without = len(made) - len(docs)
    if without:
        split = f"{rows.info.dataset_name or 'data set'}, split {rows.split or 'unknown'}"
        message = f"{split}: {without} of {len(made)} rows have no valid key and are left out"
        if not docs:
            raise ValueError(message)
        warnings.warn(message, stacklevel=2)
    return Dataset.from_list(docs)
