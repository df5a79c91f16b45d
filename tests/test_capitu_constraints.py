"""What CAPITU asks for besides what others do: amounts, lines, lists, endings, markers, punctuation, starts."""

import pytest

from lm_eval_ifeval_pt import verify


def shown(response, verdict):
    """The evidence as text."""
    return [response[start:end] for start, end in verdict.evidence]


@pytest.mark.parametrize(
    ("response", "different"),
    [
        ("Ver, rever e VER.", 3),
        ("guarda-chuva guarda chuva", 3),
        ("à a á", 3),
        ("d'água água", 2),
        ("— • ** --", 0),
        ("1.500 1500", 2),
    ],
)
def test_different_words(response, different):
    """Whole words, in any case; accents make another word, marks make none."""
    if different:
        assert verify("count:unique_word_count", response, min_unique=different).followed
    assert not verify("count:unique_word_count", response, min_unique=different + 1).followed


@pytest.mark.parametrize(
    ("response", "length"),
    [("\n Oi, tu.\n", 7), ("Um\r\ndia", 6), ("c\u0327a\u0303o", 3), ("a\u200bb", 2), ("😊!", 2)],
)
def test_characters(response, length):
    """Of the text itself, as one reads it."""
    kwargs = {"min_chars": length, "max_chars": length}
    assert verify("count:character_count_range", response, **kwargs).followed
    assert not verify("count:character_count_range", response + "!", **kwargs).followed


def test_the_most_repeated_word_is_shown():
    """All its occurrences, whatever their case."""
    response = "Mar, sol. O mar e o sol; MAR."
    verdict = verify("words:max_word_repeat", response, max_repeats=2)
    assert shown(response, verdict) == ["Mar", "mar", "MAR"]
    assert verdict.detail == "A palavra “mar” aparece 3 vezes; o limite é 2."
    assert verify("words:max_word_repeat", response, max_repeats=3).followed


def test_sentence_lengths_are_counted_in_words():
    """One of 3 and one of 6 words; the dash is none."""
    response = "O Sr. Silva. Ele veio — disse Ana — cedo demais."
    assert verify("count:max_sentence_length", response, max_words_per_sentence=6).followed
    too_long = verify("count:max_sentence_length", response, max_words_per_sentence=5)
    assert shown(response, too_long) == ["Ele veio — disse Ana — cedo demais."]
    assert verify("count:min_sentence_length", response, min_words_per_sentence=3).followed
    too_short = verify("count:min_sentence_length", response, min_words_per_sentence=4)
    assert shown(response, too_short) == ["O Sr. Silva."]
    assert not verify("count:min_sentence_length", "…", min_words_per_sentence=0).followed


@pytest.mark.parametrize(
    ("response", "paragraphs"),
    [
        ("Um.", 1),
        ("Um.\nUm ainda.\n \nDois.", 2),
        ("# Título\n\nUm.\n\n## Parte\nDois.\n\n***\n\nTrês.", 3),
        ("- a\n- b\n\n- c", 2),
        ("---", 0),
    ],
)
def test_paragraphs(response, paragraphs):
    """Between empty lines; a heading by itself and a rule are none."""
    for number in (paragraphs, paragraphs + 1):
        verdict = verify("count:paragraph_count", response, num_paragraphs=number, relation="exactly")
        assert verdict.followed == (number == paragraphs)
        assert len(verdict.evidence) == paragraphs


@pytest.mark.parametrize(
    ("response", "lines"),
    [("a\n\n b \r\nc", 3), ("```\na\nb\n```", 2), ("a\n---\n* * *\n| --- |\nb", 2), ("…", 1)],
)
def test_lines(response, lines):
    """With something on them; what only draws a line or a frame is none."""
    assert verify("count:exact_line_count", response, num_lines=lines).followed
    assert not verify("count:exact_line_count", response, num_lines=lines + 1).followed


def test_each_line_starts():
    """Lines that do not are shown; a text without lines has none that does."""
    response = "→ Um\n → Dois\nTrês"
    verdict = verify("structure:each_line_starts_with", response, char="→")
    assert (verdict.followed, shown(response, verdict)) == (False, ["Três"])
    assert verify("structure:each_line_starts_with", response[:12], char="→").followed
    assert not verify("structure:each_line_starts_with", "---", char="→").followed


