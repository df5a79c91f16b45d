"""What prompts ask for: tasks with their answers, and requests that change an answer."""

from __future__ import annotations

from collections.abc import Callable

from lm_eval_ifeval_pt.corpus.grammar import adjective, article, contract
from lm_eval_ifeval_pt.corpus.sentences import (
    Scene,
    acts,
    anything,
    defines,
    describes,
    enclisis,
    goes,
    mesoclisis,
    proclisis,
    reasons,
    singles_out,
    suggests,
)

Task = tuple[str, list[str]]
"""A prompt, and the sentences of its answer, without capital and full stop."""

LOWER = (
    "Responda só com letras minúsculas.",
    "Escreva tudo em minúsculas.",
    "Não empregue nenhuma letra maiúscula.",
)
"""The requests for lower case."""

_NUMBERS = ("uma frase", "duas frases", "três frases", "quatro frases")


def task(scene: Scene) -> Task:
    """A prompt about the scene, and an answer."""
    return scene.rng.choice((_compose, _explain, _describe, _tell, _advise, _write, _plan, _justify))(scene)


def request(scene: Scene, answer: list[str]) -> Task:
    """A request as in `ifeval_pt`, in other words, and the answer made to obey; lower case is left to do."""
    return scene.rng.choice((_lower, _length, _crase, _no_crase, _clitic))(scene, answer)


def _more(scene: Scene, kinds: tuple[Callable[[Scene], str], ...]) -> list[str]:
    return [kind(scene) for kind in scene.rng.choices(kinds, k=scene.rng.randint(1, 3))]


def _compose(scene: Scene) -> Task:
    prompt = scene.rng.choice(("Escreva um texto sobre {}.", "Escreva algumas frases cujo tema seja {}.", "Tema: {}."))
    return prompt.format(scene.topic.name), anything(scene)


def _explain(scene: Scene) -> Task:
    setting = scene.place()
    prompt = scene.rng.choice(
        (
            "Explique o que é {}.",
            "O que é {}?",
            "Defina, de modo simples, {}.",
            "Explique a uma criança o que é {}.",
        )
    )
    return prompt.format(setting), [defines(scene, setting), *_more(scene, (acts, describes, reasons))]


def _describe(scene: Scene) -> Task:
    things = scene.definite(scene.rng.choice(scene.topic.things), plural=True)
    prompt = scene.rng.choice(
        (
            "Descreva {}.",
            "Escreva um parágrafo sobre {}.",
            "Fale sobre {}.",
            "Resuma o que você sabe sobre {}.",
        )
    )
    copula = f"{things.text} são {scene.quality(things)}"
    return prompt.format(things.text), [copula, *_more(scene, (reasons, singles_out, describes, acts))]


def _tell(scene: Scene) -> Task:
    hero = scene.hero
    prompt = scene.rng.choice(
        (
            "Conte uma história curta sobre {}.",
            "Escreva um conto breve com {}.",
            "Conte o que aconteceu com {}.",
        )
    )
    start = f"{scene.time('past')}, {hero.text} {hero.verb('ir', 'past')} {contract('a', scene.place())}"
    past: tuple[Callable[[Scene], str], ...] = (lambda scene: acts(scene, "past"), enclisis, proclisis)
    return prompt.format(hero.text), [start, *_more(scene, past)]


def _advise(scene: Scene) -> Task:
    thing = scene.thing()
    prompt = scene.rng.choice(("Dê conselhos a quem quer {} {}.", "Como devo {} {}?", "Dê uma dica a quem vai {} {}."))
    return prompt.format(scene.verb(), thing.text), [
        suggests(scene, thing),
        *_more(scene, (suggests, describes)),
    ]


def _write(scene: Scene) -> Task:
    noun = scene.rng.choice(scene.topic.people)
    kind = scene.rng.choice(("um bilhete", "uma mensagem", "um e-mail", "um convite"))
    greeting = f"{adjective('querido', noun.feminine, plural=False)} {noun.singular}, {suggests(scene)}"
    closing = scene.rng.choice(("um abraço", "muito obrigado", "até logo", "até amanhã"))
    return (
        f"Escreva {kind} para {article(noun.feminine, plural=False)} {noun.singular}.",
        [greeting, *_more(scene, (describes, lambda scene: goes(scene, "future"), mesoclisis)), closing],
    )


def _plan(scene: Scene) -> Task:
    time = scene.time("future")
    question = f"O que {scene.hero.text} {scene.hero.verb('fazer', 'future')} {time}?"
    future: tuple[Callable[[Scene], str], ...] = (
        lambda scene: acts(scene, "future"),
        lambda scene: goes(scene, "future"),
    )
    return question, _more(scene, (*future, mesoclisis))


def _justify(scene: Scene) -> Task:
    verb, thing = scene.verb(), scene.thing()
    question = f"Por que {scene.hero.text} {scene.hero.verb(verb, 'present')} {thing.text}?"
    because = f"porque {thing.subject} {thing.verb('ser', 'present')} {scene.quality(thing)}"
    return question, [because, *_more(scene, (reasons, acts))]


def _lower(scene: Scene, answer: list[str]) -> Task:
    return scene.rng.choice(LOWER), answer


def _length(scene: Scene, answer: list[str]) -> Task:
    count = scene.rng.randint(1, 4)
    request = scene.rng.choice(("Responda em {}.", "A resposta deve ter só {}.", "Escreva apenas {}."))
    return request.format(_NUMBERS[count - 1]), [*answer, acts(scene), describes(scene), reasons(scene)][:count]


def _crase(scene: Scene, answer: list[str]) -> Task:
    request = scene.rng.choice(("A resposta precisa de uma crase.", "Empregue a crase.", "Inclua ao menos uma crase."))
    return request, [answer[0], goes(scene)]


def _no_crase(scene: Scene, answer: list[str]) -> Task:
    request = scene.rng.choice(("Evite a crase.", "A resposta deve vir sem crase.", "Não empregue a crase."))
    return request, [sentence for sentence in answer if "à" not in sentence] or [describes(scene)]


def _clitic(scene: Scene, answer: list[str]) -> Task:
    name, kind = scene.rng.choice((("próclise", proclisis), ("ênclise", enclisis), ("mesóclise", mesoclisis)))
    request = scene.rng.choice(("Empregue a {}.", "Inclua uma {} na resposta.", "A resposta precisa de uma {}."))
    return request.format(name), [answer[0], kind(scene)]
