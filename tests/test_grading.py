"""Metrics by name: what each scores, which options it has, what it refuses; against published definitions."""

import copy
import json
import pickle
import re
import string
from collections import Counter

import pytest

from lm_eval_ifeval_pt.grading import BUILTINS, Normalisation, aggregation, builtin, overlap, similarity

# What a grader without options needs.
NEEDED = {
    "json_schema": {"schema": {"type": "object"}},
    "constraint": {"constraint": "ptbr:crase"},
}


def scored(id, output, target="", row=None, **options):
    """The first score of a grader."""
    return next(iter(builtin(id, **options)(output, target, row or {}).values()))


# Normalisation


@pytest.mark.parametrize(
    ("text", "options", "tokens"),
    [
        ("A CIDADE do Rio.", {}, ["cidade", "do", "rio"]),
        ("A CIDADE do Rio.", {"ignore_case": False}, ["CIDADE", "do", "Rio"]),
        ("a cidade", {"ignore_articles": False}, ["a", "cidade"]),
        ("**Você** é, à vista,", {"ignore_accents": True}, ["voce", "e", "a", "vista"]),
        ("Você é", {}, ["você", "é"]),
        ("fim.", {"ignore_punctuation": False}, ["fim."]),
        ("R$ 1.234,56 de guarda-chuva d'água", {}, ["r", "1.234,56", "de", "guarda-chuva", "d'água"]),
        ("A", {}, ["a"]),
        ("A resposta é A", {}, ["resposta", "é", "a"]),
        ("A) gato", {}, ["a", "gato"]),
        ("A, B", {}, ["a", "b"]),
        ("uma ou umas casas", {}, ["ou", "casas"]),
        ("👍", {}, ["👍"]),
        ("<think>não</think> Sim!", {}, ["sim"]),
        ("", {}, []),
    ],
)
def test_what_is_compared_of_a_text(text, options, tokens):
    """Case, articles and punctuation do not count, accents do; an option turns each over. Letters stay answers."""
    assert Normalisation(**options).tokens(text) == tokens


def squad(text):
    """SQuAD's normalisation, with Portuguese articles where it has English ones."""
    text = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(o|a|os|as|um|uma|uns|umas)\b", " ", text).split()


SENTENCES = [
    ("A capital do Brasil é Brasília.", "Brasília"),
    ("o rei Dom Pedro II", "Dom Pedro II"),
    ("Em 1822, no dia 7 de setembro", "7 de setembro de 1822"),
    ("não não não", "não sei"),
    ("os gatos pretos", "gatos pretos"),
    ("Rio", "Brasília"),
    ("", "Brasília"),
]


@pytest.mark.parametrize(("output", "target"), SENTENCES)
def test_words_are_scored_as_squad_s_script_does(output, target):
    """Exact match and F1 after the published definition, written down here a second time."""
    answered, expected = squad(output), squad(target)
    common = sum((Counter(answered) & Counter(expected)).values())
    f1 = 2 * common / (len(answered) + len(expected))
    assert scored("exact_match", output, target) == (answered == expected)
    assert scored("token_f1", output, target) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("answer", "expected", "exact", "f1", "set_f1"),
    [
        ("Brasília.", "brasília", 1, 1, 1),
        ("a capital é Brasília", "Brasília", 0, 0.5, 0.5),
        ("não não não", "não sei", 0, 0.4, 2 / 3),
        ("Rio", "Brasília", 0, 0, 0),
        ("", "Brasília", 0, 0, 0),
        ("", "", 1, 1, 1),
        ("voo", "vôo", 0, 0, 0),
    ],
)
def test_overlap_of_words(answer, expected, exact, f1, set_f1):
    """By hand; SQuAD counts a repeated word as often as both have it, sets count it once. Accents matter."""
    assert overlap.exact_match(answer, expected) == exact
    assert overlap.token_f1(answer, expected) == pytest.approx(f1)
    assert overlap.token_set_f1(answer, expected) == pytest.approx(set_f1)


@pytest.mark.parametrize(
    ("output", "target", "score"),
    [
        ("Moro no Rio de Janeiro.", "rio de janeiro", 1),
        ("Que frio!", "rio", 0),
        ("rio de rio de janeiro", "rio de janeiro", 1),
        ("janeiro, rio", "rio janeiro", 0),
        ("qualquer coisa", "", 0),
        ("", "", 1),
        ("um a um", "um a um b", 0),
    ],
)
def test_contained_are_whole_words_in_order(output, target, score):
    """By hand, with a target that begins anew in the middle of itself."""
    assert scored("contains", output, target) == score


def test_further_accepted_targets_come_from_the_row():
    """As in SQuAD, the nearest of several accepted answers counts; a row without the column is an error."""
    row = {"aceitas": ["Sampa", "São Paulo"]}
    assert scored("exact_match", "são paulo", "SP", row, references="aceitas") == 1
    assert scored("token_f1", "Sampa", "SP", {"aceitas": "Sampa"}, references="aceitas") == 1
    with pytest.raises(ValueError, match="no column 'aceitas'"):
        scored("exact_match", "x", "y", {"outra": 1}, references="aceitas")


