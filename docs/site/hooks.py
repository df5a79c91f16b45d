"""MkDocs' hooks: the pages that are made, and links between files of the repository made links of the site."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import pages

_MADE: dict[str, pages.Page] = {}  # MkDocs calls the hooks one after another and hands nothing from one to the next


def on_config(config: Any) -> Any:
    """The navigation, in the order of the pages."""
    _MADE.clear()
    _MADE.update({page.address: page for page in pages.pages()})
    config["nav"] = pages.navigation(_MADE.values())
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add what does not lie in `docs/`."""
    from mkdocs.structure.files import File

    for page in _MADE.values():
        if file := files.get_file_from_path(page.address):
            files.remove(file)
        files.append(File.generated(config, page.address, content=page.text))
    for name, path in pages.attachments(Path(config["site_dir"]).parent / "examples").items():
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links as the site has them."""
    return pages.relinked(markdown, _MADE[page.file.src_uri], _MADE.values())
