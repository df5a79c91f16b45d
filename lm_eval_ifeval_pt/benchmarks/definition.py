"""Task definitions as YAML, as the harness reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml


class Function(str):
    """What a definition names by its full path, and the harness imports."""


class _Dumper(yaml.SafeDumper):
    """Writes functions with their tag, texts of several lines as blocks, and nothing by reference."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(Function, lambda dumper, name: dumper.represent_scalar("!function", str(name)))
_Dumper.add_representer(
    str, lambda dumper, value: dumper.represent_scalar("tag:yaml.org,2002:str", value, style=_style(value))
)


def _style(value: str) -> str | None:
    """How a string is read best: lines as a block, quotation marks and line feeds at an end within double ones."""
    if "\n" in value.strip("\n"):
        return "|"
    return '"' if set(value) & {"\n", "'"} else None


def as_yaml(definition: Mapping[str, Any]) -> str:
    """A definition as YAML: keys in their order, functions by `!function`."""
    written = yaml.dump(dict(definition), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=118)
    return re.sub(r"(!function) '([\w.]+)'", r"\1 \2", written)