@pytest.mark.parametrize(
    ("response", "followed"),
    [
        ("Lua\nE\nRua", True),
        ("lua\n\n(Entre nós)\n  Rua\nfim", True),
        ("Lua\nÉ\nRua", False),
        ("Lua\nRua\nE", False),
        ("1. Lua\n2. E\n3. Rua", False),
        ("Lua\nE", False),
    ],
)
def test_acrostic(response, followed):
    """First letters of the first lines; an accent makes another letter, a numeral comes before it."""
    assert verify("structure:acrostic", response, word="LER").followed is followed


@pytest.mark.parametrize(
    ("id", "response", "items"),
    [
        ("format:bullet_list", "- a\n* b\n+ c\n• d\n▪e\n  ◦ f", 6),
        ("format:bullet_list", "-a\n–b\n— c\n-5\n-\n---\n**d**\n*e*", 0),
        ("format:bullet_list", "- [ ] a\n> - b\n1. c", 1),
        ("format:numbered_list", "1. a\n2) b\n**3.** c\n__4.__ d\n **5. e**", 5),
        ("format:numbered_list", "1.a\n1.5 b\n1º c\nI. d\n2026. e\n6.", 0),
        ("format:bullet_list", "```text\n- a\n```\n```python\n- b\n```", 1),
    ],
)
def test_items_of_lists(id, response, items):
    """Marks open a line, and something follows them."""
    assert not verify(id, response, min_items=items + 1).followed
    if items:
        assert len(verify(id, response, min_items=items).evidence) == items


@pytest.mark.parametrize(
    ("response", "numbers"),
    [("Em 12/10/1931, às 8:30.", 2), ("R$ 1.234.567,89 ou 50%", 2), ("1ª, B2, m² e ½", 2), ("dois, XIX", 0)],
)
def test_numbers(response, numbers):
    """In digits, with what stands inside them."""
    for relation in ("exactly", "at least", "at most"):
        assert verify("count:number_count", response, num_numbers=numbers, relation=relation).followed


@pytest.mark.parametrize(
    ("number", "response", "followed"),
    [
        (1500, "R$ 1.500,00", True),
        (1500, "1500,00", True),
        (1500, "1.500,50", False),
        (1500, "15.00", False),
        (7, "(7)", True),
        (7, "7%", True),
        (7, "07", True),
        (7, "7º", False),
        (7, "7h30", False),
        (7, "14/2", False),
        (1500, "1 500", True),
        (7, "1.7", False),
        (2026, "10/2026", False),
        (2026, "2026.", True),
        (0, "0", True),
    ],
)
def test_a_specific_number(number, response, followed):
    """Its value, however thousands and cents are written; no part of another number, word or date."""
    assert verify("count:include_specific_number", response, number=number).followed is followed


@pytest.mark.parametrize(
    ("id", "response", "found"),
    [
        (
            "ando_endo_indo",
            "Indo, quando LINDO; fazendo-se, mundo-cão, andou.",
            ["Indo", "quando", "LINDO", "fazendo-se"],
        ),
        ("ando_endo_indo", "vendo-lhe-ei bando-a", ["bando-a"]),
        ("inho_inha", "Minha caminha, sozinhos, Inhotim, pinho.", ["Minha", "caminha", "pinho"]),
        ("ao_oes", "Não são ações; pão, pães, mãos, zona, a\u0303o.", ["Não", "são", "ações", "pão", "a\u0303o"]),
        ("mente", "A mente mente: lentamente, sementes, SOMENTE.", ["lentamente", "SOMENTE"]),
    ],
)
def test_endings(id, response, found):
    """As words are written; pronouns joined to a verb are no part of it, and "mente" is a word, no ending."""
    verdict = verify(f"pattern:terminacao_{id}", response, num_words=len(found), relation="exactly")
    assert verdict.followed, verdict
    assert shown(response, verdict) == found


@pytest.mark.parametrize(
    ("id", "response", "found"),
    [
        ("words:connective", "_Portanto_, assim; **Logo**, fim.", ["Portanto", "assim", "Logo**,"]),
        (
            "words:connective",
            "Mesmo assim, apesar da chuva e apesar do sol, além\n disso.",
            ["Mesmo assim", "apesar da", "além\n disso"],
        ),
        ("words:connective", "Logo após, até então, foi embora; assim-assim.", []),
        ("words:temporal_marker", "PRIMEIRO isto, depois aquilo; antes, importantes.", ["PRIMEIRO", "depois", "antes"]),
        ("words:temporal_marker", "O primeiro capítulo, logo depois.", ["logo depois"]),
        ("words:contrast_marker", "Bom, mas caro; porém, bom.", ["mas", "porém"]),
        ("words:contrast_marker", "Não só bom, mas também caro.", []),
    ],
)
def test_markers(id, response, found):
    """Whole words of a list, each entry once, the longest at its place; look-alikes are none."""
    name = {"words:connective": "min_connectives", "words:temporal_marker": "min_markers"}.get(id)
    verdict = verify(id, response, **({name: len(found)} if name else {}))
    assert shown(response, verdict) == found
    assert verdict.followed or not found


