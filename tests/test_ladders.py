"""The decision ladders of the text: the example that stands beside each rung takes that rung."""

import ast
import re
import sys
from pathlib import Path

import pytest

from lm_eval_ifeval_pt.text import Text, clitics, condition, enclisis, sentences

LADDERS = {condition: "clitics", enclisis: "clitics", sentences: "sentences"}
_EXAMPLE = re.compile(r"# (?:“([^”]+)”|\"([^\"]+)\")")


def rungs(module):
    """(function, line of a `return`, its example) of each function that has more than one `return`."""
    lines = Path(module.__file__).read_text(encoding="utf-8").split("\n")
    for function in ast.parse("\n".join(lines)).body:
        returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
        for node in returns if len(returns) > 1 else ():
            same, above = lines[node.lineno - 1], lines[node.lineno - 2]
            shown = _EXAMPLE.search(same) or _EXAMPLE.match(above.strip())
            yield function.name, node.lineno, shown and (shown[1] or shown[2]).replace("\\n", "\n")


ALL = [
    pytest.param(module, *rung, id=f"{module.__name__.rpartition('.')[2]}:{rung[1]}")
    for module in LADDERS
    for rung in rungs(module)
]


@pytest.mark.parametrize(("module", "function", "line", "example"), ALL)
def test_the_example_beside_a_rung_takes_it(module, function, line, example):
    """Each `return` of a ladder has an example, and that example gets there."""
    assert example, f"{module.__file__}:{line}: no example beside this rung"
    assert (function, line) in taken(module, example)


def taken(module, example):
    """The (function, line) pairs of a module that run where a text is read."""
    lines = set()

    def trace(frame, event, argument):
        if frame.f_code.co_filename != module.__file__:
            return None
        if event == "line":
            lines.add((frame.f_code.co_name, frame.f_lineno))
        return trace

    clitics._own.cache_clear()
    sentences._parts_of_short.cache_clear()
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        getattr(Text(example), LADDERS[module])
    finally:
        sys.settrace(before)
    return lines


def test_an_example_of_another_rung_is_seen():
    """What ends a sentence by its full stop does not get to the rung of question marks."""
    (question,) = (line for _, line, example in rungs(sentences) if example == "Vem! disse ela.")
    assert ("_ends", question) in taken(sentences, "Vem? Sim.")
    assert ("_ends", question) not in taken(sentences, "Choveu. Ventou.")
