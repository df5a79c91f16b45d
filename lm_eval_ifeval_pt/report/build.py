"""From the contents to the page: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import metadata, resources
from typing import TYPE_CHECKING, Any

from lm_eval_ifeval_pt.analysis import restrictions
from lm_eval_ifeval_pt.report import charts, curves, items, numbers, specs
from lm_eval_ifeval_pt.report.contents import Contents, ModelResult, TaskMeans, Verified, loose_interval
from lm_eval_ifeval_pt.report.details import LengthTable
from lm_eval_ifeval_pt.report.labels import shortened
from lm_eval_ifeval_pt.report.pairs import Paired, PairOfModels
from lm_eval_ifeval_pt.report.specs import Spec
from lm_eval_ifeval_pt.report.strings import STRINGS, Language, text
from lm_eval_ifeval_pt.statistics import Estimate

if TYPE_CHECKING:
    from markupsafe import Markup

_ALPHA = 0.05
_COLUMN = 36  # characters of a model's name in the head of a column, where it takes several lines
_FEW_ROWS = 12  # rows of a table or a chart, of which more are folded
_FOLDER = resources.files("lm_eval_ifeval_pt.report")
_LIBRARIES = ("vendor/vega.min.js", "vendor/vega-lite.min.js")
_LICENCES = ("vendor/LICENSE.vega", "vendor/LICENSE.vega-lite")  # which want to be wherever the code is
SHARED_SCRIPTS = ("page.js",)
_MARKS = {"pt": ",", "en": "."}


def page(contents: Contents, language: Language = "pt", with_text: bool = True) -> str:
    """The report as HTML. Whatever a model or a file says is escaped; nothing is loaded from anywhere.

    Args:
        contents: What to show.
        language: The language it opens in; the page has a button for the other.
        with_text: Whether prompts and answers are in it; without them a report on gated data can be published.
    """
    pairs = {task: paired for task, paired in contents.paired.items() if paired.duels}
    specs_by_id = charts.of_page(contents)
    made = environment(language)
    curve_sections = ""
    if contents.curves is not None:
        of_curves = curves.charts(contents.curves)
        curve_sections = curves.sections(contents.curves, made, of_curves)
        specs_by_id |= of_curves
    return render(
        made,
        "page.html",
        scripts=(*SHARED_SCRIPTS, "script.js", "matrix.js"),
        charts=specs_by_id,
        matrices={task: _matrix(paired) for task, paired in pairs.items() if paired.interesting != paired.duels},
        language=language,
        contents=contents,
        notes=contents.notes,
        blocks=list(_blocks(contents, with_text)),
        made={
            "models": len(contents.labels),
            "tasks": len(contents.runs),
            "items": sum(len(run.items) for runs in contents.runs.values() for run in runs.values()),
            "package": package(),
        },
        rows=[
            (task, [_row(entry, made.globals) for entry in task.entries], _honest(task)) for task in contents.verified
        ],
        pairs=pairs,
        curve_sections=trusted(curve_sections),
        ranked_labels=_ranked(contents),
        short=shortened(contents.labels, _COLUMN),
        loose_interval=loose_interval,
        is_share=_is_share,
        quarters=_quarters,
        ties=lambda groups: "; ".join(", ".join(group) for group in groups),
        duel_row=functools.partial(_duel_row, made.globals),
        ALPHA=_ALPHA,
        FEW_ROWS=_FEW_ROWS,
        MANY_ECHOES=restrictions.MANY_ECHOES,
    )


def environment(language: Language) -> Any:
    """The Jinja environment of the pages: values are escaped, an unknown name is an error.

    Its functions write numbers as people of the language do.
    """
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(file),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    mark = _MARKS[language]
    ours = (_percent, _percent_sign, _span, _signed, _signed_span)
    texts = (*ours, numbers.number, numbers.in_points, numbers.p_value)
    cells = (_share_cell, _plain_cell, _score_cell)
    made.globals |= {function.__name__.removeprefix("_"): _localised(function, mark) for function in texts}
    made.globals |= {function.__name__.removeprefix("_"): _localised_cell(function, mark) for function in cells}
    made.globals["t"] = _translator(language)
    made.filters["breakable"] = _breakable
    return made


def _localised(function: Callable[..., str], mark: str) -> Callable[..., str]:
    def localised(*values: Any, **options: Any) -> str:
        return numbers.decimals(function(*values, **options), mark)

    return localised


def _localised_cell(
    function: Callable[[Estimate], tuple[str, str]], mark: str
) -> Callable[[Estimate], tuple[str, ...]]:
    def localised(estimate: Estimate) -> tuple[str, ...]:
        return tuple(numbers.decimals(part, mark) for part in function(estimate))

    return localised


def render(
    environment: Any,
    name: str,
    *,
    scripts: Iterable[str],
    charts: Mapping[str, Spec],
    language: Language,
    **values: Any,
) -> str:
    """A page with the style, the scripts and the texts of all pages.

    Args:
        environment: Of `environment`.
        name: The template's file.
        scripts: The files of its scripts, in order.
        charts: The charts, by the id of their place.
        language: The language it opens in.
        **values: What the template is given.
    """
    code = [file(each) for each in scripts]
    libraries = [file(each) for each in _LIBRARIES]
    html: str = environment.get_template(name).render(
        language=language,
        style=trusted(file("style.css")),
        scripts=[trusted(script) for script in code],
        libraries=[_compressed(library) for library in libraries],
        licences=[file(each) for each in _LICENCES],
        hashes=[_hash(script) for script in (*code, *libraries)],
        data={"language": language, "strings": dict(STRINGS), "config": specs.config()},
        charts=charts,
        drawings=_packed({"charts": charts, "matrices": values.get("matrices", {})}),
        **{"blocks": (), **values},
    )
    return html


# ---- what the page shows, as cells


def _matrix(paired: Paired) -> dict[str, Any]:
    """All pairs of a task: the differences in points (or as they are, of what is no share), p-values as they are
    shown, and whether the two are told apart, by row and column above the diagonal, models from the best."""
    position = {label: number for number, label in enumerate(paired.order)}
    scale = 100 if paired.duels[0].is_share else 1
    cells = sorted(paired.duels, key=lambda duel: sorted((position[duel.better], position[duel.worse])))
    return {
        "models": list(paired.order),
        "digits": _digits(scale),
        "differences": [
            round(scale * duel.difference.value * (1 if position[duel.better] < position[duel.worse] else -1), 3)
            for duel in cells
        ],
        "p": [None if math.isnan(duel.p_value) else float(f"{duel.p_value:.2g}") for duel in cells],
        "apart": [duel.is_different for duel in cells],
    }


def _ranked(contents: Contents) -> list[str]:
    """The models with tasks that have no verdicts, from the best mean rank on these."""
    ranks = [contents.paired[means.task].ranks for means in contents.scored]
    has = [label for label in contents.labels if any(label in means.means for means in contents.scored)]

    def mean_rank(label: str) -> float:
        known = [rank[label] for rank in ranks if label in rank]
        return sum(known) / len(known) if known else math.inf

    return sorted(has, key=mean_rank)


def _is_share(means: TaskMeans) -> bool:
    return all(0 <= mean.value <= 1 for mean in means.means.values() if not math.isnan(mean.value))


def _quarters(table: LengthTable) -> int:
    return max(len(profile.bins) for profile in table.profiles.values())


def _score_cell(estimate: Estimate) -> tuple[str, str]:
    return (_share_cell if 0 <= estimate.value <= 1 else _plain_cell)(estimate)


def _share_cell(estimate: Estimate) -> tuple[str, str]:
    low, high = estimate.interval()
    return _percent(estimate.value), _span(max(low, 0), min(high, 1))


def _plain_cell(estimate: Estimate) -> tuple[str, str]:
    low, high = estimate.interval()
    interval = "" if math.isnan(low) else f"{numbers.number(low, 3)}–{numbers.number(high, 3)}"
    return numbers.number(estimate.value, 3), interval


def _duel_row(written: Mapping[str, Callable[..., str]], duel: PairOfModels) -> dict[str, Any]:
    """The cells of a pair."""
    scale = 100 if duel.is_share else 1
    signed, signed_span = written["signed"], written["signed_span"]
    return {
        "difference": (signed(duel.difference.value, scale), signed_span(*duel.difference.interval(), scale)),
        "elsewhere": "–" if duel.elsewhere is None else signed_span(*duel.elsewhere.interval(), scale),
        "only_a": duel.only_better,
        "only_b": duel.only_worse,
        "detectable": written["number"](scale * duel.detectable, _digits(scale)),
        "p": written["p_value"](duel.p_value),
    }


def _signed(value: float, scale: int = 100, digits: int | None = None) -> str:
    shown = _digits(scale) if digits is None else digits
    return "–" if math.isnan(value) else f"{scale * value:+.{shown}f}".replace("-", "−")


def _signed_span(low: float, high: float, scale: int = 100, digits: int | None = None) -> str:
    return "–" if math.isnan(low) else f"{_signed(low, scale, digits)}; {_signed(high, scale, digits)}"


def _digits(scale: int) -> int:
    return 1 if scale == 100 else 3


def _row(entry: ModelResult, written: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """The cells of a model on the leaderboard: text and interval."""
    percent, span = written["percent"], written["span"]
    cells: dict[str, tuple[str, str]] = {}
    for name in ("prompt strict", "prompt loose", "instruction strict"):
        if level := entry.levels.get(name):
            cells[name] = written["share_cell"](level.honest)
    for kind in ("active", "passive"):
        if rate := entry.totals.get(kind):
            cells[kind] = (percent(rate.strict / rate.n), span(*rate.interval))
    if entry.corrected is not None:
        low, high = entry.corrected.interval()
        cells["corrected"] = (percent(entry.corrected.value), span(low, min(high, 1)))
    return {"entry": entry, "cells": cells, "n": entry.levels["prompt strict"].independent.n}


def _honest(task: Verified) -> dict[str, Any]:
    """The intervals and the detectable difference of the model with the largest standard error; empty without any."""
    levels = [entry.levels["prompt strict"] for entry in task.entries]
    known = [level for level in levels if not math.isnan(level.honest.stderr)]
    if not known:
        return {}
    widest = max(known, key=lambda level: level.honest.stderr)
    return {
        "n": widest.independent.n,
        "tasks": widest.by_task.df + 1,
        "margin": _margin(widest.independent),
        "wide": _margin(widest.honest),
        "detectable": _percent(restrictions.detectable(widest)),
    }


def _margin(estimate: Estimate) -> str:
    low, high = estimate.interval()
    return _percent((high - low) / 2)


def _percent(share: float) -> str:
    return numbers.number(100 * share, 1)


def _percent_sign(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.0f} %"


def _span(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{100 * low:.0f}–{100 * high:.0f}".replace("-", "−")


def _breakable(name: str) -> Markup:
    """A name of parts with low lines or colons, which may be broken after each."""
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(escape(part) for part in re.split(r"(?<=[_:])", name))


def _translator(language: Language) -> Any:
    from markupsafe import Markup

    def translate(key: str, **values: object) -> Markup:
        """A text that the page's script can say in the other language."""
        slots = json.dumps(values, ensure_ascii=False) if values else ""
        local = {
            name: numbers.decimals(value, _MARKS[language]) if isinstance(value, str) and _is_number(value) else value
            for name, value in values.items()
        }
        if not slots:
            return Markup('<span data-t="{}">{}</span>').format(key, text(key, language))
        return Markup('<span data-t="{}" data-slots="{}">{}</span>').format(key, slots, text(key, language, **local))

    return translate


