"""The charts of the report: Vega-Lite specifications as plain data.

A text is `{"$t": key}`, a key of `strings`; `translated` replaces it, as the page's script does in its language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lm_eval_ifeval_pt.report.strings import Language, text

Spec = dict[str, Any]

INK = "currentColor"
"""The colour of the text around a chart, so that it follows the theme of the page."""

_MARK = "#2f6fb3"
_ROW = 26  # pixels per model
_PANEL = 230  # pixels of width
_COLUMNS = 3


class ChartPoint(NamedTuple):
    """A value with its interval, as a chart shows it.

    Attributes:
        name: What is on the vertical axis: a model, or a pair.
        panel: Which panel it is in, a text or a name.
        value: The value.
        low: The lower end of its interval; None where it has none.
        high: The upper end.
    """

    name: str
    panel: Any
    value: float
    low: float | None
    high: float | None


def intervals(
    points: Sequence[ChartPoint],
    axis: Any,
    description: Any = "",
    domain: tuple[float, float] | None = None,
    zero: bool = False,
) -> Spec:
    """Points with intervals, one row per name in their order, one panel per `panel`.

    Args:
        points: What to show, in points of a percentage or of NPM.
        axis: What is on the horizontal axis.
        description: What the chart shows, for those who cannot see it.
        domain: Its ends, by default those of the data.
        zero: Whether to draw a line at 0, which means "no difference".
    """
    names = list(dict.fromkeys(point.name for point in points))
    panels = list({str(point.panel): point.panel for point in points}.values())
    scale = {"domain": list(domain)} if domain else {"zero": False, "nice": True}
    shared: Spec = {
        "y": {"field": "name", "type": "nominal", "sort": names, "title": None, "axis": {"labelLimit": 320}},
        "x": {"field": "value", "type": "quantitative", "title": None, "scale": scale},
        "tooltip": [
            {"field": "name", "title": {"$t": "model"}},
            {"field": "value", "format": ".1f", "title": {"$t": "value"}},
            {"field": "low", "format": ".1f", "title": {"$t": "from"}},
            {"field": "high", "format": ".1f", "title": {"$t": "to"}},
        ],
    }
    layers: list[Spec] = [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 2, "color": _MARK},
            "encoding": {"x": {**shared["x"], "field": "low"}, "x2": {"field": "high"}, "y": shared["y"]},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 64, "color": _MARK, "opacity": 1},
            "encoding": {name: shared[name] for name in ("x", "y", "tooltip")},
        },
    ]
    if zero:
        line = {"type": "rule", "strokeDash": [4, 3], "color": INK}
        layers.insert(0, {"mark": line, "encoding": {"x": {"datum": 0}}})
    values = [_rounded(point, len(panels) > 1) for point in points]
    panel = {"width": _PANEL if len(panels) > 1 else 2 * _PANEL, "height": {"step": _ROW}, "layer": layers}
    title = {"text": axis, "anchor": "start", "orient": "bottom", "fontWeight": "normal", "fontSize": 11, "offset": 8}
    if len(panels) == 1:
        return {"description": description, "title": title, "data": {"values": values}, **panel}
    return {
        "description": description,
        "title": title,
        "data": {"values": values},
        "facet": {"field": "panel", "type": "nominal", "title": None, "sort": panels},
        "columns": _COLUMNS,
        "spec": panel,
        "spacing": 18,
        **({"resolve": {"scale": {"y": "independent"}}} if len(panels) > _COLUMNS else {}),
    }


def _rounded(point: ChartPoint, has_panels: bool) -> Spec:
    """A point as a chart reads it, with no more digits than can be seen."""
    numbers = {"value": point.value, "low": point.low, "high": point.high}
    panel = {"panel": point.panel} if has_panels else {}
    return {"name": point.name, **panel} | {
        name: number if number is None else round(number, 3) for name, number in numbers.items()
    }


class Square(NamedTuple):
    """A cell of a heat map: `value` in percent of the `n` answers of a model to a restriction."""

    name: str
    restriction: str
    value: float
    label: str


def heat_map(squares: Sequence[Square]) -> Spec:
    """Restrictions by models, for paper; the page has a table instead."""
    names = list(dict.fromkeys(square.name for square in squares))
    rows = list(dict.fromkeys(square.restriction for square in squares))
    return {
        "data": {"values": [square._asdict() for square in squares]},
        "width": {"step": 110},
        "height": {"step": 22},
        "encoding": {
            "x": {
                "field": "name", "type": "nominal", "sort": names, "title": None,
                "axis": {"orient": "top", "labelAngle": 0, "labelLimit": 105},
            },
            "y": {"field": "restriction", "type": "nominal", "sort": rows, "title": None, "axis": {"labelLimit": 320}},
        },
        "layer": [
            {
                "mark": "rect",
                "encoding": {
                    "color": {
                        "field": "value", "type": "quantitative", "title": "%",
                        "scale": {"domain": [0, 100], "range": ["#ffffff", "#6ea6dc"], "interpolate": "rgb"},
                    }
                },
            },
            {"mark": {"type": "text", "fontSize": 10}, "encoding": {"text": {"field": "label"}}},
        ],
    }


def config(ink: str = INK) -> Spec:
    """The Vega-Lite configuration that all charts share, with text, axes and grid in one colour of ink."""
    axis = {"labelColor": ink, "titleColor": ink, "gridColor": ink, "gridOpacity": 0.12, "domainOpacity": 0.4}
    return {
        "background": None,
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {**axis, "domainColor": ink, "tickColor": ink, "tickOpacity": 0.4, "titleFontWeight": "normal"},
        "header": {"labelColor": ink, "labelFontWeight": "bold", "titleColor": ink},
        "legend": {"labelColor": ink, "titleColor": ink},
        "text": {"color": ink},
        "title": {"color": ink},
    }


def translated(spec: Any, language: Language) -> Any:
    """A specification with its texts in one language."""
    if isinstance(spec, dict):
        if set(spec) == {"$t"}:
            return text(spec["$t"], language)
        return {key: translated(value, language) for key, value in spec.items()}
    return [translated(part, language) for part in spec] if isinstance(spec, list) else spec


def printed(spec: Spec, language: Language) -> Spec:
    """A specification for paper: in one language, black on white."""
    said: Spec = _in_black(translated(spec, language))
    return {**said, "config": config("black") | {"background": "white", "font": "sans-serif"}}


def _in_black(spec: Any) -> Any:
    if isinstance(spec, dict):
        return {key: _in_black(value) for key, value in spec.items()}
    if isinstance(spec, list):
        return [_in_black(part) for part in spec]
    return "black" if spec == INK else spec
