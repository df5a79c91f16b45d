"""Where weak pronouns stand by their verb, and how the reader is addressed."""

from __future__ import annotations

from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict, count
from lm_eval_ifeval_pt.text import Clitic, Text, address, vos

_SHOWN = 40  # characters of a form that a detail quotes


@constraint(
    "ptbr:mesoclise",
    wording="Use mesóclise pelo menos uma vez na resposta, como em 'dar-lhe-ei'.",
    kind="active",
    follows=[
        Example("Enviar-lhe-ei o convite na segunda-feira."),
        Example("A reunião realizar-se-á no auditório."),
        Example("Se perguntassem, dir-lho-ia sem rodeios."),
        Example("ENTREGÁ-LA-EMOS AMANHÃ."),
    ],
    breaks=[
        Example("Entregue-me a carta amanhã."),
        Example("O bem-me-quer cresce em Trás-os-Montes."),
        Example("Eu lhe enviarei o convite."),
        Example("Ele foi salvo pelo deus-nos-acuda."),
    ],
    reads_words=True,
)
def mesoclise(text: Text) -> Verdict:
    """At least one mesóclise: a weak pronoun between the stem and the ending of a future or conditional.

    All weak pronouns count, contracted ones ("dir-lho-ia") and two in a row ("dar-no-lo-á") too, in any case, with the
    Title Case of headings ("Dar-Lhe-Ei").
    """
    mesoclitic = [clitic for clitic in text.clitics if clitic.position == "mesoclitic"]
    return _pronouns(text, mesoclitic, ("mesóclise", "mesóclises"))


@constraint(
    "ptbr:proclise",
    wording="Use próclise pelo menos uma vez na resposta, depois de palavra atrativa, como em 'não me diga'.",
    kind="active",
    follows=[
        Example("Ninguém me avisou da mudança."),
        Example("O livro que o tornou famoso saiu em maio."),
        Example("Em se tratando de lixo, todo cuidado é pouco."),
        Example("JÁ TE CONTEI ESSA HISTÓRIA."),
    ],
    breaks=[
        Example("Me avise quando chegar."),
        Example("Avisei que o preço subiu."),
        Example("Ela se aposentou e nos visitou."),
        Example("Corria como se fosse voar."),
        Example("Não o governo, mas a lei, nos ajudou."),
    ],
    reads_words=True,
)
def proclise(text: Text) -> Verdict:
    """At least one próclise after an attracting word: attractor, weak pronoun and verb, one after another.

    Attractors are negations, subordinating conjunctions, relatives and interrogatives, indefinite pronouns,
    adverbs without a pause, "em" before a gerund and paired "ou", "ora", "quer"; none of them where it is a
    noun ("o mal se instala"). A pronoun before the verb without one of them right before it ("Me diga", "ela
    se foi") does not count, nor does the conjunction "se" ("só se chover").
    """
    proclitic = [clitic for clitic in text.clitics if clitic.position == "proclitic"]
    attracted = [clitic for clitic in proclitic if clitic.attractor]
    names = ("próclise depois de palavra atrativa", "próclises depois de palavra atrativa")
    unattracted = f": em {_quoted(text, proclitic[0])}, nenhuma atrai o pronome" if proclitic else ""
    return _pronouns(text, attracted, names, unattracted)


@constraint(
    "ptbr:enclise",
    wording="Use ênclise pelo menos uma vez na resposta, como em 'diga-me'.",
    kind="active",
    follows=[
        Example("Conte-me tudo."),
        Example("Vou ajudá-los na mudança."),
        Example("O juiz deu-no-lo por escrito."),
        Example("SEPARE-AS POR COR."),
    ],
    breaks=[
        Example("O louva-a-deus pousou perto do bem-te-vi."),
        Example("Não me conte nada."),
        Example("Contar-lhe-ei tudo."),
        Example("Ela mora em Aracaju-SE e assiste à TV-A no dia-a-dia."),
    ],
    reads_words=True,
)
def enclise(text: Text) -> Verdict:
    """At least one ênclise: a weak pronoun joined by a hyphen to the end of its verb, in any case ("Vende-Se" too).

    A mesóclise is none, nor is a compound that looks so ("bem-te-vi", "dia-a-dia", "Aracaju-SE").
    """
    enclitic = [clitic for clitic in text.clitics if clitic.position == "enclitic"]
    return _pronouns(text, enclitic, ("ênclise", "ênclises"))


