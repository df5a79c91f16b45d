"""Numbers as people read them, in every table and page."""

from __future__ import annotations

import math
import re

_DECIMAL = re.compile(r"(?<![\d.])(\d*)\.(\d+)(?![\d.])")


def decimals(text: str, mark: str) -> str:
    """A text of numbers with another decimal mark, and a zero before it where there is none."""
    return _DECIMAL.sub(lambda match: f"{match[1] or 0}{mark}{match[2]}", text)


def number(value: float, digits: int) -> str:
    """A number; a dash where it is not known."""
    return "–" if math.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def in_points(share: float) -> str:
    """A difference of shares in points of a percentage."""
    return number(100 * share, 2)


def percent(value: float, digits: int = 1) -> str:
    """A share in percent; a dash where it is not known."""
    return "–" if math.isnan(value) else f"{100 * value:.{digits}f}"


def span(low: float, high: float, digits: int = 0) -> str:
    """An interval of shares in percent."""
    return "–" if math.isnan(low) else f"{100 * low:.{digits}f}–{100 * high:.{digits}f}"


def between(interval: tuple[float, float], form: str) -> str:
    """An interval of numbers in their own unit, e.g. "-1.2 to 3.4"; a dash where it is not known.

    Args:
        interval: Its bounds.
        form: How each is written, as of `format`.
    """
    low, high = interval
    return "–" if math.isnan(low) else f"{low:{form}} to {high:{form}}"


def p_value(p: float) -> str:
    """A p-value in few characters."""
    return "–" if math.isnan(p) else "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0")
