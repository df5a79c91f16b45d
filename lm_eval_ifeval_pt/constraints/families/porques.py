"""Por que, por quê, porque and porquê."""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal

from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict, has
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.porques import is_well_used, porques

_ASKED = ("por que", "porque")


@constraint(
    "ptbr:porque_ambos",
    wording="Use 'por que' e 'porque' na mesma resposta.",
    kind="active",
    follows=[
        Example("Não sei por que ele saiu; foi embora porque quis."),
        Example("Por que reciclar? Porque faz bem à cidade."),
        Example("Explico por\nque fui: fui porque quis."),
    ],
    breaks=[
        Example("Vim por quem amo e porque quis."),
        Example("Ele explicou o porquê e por que saiu."),
        Example("Você faltou por quê? Porque choveu."),
        Example("Saí porque quis e voltei porque choveu."),
    ],
    reads_words=True,
)
def porque_ambos(text: Text) -> Verdict:
    """Both 'por que' and 'porque', in any case; 'por quê' and 'porquê' are other forms and do not count."""
    first: dict[str, tuple[int, int]] = {}
    for porque in porques(text.lower):
        if porque.form in _ASKED:
            first.setdefault(porque.form, (porque.start, porque.end))
    missing = [f"“{form}”" for form in _ASKED if form not in first]
    detail = f"Falta {missing[0]}." if len(missing) == 1 else "Faltam “por que” e “porque”."
    return Verdict(
        not missing,
        text.evidence(sorted(first.values())),
        detail if missing else "A resposta tem “por que” e “porque”.",
    )


@constraint(
    "detectable_content:specific_porque",
    wording="Use exatamente uma vez, e com a grafia certa, a forma '{porque_type}', e nenhuma outra dos porquês.",
    kind="active",
    follows=[
        Example("Ela contou por que saiu.", {"porque_type": "por que"}),
        Example("Entendi o porquê da demora.", {"porque_type": "porquê"}),
        Example("Você faltou por quê?", {"porque_type": "por quê"}),
        Example("Fiquei em casa porque chovia.", {"porque_type": "porque"}),
    ],
    breaks=[
        Example("Fiquei em casa por que chovia.", {"porque_type": "por que"}),
        Example("Não saí porque chovia, e choveu porque era março.", {"porque_type": "porque"}),
        Example("Porque você faltou?", {"porque_type": "porque"}),
        Example("Por quê você faltou?", {"porque_type": "por quê"}),
        Example("Entendi porquê ele faltou.", {"porque_type": "porquê"}),
    ],
    reads_words=True,
)
def specific_porque(text: Text, *, porque_type: Literal["porque", "porquê", "por que", "por quê"]) -> Verdict:
    """One porquê in the whole response, of the form that is asked for, used where that form is right.

    `porquê` is a noun, after a determiner. `por quê` ends a clause. `por que` asks, directly or indirectly ("contou
    por que saiu"), or means "pelo qual" ("o motivo por que"). `porque` gives a cause; it opens no question.
    """
    forms = list(porques(text.lower))
    evidence = text.evidence((porque.start, porque.end) for porque in forms)
    if len(forms) != 1:
        number = has(len(forms), "porquê", "porquês")
        return Verdict(False, evidence, f"A resposta {number}; pedia-se exatamente 1, na forma “{porque_type}”.")
    (porque,) = forms
    if porque.form.removesuffix("s") != porque_type:
        return Verdict(False, evidence, f"A resposta tem “{porque.form}”, e não “{porque_type}”.")
    start, _ = _sentence(text, porque.start)
    _, end = _sentence(text, porque.end - 1)  # another one where a line ends within "por que"
    if not is_well_used(text.lower, porque, start, end):
        return Verdict(False, evidence, f"A resposta tem “{porque.form}” onde cabe outra grafia.")
    return Verdict(True, evidence, f"A resposta tem “{porque.form}” uma vez, com a grafia certa.")


def _sentence(text: Text, offset: int) -> tuple[int, int]:
    """The sentence around an offset; all of the text where none is, as in code."""
    index = bisect_right(text.sentences, (offset, len(text.text))) - 1
    if index >= 0 and offset < text.sentences[index][1]:
        return text.sentences[index]
    return 0, len(text.text)
