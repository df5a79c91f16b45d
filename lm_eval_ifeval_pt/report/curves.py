"""Curves over training as a page, as a section of the report, as tables and as pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

from lm_eval_ifeval_pt.curves.changes import Change
from lm_eval_ifeval_pt.curves.changes import changes as changes_of
from lm_eval_ifeval_pt.curves.figures import LAST, Between, Figures, Usefulness, between, of_curve, usefulness
from lm_eval_ifeval_pt.curves.points import Curve, Curves
from lm_eval_ifeval_pt.curves.signal import item_error
from lm_eval_ifeval_pt.npm.baselines import FORMATS
from lm_eval_ifeval_pt.report.specs import INK, Spec
from lm_eval_ifeval_pt.report.strings import Language
from lm_eval_ifeval_pt.statistics import NORMAL

_HEIGHT = 190
_PRINTED_WIDTH = 380
_SPREAD = 20  # times the median step from which on the last step wants a logarithmic axis
_AGREEMENTS = 12  # tasks in the chart of agreement
_LEGEND = 48  # characters in a line of a legend


@dataclass(frozen=True, slots=True)
class CurvePage:
    """All that is shown.

    Attributes:
        curves: The curves.
        figures: Of each curve.
        useful: The tasks, the most useful first.
        between: Of each task with several trainings.
        changes: What the last checkpoints changed.
        last: How many checkpoints those are, and of how many the spread is noise.
        by_tokens: Whether the horizontal axis has tokens.
        notes: What a reader must know.
    """

    curves: Curves
    figures: tuple[Figures, ...]
    useful: tuple[Usefulness, ...]
    between: tuple[Between, ...]
    changes: tuple[Change, ...]
    last: int
    by_tokens: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A picture with what is in it: the formats of one benchmark, or one task, or an average.

    Attributes:
        name: Its title.
        curves: Format (empty where there is one) and curve.
        chart: Id of its chart.
        part: Why its scores are none on the whole task.
        rows: The points, for the table behind it.
    """

    name: str
    curves: tuple[tuple[str, Curve], ...]
    chart: str
    part: str
    rows: tuple[Mapping[str, Any], ...]


def gather(curves: Curves, last: int = LAST, by_tokens: bool = False) -> CurvePage:
    """Compute everything that is shown.

    Args:
        curves: The curves.
        last: Checkpoints at the end whose spread is noise, and which are asked whether they changed anything.
        by_tokens: Whether the horizontal axis has tokens; curves without are then left out.
    """
    notes = list(curves.notes)
    if by_tokens:
        lacking = sorted({c.run for c in curves.curves if any(point.tokens is None for point in c.points)})
        if lacking:
            notes.append(f"no tokens are known of {', '.join(lacking)}: --tokens-per-step or --tokens says them")
        curves = Curves(tuple(c for c in curves.curves if c.run not in lacking), curves.notes, curves.files)
    changed, why = changes_of(curves.curves, last)
    if why:
        more = f" (and {len(why) - 2} more)" if len(why) > 2 else ""
        notes += [*why[:2]] if not more else [why[0], f"{why[1]}{more}"]
    figures = tuple(of_curve(curve, last) for task in curves.tasks for curve in curves.of(task))
    together = tuple(shown for task in curves.tasks if (shown := between(curves.of(task), last)) is not None)
    return CurvePage(
        curves=curves,
        figures=figures,
        useful=tuple(usefulness(figures, together)),
        between=together,
        changes=tuple(changed),
        last=last,
        by_tokens=by_tokens,
        notes=tuple(dict.fromkeys(notes)),
    )


def cards(contents: CurvePage) -> list[Card]:
    """The pictures: averages first, both formats of a benchmark together."""
    base_of: dict[str, tuple[str, str]] = {}
    for base, (cloze, choice) in FORMATS.items():
        base_of |= {cloze: (base, "CF"), choice: (base, "MCF")}
    grouped: dict[str, list[tuple[str, Curve]]] = {}
    for task in contents.curves.tasks:
        base, form = base_of.get(task, (task, ""))
        if task in ("NPM CF", "NPM MCF"):
            base, form = "NPM CF, MCF", task.removeprefix("NPM ")
        grouped.setdefault(base, []).extend((form, curve) for curve in contents.curves.of(task))
    made = []
    for count, (name, in_card) in enumerate(grouped.items()):
        forms = {form for form, _ in in_card}
        title = name if len(forms) > 1 else in_card[0][1].task
        shown = tuple((form if len(forms) > 1 else "", curve) for form, curve in in_card)
        rows = tuple(_rows(shown, contents.by_tokens))
        made.append(Card(title, shown, f"curve-chart-{count}", in_card[0][1].part, rows))
    return made