def test_conjunctions_are_counted_each_time():
    """But for "ou seja" and "nem sempre"."""
    response = "E leu e releu, mas nem sempre; ou seja, leu ou não, portanto."
    verdict = verify("words:conjunction_count", response, min_count=5)
    assert verdict.followed
    assert shown(response, verdict) == ["E", "e", "mas", "ou", "portanto"]


@pytest.mark.parametrize(
    ("response", "questions"),
    [
        ("Quem? Como?! — Onde, “por quê”?", 3),
        ("Vem… ? Sim???", 2),
        ("(?) http://a.b/?q=1", 0),
        ("¿Qué?", 1),
        ("Sei？", 1),
    ],
)
def test_questions(response, questions):
    """A mark or a run of marks after words; all of it is one question."""
    if questions:
        assert verify("punctuation:include_question", response, min_questions=questions).followed
    assert not verify("punctuation:include_question", response, min_questions=questions + 1).followed
    assert not verify("forbidden:no_questions", response).followed


@pytest.mark.parametrize(
    ("response", "followed"),
    [
        ('Ele disse: "não sei".', True),
        ("«Não sei», disse.", True),
        ("Disse “não\nsei”.", True),
        ('Mede 5" e 7".', False),
        ("Disse ‘não sei’.", False),
        ("Disse “sim”.", False),
        ("Disse “não\n\nsei”.", False),
        ('"......."', False),
    ],
)
def test_quotations(response, followed):
    """Double quotation marks of any shape around some words, in one paragraph."""
    assert verify("punctuation:include_quote", response).followed is followed


@pytest.mark.parametrize(
    ("id", "response", "signs"),
    [
        ("punctuation:use_semicolon", "a; b;\nc ;) d;e &amp; f ;-D", 3),
        ("punctuation:use_colon", "a: b:\nàs 10:30, http://c.d :) :sol: :D **e:** f:5 g:h", 5),
    ],
)
def test_signs_of_punctuation(id, response, signs):
    """No emoticons, times or addresses."""
    assert verify(id, response, min_count=signs).followed
    assert not verify(id, response, min_count=signs + 1).followed


@pytest.mark.parametrize(
    ("response", "followed"),
    [
        ("O mar. Os rios. A lua.", True),
        ("Mar é sal. O mar é sal.", True),
        ("Mar azul. Sol. — MAR!", False),
        ("1. Mar\n2. Mar", False),
        ("Disse o Sr. Mar. Mar azul.", True),
    ],
)
def test_starts_of_sentences(response, followed):
    """The same word in any case, near or far; what is no start does not count."""
    assert verify("structure:no_repeat_sentence_start", response).followed is followed


@pytest.mark.parametrize(
    ("response", "followed"),
    [
        ("É. Óbvio! “Ah”, disse.", True),
        ("Leve:\n- arroz;\n- sal;\n\n- pão.", True),
        ("Leve arroz.\n- sal", False),
        ("3 quilos. ª", False),
        ("iPhone é caro.", False),
        ("**Leve**: sal. *arroz*.", False),
    ],
)
def test_capitals_of_sentences(response, followed):
    """The first letter of each, unless it goes on after a colon or semicolon."""
    assert verify("format:title_case_start", response).followed is followed


@pytest.mark.parametrize(
    ("word", "response", "followed"),
    [
        ("mar", "Mar é mar.", True),
        ("mar", "“Mar”: o nome do mar!", True),
        ("mar", "Mar", False),
        ("mar", "Maré e mar", False),
        ("mar", "Mar e maré", False),
        (None, "Sol, só sol.", True),
        (None, "Sol, só o sol é solar.", False),
    ],
)
def test_the_same_word_at_both_ends(word, response, followed):
    """The word asked for, twice; without one, whichever."""
    assert verify("structure:start_end_same_word", response, word=word).followed is followed
