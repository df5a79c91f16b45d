"""Many comparisons at once, and ranks that claim no more than these allow."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

Pair = tuple[str, str]


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values: those up to alpha keep the chance of any false claim below alpha.

    A p-value that is not known (NaN) stays so, and counts as a comparison.

    Source: Holm 1979, Scandinavian Journal of Statistics 6:65.
    """
    adjusted, highest = [0.0] * len(p_values), 0.0
    order = sorted(range(len(p_values)), key=lambda index: (math.isnan(p_values[index]), p_values[index]))
    for rejected, index in enumerate(order):
        if math.isnan(p_values[index]):
            adjusted[index] = math.nan
            continue
        highest = max(highest, min(1.0, (len(p_values) - rejected) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values: of those up to alpha, no more than a share of alpha is expected to be false.

    Source: Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57:289.
    """
    adjusted, lowest = [0.0] * len(p_values), 1.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, index in reversed(list(enumerate(order, 1))):
        lowest = min(lowest, p_values[index] * len(p_values) / rank)
        adjusted[index] = lowest
    return adjusted


def ranks(names: Collection[str], better: Mapping[Pair, float], alpha: float = 0.05) -> dict[str, int]:
    """Ranks: 1 + the number of others that are significantly better.

    Args:
        names: What is ranked.
        better: For each pair (the better one first) the adjusted p-value of "there is no difference".
        alpha: The p-value up to which there is one.
    """
    rank_of = dict.fromkeys(names, 1)
    for (_, worse), p_value in better.items():
        rank_of[worse] += p_value <= alpha
    return rank_of


def tie_groups(
    names: Sequence[str], better: Mapping[Pair, float], alpha: float = 0.05
) -> list[tuple[str, ...]]:
    """The largest groups of which no two members can be told apart (maximal cliques), in order of `names`.

    Being tied is not transitive: a name may be in several groups. Arguments as of `ranks`.

    Source: Bron and Kerbosch 1973, Communications of the ACM 16:575.
    """
    apart = {frozenset(pair) for pair, p_value in better.items() if p_value <= alpha}
    tied = {name: {other for other in names if other != name and {name, other} not in apart} for name in names}

    def extend(group: set[str], open_: set[str], done: set[str]) -> Iterator[set[str]]:
        if not open_ and not done:
            yield group
            return
        pivot = max(open_ | done, key=lambda name: len(tied[name] & open_))
        for name in sorted(open_ - tied[pivot], key=names.index):
            yield from extend(group | {name}, open_ & tied[name], done & tied[name])
            open_ = open_ - {name}
            done = done | {name}

    groups = [tuple(sorted(group, key=names.index)) for group in extend(set(), set(names), set())]
    return sorted(groups, key=lambda group: [names.index(name) for name in group])
