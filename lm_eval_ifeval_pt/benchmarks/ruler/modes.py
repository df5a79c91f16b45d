"""How long prompts are and what they hold besides wording: our way, NVIDIA's, or that of the published generator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lm_eval_ifeval_pt.benchmarks.ruler.errors import RulerError


@dataclass(frozen=True)
class Mode:
    """A setting of the eleven tasks.

    Attributes:
        name: As the metadata names it.
        cwe_example: Whether a solved example comes before the list of common words, is counted without being there
            (as the published Portuguese generator does), or neither.
        repeats_grow: Whether common words stand more often where a length needs more words than there are.
        in_steps: Whether prompts grow by the steps of the published generator, so that they end below their length.
        published_vt: Whether variable tracking has the published heading and the blanks of the published example.
    """

    name: str
    cwe_example: Literal["none", "given", "counted"]
    repeats_grow: bool
    in_steps: bool = False
    published_vt: bool = False

    def stepped(self, count: int, step: int) -> int:
        """As many units as a prompt has that could have `count`, where it grows by `step`."""
        return count - count % step if self.in_steps else count


FULL = Mode("full", "none", repeats_grow=True)
NVIDIA = Mode("nvidia", "given", repeats_grow=False)
COMPAT = Mode("compat", "counted", repeats_grow=False, in_steps=True, published_vt=True)
_MODES = {mode.name: mode for mode in (FULL, NVIDIA, COMPAT)}


def lines_per_step(length: int) -> int:
    """The published step of what is hidden in lines."""
    return 5 if length < 4096 else 25


def mode(name: object) -> Mode:
    """The mode of this name.

    Raises:
        RulerError: there is none.
    """
    for known, setting in _MODES.items():
        if name == known:
            return setting
    raise RulerError(f'metadata "mode" is {name!r}; it must be one of: {", ".join(_MODES)}')
