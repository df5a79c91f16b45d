"""Which model a run was made with: its name, and whatever else of its arguments can change a score.

Two checkpoints of one repository, or one model in two precisions, are two models. A name says no more than tells the
models at hand apart: `org/model`, or `org/model (revision=step1000)`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from lm_eval_ifeval_pt.results.origin import DEFAULTS, Variant
from lm_eval_ifeval_pt.results.records import Run, TaskScore

Named = TypeVar("Named", Run, TaskScore)


def tell_apart(named: Sequence[Named]) -> list[Named]:
    """The same runs or scores, their models named so that different models have different names.

    Of a model's variant only what differs among those at hand is added. A checkpoint's hash is only added where
    nothing else tells two apart, since many runs do not record it.
    """
    variants: dict[str, list[Variant]] = defaultdict(list)
    for record in named:
        variants[record.model].append(record.variant)
    differing = {model: _differing(own) for model, own in variants.items()}
    return [
        replace(record, model=label, variant={})
        if (label := _label(record.model, record.variant, differing[record.model])) != record.model
        else record
        for record in named
    ]


def _differing(variants: Sequence[Variant]) -> list[str]:
    """The arguments in which some variants of one model differ."""
    names = dict.fromkeys(name for variant in variants for name in variant if name != "sha")
    differing = [name for name in names if len({variant.get(name) for variant in variants}) > 1]
    hashes = {variant["sha"] for variant in variants if "sha" in variant}
    return differing if differing or len(hashes) < 2 else ["sha"]


def _label(model: str, variant: Variant, differing: Sequence[str]) -> str:
    told = ", ".join(f"{name}={variant.get(name, DEFAULTS.get(name) or 'default')}" for name in differing)
    return f"{model} ({told})" if told else model
