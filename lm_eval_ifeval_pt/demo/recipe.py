"""What a training is to be, and what it was."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

_RECORD = "training.json"


@dataclass(frozen=True)
class Recipe:
    """What decides a training.

    Attributes:
        steps: Optimiser steps.
        dialogues: Prompts with an answer in the corpus.
        vocabulary: Tokens of the tokenizer, at most.
        width: Size of the hidden states; the feed-forward layers are four times as wide.
        layers: Transformer blocks.
        batch: Windows per step.
        window: Tokens per window.
        rate: Peak learning rate.
        seed: Of corpus, initial weights and order of the windows.
    """

    steps: int = 500
    dialogues: int = 12_000
    vocabulary: int = 2048
    width: int = 160
    layers: int = 2
    batch: int = 16
    window: int = 96
    rate: float = 5e-3
    seed: int = 22

    @property
    def saved(self) -> tuple[int, ...]:
        """The steps after which a checkpoint is saved: most where it learns fastest."""
        return tuple(sorted({max(1, round(self.steps * part)) for part in (0.03, 0.1, 0.3, 1.0)}))


@dataclass(frozen=True)
class SavedStep:
    """How far a saved model had come.

    Attributes:
        step: Optimiser steps done.
        loss: Mean training loss of the steps since the last checkpoint, in nats per token.
        order: Share of held-out sentences found likelier than each of three with two words swapped (chance: .25).
        agreement: Share of held-out pairs of which the one with the right agreement is likelier (chance: .5).
    """

    step: int
    loss: float
    order: float
    agreement: float


@dataclass(frozen=True)
class Training:
    """A finished training: what `training.json` holds beside the checkpoints."""

    recipe: Recipe
    parameters: int
    seconds: float
    checkpoints: tuple[SavedStep, ...]

    @classmethod
    def read(cls, folder: Path) -> Training:
        """The record in a folder of checkpoints.

        Raises:
            OSError, ValueError, TypeError, KeyError: there is none, or it is none of this version's.
        """
        raw = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
        checkpoints = tuple(SavedStep(**checkpoint) for checkpoint in raw["checkpoints"])
        return cls(Recipe(**raw["recipe"]), raw["parameters"], raw["seconds"], checkpoints)

    def write(self, folder: Path) -> None:
        """Leave the record beside the checkpoints."""
        (folder / _RECORD).write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")
