"""What is kept of one text for the next ones, and what is told fast, gives what a look at the text itself gives."""

import re
import sys

import pytest

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.text import Text, clitics, sentences, words
from lm_eval_ifeval_pt.text.terms import _may_occur, pattern
from tests.quality.fuzz import strings

TEXTS = [text for text in strings(3, 300) if len(text) < 5000]


def forget():
    """Forget what was kept of the texts so far."""
    for kept in (words._of_short_line, sentences._parts_of_short, clitics._own):
        kept.cache_clear()


def read(text):
    """The units of a text."""
    made = Text(text)
    return made.words, made.sentences, made.clitics, str(made.unmarked)


def test_a_text_is_read_the_same_after_another_one_that_shares_its_lines():
    """With the same paragraphs in another order, below another first line, or alone."""
    said = "Não me diga que a praça, às vezes, fica vazia.\nDar-lhe-ei um guarda-chuva."
    paragraphs = [said, "- **um**\n- dois", "não"]
    for text in ("\n\n".join(paragraphs), "\n\n".join(paragraphs[::-1]), "me diga\n\n" + said, *paragraphs):
        forget()
        fresh = read(text)
        read("\n\n".join(paragraphs) + "\n\nme diga não\n\nme diga")
        assert read(text) == fresh


def test_short_ways_to_a_word_are_only_taken_where_they_lead_there():
    """The letters of Latin-1 are all listed, and no other letter or digit hides among the signs beyond them."""
    listed = re.compile(f"[{words._LATIN}]")
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if code < 0x100:
            assert character.isalnum() == (listed.match(character) is not None)
        else:
            assert words._NOT_LATIN.match(character) or not character.isalnum()


@pytest.mark.parametrize(
    "line", ["Água, sol; e/ou 1.234,5 às 20h30. Fim.Depois", "d'água a--b 2010–2015 R$10 «oi»", "não_ é"]
)
def test_the_short_way_finds_the_same_words(line):
    """With one letter that is not Latin, which bars the short way, the words before it are the same."""
    assert words._of_line(line) == words._of_line(line + " ж")[:-1]


def test_words_are_counted_as_they_are_found():
    """`number_of_words` needs no positions."""
    assert [words.count(str(Text(text))) for text in TEXTS] == [len(Text(text).words) for text in TEXTS]


MARKED = ["o **meio** ambiente", "m**ei**o", "copo d’água", "guarda-**chuva**", "C++ não", "n_ã_o", "* a"]


@pytest.mark.parametrize("term", ["meio", "meio ambiente", "d'água", "guarda-chuva", "C++", "não", "*"])
@pytest.mark.parametrize("text", MARKED)
def test_a_term_that_is_told_absent_fast_is_absent(term, text):
    """Neither the text nor the text without marks has it."""
    made = Text(text)
    present = any(pattern(term).search(each.lower) for each in (made, made.unmarked))
    assert _may_occur(made, term) or not present


@pytest.mark.parametrize("id", ["ptbr:crase", "ptbr:proclise", "ptbr:sem_til", "change_case:lowercase", "ptbr:so_voce"])
def test_whether_a_text_follows_is_told_without_evidence(id):
    """As the verdict says it, which has its evidence afterwards."""
    bound = registry.get(id).bind({})
    for example in (*bound.constraint.follows, *bound.constraint.breaks):
        text = Text(example.text)
        if not example.kwargs:
            assert bound.is_followed(text) == bound.verify(text).followed
            assert bound.verify(text) == bound.verify(Text(example.text))
