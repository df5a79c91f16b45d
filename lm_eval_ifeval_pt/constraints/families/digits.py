"""Digits."""

from __future__ import annotations

import re

import regex

from lm_eval_ifeval_pt.constraints.registry import Example, constraint
from lm_eval_ifeval_pt.constraints.verdict import Verdict, has
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.scanning import matches_at

_START = re.compile("[0-9\xb2\xb3\xb9\xbc-\xbe\u0300-\u200f\u2070-\U0010ffff]")  # of a number, or of something else
_NUMBER = regex.compile(r"[\p{Nd}\p{No}🔟]+(?:[.,:/][\p{Nd}\p{No}]+)*+")


@constraint(
    "ptbr:sem_digito",
    wording="Não use algarismos na resposta: escreva os números por extenso.",
    kind="passive",
    follows=[
        Example("Recicle trinta e duas latas por semana."),
        Example("Dom Pedro II viveu no século XIX."),
        Example("Chegou em primeiro lugar, com meia hora de folga."),
    ],
    breaks=[
        Example("Use 3 lixeiras."),
        Example("O terreno tem cem m² e ½ alqueire de mata."),
        Example("Veja em https://exemplo.com.br/guia2 como fazer."),
        Example("1\ufe0f\u20e3 Separe o lixo."),
    ],
)
def sem_digito(text: Text) -> Verdict:
    """No digit of any script, on the line or not: superscripts (²), fractions (½) and circled digits (①) are
    digits.

    Digits inside words, URLs, code and list numerals count. Roman numerals are letters (XIX, also Ⅳ) and do
    not.
    """
    starts = (start.start() for start in _START.finditer(text.text))
    numbers = [match.span() for match in matches_at(_NUMBER, text.text, starts)]
    return Verdict(
        not numbers,
        text.evidence(numbers),
        f"A resposta {has(len(numbers), 'número', 'números')} em algarismos.",
    )
