"""Paragraphs, sections, two answers, a postscript."""

import pytest

from lm_eval_ifeval_pt import verify


def followed(id, response, **kwargs):
    """Whether a response follows a constraint."""
    return verify(id, response, **kwargs).followed


@pytest.mark.parametrize(
    ("response", "paragraphs"),
    [
        ("Um.", 1),
        ("Um.\n***\nDois.", 2),
        ("Um. *** Dois. *** Três.", 3),
        ("***\nUm.\n***\nDois.\n***", 2),
        ("Um.\r\n***\r\nDois.", 2),
        ("Um, ***forte***.\n\n***Dois***: mais.\n***\nTrês.", 2),
        ("Um.\n\nAinda um.", 1),
        ("Um.\n****\nAinda um.\n* * *\nAinda.", 1),
    ],
)
def test_paragraphs_are_divided_by_three_asterisks(response, paragraphs):
    """That stand by themselves; empty lines do not divide, emphasis does not either."""
    for number in (paragraphs - 1, paragraphs, paragraphs + 1):
        verdict = verify("length_constraints:number_paragraphs", response, num_paragraphs=number)
        assert verdict.followed == (number == paragraphs), verdict


def test_nothing_between_two_dividers_is_no_paragraph():
    """However many are asked for."""
    for number in (1, 2, 3):
        assert not followed("length_constraints:number_paragraphs", "Um.\n***\n \n***\nDois.", num_paragraphs=number)


@pytest.mark.parametrize(
    ("response", "total", "nth", "word", "expected"),
    [
        ("Oi.\n\nDepois eu vou.", 2, 2, "depois", True),
        ("Oi.\n\n\n \nDEPOIS, sim.", 2, 2, "depois", True),
        ("Oi.\r\n\r\n— Depois!", 2, 2, "depois", True),
        ("Oi.\n\n(Depois) vou.", 2, 2, "Depois", True),
        ("Fim de semana, enfim.", 1, 1, "fim de semana", True),
        ("A\u0301gua é vida.", 1, 1, "água", True),
        ("Oi.\nDepois.", 2, 2, "depois", False),
        ("Oi.\n\nDepoisinho.", 2, 2, "depois", False),
        ("Oi.\n\n**Depois** vou.", 2, 2, "depois", False),
        ("Oi.\n\nE depois.\n\nFim.", 2, 2, "depois", False),
        ("Oi.", 1, 2, "oi", False),
        ("Oi.", 1, 0, "oi", False),
    ],
)
def test_the_first_word_of_a_paragraph(response, total, nth, word, expected):
    """So many paragraphs, and the word at the start of the right one, whatever quotes stand before it."""
    arguments = {"num_paragraphs": total, "nth_paragraph": nth, "first_word": word}
    assert followed("length_constraints:nth_paragraph_first_word", response, **arguments) == expected


@pytest.mark.parametrize(
    ("response", "splitter", "sections"),
    [
        ("Seção 1\nA.\nSeção 2\nB.", "Seção", 2),
        ("SEÇÃO 1: A\n\nSEÇÃO 2 – B", "Seção", 2),
        ("### **Sec\u0327a\u0303o 1**\nA.\n- Seção 2: B", "SEÇÃO", 2),
        ("PARÁGRAFO I\nA.\nPARÁGRAFO IV\nB.", "PARÁGRAFO", 2),
        ("Dia 1: sol. Dia 2: chuva.", "Dia", 1),
        ("Veja a Seção 1.\nComo dito na Seção 2.", "Seção", 0),
        ("Seção\nSeção um\nSeções 1 e 2\nSubseção 1", "Seção", 0),
        ("Seção 10\nSeção 1", "Seção", 2),
    ],
)
def test_sections_are_lines_that_start_with_their_name_and_number(response, splitter, sections):
    """Headings, emphasis and list marks aside; mentions within a sentence are none."""
    for number in (1, 2, 3):
        arguments = {"section_spliter": splitter, "num_sections": number}
        assert followed("detectable_format:multiple_sections", response, **arguments) == (sections >= number)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("Sim.\n******\nNão.", True),
        ("******\nSim.\n******\nNão.\n******", True),
        ("Sim. ****** Sim!", True),
        ("Sim.\n*******\nNão.", False),
        ("Sim.\n***\n***\nNão.", False),
        ("Sim.\n******\n  sim.  ", False),
        ("Um.\n******\nDois.\n******\nTrês.", False),
        ("******\n******", False),
        ("Sim.", False),
    ],
)
def test_two_answers_differ_and_have_six_asterisks_between_them(response, expected):
    """Six, not seven; two, not three; and not the same twice."""
    assert followed("combination:two_responses", response) == expected


@pytest.mark.parametrize(
    ("response", "marker", "expected"),
    [
        ("Tchau.\nP.S. Volto logo.", "P.S.", True),
        ("Tchau.\n\np.s.: volto logo.", "P.S.", True),
        ("Tchau.\n**P. S.** Volto logo.", "P.S.", True),
        ("Tchau.\nP.S: volto logo.", "P.S.", True),
        ("Tchau! P.S. Volto logo.", "P.S.", True),
        ("Tchau.\nP.P.S. Volto.", "P.P.S", True),
        ("Tchau.\nP.S. Oi.\nP.P.S. Volto.", "P.P.S", True),
        ("Tchau.\nP.P.S. Volto.", "P.S.", False),
        ("O E.U.P.S. e o I.N.P.S. fecharam.", "P.S.", False),
        ("O partido P.S. ganhou.", "P.S.", False),
        ("Tchau.\nPS volto logo.", "P.S.", False),
        ("Tchau.\nP.S.", "P.S.", False),
        ("Tchau.\nNota: volto.", "Nota", True),
        ("Tchau.\n> *NOTA* – volto.", "Nota", True),
        ("Tirei boa nota.\nNotas: dez.\nNota-se.", "Nota", False),
        ("Tchau.\nOBS.: volto.", "OBS.", True),
        ("Tchau.\nObs – volto.", "OBS.", True),
        ("Tchau.\nObservação: volto.", "OBS.", False),
    ],
)
def test_a_postscript_has_its_marker_at_the_start(response, marker, expected):
    """Of a line or, for initials, of a sentence; not within words, not without text after it."""
    assert followed("detectable_content:postscript", response, postscript_marker=marker) == expected