def _is_number(value: str) -> bool:
    return value.replace("−", "").replace(".", "", 1).isdigit()


# ---- files


def _blocks(contents: Contents, with_text: bool) -> Iterator[tuple[str, Markup]]:
    """The items of each task, compressed."""
    metrics = {means.task: means.metric for means in contents.scored}
    for task, runs in contents.runs.items():
        seen = contents.seen.shares[task] if contents.seen else {}
        block = items.block(task, runs, metrics.get(task), with_text, seen)
        yield task, _packed(block)


def _packed(data: Any) -> Markup:
    return _compressed(json.dumps(data, separators=(",", ":"), ensure_ascii=False))


def _compressed(content: str) -> Markup:
    """A text as browsers open it: gzip in base 85 (RFC 1924), with a full stop for `<`, so that it ends no element."""
    packed = gzip.compress(content.encode("utf-8", errors="replace"), mtime=0)
    return trusted(base64.b85encode(packed).decode().replace("<", "."))


def file(name: str) -> str:
    """The text of a file of this room."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def trusted(text: str) -> Markup:
    """Style and scripts of this package go into the page as they are."""
    from markupsafe import Markup

    return Markup(text)


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def package() -> str:
    """This package and its version, as a page says who made it."""
    try:
        return f"lm_eval_ifeval_pt {metadata.version('lm_eval_ifeval_pt')}"
    except metadata.PackageNotFoundError:  # a checkout that is not installed
        return "lm_eval_ifeval_pt"
