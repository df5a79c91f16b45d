"""Ids and arguments of google/IFEval and of the data sets that follow it."""

import pytest

from lm_eval_ifeval_pt.constraints.registry import BadKwargs, UnknownConstraint, constraints
from lm_eval_ifeval_pt.ifeval.dialects.google import GAP_UFG, GOOGLE_PT, PT_EN

CORE = {
    "change_case:capital_word_frequency": {"capital_frequency": 2, "capital_relation": "less than"},
    "change_case:english_capital": {},
    "change_case:english_lowercase": {},
    "combination:repeat_prompt": {"prompt_to_repeat": "Diga oi."},
    "combination:two_responses": {},
    "detectable_content:number_placeholders": {"num_placeholders": 2},
    "detectable_content:postscript": {"postscript_marker": "P.S."},
    "detectable_format:constrained_response": {},
    "detectable_format:json_format": {},
    "detectable_format:multiple_sections": {"section_spliter": "Seção", "num_sections": 2},
    "detectable_format:number_bullet_lists": {"num_bullets": 2},
    "detectable_format:number_highlighted_sections": {"num_highlights": 2},
    "detectable_format:title": {},
    "keywords:existence": {"keywords": ["a"]},
    "keywords:forbidden_words": {"forbidden_words": ["a"]},
    "keywords:frequency": {"keyword": "a", "frequency": 2, "relation": "at least"},
    "keywords:letter_frequency": {"letter": "a", "let_frequency": 2, "let_relation": "at least"},
    "language:response_language": {"language": "pt"},
    "length_constraints:nth_paragraph_first_word": {"num_paragraphs": 2, "nth_paragraph": 1, "first_word": "a"},
    "length_constraints:number_paragraphs": {"num_paragraphs": 2},
    "length_constraints:number_sentences": {"num_sentences": 2, "relation": "at least"},
    "length_constraints:number_words": {"num_words": 2, "relation": "less than"},
    "punctuation:no_comma": {},
    "startend:end_checker": {"end_phrase": "Fim."},
    "startend:quotation": {},
}
ARGUMENTS = {name for kwargs in CORE.values() for name in kwargs}


@pytest.mark.parametrize("id", CORE)
@pytest.mark.parametrize("dialect", [GOOGLE_PT, GAP_UFG, PT_EN], ids=lambda dialect: dialect.name)
def test_the_25_ids_are_bound(dialect, id):
    """With their arguments alone, with null or empty ones beside them, and as counts in floats; all mean the same."""
    prefix = "" if dialect is GOOGLE_PT else "pt:"
    given = CORE[id]
    bound = dialect.bind(prefix + id, given)
    padded = dict.fromkeys(ARGUMENTS) | given
    floats = {name: float(value) if isinstance(value, int) else value for name, value in padded.items()}
    empty = dict.fromkeys(ARGUMENTS - set(given) - {"language"}, "") | given
    assert bound == dialect.bind(prefix + id, floats) == dialect.bind(prefix + id, empty)


@pytest.mark.parametrize("id", [id for id, given in CORE.items() if given])
def test_a_missing_argument_is_an_error(id):
    """Nothing is drawn at random in its place."""
    with pytest.raises(BadKwargs, match="missing"):
        GOOGLE_PT.bind(id, {})


@pytest.mark.parametrize("dialect", [GOOGLE_PT, GAP_UFG, PT_EN], ids=lambda dialect: dialect.name)
def test_what_is_canonical_stays_so(dialect):
    """Documents hold canonical ids and arguments, and are bound again when they are scored."""
    for constraint in constraints().values():
        kwargs = constraint.follows[0].kwargs
        once = dialect.canonical(constraint.id, kwargs)
        assert dialect.canonical(*once) == once
        assert dialect.bind(*once) == dialect.bind(constraint.id, kwargs)


@pytest.mark.parametrize(
    ("words", "relation"),
    [
        ("less than", "less than"),
        ("Menos que", "less than"),
        ("menor que", "less than"),
        ("at least", "at least"),
        ("ao menos", "at least"),
        (" pelo  menos ", "at least"),
        ("no máximo", "at most"),
        ("mais de", "more than"),
        ("exatamente", "exactly"),
    ],
)
def test_relations_in_either_language(words, relation):
    """As google/IFEval, gap-ufg and translations write them."""
    for id, name in (
        ("length_constraints:number_words", "relation"),
        ("keywords:letter_frequency", "let_relation"),
        ("change_case:capital_word_frequency", "capital_relation"),
    ):
        assert GOOGLE_PT.bind(id, CORE[id] | {name: words}).kwargs[name] == relation


def test_an_unknown_relation_is_an_error():
    """It names what there is."""
    with pytest.raises(BadKwargs, match=r"'roughly'.*'at least'"):
        GOOGLE_PT.bind("length_constraints:number_words", {"num_words": 2, "relation": "roughly"})


def test_case_names_a_language_or_none():
    """Google's and other languages' ids have one, EuroEval's have none."""
    languages = {"english": "en", "portuguese": "pt", "spanish": "es", "french": "fr", "catalan": "ca"}
    for name, code in languages.items():
        bound = GOOGLE_PT.bind(f"change_case:{name}_lowercase", {})
        assert (bound.constraint.id, bound.kwargs["language"]) == ("change_case:lowercase", code)
    assert GOOGLE_PT.bind("change_case:capital", {}).kwargs == {}


def test_the_six_ids_of_gap_ufg():
    """Four are known under other ids, two are its own."""
    six = {
        "pt:keywords:cedilha_frequency": ("keywords:cedilha_frequency", {"count": 2}),
        "pt:punctuation:no_tilde": ("ptbr:sem_til", {}),
        "pt:punctuation:crase_presence": ("ptbr:crase", {}),
        "pt:detectable_content:mesoclise_verification": ("ptbr:mesoclise", {}),
        "pt:detectable_content:vos_address_verification": ("detectable_content:vos_address_verification", {}),
        "pt:detectable_content:specific_porque": ("detectable_content:specific_porque", {"porque_type": "por quê"}),
    }
    for id, (own, kwargs) in six.items():
        assert GAP_UFG.bind(id, kwargs or None).constraint.id == own


def test_other_dialects_do_not_guess():
    """Without its prefix gap-ufg's vocabulary means nothing to google/IFEval's."""
    with pytest.raises(UnknownConstraint):
        GOOGLE_PT.bind("pt:punctuation:no_comma", {})
