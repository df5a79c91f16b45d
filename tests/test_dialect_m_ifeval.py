"""The instructions of M-IFEval in Spanish, French and Catalan, and EuroEval's."""

import pytest

from lm_eval_ifeval_pt.constraints.registry import UnknownConstraint
from lm_eval_ifeval_pt.ifeval.dialects.google import GOOGLE_PT
from lm_eval_ifeval_pt.ifeval.dialects.m_ifeval import M_IFEVAL
from lm_eval_ifeval_pt.text import Text

# Id, arguments, a response that follows and one that does not.
IDS = [
    ("es:punctuation:question_marks", {}, "¿Qué tal?", "Qué tal?"),
    ("ca:punctuation:exclamation_marks", {}, "¡Bé!", "Bé!"),
    ("es:special_character:enie", {"let_frequency": 1}, "El niño.", "El nino."),
    ("special_character:dieresis", {"let_frequency": 1.0}, "La cigüeña.", "La cigueña."),
    ("es:special_character:tildes", {"num_words": 2, "relation": "al menos"}, "Está aquí.", "Está aqui."),
    ("es:special_character:tildes", {"num_words": 1, "relation": "como máximo"}, "Está aqui.", "Está aquí."),
    ("fr:special_character:ethel_or_cedilla", {"forbidden_char": "ç"}, "Ca va.", "ÇA VA."),
    ("fr:special_character:no_accents", {}, "Ca va.", "Ça va là."),
    ("fr:special_character:accents", {}, "Là.", "La."),
    ("fr:special_character:accents", {"word_to_accentuate": "élève"}, "L'élève.", "L'eleve là."),
    ("fr:detectable_content:no_digits", {}, "deux", "2"),
    ("fr:detectable_content:informal_address", {}, "Tu viens, t'es là ?", "Vous venez."),
    ("fr:detectable_content:informal_address", {}, "Viens-tu ?", "Il est tout petit."),
    ("es:change_case:spanish_capital", {}, "LA CASA ES MUY GRANDE Y BONITA HOY.", "LA CASA ES grande."),
    ("es:length_constraints:number_words", {"num_words": 2, "relation": "al menos"}, "Dos palabras.", "Una."),
    ("fr:keywords:frequency", {"keyword": "mer", "frequency": 2, "relation": "moins de"}, "La mer.", "Mer, mer."),
    ("ca:punctuation:no_comma", {}, "Sí", "Sí, no"),
]


@pytest.mark.parametrize(("id", "kwargs", "follows", "breaks"), IDS)
def test_ids(id, kwargs, follows, breaks):
    """With the prefix of the language; once bound they are bound to the same again."""
    bound = M_IFEVAL.bind(id, kwargs)
    assert bound.verify(Text(follows)).followed, bound
    assert not bound.verify(Text(breaks)).followed, bound
    assert M_IFEVAL.bind(bound.constraint.id, bound.kwargs) == bound


@pytest.mark.parametrize(
    ("id", "kwargs", "follows", "breaks"),
    [
        ("change_case:capital_letters", {}, "AÇÃO", "AÇãO"),
        ("change_case:lowercase_letters", {}, "ação", "Ação"),
        ("detectable_format:constrained_response_with_argument", {"options": ["Sim.", "Não."]}, "Sim.", "Talvez."),
        (
            "length_constraints:number_sentences_with_language",
            {"num_sentences": 2, "relation": "less than", "language": "pt"},
            "O Sr. Sá veio.",
            "Veio. Saiu.",
        ),
        ("multi-turn:constrained_start", {"starter": "Claro:"}, "Claro: sim.", "Sim."),
    ],
)
def test_ids_of_euroeval_and_multi_if(id, kwargs, follows, breaks):
    """Aliases of constraints of google/IFEval."""
    bound = GOOGLE_PT.bind(id, kwargs)
    assert bound.verify(Text(follows)).followed, bound
    assert not bound.verify(Text(breaks)).followed, bound


def test_other_ids_are_unknown():
    """Japanese ones, say."""
    with pytest.raises(UnknownConstraint):
        M_IFEVAL.bind("ja:letters:hiragana_only", {})
