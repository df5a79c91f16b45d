"""The site's pages: made from what is the truth elsewhere, with links that lead somewhere."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow  # the site is built


@pytest.fixture(scope="module")
def site():
    """The module that makes the pages, which belongs to the documentation and not to the package."""
    sys.path.insert(0, str(ROOT / "docs" / "site"))
    try:
        import pages
    finally:
        sys.path.pop(0)
    return pages


@pytest.fixture(scope="module")
def made(site):
    """All pages by their address."""
    if sys.version_info < (3, 11):
        pytest.skip("the site is built with Python 3.11 or newer")
    return {page.address: page for page in site.pages()}


def test_every_guide_is_in_the_navigation(made):
    """A guide that nobody can find is none."""
    sources = {page.source for page in made.values()}
    for path in (ROOT / "docs").rglob("*.md"):
        assert path.relative_to(ROOT).as_posix() in sources
    for path in (ROOT / "tasks").glob("*/README.md"):
        assert path.relative_to(ROOT).as_posix() in sources


def test_every_task_has_a_page_with_its_settings(made):
    """Each definition by its name; those with bundled rows show a prompt."""
    for path in (ROOT / "tasks").rglob("[!_]*.yaml"):
        assert f"tasks/{path.stem}.md" in made
    mmlu = made["tasks/mmlu_poly_pt.md"].text
    assert "| shots | 5 |" in mmlu
    assert "| NPM | `acc`, chance 0.25, maximum 1 |" in mmlu
    assert mmlu.count("Answer: ") == 5
    assert mmlu.count("(right)") == 1
    assert "Use crase pelo menos uma vez" in made["tasks/ifeval_pt.md"].text
    assert "No example" in made["tasks/capitu.md"].text
    assert "- [enem](enem.md)" in made["tasks/tucano2_hard.md"].text


def test_links_of_the_repository_become_links_of_the_site(site, made):
    """To pages, with their anchors; a file that is no page keeps its name alone; what is not there is an error."""
    home = made["index.md"]
    text = "[a](docs/comparing.md#the-metrics) [b](LICENSE) [c](https://x.org/y) [d](#run)"
    relinked = site.relinked(text, home, made.values())
    assert relinked == "[a](comparing.md#the-metrics) b [c](https://x.org/y) [d](#run)"
    guide = made["guides/ruler_pt.md"]
    assert site.relinked("[a](../humaneval_pt/README.md)", guide, made.values()) == "[a](humaneval_pt.md)"
    assert site.relinked("[a](../../README.md)", guide, made.values()) == "[a](../index.md)"
    with pytest.raises(FileNotFoundError, match=r"tasks/ruler_pt/README\.md: the link to nowhere\.md"):
        site.relinked("[a](nowhere.md)", guide, made.values())


def test_pages_stand_under_their_sections_in_order(site):
    """Both as they come."""
    pages = [site.Page("a.md", "", "A", ""), site.Page("b.md", "S", "B", ""), site.Page("c.md", "S", "C", "")]
    assert site.navigation(pages) == [{"A": "a.md"}, {"S": [{"B": "b.md"}, {"C": "c.md"}]}]