# Numbers


@pytest.mark.parametrize(
    ("output", "target", "row", "options", "scores"),
    [
        ("São R$ 1.234,50.", "1234,5", {}, {}, (1, 0)),
        ("#### 84\nobs. 3 casos", "84", {}, {}, (1, 0)),
        ("a resposta é 12, e não 13", "12", {}, {}, (1, 0)),
        ("3,14", "3,1416", {}, {"tolerance": 0.01}, (1, 0)),
        ("3,14", "3,1416", {}, {"tolerance": 0.001}, (0, 0)),
        ("103", "100", {}, {"relative_tolerance": 0.03}, (1, 0)),
        ("104", "100", {}, {"relative_tolerance": 0.03}, (0, 0)),
        ("0,3", "0,2", {}, {"tolerance": 0.1}, (1, 0)),
        ("não sei", "3", {}, {}, (0, 1)),
        ("", "3", {}, {}, (0, 1)),
        ("3,125", "3.125", {"valor": 3.125}, {}, (1, 0)),
        ("3,125", "3.125", {"valor": 3125}, {}, (1, 0)),
        ("3.125", "3.125", {"valor": "3.125"}, {}, (1, 0)),
        ("3,2", "3.125", {"valor": "3.125"}, {"tolerance": 1}, (0, 0)),
        ("-5", "5", {}, {}, (0, 0)),
    ],
)
def test_numbers_are_compared_by_value(output, target, row, options, scores):
    """Portuguese notation, but a number of a JSON row is what JSON says; a tolerance's bound itself passes."""
    found = builtin("numeric", **options)(output, target, row)
    assert (found["numeric"], found["numeric_unread"]) == scores


def test_a_target_that_is_no_number_is_an_error():
    """Nothing could match it: the data are wrong, not the model."""
    with pytest.raises(ValueError, match="'muitos' holds no number"):
        builtin("numeric")("3", "muitos", {})


# Options


@pytest.mark.parametrize(
    ("id", "options", "said"),
    [
        ("tokenf1", {}, "did you mean 'token_f1'"),
        ("token_f1", {"ignore_acents": True}, "did you mean 'ignore_accents'"),
        ("token_f1", {"ignore_case": "sim"}, "ignore_case must be true or false, it is 'sim'"),
        ("numeric", {"tolerance": float("nan")}, "a finite number"),
        ("numeric", {"tolerance": -1}, "a finite number"),
        ("numeric", {"tolerance": True}, "tolerance must be a number"),
        ("label", {"labels": "abc"}, "labels must be a list of strings"),
        ("label", {"labels": ["Sim", "sim"]}, "'Sim' and 'sim' are the same"),
        ("json_schema", {}, "'schema' is lacking"),
        ("json_schema", {"schema": {"type": "objeto"}}, r"\$\.type: 'objeto'"),
        ("constraint", {"constraint": "ptbr:crases"}, "did you mean ptbr:crase"),
        ("constraint", {"constraint": "ptbr:crase", "kwargs": {"minimo": 2}}, "constraint: .*minimo"),
    ],
)
def test_a_wrong_option_is_refused_in_one_sentence(id, options, said):
    """Before any sample is scored."""
    with pytest.raises(ValueError, match=said) as caught:
        builtin(id, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("id", BUILTINS)
def test_a_grader_names_its_metrics(id):
    """What it gives is what it says, with a threshold one more; every score is a number that JSON holds."""
    grader = builtin(id, **NEEDED.get(id, {}), threshold=0.5)
    scores = grader("Fui à feira: 3", "3", {})
    assert tuple(scores) == grader.metrics
    assert grader.metrics[-1].endswith("_pass")
    assert all(isinstance(score, float) for score in json.loads(json.dumps(scores)).values())


# Whole samples


def test_bleu_is_sacrebleu_s():
    """By hand: of "a b c d e" for "a b c d f" 4/5 words, 3/4 pairs, 2/3 triples and 1/2 quadruples are right."""
    score = builtin("bleu")("a b c d e", "a b c d f", {})["bleu"]
    assert aggregation("bleu")([score]) == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)


def test_scores_that_remember_survive_copies():
    """Processes exchange them, files hold their number."""
    score = builtin("label", labels=["sim", "não"])("Sim!", "sim", {})["macro_f1"]
    for made in (copy.deepcopy(score), pickle.loads(pickle.dumps(score))):
        assert (float(made), made.output, made.references) == (1.0, "sim", ("sim",))
    assert json.dumps(score) == "1.0"


def test_signatures_name_what_was_computed():
    """As sacrebleu documents them."""
    assert builtin("bleu").signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert builtin("chrf_plus_plus").signature.startswith("nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:")
    assert builtin("exact_match").signature is None
    assert similarity.bleu_signature(2).startswith("nrefs:2|")
