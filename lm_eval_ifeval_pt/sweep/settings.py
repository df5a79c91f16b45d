"""How every cell of a sweep is evaluated: what the harness's command line would say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any

PROCESS_ONLY = ("batch_size", "max_batch_size", "device")
"""Settings that say how to compute, and move a number by rounding at most."""


@dataclass(frozen=True)
class Settings:
    """The options of `lm_eval` that a sweep passes on; defaults are the harness's.

    Attributes:
        model: The harness's model class, by its name there.
        model_args: Its arguments, without `pretrained` and `revision`.
        batch_size: Requests a call, or `auto`.
        max_batch_size: Of `auto`.
        device: Where to compute; None lets the harness choose.
        num_fewshot: Shots, in place of the tasks' own.
        limit: Only so many documents a task; below 1 a share of them.
        gen_kwargs: In place of the tasks' own generation arguments.
        apply_chat_template: Whether prompts are chats, or the template's name.
        fewshot_as_multiturn: Whether shots are turns; None: where there is a template.
        system_instruction: A system message.
        metadata: As the harness's --metadata.
        include_path: Folders of further task definitions.
        seeds: Of random, numpy, torch and the choice of shots.
        confirm_run_unsafe_code: Whether tasks that run code of the model may run.
    """

    model: str = "hf"
    model_args: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int | str = 1
    max_batch_size: int | None = None
    device: str | None = None
    num_fewshot: int | None = None
    limit: float | None = None
    gen_kwargs: Mapping[str, Any] = field(default_factory=dict)
    apply_chat_template: bool | str = False
    fewshot_as_multiturn: bool | None = None
    system_instruction: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    include_path: tuple[str, ...] = ()
    seeds: tuple[int, int, int, int] = (0, 1234, 1234, 1234)
    confirm_run_unsafe_code: bool = False

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Settings:
        """From what `plain` gives."""
        given = dict(data)
        return cls(**given | {"seeds": tuple(given["seeds"]), "include_path": tuple(given["include_path"])})

    def plain(self) -> dict[str, Any]:
        """As data that JSON can hold."""
        return asdict(self)

    def parts(self) -> dict[str, Any]:
        """What of the settings can change a number, by names for a person; part of every cell's key."""
        data = {name: value for name, value in self.plain().items() if name not in (*PROCESS_ONLY, "include_path")}
        return data | {"lm_eval": version("lm_eval"), "lm_eval_ifeval_pt": version("lm_eval_ifeval_pt")}

    @property
    def as_multiturn(self) -> bool | None:
        """Whether shots are turns, as the harness's command line decides it; None where it does not say."""
        if self.fewshot_as_multiturn is None and self.apply_chat_template:
            return True
        return self.fewshot_as_multiturn


def version(package: str) -> str:
    """The installed version of a package, empty where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
