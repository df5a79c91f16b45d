"""Word lists: where they live, and what their files say about themselves."""

import ast
import re
from pathlib import Path

import pytest

import lm_eval_ifeval_pt
from lm_eval_ifeval_pt.paths import bundled

PACKAGE = Path(lm_eval_ifeval_pt.__file__).parent
MOST = 20

# Lists of more than twenty that are no words of a language.
NO_WORDS = {"text/language.py": "the codes of languages, which are a type"}

WORD = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
WORDS_IN_A_ROW = re.compile(rf"[^\W\d_A-Z]+(?:\s[^\W\d_A-Z]+){{{MOST},}}")


def listed(node):
    """The words of a literal set, list or tuple, and of what `|`, `+`, `*` and `frozenset` join to one."""
    if isinstance(node, (ast.Set, ast.List, ast.Tuple)):
        return [word for element in node.elts for word in listed(element)]
    if isinstance(node, ast.BinOp):
        return listed(node.left) + listed(node.right)
    if isinstance(node, ast.Starred):
        return listed(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("frozenset", "set", "tuple"):
        return [word for argument in node.args for word in listed(argument)]
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and WORD.fullmatch(node.value):
        return [node.value]
    return []


def long_lists(source):
    """The first word and the length of each list of more than twenty words that stands in some source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Set, ast.List, ast.Tuple, ast.BinOp)) and len(words := listed(node)) > MOST:
            yield words[0], len(words)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and WORDS_IN_A_ROW.fullmatch(node.value):
            yield node.value.split()[0], len(node.value.split())


@pytest.mark.parametrize(
    "source",
    [
        f"_NOUNS = frozenset({set('abcdefghijklmnopqrstu')})",
        f"_NOUNS = {set('abcdefghijk')} | {set('lmnopqrstuv')}",
        f"_NOUNS = (*{tuple('abcdefghijk')}, *{tuple('lmnopqrstuv')})",
        f"_NOUNS = {' '.join('abcdefghijklmnopqrstu')!r}.split()",
    ],
)
def test_a_long_list_is_seen_however_it_is_written(source):
    """As a set, joined, unpacked, or as one string that is split."""
    assert [length for _, length in long_lists(source)]


def test_word_lists_of_more_than_twenty_entries_are_no_code():
    """They live in `data/lexicon/`, where those who know the language find them."""
    lists = {
        (path.relative_to(PACKAGE).as_posix(), *seen)
        for path in PACKAGE.rglob("*.py")
        for seen in long_lists(path.read_text(encoding="utf-8"))
    }
    assert {entry for entry in lists if entry[0] not in NO_WORDS} == set()
    assert {file for file, *_ in lists} == set(NO_WORDS)


@pytest.mark.parametrize("path", sorted((bundled("data") / "lexicon").glob("*.txt")), ids=lambda path: path.stem)
def test_each_list_says_where_it_comes_from(path):
    """What it holds, its source and its licence stand on top."""
    head = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    assert "Licence: " in " ".join(head)
    assert "ource: " in " ".join(head)
