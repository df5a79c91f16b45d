"""Bits per byte of a fixed text: a number that shows at a glance whether weights were loaded right."""

from __future__ import annotations

import math
from typing import Any

FIXED_TEXT = """\
A feira começa antes de o sol nascer. Os primeiros caminhões chegam da serra com alface, couve e morangos; os \
feirantes armam as barracas, estendem a lona e escrevem os preços a giz numa pequena lousa. Às sete horas já se ouve \
o pregão: "Olha a banana, dona Maria, três dúzias por dez reais!". Quem vem cedo escolhe o melhor; quem vem tarde paga \
menos, porque ninguém quer levar de volta o que murcha no calor.

No fim da rua, um rapaz conserta panelas. Aprendeu o ofício com o avô, que dizia que toda panela tem duas vidas. \
Enquanto trabalha, conta histórias da cidade de antigamente, quando o rio ainda não estava canalizado e os meninos \
pescavam lambari perto da ponte. Uma senhora pergunta se ele não se cansa de repetir sempre as mesmas coisas. Ele \
responde que não: cada vez que as conta, lembra-se de mais um detalhe.

Segundo o levantamento da prefeitura, a cidade tem 43 feiras livres por semana, das quais 12 funcionam aos domingos. \
Em 2019, elas venderam cerca de 5.800 toneladas de frutas, verduras e legumes, 7% a mais do que no ano anterior. Para \
os economistas, o número mostra que o comércio de rua resiste à concorrência dos supermercados; para os moradores, \
mostra apenas que o tomate da feira é mais doce.
"""
"""Plain Brazilian prose, written for this; changing it changes every number made with it."""


def bits_per_byte(lm: Any) -> float | None:
    """Bits that a model of the harness needs per byte of the text; None if it gives no log-likelihoods.

    About 8 for a model that knows nothing, near 1 for a trained one of Portuguese; independent of the tokenizer.
    """
    from lm_eval.api.instance import Instance

    request = Instance("loglikelihood_rolling", {}, (FIXED_TEXT,), 0, (None, 0, 1))
    try:
        (loglikelihood,) = lm.loglikelihood_rolling([request], disable_tqdm=True)
    except (NotImplementedError, TypeError):  # a model that gives no log-likelihoods, as endpoints are
        return None
    value = float(loglikelihood)
    return -value / math.log(2) / len(FIXED_TEXT.encode()) if math.isfinite(value) else math.inf
