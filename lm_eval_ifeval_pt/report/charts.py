"""The charts of a report, from its contents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lm_eval_ifeval_pt.analysis.restrictions import InstructionRate
from lm_eval_ifeval_pt.report import specs
from lm_eval_ifeval_pt.report.contents import Contents, Suite, Verified
from lm_eval_ifeval_pt.report.labels import shortened
from lm_eval_ifeval_pt.report.pairs import PairOfModels
from lm_eval_ifeval_pt.report.specs import ChartPoint, Spec, Square
from lm_eval_ifeval_pt.statistics import NORMAL, Estimate

_NAME = 30  # characters of a model's name beside a chart
_COLUMN = 16  # above a column of a map


def of_page(contents: Contents) -> dict[str, Spec]:
    """The charts of the page, by the id of their place in it."""
    short = shortened(contents.labels, _NAME)
    specs_by_id = {f"scores-{number}": _scores(task, short) for number, task in enumerate(contents.verified)}
    if contents.suite and (points := _npm(contents.suite)):
        specs_by_id["npm"] = specs.intervals(points, {"$t": "npm_axis"}, {"$t": "npm_chart"})
    compared = [paired for paired in contents.paired.values() if paired.duels]
    for number, paired in enumerate(compared):
        if points := [_forest_point(duel, short) for duel in paired.interesting if duel.is_share]:
            specs_by_id[f"pairs-{number}"] = specs.intervals(
                points, {"$t": "pairs_axis"}, {"$t": "pairs_chart"}, zero=True
            )
    return specs_by_id


def heat_maps(contents: Contents) -> dict[str, Spec]:
    """The maps of restrictions as charts, which the page has as tables; by the id of their table's section."""
    short = shortened(contents.labels, _COLUMN)
    return {
        f"map-{number}": specs.heat_map(
            [
                _square(short[entry.label], name, rate)
                for name, kind in task.restrictions
                for entry in task.entries
                if (rate := entry.rates.get((name, kind)))
            ]
        )
        for number, task in enumerate(contents.verified)
    }


def _square(model: str, restriction: str, rate: InstructionRate) -> Square:
    percent = 100 * rate.strict / rate.n
    return Square(model, restriction, percent, f"{percent:.0f} ({rate.n})")


def _scores(task: Verified, short: Mapping[str, str]) -> Spec:
    points = []
    for entry in task.entries:
        name = short[entry.label]
        points.append(_point(name, {"$t": "all_kinds"}, entry.levels["prompt strict"].honest))
        for kind in ("active", "passive"):
            if rate := entry.totals.get(kind):
                low, high = rate.interval
                share = rate.strict / rate.n
                points.append(ChartPoint(name, {"$t": f"{kind}_kinds"}, 100 * share, 100 * low, 100 * high))
    return specs.intervals(points, {"$t": "score_axis"}, {"$t": "score_chart"}, domain=(0, 100))


def _point(name: str, panel: Any, estimate: Estimate) -> ChartPoint:
    low, high = estimate.interval()
    if math.isnan(low):
        return ChartPoint(name, panel, 100 * estimate.value, None, None)
    return ChartPoint(name, panel, 100 * estimate.value, 100 * max(low, 0), 100 * min(high, 1))


def _npm(suite: Suite) -> list[ChartPoint]:
    points = []
    short = shortened({line.model for line in suite.lines}, _NAME)
    for name in suite.averages:
        for line in suite.lines:
            if (estimate := line.averages[name].estimate) is not None:
                margin = None if estimate.stderr is None else NORMAL * estimate.stderr
                ends = (None, None) if margin is None else (estimate.value - margin, estimate.value + margin)
                points.append(ChartPoint(short[line.model], name, estimate.value, *ends))
    return points


def _forest_point(duel: PairOfModels, short: Mapping[str, str]) -> ChartPoint:
    difference = duel.difference
    low, high = difference.interval()
    ends = (None, None) if math.isnan(low) else (100 * low, 100 * high)
    return ChartPoint(f"{short[duel.better]} − {short[duel.worse]}", duel.metric, 100 * difference.value, *ends)
