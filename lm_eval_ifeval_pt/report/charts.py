"""The charts of a report, from its contents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from lm_eval_ifeval_pt.report import specs
from lm_eval_ifeval_pt.report.contents import Contents, Suite, Verified
from lm_eval_ifeval_pt.report.pairs import PairOfModels
from lm_eval_ifeval_pt.report.specs import ChartPoint, Spec, Square
from lm_eval_ifeval_pt.statistics import NORMAL, Estimate

_FOREST = 10  # pairs in the forest plot of a task


def of_page(contents: Contents) -> dict[str, Spec]:
    """The charts of the page, by the id of their place in it."""
    specs_by_id = {f"scores-{number}": _scores(task) for number, task in enumerate(contents.verified)}
    if contents.suite and (points := _npm(contents.suite)):
        specs_by_id["npm"] = specs.intervals(points, {"$t": "npm_axis"})
    if points := [_forest_point(task, duel) for task, duel in _shown_duels(contents)]:
        specs_by_id["pairs"] = specs.intervals(points, {"$t": "pairs_axis"}, zero=True)
    return specs_by_id


def heat_maps(contents: Contents) -> dict[str, Spec]:
    """The maps of restrictions as charts, which the page has as tables; by the id of their table's section."""
    return {
        f"map-{number}": specs.heat_map(
            [
                Square(entry.label, name, 100 * rate.strict / rate.n, f"{100 * rate.strict / rate.n:.0f} ({rate.n})")
                for name, kind in task.restrictions
                for entry in task.entries
                if (rate := entry.rates.get((name, kind)))
            ]
        )
        for number, task in enumerate(contents.verified)
    }


def _scores(task: Verified) -> Spec:
    points = []
    for entry in task.entries:
        points.append(_point(entry.label, {"$t": "all_kinds"}, entry.levels["prompt strict"].honest))
        for kind in ("active", "passive"):
            if rate := entry.totals.get(kind):
                low, high = rate.interval
                share = rate.strict / rate.n
                points.append(ChartPoint(entry.label, {"$t": f"{kind}_kinds"}, 100 * share, 100 * low, 100 * high))
    return specs.intervals(points, {"$t": "score_axis"}, domain=(0, 100))


def _point(name: str, panel: Any, estimate: Estimate) -> ChartPoint:
    low, high = estimate.interval()
    if math.isnan(low):
        return ChartPoint(name, panel, 100 * estimate.value, None, None)
    return ChartPoint(name, panel, 100 * estimate.value, 100 * max(low, 0), 100 * min(high, 1))


def _npm(suite: Suite) -> list[ChartPoint]:
    points = []
    for name in suite.averages:
        for line in suite.lines:
            if (estimate := line.averages[name].estimate) is not None:
                margin = None if estimate.stderr is None else NORMAL * estimate.stderr
                ends = (None, None) if margin is None else (estimate.value - margin, estimate.value + margin)
                points.append(ChartPoint(line.model, name, estimate.value, *ends))
    return points


def _shown_duels(contents: Contents) -> Iterator[tuple[str, PairOfModels]]:
    """The pairs of the forest plot: of shares all, or those with the best model where they are many."""
    for task, paired in contents.paired.items():
        best = paired.duels[0].better if paired.duels else ""
        for duel in paired.duels:
            if duel.is_share and (len(paired.duels) <= _FOREST or duel.better == best):
                yield task, duel


def _forest_point(task: str, duel: PairOfModels) -> ChartPoint:
    difference = duel.difference
    low, high = difference.interval()
    ends = (None, None) if math.isnan(low) else (100 * low, 100 * high)
    return ChartPoint(f"{duel.better} − {duel.worse}", task, 100 * difference.value, *ends)
