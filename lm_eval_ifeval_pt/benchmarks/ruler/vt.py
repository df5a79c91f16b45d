"""Variable tracking: a chain of variables that pass a value on, hidden among repeated sentences."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from string import ascii_uppercase

from lm_eval_ifeval_pt.benchmarks.ruler import templates
from lm_eval_ifeval_pt.benchmarks.ruler.errors import TooShort
from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter
from lm_eval_ifeval_pt.benchmarks.ruler.modes import Mode
from lm_eval_ifeval_pt.benchmarks.ruler.prompt import Maker, Sample

_VARIABLES = 5
_LETTERS, _EXAMPLE_LETTERS = 5, 3
_EXAMPLE = 500
"""Tokens of the solved example that comes first, answer included; half of what there is if that is less."""
_GAP = "\n\n\n\n"


def maker(version: templates.Version, counter: TokenCounter, mode: Mode) -> Maker:
    """What makes the prompts.

    In the generation of 2025 the beginning of the answer is part of what the user says.
    """
    repeated = f"{templates.VT_REPEATED}\n"
    each, last = counter.added([f" {repeated}", f" {templates.VT_REPEATED}"], after="\n")
    # The first line has no blank before it: the tokens that this adds, where it is a repeated line or a variable's.
    bare = counter.added([repeated, "VAR "], after="\n")
    spaced = counter.added([f" {repeated}", " VAR "], after="\n")
    first_repeated, first_variable = (alone - after for alone, after in zip(bare, spaced, strict=True))
    heading = templates.VT_HEAD_PUBLISHED if mode.published_vt else templates.VT_HEAD
    (head_alone,) = counter.count([heading])
    (head_after_example,) = counter.added([heading], after="\n")

    def solved(
        rng: Random, letters: int, budget: int, head: int, step: int, least: int = 0
    ) -> tuple[str, list[str], str, int]:
        """A prompt with its variables and the beginning of its answer, and how many tokens it has."""
        names = _names(rng, letters)
        value = str(rng.randrange(10_000, 100_000))
        chain = [f"VAR {names[0]} = {value}"]
        chain += [f"VAR {name} = VAR {before}" for before, name in pairwise(names)]
        question = templates.VT_QUESTION.format(value=value)
        prefix = templates.VT_PREFIX.format(count=len(names), value=value)
        fixed = head + last + sum(counter.added([f" {line}" for line in chain], after="\n"))
        fixed += counter.added([f"\n\n{question} {prefix}"], after=".")[0]
        count = (budget - fixed - max(first_repeated, first_variable, 0)) // each + 1
        count = max(mode.stepped(count, step), least)
        if count < len(chain):
            raise TooShort("after the solved example, no room is left for sentences around the variables")
        lines = [repeated] * count
        positions = sorted(rng.sample(range(count), len(chain)))
        for position, line in zip(reversed(positions), reversed(chain), strict=True):
            lines.insert(position, line)
        text = f"{heading}{' '.join(lines)}\n{question}"
        return text, names, prefix, fixed + (count - 1) * each + (first_repeated if positions[0] else first_variable)

    def make(rng: Random, budget: int) -> Sample:
        # Never fewer lines than variables: where characters are tokens, these are more than the published 500.
        size = min(_EXAMPLE, budget // 2) - 30
        text, names, prefix, used = solved(rng, _EXAMPLE_LETTERS, size, head_alone, step=5, least=_VARIABLES)
        answer = f"{'  ' if mode.published_vt else ' '}{' '.join(names)}{_GAP}"
        used += counter.added([answer], after=":")[0]
        example = f"{text} {prefix}{answer}"
        text, names, prefix, tokens = solved(rng, _LETTERS, budget - used, head_after_example, step=10)
        if version == "2025":
            text, prefix = f"{text} {prefix}", ""
        return Sample(example + text, names, prefix, used + tokens)

    return make


def _names(rng: Random, letters: int) -> list[str]:
    """The names of the variables, all different."""
    names: dict[str, None] = {}
    while len(names) < _VARIABLES:
        names["".join(rng.choices(ascii_uppercase, k=letters))] = None
    return list(names)