def _rows(curves: Sequence[tuple[str, Curve]], by_tokens: bool) -> list[Mapping[str, Any]]:
    return [
        {
            "run": f"{curve.run} {form}".strip(),
            "checkpoint": point.checkpoint,
            "step": str(point.step),
            "tokens": f"{point.tokens:.4g}" if point.tokens is not None else "–",
            "score": point.score,
            "stderr": point.stderr,
        }
        for form, curve in curves
        for point in curve.points
    ]


# ---- charts


def charts(contents: CurvePage) -> dict[str, Spec]:
    """The charts, by the id of their place in the page."""
    specs_by_id = {card.chart: chart(card, contents.by_tokens) for card in cards(contents)}
    if contents.between:
        specs_by_id["agreement"] = _agreement(contents)
    return specs_by_id


def chart(card: Card, by_tokens: bool) -> Spec:
    """Scores against steps or tokens, bands of 1.96 standard errors, a line at chance."""
    many_runs = len({curve.run for _, curve in card.curves}) > 1
    many_forms = len({form for form, _ in card.curves}) > 1
    values: list[dict[str, Any]] = []
    for form, curve in card.curves:
        for point in curve.points:
            error = 100 * NORMAL * item_error(point.score, point.stderr, point.items)
            is_known, lowest, highest = not math.isnan(error), -math.inf if curve.is_average else 0.0, 100.0
            values.append(
                {
                    "x": point.x(by_tokens), "score": 100 * point.score, "run": curve.run, "form": form,
                    "series": f"{curve.run} {form}".strip(), "checkpoint": point.checkpoint,
                    "low": max(lowest, 100 * point.score - error) if is_known else None,
                    "high": min(highest, 100 * point.score + error) if is_known else None,
                }
            )  # fmt: skip
    series = "run" if many_runs else "form"
    colour: Spec = {"field": series, "type": "nominal", "title": None, "scale": {"scheme": "tableau10"},
                    "sort": None,
                    "legend": {**_legend([value[series] for value in values]), "symbolOpacity": 1}}  # fmt: skip
    if not many_runs and not many_forms:
        colour = {"value": "#2f6fb3"}
    x: Spec = {"field": "x", "type": "quantitative", "title": {"$t": "tokens" if by_tokens else "step"},
               "scale": _scale([value["x"] for value in values]),
               "axis": _axis([value["x"] for value in values])}  # fmt: skip
    title = {"$t": "npm_points" if card.curves[0][1].is_average else "score_percent"}
    heights = [value[name] for value in values for name in ("score", "low", "high") if value[name] is not None]
    flat = {"domain": [min(heights) - 5, max(heights) + 5]} if max(heights) - min(heights) < 1 else {}
    y: Spec = {"type": "quantitative", "title": title, "scale": {"zero": False, "nice": True, **flat}}
    dash: Spec = {}
    if many_runs and many_forms:
        dash = {"strokeDash": {"field": "form", "type": "nominal", "title": None, "sort": None,
                               "legend": {"orient": "bottom"}}}  # fmt: skip
    detail = {"field": "series", "type": "nominal"}
    layers: list[Spec] = [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "area", "opacity": 0.16},
            "encoding": {
                "x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour, "detail": detail,
            },
        },
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": {**y, "field": "score"}, "color": colour, "detail": detail, **dash},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1},
            "encoding": {
                "x": x, "y": {**y, "field": "score"}, "color": colour,
                "tooltip": [
                    {"field": "series", "title": {"$t": "run"}},
                    {"field": "checkpoint", "title": {"$t": "checkpoint"}},
                    {"field": "score", "format": ".2f", "title": {"$t": "value"}},
                    {"field": "low", "format": ".2f", "title": {"$t": "from"}},
                    {"field": "high", "format": ".2f", "title": {"$t": "to"}},
                ],
            },
        },
    ]  # fmt: skip
    chances = sorted({100 * curve.chance for _, curve in card.curves if curve.chance is not None})
    for chance in chances:
        line = {"type": "rule", "strokeDash": [5, 4], "color": INK, "opacity": 0.6}
        layers.append({"mark": line, "encoding": {"y": {"datum": chance, "type": "quantitative"}}})
    return {
        "description": {"$t": "curve_chart"},
        "width": "container",
        "height": _HEIGHT,
        "data": {"values": values},
        "layer": layers,
    }