@constraint(
    "ptbr:so_voce",
    wording="Trate o leitor por 'você' e nunca por 'tu'.",
    kind="active",
    follows=[
        Example("Você pode separar o lixo em casa."),
        Example("Vocês viram o tatu à beira do rio Tua?"),
        Example("O titânio (Ti) interessa a você?"),
    ],
    breaks=[
        Example("Tu podes separar o lixo, e você também."),
        Example("Separe o lixo em casa."),
        Example("Você sabe que eu te espero."),
        Example("Traga o teu livro, que eu o empresto a você."),
    ],
    reads_words=True,
)
def so_voce(text: Text) -> Verdict:
    """At least one você (vocês, vc) and no form of tu: tu, te, ti, contigo, teu(s), tua(s).

    "Te" counts although Brazilian speech mixes it with você: the treatment asked for is você alone. Verbs in
    the second person without a pronoun are not looked for; the river Tua, titanium (Ti) and loans are no tu.
    """
    forms_of_tu = list(address.tu(text.text, text.lower))
    if forms_of_tu:
        detail = f"A resposta tem {count(len(forms_of_tu), 'forma', 'formas')} de “tu”."
        return Verdict(False, text.evidence(forms_of_tu), detail)
    forms_of_voce = list(address.voce(text.lower))
    if not forms_of_voce:
        return Verdict(False, (), "A resposta não trata o leitor por “você”.")
    times = count(len(forms_of_voce), "vez", "vezes")
    return Verdict(True, text.evidence(forms_of_voce), f"A resposta usa “você” {times} e nunca “tu”.")


@constraint(
    "detectable_content:vos_address_verification",
    wording="Dirija-se ao leitor exclusivamente por 'vós', com as formas verbais correspondentes.",
    kind="active",
    follows=[
        Example("Vós sabeis a verdade e ides embora."),
        Example("Visitai a serra e levai vossos casacos."),
        Example("SE QUISERDES, DIR-VOS-EI MAIS."),
    ],
    breaks=[
        Example("Vós e os animais, leais amigos."),
        Example("Vós sois bons, mas você é mau."),
        Example("Visitai a serra."),
        Example("Vossa Excelência sabe que sois livres."),
    ],
    reads_words=True,
)
def vos_address(text: Text) -> Verdict:
    """A pronoun (vós, vos, convosco, vosso) and a verb form of vós, and no form of você or tu.

    Whether the pronoun is the subject of that verb is not asked. "Vossa Excelência" and its like are no vós.
    """
    others = sorted([*address.voce(text.lower), *address.tu(text.text, text.lower)])
    if others:
        start, end = others[0]
        detail = f"A resposta não trata o leitor só por “vós”: tem “{text.text[start:end]}”."
        return Verdict(False, text.evidence(others), detail)
    pronouns, verbs = list(vos.pronouns(text.lower)), [*vos.verbs(text.lower), *vos.commands_to_be(text.lower)]
    evidence = text.evidence(sorted({*pronouns, *verbs}))
    if not pronouns:
        return Verdict(False, evidence, "A resposta não tem o pronome “vós”, nem “vos”, “convosco” ou “vosso”.")
    if not verbs:
        return Verdict(False, evidence, "A resposta não tem nenhuma forma verbal de “vós”.")
    return Verdict(True, evidence, f"A resposta trata o leitor por “vós” ({count(len(verbs), 'verbo', 'verbos')}).")


def _pronouns(text: Text, clitics: list[Clitic], names: tuple[str, str], remark: str = "") -> Verdict:
    if not clitics:
        return Verdict(False, (), f"A resposta não tem {names[0]}{remark}.")
    spans = ((clitic.start, clitic.end) for clitic in clitics)
    detail = f"A resposta tem {count(len(clitics), *names)}, como {_quoted(text, clitics[0])}."
    return Verdict(True, text.evidence(spans), detail)


def _quoted(text: Text, clitic: Clitic) -> str:
    form = " ".join(text.text[clitic.start : clitic.end].split())
    return f"“{form}”" if len(form) <= _SHOWN else f"“{form[:_SHOWN]}…”"
