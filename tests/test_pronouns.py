"""The constraints on pronouns: what decides, what is shown, what is said."""

import pytest

from lm_eval_ifeval_pt import verify


def shown(id, response):
    """Whether a response follows a constraint, and the evidence as text."""
    verdict = verify(id, response)
    return verdict.followed, [response[start:end] for start, end in verdict.evidence]


def test_each_position_is_its_own():
    """Mesóclise, ênclise and próclise do not stand for one another."""
    responses = {"ptbr:mesoclise": "Dir-te-ei.", "ptbr:enclise": "Digo-te.", "ptbr:proclise": "Não te digo."}
    for id in responses:
        for other, response in responses.items():
            assert verify(id, response).followed == (id == other)


def test_the_evidence_of_a_proclisis_has_its_attractor():
    """Attractor, pronoun and verb are shown."""
    assert shown("ptbr:proclise", "Ela disse que se atrasou.") == (True, ["que se atrasou"])


def test_a_loose_proclisis_is_named():
    """The detail quotes the próclise that has no attractor."""
    verdict = verify("ptbr:proclise", "Me diga a verdade.")
    assert not verdict.followed
    assert "“Me diga”" in verdict.detail


def test_evidence_leads_back_to_the_response():
    """Offsets are those of the response as written, soft hyphens and decomposed letters included."""
    response = "Se puder, enco\u00adntra\u0301-lo-ei."
    assert shown("ptbr:mesoclise", response) == (True, ["enco\u00adntra\u0301-lo-ei"])


def test_counts_are_said_in_portuguese():
    """Singular and plural."""
    assert "1 ênclise," in verify("ptbr:enclise", "Diga-me.").detail
    assert "2 ênclises," in verify("ptbr:enclise", "Diga-me e conte-lhe.").detail


@pytest.mark.parametrize("form", ["Você", "VOCÊ", "vocês", "vc", "voce", "ocê"])
def test_forms_of_voce(form):
    """Você in singular and plural, in any case, and as Brazilians spell it in messages."""
    assert shown("ptbr:so_voce", f"E {form}, já votou?") == (True, [form])


@pytest.mark.parametrize(
    "phrase",
    ["tu vens", "eu te vi", "lembra-te disso", "vejo a ti", "vou contigo", "o teu pai", "as tuas mãos", "TU VENS"],
)
def test_a_form_of_tu_breaks(phrase):
    """Subject, object, possessive: any of them, beside você."""
    assert not verify("ptbr:so_voce", f"Você sabe: {phrase}").followed


@pytest.mark.parametrize(
    "phrase",
    ["para **ti**", "sem _ti_", "em “ti”", "**para** ti", "olhe para\n*ti*", "_tu_ podes", "a _tua_ mão", "_te_ peço"],
)
def test_marks_do_not_hide_tu(phrase):
    """Emphasis and quotes around a form of tu, or around the preposition before it."""
    assert not verify("ptbr:so_voce", f"Você sabe: {phrase}").followed


def test_marks_do_not_hide_voce():
    """Emphasis with underscores touches the word."""
    assert shown("ptbr:so_voce", "E _você_, já votou?") == (True, ["você"])


@pytest.mark.parametrize(
    "phrase",
    [
        *("o tatu", "o titânio (Ti)", "a área de TI", "a TI daqui", "o rio Tua", "a foz do Tua"),
        *("o titânio (**Ti**)", "a variável lista_ti", "o bem-te-vi", "“Con te partirò”"),
        *("a música “Te Vivo”", "a tutela", "o estudante", "a turma"),
    ],
)
def test_what_only_looks_like_tu(phrase):
    """Names, loans, symbols and longer words are no forms of tu."""
    assert verify("ptbr:so_voce", f"Você conhece {phrase}?").followed