def _agreement(contents: CurvePage) -> Spec:
    shown = [task for task in contents.between if len(task.runs) > 1][:_AGREEMENTS]
    values = [
        {"x": step, "score": tau, "task": task.task}
        for task in shown
        for step, tau in zip(task.steps, task.agreement, strict=True)
        if not math.isnan(tau)
    ]
    return {
        "description": {"$t": "agreement_chart"},
        "width": "container",
        "height": 240,
        "data": {"values": values},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "title": {"$t": "step"},
                  "scale": _scale([value["x"] for value in values]), "axis": _axis([value["x"] for value in values])},
            "y": {"field": "score", "type": "quantitative", "title": {"$t": "agreement_axis"},
                  "scale": {"domain": [-1, 1]}},
            "color": {"field": "task", "type": "nominal", "title": None, "sort": None,
                      "legend": _legend([task.task for task in shown])},
            "tooltip": [{"field": "task", "title": {"$t": "task"}}, {"field": "x", "title": {"$t": "step"}},
                        {"field": "score", "format": ".2f", "title": {"$t": "agreement_axis"}}],
        },
    }  # fmt: skip


def _legend(names: Iterable[str]) -> Spec:
    """Below the chart, in as many columns as a phone has room for."""
    longest = max(map(len, names), default=1)
    return {"orient": "bottom", "columns": max(1, min(3, _LEGEND // (longest + 4))), "labelLimit": 230}


def _scale(values: Sequence[Any]) -> Spec:
    """Logarithmic where most steps are early ones, as powers of two are."""
    known = sorted(value for value in set(values) if value is not None)
    if _is_logarithmic(known):
        return {"type": "symlog", "constant": next(value for value in known if value > 0), "nice": False}
    return {"zero": False, "nice": False}


def _axis(values: Sequence[Any]) -> Spec:
    """A few ticks; on a logarithmic axis at zero and powers of ten, since those that are made lie close together."""
    known = sorted(value for value in set(values) if value is not None)
    if not _is_logarithmic(known):
        return {"format": "~s", "tickCount": 5}
    first = next(value for value in known if value > 0)
    powers = range(math.ceil(math.log10(first)), math.floor(math.log10(known[-1])) + 1)
    return {"labelExpr": "format(datum.value, '~s')", "values": [0] * (known[0] == 0) + [10**power for power in powers]}


def _is_logarithmic(known: Sequence[float]) -> bool:
    return bool(known) and known[-1] > _SPREAD * known[len(known) // 2] > 0


# ---- pages


def page(contents: CurvePage, language: Language = "pt") -> str:
    """All curves as one HTML file that loads nothing; what a file or a model's name says is escaped."""
    from lm_eval_ifeval_pt.report import build

    environment = build.environment(language)
    specs_by_id = charts(contents)
    checkpoints = {(curve.run, point.step) for curve in contents.curves.curves for point in curve.points}
    return build.render(
        environment,
        "curves_page.html",
        scripts=build.SHARED_SCRIPTS,
        charts=specs_by_id,
        language=language,
        curve_sections=build.trusted(sections(contents, environment, specs_by_id)),
        runs=contents.curves.runs,
        notes=contents.notes,
        last=contents.last,
        has_between=bool(contents.between),
        has_changes=bool(contents.changes),
        made={
            "runs": len(contents.curves.runs),
            "checkpoints": len(checkpoints),
            "tasks": sum(not contents.curves.of(task)[0].is_average for task in contents.curves.tasks),
            "package": build.package(),
        },
    )


def sections(contents: CurvePage, environment: Any, specs_by_id: Mapping[str, Spec]) -> str:
    """The sections of the page, which are a part of the report too.

    Args:
        contents: The curves and their figures.
        environment: Of `build.environment`.
        specs_by_id: Their charts, of `charts`.
    """
    environment.filters["slug"] = _slug
    html: str = environment.get_template("curves.html").render(
        charts=specs_by_id,
        useful=contents.useful,
        cards=cards(contents),
        figures=contents.figures,
        between=contents.between,
        changes=contents.changes,
        last=contents.last,
        by_tokens=contents.by_tokens,
        many=len(contents.curves.runs) > 1,
    )
    return html


def _slug(name: str) -> str:
    return regex.sub(r"[^\w-]+", "-", name)


# ---- files


def pictures(contents: CurvePage, folder: Path, language: Language = "pt") -> list[Path]:
    """Write every chart as `figures.draw` does, named after its task."""
    from lm_eval_ifeval_pt.report import figures

    named = {card.chart: card.name for card in cards(contents)}
    sized = [
        (_slug(named.get(id, id)), {**spec, "width": _PRINTED_WIDTH}) for id, spec in charts(contents).items()
    ]
    return figures.draw(sized, folder, language)
