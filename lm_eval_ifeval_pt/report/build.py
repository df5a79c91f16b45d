"""From the contents to the page: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from importlib import metadata, resources
from typing import TYPE_CHECKING, Any

from lm_eval_ifeval_pt.analysis import restrictions
from lm_eval_ifeval_pt.report import charts, items, specs
from lm_eval_ifeval_pt.report.contents import Contents, ModelResult, Verified, loose_interval
from lm_eval_ifeval_pt.report.numbers import p_value
from lm_eval_ifeval_pt.report.pairs import PairOfModels
from lm_eval_ifeval_pt.report.strings import STRINGS, Language, text
from lm_eval_ifeval_pt.statistics import Estimate

if TYPE_CHECKING:
    from markupsafe import Markup

_ALPHA = 0.05
_FOLDER = resources.files("lm_eval_ifeval_pt.report")
_LICENCES = ("vendor/LICENSE.vega", "vendor/LICENSE.vega-lite")  # which want to be wherever the code is
SHARED_SCRIPTS = ("vendor/vega.min.js", "vendor/vega-lite.min.js", "page.js")


def page(contents: Contents, language: Language = "pt", with_text: bool = True) -> str:
    """The report as HTML. Whatever a model or a file says is escaped; nothing is loaded from anywhere.

    Args:
        contents: What to show.
        language: The language it opens in; the page has a button for the other.
        with_text: Whether prompts and answers are in it; without them a report on gated data can be published.
    """
    duels = [duel for paired in contents.paired.values() for duel in paired.duels]
    return render(
        environment(language),
        "page.html",
        scripts=(*SHARED_SCRIPTS, "script.js"),
        data={"charts": charts.of_page(contents)},
        language=language,
        contents=contents,
        blocks=list(_blocks(contents, with_text)),
        made={
            "models": len(contents.labels),
            "tasks": len(contents.runs),
            "items": sum(len(run.items) for runs in contents.runs.values() for run in runs.values()),
            "package": package(),
        },
        rows=[(task, [_row(entry) for entry in task.entries], _honest(task)) for task in contents.verified],
        loose_interval=loose_interval,
        has_pairs=bool(duels),
        has_elsewhere=any(duel.elsewhere for duel in duels),
        ties=lambda groups: "; ".join(", ".join(group) for group in groups),
        duel_row=_duel_row,
        signed=_signed,
        signed_span=_signed_span,
        ALPHA=_ALPHA,
        isnan=math.isnan,
    )


def environment(language: Language) -> Any:
    """The Jinja environment of the pages: values are escaped, an unknown name is an error."""
    import jinja2

    made = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals |= {"t": _translator(language), "percent": _percent, "span": _span}
    return made


def render(
    environment: Any, name: str, *, scripts: Iterable[str], data: dict[str, Any], language: Language, **values: Any
) -> str:
    """A page with the style, the scripts and the texts of all pages.

    Args:
        environment: Of `environment`.
        name: The template's file.
        scripts: The files of its scripts, in order.
        data: What the scripts are given besides the texts.
        language: The language it opens in.
        **values: What the template is given.
    """
    code = [file(each) for each in scripts]
    html: str = environment.from_string(file(name)).render(
        language=language,
        style=trusted(file("style.css")),
        scripts=[trusted(script) for script in code],
        licences=[file(each) for each in _LICENCES],
        hashes=[_hash(script) for script in code],
        data={"language": language, "strings": dict(STRINGS), "config": specs.config(), **data},
        **values,
    )
    return html


def _duel_row(duel: PairOfModels) -> dict[str, Any]:
    """The cells of a pair."""
    scale = 100 if duel.is_share else 1
    return {
        "difference": (_signed(duel.difference.value, scale), _signed_span(*duel.difference.interval(), scale)),
        "elsewhere": "–" if duel.elsewhere is None else _signed_span(*duel.elsewhere.interval(), scale),
        "only_a": duel.only_better,
        "only_b": duel.only_worse,
        "detectable": "–" if math.isnan(duel.detectable) else f"{scale * duel.detectable:.{_digits(scale)}f}",
        "p": p_value(duel.p_value),
    }


def _signed(value: float, scale: int = 100) -> str:
    return f"{scale * value:+.{_digits(scale)}f}".replace("-", "−")


def _signed_span(low: float, high: float, scale: int = 100) -> str:
    return "–" if math.isnan(low) else f"{_signed(low, scale)}; {_signed(high, scale)}"


def _digits(scale: int) -> int:
    return 1 if scale == 100 else 3


def _row(entry: ModelResult) -> dict[str, Any]:
    """The cells of a model on the leaderboard: text and interval."""
    cells: dict[str, tuple[str, str]] = {}
    for name in ("prompt strict", "prompt loose", "instruction strict"):
        if level := entry.levels.get(name):
            low, high = level.honest.interval()
            cells[name] = (_percent(level.honest.value), _span(max(low, 0), min(high, 1)))
    for kind in ("active", "passive"):
        if rate := entry.totals.get(kind):
            cells[kind] = (_percent(rate.strict / rate.n), _span(*rate.interval))
    if entry.corrected is not None:
        low, high = entry.corrected.interval()
        cells["corrected"] = (_percent(entry.corrected.value), _span(low, min(high, 1)))
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


def _blocks(contents: Contents, with_text: bool) -> Iterator[tuple[str, str]]:
    """The items of each task, compressed: base64 holds no markup, and the page stays a quarter of the size."""
    metrics = {means.task: means.metric for means in contents.scored}
    for task, runs in contents.runs.items():
        data = json.dumps(items.block(task, runs, metrics.get(task), with_text), separators=(",", ":"))
        yield task, base64.b64encode(gzip.compress(data.encode(), mtime=0)).decode()


def _translator(language: Language) -> Any:
    from markupsafe import Markup

    def translate(key: str, **values: object) -> Markup:
        """A text that the page's script can say in the other language."""
        slots = json.dumps(values, ensure_ascii=False) if values else ""
        return Markup('<span data-t="{}" data-slots="{}">{}</span>').format(key, slots, text(key, language, **values))

    return translate


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.1f}".removesuffix(".0").replace("-", "−")


def _span(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{100 * low:.0f}–{100 * high:.0f}"


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
