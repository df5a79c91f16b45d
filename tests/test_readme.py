"""What the READMEs and guides say can be done, can be done; both languages say it section by section."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from lm_eval_ifeval_pt.cli import main

ROOT = Path(__file__).parents[1]
README, LEIA_ME = ROOT / "README.md", ROOT / "README.pt-BR.md"
GUIDES = [README, LEIA_ME, *sorted((ROOT / "docs").rglob("*.md"))]
SECTIONS = {
    "Install": "Instalação",
    "Run": "Uso",
    "Read the results": "Como ler os resultados",
    "The benchmark": "O benchmark",
    "The Tucano 2 suite": "A suíte Tucano 2",
    "After post-training": "Depois do pós-treino",
    "Has the model seen the test?": "O modelo já viu o teste?",
    "Guides": "Guias",
    "How it works": "Como funciona",
    "Develop": "Desenvolvimento",
}


def sections(path: Path) -> dict[str, str]:
    """The text of each section, by its title."""
    parts = re.split(r"^## (.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def shown(text: str) -> list[str]:
    """The first words of the commands that a text shows, with what is the reader's own left out."""
    commands = re.findall(r"(?:lm-eval-pt|lm_eval|make|pip|python -m) +[\w.-]+", text)
    return sorted(command for command in commands if command != "make sure")


def test_both_readmes_have_the_same_sections() -> None:
    """In the same order, under the titles of this table."""
    assert [*sections(README)] == [*SECTIONS]
    assert [*sections(LEIA_ME)] == [*SECTIONS.values()]


@pytest.mark.parametrize("title", SECTIONS)
def test_both_readmes_show_the_same_commands(title: str) -> None:
    """Section by section."""
    assert shown(sections(README)[title]) == shown(sections(LEIA_ME)[SECTIONS[title]])


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.name)
def test_commands_exist(path: Path) -> None:
    """Every command and option of ours, every target of make and every module that is named."""
    text = path.read_text(encoding="utf-8")
    for name, options in re.findall(r"lm-eval-pt ([a-z][a-z-]*)([^`\n#|)]*)", text):
        command = main.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None, name
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        groups = getattr(command, "commands", {})
        for sub in groups.values():
            known |= {option for parameter in sub.params for option in parameter.opts}
        assert set(re.findall(r"(?<= )--?[a-z][a-z_-]*", options)) <= known | {"--help"}, (name, options)
    for module in re.findall(r"python -m ((?:tests|lm_eval_ifeval_pt)[\w.]*)", text):
        assert find_spec(module) is not None, module
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for target in re.findall(r"(?:^ +|`)make ([a-z-]+)", text, re.MULTILINE):
        assert target in targets, target


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """To a file of the repository and, where one is named, a heading in it."""
    for target, heading in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", path.read_text(encoding="utf-8")):
        linked = (path.parent / target) if target else path
        assert linked.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
