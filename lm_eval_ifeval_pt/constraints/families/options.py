"""Answers that are one of a few options."""

from __future__ import annotations

from functools import lru_cache

import regex

from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.terms import source

OPTIONS = ("Minha resposta é sim.", "Minha resposta é não.", "Minha resposta é talvez.")

# Where a sentence may start: after a line end, the end of another one or a colon; quotes and Markdown
# between.
_START = r"(?:^|[.!?…:;]\s|[—–]\s?)[\s\p{Pi}\p{Ps}\"'*_>#-]*+"


@lru_cache(maxsize=256)
def _option(option: str) -> regex.Pattern[str]:
    return regex.compile(rf"{_START}({source(option)})", regex.M)


def _wording(*, options: list[str] | None = None) -> str:
    quoted = ", ".join(f"'{option}'" for option in options or OPTIONS)
    return f"Responda com uma das seguintes opções: {quoted}"


@constraint(
    "detectable_format:constrained_response",
    wording=_wording,
    kind="active",
    follows=[
        Example("Minha resposta é sim."),
        Example("É difícil dizer. **Minha resposta é talvez.**"),
        Example("Não.", {"options": ["Sim.", "Não.", "Talvez."]}),
    ],
    breaks=[
        Example("Sim."),
        Example("Minha resposta é sim. Minha resposta é não."),
        Example("Acho que não.", {"options": ["Sim.", "Não.", "Talvez."]}),
        Example("Assim.", {"options": ["Sim.", "Não.", "Talvez."]}),
    ],
    reads_words=True,
)
def constrained_response(text: Text, *, options: list[str] | None = None) -> Verdict:
    """Exactly one of the options stands in the response, as a sentence of its own or the start of one.

    Literally, its stop included, in any case. Without `options`: "Minha resposta é sim.", "… não.", "…
    talvez."
    """
    chosen = [match for option in options or OPTIONS if (match := _option(option).search(text.lower))]
    evidence = text.evidence(sorted(match.span(1) for match in chosen))
    if len(chosen) == 1:
        return Verdict(True, evidence, f"A resposta é “{text.text[slice(*chosen[0].span(1))]}”")
    detail = "A resposta tem mais de uma das opções." if chosen else "A resposta não tem nenhuma das opções."
    return Verdict(False, evidence, detail)
