"""What a paragraph is."""

import pytest

from lm_eval_ifeval_pt.text import Text


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("Um.", ["Um."]),
        ("Um.\n\nDois.", ["Um.", "Dois."]),
        ("Um.\nAinda um.\n\nDois.", ["Um.\nAinda um.", "Dois."]),
        ("\n\n Um. \n \t\n\n\nDois.\n\n", ["Um.", "Dois."]),
        ("Um.\r\n\r\nDois.", ["Um.", "Dois."]),
        ("# Título\n\n- a\n- b\n\n---", ["# Título", "- a\n- b", "---"]),
        (" \n\t", []),
    ],
)
def test_paragraphs_stand_between_empty_lines(response, expected):
    """However many empty lines, and whatever white space is in them, they separate once."""
    text = Text(response)
    assert [str(text)[start:end] for start, end in text.paragraphs] == expected
