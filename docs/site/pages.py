"""The pages of the site, each from the source that is the truth: guides, READMEs, catalogue, task definitions, code."""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import tasks

ROOT = Path(__file__).parents[2]

GUIDES = {
    "running": "Running",
    "json": "JSON",
    "servers": "Servers",
    "comparing": "Comparing",
    "after-the-run": "After the run",
    "verifiers": "The verifiers",
    "sweeps": "Checkpoint sweeps",
    "own-evaluations": "Your own evaluation",
    "metrics": "Metrics",
    "judging": "A model as judge",
    "training": "Training",
    "contamination": "Contamination",
}
PORTUGUESE = {"README.pt-BR.md": "Início", "docs/pt/executar.md": "Executar", "docs/pt/comparar.md": "Comparar"}
TASK_GUIDES = {
    "ifeval_pt": "IFEval-pt",
    "ifeval_family": "The other Portuguese IFEvals",
    "tucano2": "The Tucano 2 suite",
    "gsm8k_pt": "GSM8K",
    "humaneval_pt": "HumanEval",
    "ruler_pt": "RULER",
}
API = {
    "Verdicts": (
        *("lm_eval_ifeval_pt.verify", "lm_eval_ifeval_pt.explain", "lm_eval_ifeval_pt.check"),
        *("lm_eval_ifeval_pt.check_many", "lm_eval_ifeval_pt.constraints.verdict", "lm_eval_ifeval_pt.ifeval.checking"),
    ),
    "NPM": ("lm_eval_ifeval_pt.npm.formula", "lm_eval_ifeval_pt.npm.baselines"),
    "Rewards": ("lm_eval_ifeval_pt.rewards",),
    "Result files": ("lm_eval_ifeval_pt.results.reader", "lm_eval_ifeval_pt.results.samples"),
    "Constraints of your own": ("lm_eval_ifeval_pt.constraints.registry", "lm_eval_ifeval_pt.text"),
}


@dataclass(frozen=True)
class Page:
    """A page of the site.

    Attributes:
        address: Its path in the site's sources.
        section: The part of the navigation; empty for the top.
        title: Its name there.
        text: Markdown.
        source: The file of the repository that it is, for links; empty where it is made from several.
    """

    address: str
    section: str
    title: str
    text: str
    source: str = ""


def pages() -> Iterator[Page]:
    """All pages, in the order of the navigation."""
    yield _file("README.md", "index.md", "", "Home")
    yield from (_file(f"docs/{name}.md", f"{name}.md", "Guides", title) for name, title in GUIDES.items() if _is(name))
    yield _file("examples/README.md", "example-suites.md", "Guides", "Example suites")
    for folder, title in TASK_GUIDES.items():
        yield _file(f"tasks/{folder}/README.md", f"guides/{folder}.md", "Task guides", title)
    yield from (Page(f"tasks/{name}.md", "Tasks", name, text) for name, text in tasks.texts())
    yield _file("lm_eval_ifeval_pt/constraints/README.md", "constraints.md", "", "Constraints")
    if _is("reference-results"):
        yield _file("docs/reference-results.md", "reference-results.md", "", "Reference results")
    yield Page("statistics.md", "Reference", "Statistics", _statistics())
    yield Page("api.md", "Reference", "Python", _api())
    yield Page("cli.md", "Reference", "Command line", _CLI)
    yield _file("data/ifeval_pt/README.md", "data.md", "Reference", "The 308 rows")
    yield _file("data/gsm8k_pt/README.md", "data-gsm8k.md", "Reference", "GSM8K's examples")
    yield _file("CONTRIBUTING.md", "contributing.md", "Reference", "Contributing")
    yield _file("SECURITY.md", "security.md", "Reference", "Security")
    yield _file("CHANGELOG.md", "changelog.md", "Reference", "Changes")
    for path, title in PORTUGUESE.items():
        address = "pt/index.md" if path.startswith("README") else path.removeprefix("docs/")
        yield _file(path, address, "Em português", title)


def navigation(pages: Iterable[Page]) -> list[dict[str, object]]:
    """MkDocs' `nav`: pages under their sections, both in the order in which they come."""
    sections: dict[str, list[dict[str, str]]] = {}
    entries: list[dict[str, object]] = []
    for page in pages:
        link = {page.title: page.address}
        if not page.section:
            entries.append({**link})
        elif page.section in sections:
            sections[page.section].append(link)
        else:
            sections[page.section] = [link]
            entries.append({page.section: sections[page.section]})
    return entries


def attachments(folder: Path) -> dict[str, Path]:
    """Files that pages link to, by their address: the reports of the answers in `docs/examples`, made here.

    Args:
        folder: Where they are made.
    """
    made = {}
    for answers in sorted((ROOT / "docs" / "examples").glob("*.jsonl")):
        result, report = folder / f"{answers.stem}.json", folder / f"{answers.stem}.html"
        folder.mkdir(parents=True, exist_ok=True)
        for arguments in (
            ["score", answers, "--task", "ifeval_pt", "--model", answers.stem, "--output", result],
            ["report", result, "--output", report],
        ):
            subprocess.run([sys.executable, "-m", "lm_eval_ifeval_pt", *arguments], check=True, capture_output=True)
        made[f"examples/{report.name}"] = report
    return made


def relinked(markdown: str, page: Page, pages: Iterable[Page]) -> str:
    """Links between files of the repository as links between pages; the text alone where a file is no page."""
    addresses = {page.source: page.address for page in pages if page.source}
    if not page.source:
        return markdown
    here = posixpath.dirname(page.source)

    def replace(link: re.Match[str]) -> str:
        text, target, anchor = link.group(1), link.group(2), link.group(3) or ""
        path = posixpath.normpath(posixpath.join(here, target))
        if path in addresses:
            return f"[{text}]({posixpath.relpath(addresses[path], posixpath.dirname(page.address))}{anchor})"
        if path.startswith("docs/examples/"):  # answers, of which the site has the report
            report = posixpath.splitext(path.removeprefix("docs/"))[0] + ".html"
            return f"[{text}]({posixpath.relpath(report, posixpath.dirname(page.address))})"
        if not (ROOT / path).exists():
            raise FileNotFoundError(f"{page.source}: the link to {target} leads nowhere")
        return text

    return re.sub(r"\[([^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)]*)?\)", replace, markdown)


def _is(name: str) -> bool:
    return (ROOT / "docs" / f"{name}.md").exists()


def _file(path: str, address: str, section: str, title: str) -> Page:
    return Page(address, section, title, (ROOT / path).read_text(encoding="utf-8"), path)


def _statistics() -> str:
    """Every public function of the statistics, from its docstring, which states formula and source."""
    folder = ROOT / "lm_eval_ifeval_pt" / "statistics"
    modules = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    short = "    options: {show_root_full_path: false}\n"
    blocks = (f"::: lm_eval_ifeval_pt.statistics.{name}\n{short}" for name in modules)
    return "# Statistics\n\nWhat every interval and test of this package is, with its source.\n\n" + "\n".join(blocks)


def _api() -> str:
    sections = (
        f"## {title}\n\n" + "\n".join(f"::: {name}\n    options: {{heading_level: 3}}\n" for name in names)
        for title, names in API.items()
    )
    return "# Python\n\n" + "\n".join(sections)


_CLI = """# Command line

`lm-eval-pt COMMAND --help` says the same.

::: mkdocs-click
    :module: lm_eval_ifeval_pt.cli
    :command: main
    :prog_name: lm-eval-pt
    :depth: 1
    :style: plain
    :list_subcommands: true
"""
