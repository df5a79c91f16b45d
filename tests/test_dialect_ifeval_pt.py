"""Generic restrictions of IFEval-pt under other names."""

import pytest

from lm_eval_ifeval_pt.constraints.registry import BadKwargs, UnknownConstraint
from lm_eval_ifeval_pt.ifeval.dialects.ifeval_pt import IFEVAL_PT, canonical

SENTENCES, WORDS = "length_constraints:number_sentences", "length_constraints:number_words"


@pytest.mark.parametrize(
    ("id", "kwargs", "target", "arguments"),
    [
        ("ptbr:min_frases", {"n": 3}, SENTENCES, {"num_sentences": 3, "relation": "at least"}),
        ("ptbr:frases_max", {"max": 2}, SENTENCES, {"num_sentences": 2, "relation": "at most"}),
        ("ptbr:n_frases", {"exato": 4}, SENTENCES, {"num_sentences": 4, "relation": "exactly"}),
        ("ptbr:sentenças", {"num_sentences": 4, "relation": "less than"}, SENTENCES,
         {"num_sentences": 4, "relation": "less than"}),
        ("length:exact_sentence_count", {"N": 2}, SENTENCES, {"num_sentences": 2, "relation": "exactly"}),
        ("ptbr:frases_exatas_3", {}, SENTENCES, {"num_sentences": 3, "relation": "exactly"}),
        ("ptbr:no_maximo_50_palavras", {}, WORDS, {"num_words": 50, "relation": "at most"}),
        ("ptbr:max_palavras", {"max_words": 50}, WORDS, {"num_words": 50, "relation": "at most"}),
        ("ptbr:numero_palavras", {"minimo": 50.0}, WORDS, {"num_words": 50, "relation": "at least"}),
        ("length_constraints:number_words", {"num_words": 9, "relation": "ao menos"}, WORDS,
         {"num_words": 9, "relation": "at least"}),
        ("length_constraints:number_words", {"num_words": 9, "relation": "menor que"}, WORDS,
         {"num_words": 9, "relation": "less than"}),
        ("words:count_at_least", {"count": 9}, WORDS, {"num_words": 9, "relation": "at least"}),
        ("ptbr:palavras", {"min": 10, "max": 20}, "count:word_count_range", {"min_words": 10, "max_words": 20}),
        ("ptbr:palavra_obrigatoria", {"palavra": "sol"}, "keywords:existence", {"keywords": ["sol"]}),
        ("ptbr:contem_palavra", {"word": "sol"}, "keywords:existence", {"keywords": ["sol"]}),
        ("keyword:required", {"keywords": ["sol", "mar"]}, "keywords:existence", {"keywords": ["sol", "mar"]}),
        ("ptbr:palavra_proibida", {"palavra": "sol"}, "keywords:forbidden_words", {"forbidden_words": ["sol"]}),
        ("ptbr:nao_use_palavra", {"p": "sol"}, "keywords:forbidden_words", {"forbidden_words": ["sol"]}),
        ("forbidden:word", {"forbidden_word": "sol"}, "keywords:forbidden_words", {"forbidden_words": ["sol"]}),
        ("ptbr:começa_com", {"texto": "Olá"}, "ptbr:comeca_com", {"start_phrase": "Olá"}),
        ("structure:start_with_word", {"start_word": "Olá"}, "ptbr:comeca_com", {"start_phrase": "Olá"}),
        ("ptbr:termina_com_frase", {"frase": "Até logo!"}, "startend:end_checker", {"end_phrase": "Até logo!"}),
        ("startend:end_checker", {"end_phrase": "Fim."}, "startend:end_checker", {"end_phrase": "Fim."}),
        ("ptbr:tudo_minusculo", {}, "change_case:lowercase", {}),
        ("change_case:portuguese_lowercase", {}, "change_case:lowercase", {}),
    ],
)
def test_a_generic_restriction_is_recognised_by_the_words_of_its_id(id, kwargs, target, arguments):
    """Portuguese and English spellings, with the number in the arguments or in the id, lead to one constraint."""
    assert canonical(id, kwargs) == (target, arguments)
    bound = IFEVAL_PT.bind(id, kwargs)
    assert bound.constraint.id == target
    assert bound.kwargs == arguments


def test_known_ids_are_never_reinterpreted():
    """`ptbr:sem_crase` stays what it is."""
    assert canonical("ptbr:sem_crase", {}) == ("ptbr:sem_crase", {})


def test_an_id_without_meaning_stays_unknown():
    """Nothing is guessed for an id that says none of the seven things."""
    with pytest.raises(UnknownConstraint, match="rima"):
        IFEVAL_PT.bind("ptbr:rima", {})


@pytest.mark.parametrize(
    ("id", "kwargs"),
    [
        ("ptbr:frases", {"n": 3}),
        ("ptbr:frases_min", {}),
        ("ptbr:frases_min", {"n": 3, "m": 4}),
        ("ptbr:palavra_proibida", {}),
        ("ptbr:palavra_proibida", {"a": "sol", "b": "mar"}),
    ],
)
def test_a_recognised_id_with_unclear_arguments_is_refused(id, kwargs):
    """A missing or ambiguous number, relation or word is an error, never a guess."""
    with pytest.raises(BadKwargs, match=id):
        canonical(id, kwargs)
