"""Por que and porque."""

from __future__ import annotations

from lm_eval_ifeval_pt.registry import Example, constraint
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.porques import porques
from lm_eval_ifeval_pt.verdict import Verdict

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
)
def porque_ambos(text: Text) -> Verdict:
    """Both 'por que' and 'porque', in any case; 'por quê' and 'porquê' are other forms and do not count."""
    found = porques(text.lower)
    first: dict[str, tuple[int, int]] = {}
    for porque in found:
        if porque.form in _ASKED:
            first.setdefault(porque.form, (porque.start, porque.end))
    missing = [f"“{form}”" for form in _ASKED if form not in first]
    detail = f"Falta {missing[0]}." if len(missing) == 1 else "Faltam “por que” e “porque”."
    return Verdict(
        not missing,
        text.evidence(sorted(first.values())),
        detail if missing else "A resposta tem “por que” e “porque”.",
    )
