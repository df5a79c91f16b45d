"""CAPITU's ids and arguments, in both modes, and the faults of its checker that mode compat keeps."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_ifeval_pt.constraints.registry import BadKwargs, UnknownConstraint
from lm_eval_ifeval_pt.ifeval import dialects
from lm_eval_ifeval_pt.ifeval.compat.capitu import RULES
from lm_eval_ifeval_pt.ifeval.dialects.capitu import ALIASES, CAPITU, CAPITU_COMPAT
from lm_eval_ifeval_pt.ifeval.scoring import score
from lm_eval_ifeval_pt.text import Text
from tests.quality.capitu import ARGUMENTS

IDS = [*ARGUMENTS, *ALIASES]
# The names that rows and generator of the data set give to an argument, and the name above.
OTHER_NAMES = [
    ("count:exact_word_count", "target_words", "num_words"),
    ("count:unique_word_count", "N", "min_unique"),
    ("count:exact_sentence_count", "N", "num_sentences"),
    ("count:min_sentence_count", "N", "min_sentences"),
    ("count:exact_line_count", "N", "num_lines"),
    ("count:numbers", "N", "num_numbers"),
    ("count:min_number_count", "N", "min_numbers"),
    ("sentence:keyword", "keyword", "word"),
    ("words:repeats", "small_n", "max_repeats"),
    ("words:max_word_repeat", "N", "max_repeats"),
    ("count:conjunctions", "small_n", "min_count"),
    ("words:conjunction_count", "N", "min_count"),
    ("structure:start_with_word", "start_word", "word"),
    ("structure:end_with_word", "end_word", "word"),
    ("structure:each_line_starts_with", "prefix", "char"),
    ("words:gerund_limit", "max_gerunds", "max_count"),
    ("words:min_gerund", "min_gerunds", "min_count"),
    ("words:diminutive", "min_diminutives", "min_count"),
    ("words:augmentative", "min_augmentatives", "min_count"),
    ("words:adverb_mente_limit", "max_adverbs", "max_count"),
    ("words:min_adverb_mente", "min_adverbs", "min_count"),
]


def followed(mode, id, response, **kwargs):
    """The strict and the loose verdict of one instruction."""
    dialect = dialects.get("capitu", mode)
    (result,) = score(response, [dialect.bind(id, kwargs)], dialect.variants)
    return result.strict.followed, result.loose.followed


def test_there_are_83_ids_of_59_verifiers():
    """As its registry has them."""
    assert len(IDS) == len(set(IDS)) == 83
    assert ARGUMENTS.keys() == RULES.keys()
    assert len(RULES) == 59


@pytest.mark.parametrize("dialect", [CAPITU, CAPITU_COMPAT], ids=lambda dialect: dialect.mode)
@pytest.mark.parametrize("id", IDS)
def test_every_id_is_bound(dialect, id):
    """And once bound, its id and arguments are bound to the same again; numbers may be floats."""
    arguments = ARGUMENTS[ALIASES.get(id, id)]
    floats = {name: float(value) if isinstance(value, int) else value for name, value in arguments.items()}
    bound = dialect.bind(id, floats | {"absent": None})
    assert bound == dialect.bind(bound.constraint.id, bound.kwargs)
    assert bound.wording
    assert not bound.verify(Text("  \n")).followed


@pytest.mark.parametrize("id", IDS)
def test_both_modes_agree_on_kind_and_wording(id):
    """They differ in the verdict only; of word_frequency also in the relation, which its prompts call "at least"."""
    arguments = ARGUMENTS[ALIASES.get(id, id)]
    if id == "words:word_frequency":
        arguments = {"word": "mar", "count": 2}
    one, other = CAPITU.bind(id, arguments), CAPITU_COMPAT.bind(id, arguments)
    assert (one.kind, one.wording) == (other.kind, other.wording)


@pytest.mark.parametrize("dialect", [CAPITU, CAPITU_COMPAT], ids=lambda dialect: dialect.mode)
@pytest.mark.parametrize(("id", "other", "name"), OTHER_NAMES)
def test_arguments_have_several_names(dialect, id, other, name):
    """All of which mean the same."""
    arguments = dict(ARGUMENTS[ALIASES.get(id, id)])
    value = arguments[name]
    renamed = {other: value, **{key: kept for key, kept in arguments.items() if key != name}}
    assert dialect.bind(id, renamed).kwargs == dialect.bind(id, arguments).kwargs


@pytest.mark.parametrize("dialect", [CAPITU, CAPITU_COMPAT], ids=lambda dialect: dialect.mode)
def test_a_word_may_stand_bare_for_a_list(dialect):
    """As in its generator."""
    one = dialect.bind("words:include_words", {"words": "mar"})
    assert one.kwargs == dialect.bind("words:include_words", {"words": ["mar"]}).kwargs


@pytest.mark.parametrize("dialect", [CAPITU, CAPITU_COMPAT], ids=lambda dialect: dialect.mode)
def test_nothing_is_drawn_at_random(dialect):
    """A missing argument is an error, and so is an id that is not one of the 83."""
    with pytest.raises(BadKwargs, match="missing"):
        dialect.bind("count:exact_word_count", {})
    with pytest.raises(UnknownConstraint, match="count:letters"):
        dialect.bind("count:letters", {})


# Where its checker and Portuguese, or its own prompts, differ: id, arguments, response, compat, pt (both strict).
DIFFER = [
    ("count:exact_sentence_count", {"N": 3}, "Foi pelo zap. Ela leu. Depois saiu.", False, True),
    ("count:exact_sentence_count", {"N": 1}, "Custou 1.500 reais.", False, True),
    ("count:exact_sentence_count", {"N": 2}, "Levou arroz, sal, etc. Depois saiu.", False, True),
    ("count:exact_word_count", {"num_words": 2}, "- arroz\n- sal", False, True),
    ("count:max_sentence_length", {"max_words_per_sentence": 4}, "Pesa 3.5 quilos de sal.", True, False),
    ("count:include_specific_number", {"number": 19}, "Em 1931.", True, False),
    ("words:connective", {"min_connectives": 1}, "O catálogo é longo.", True, False),
    ("words:temporal_marker", {"min_markers": 1}, "São semelhantes.", True, False),
    ("words:temporal_marker", {"min_markers": 1}, "Então saiu.", False, True),
    ("words:contrast_marker", {}, "É bom, mas longo.", False, True),
    ("words:word_frequency", {"word": "mar", "min_count": 2}, "Mar, mar, mar.", False, True),
    ("words:word_frequency", {"word": "mar", "count": 2}, "Mar, mar, mar.", False, False),
    ("words:use_third_person", {"min_count": 2}, "O mar e a areia.", True, False),
    ("words:max_word_repeat", {"N": 1}, "O “mar” é mar.", True, False),
    ("forbidden:no_first_person", {}, "Foi lido nos jovens anos.", False, True),
    ("forbidden:no_first_person", {}, "O eu lírico fala.", False, True),
    ("forbidden:word", {"forbidden_word": "é"}, "Mar e sol.", True, True),
    ("forbidden:word", {"forbidden_word": "você"}, "Voce sabe.", True, False),
    ("punctuation:include_quote", {}, "Falou dos “olhos de ressaca”.", False, True),
    ("punctuation:include_question", {"min_questions": 2}, "Por quê??", True, False),
    ("structure:start_with_word", {"word": "mar"}, "“Mar” é sal.", False, True),
    ("structure:end_with_word", {"word": "mar"}, "Fui ao mar…", False, True),
    ("structure:start_end_same_word", {"word": "mar"}, "Sol é sol.", True, False),
    ("structure:no_repeat_sentence_start", {}, "O mar sobe. A lua vai. O sol vem.", True, False),
    ("structure:acrostic", {"word": "MAR"}, "“Mar\n— azul\nRio", False, True),
    ("format:bullet_list", {}, "**Mar**\n---\n-5 graus", True, False),
    ("format:title_case_start", {}, "Cita temas, p. ex. seca.", False, True),
    ("pattern:terminacao_ao_oes_min", {"min_count": 1}, "Funciona.", True, False),
    ("pattern:terminacao_inho_inha_min", {"min_count": 1}, "Livrinhos.", True, False),
]


@pytest.mark.parametrize(("id", "kwargs", "response", "compat", "pt"), DIFFER)
def test_what_its_checker_gets_wrong(id, kwargs, response, compat, pt):
    """Kept in mode compat, put right in mode pt."""
    assert followed("compat", id, response, **kwargs)[0] is compat
    assert followed("pt", id, response, **kwargs)[0] is pt


PIECES = [
    *("Mar ", "mar. ", "Sol! ", "Por quê? ", "1. ", "- ", "• ", "* ", "**", "\n", "\n\n", " \n", "“", "”", '"', "'"),
    *("nos ", "eu ", "me ", "portanto, ", "além disso ", "logo", "então ", "mas ", "tornando-se ", "casinha ", "não "),
    *(
        "infelizmente ",
        "1.500,75",
        "12",
        "Sr. ",
        "etc. ",
        "…",
        "—",
        ";",
        ":",
        "→",
        "É",
        "ç\u0327",
        "a\u0301",
        "\u200b",
        "\ud800",
    ),
]
RESPONSES = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=()), max_size=25).map("".join)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", [CAPITU, CAPITU_COMPAT], ids=lambda dialect: dialect.mode)
@given(response=RESPONSES)
@settings(derandomize=True, max_examples=200, deadline=None)
def test_loose_is_never_stricter_than_strict(dialect, response):
    """Published loose scores of four models are below their strict ones; ours cannot be. No text is an error."""
    for result in score(response, [dialect.bind(id, kwargs) for id, kwargs in ARGUMENTS.items()], dialect.variants):
        assert result.loose.followed >= result.strict.followed, result
        assert all(0 <= start <= end <= len(response) for start, end in result.strict.evidence)
        assert result.strict.detail


def test_a_line_or_asterisks_too_many_are_forgiven_loosely():
    """The eight texts of google/IFEval: first and last line, asterisks."""
    assert followed("compat", "structure:start_with_word", "Claro!\n\nMar.", word="mar") == (False, True)
    assert followed("pt", "structure:end_with_word", "Fui ao **mar**", word="mar") == (False, True)
    assert followed("pt", "count:exact_line_count", "Um\nDois\nTrês\nQuatro", N=2) == (False, True)
