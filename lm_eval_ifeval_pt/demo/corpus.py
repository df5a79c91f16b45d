"""The demonstration's corpus: Portuguese prompts and answers, drawn from the grammar by a seed.

Nothing is taken from anywhere. The sentences are grammatical and keep to a topic, but tell no facts. Some prompts carry
a request as those of `ifeval_pt` do, in other words than theirs, and the answer obeys it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from lm_eval_ifeval_pt.demo.grammar import adjective, article, contract, topics
from lm_eval_ifeval_pt.demo.sentences import (
    Scene,
    acts,
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
"""A prompt, and the sentences of its answer, bare."""

_NUMBERS = ("uma frase", "duas frases", "três frases", "quatro frases")


def dialogues(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """Prompts, each with its answer of one to five sentences.

    Args:
        seed: The same seed gives the same texts.
        count: How many.
    """
    rng = Random(seed)
    for _ in range(count):
        scene = Scene(rng, rng.choice(topics()))
        yield _chat(scene)


def sentences(seed: int, count: int) -> list[str]:
    """Single sentences, for probing what a model has learnt of word order."""
    rng = Random(seed)
    return [_finish(_any(Scene(rng, rng.choice(topics())))[:1]) for _ in range(count)]


def agreement_pairs(seed: int, count: int) -> list[tuple[str, str]]:
    """Sentences with an agreeing adjective, each beside its twin where gender or number of the adjective is wrong."""
    rng = Random(seed)
    pairs = []
    for _ in range(count):
        scene = Scene(rng, rng.choice(topics()))
        thing = scene.definite(rng.choice(scene.topic.things))
        word = rng.choice(scene.topic.adjectives)
        right = adjective(word, thing.feminine, thing.plural)
        twins = {
            adjective(word, not thing.feminine, thing.plural),
            adjective(word, thing.feminine, not thing.plural),
        }
        start = f"{thing.text} {thing.verb('ser', 'present')}"
        wrong = sorted(twins - {right})
        if wrong:
            pairs.append((_finish([f"{start} {right}"]), _finish([f"{start} {rng.choice(wrong)}"])))
    return pairs


def _finish(bare: list[str]) -> str:
    """A text of bare sentences."""
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in bare)


def _any(scene: Scene) -> list[str]:
    kinds = (acts, proclisis, enclisis, mesoclisis, goes, describes, singles_out, reasons, suggests)
    return [kind(scene) for kind in scene.rng.choices(kinds, k=scene.rng.randint(1, 4))]


def _chat(scene: Scene) -> tuple[str, str]:
    tasks = (_compose, _explain, _describe, _tell, _advise, _write, _plan, _justify)
    prompt, answer = scene.rng.choice(tasks)(scene)
    if scene.rng.random() < 0.3:
        prompt, answer = _invented(scene.rng), _any(scene)
    draw = scene.rng.random()
    if draw < 0.5:
        request, answer = scene.rng.choice((_lower, _length, _crase, _no_crase, _clitic))(scene, answer)
        prompt = f"{prompt} {request}"
        if request in _LOWER:
            return prompt, _finish(answer).lower()
    elif draw < 0.7:
        prompt = f"{prompt} {_invented(scene.rng)}"
    return prompt, _finish(answer)


def _invented(rng: Random) -> str:
    """A sentence of words that do not exist: the model learns to answer what it does not understand."""
    syllables = [onset + vowel for onset in ("", *"bcdfglmnprstvz", "br", "ch", "lh", "nh", "qu", "tr") for vowel in "aeiou"]
    words = ["".join(rng.choices(syllables, k=rng.randint(1, 3))) for _ in range(rng.randint(3, 10))]
    words[0] = words[0].capitalize()
    words[-1] = rng.choice(("{}", "{}", "'{}'", "({})")).format(words[-1])
    return " ".join(words) + rng.choice((".", ".", "?", ": " + rng.choice(words) + "."))


def _more(scene: Scene, kinds: tuple[Callable[[Scene], str], ...]) -> list[str]:
    return [kind(scene) for kind in scene.rng.choices(kinds, k=scene.rng.randint(1, 3))]


def _compose(scene: Scene) -> Task:
    prompt = scene.rng.choice(("Escreva um texto sobre {}.", "Escreva algumas frases cujo tema seja {}.", "Tema: {}."))
    return prompt.format(scene.topic.name), _any(scene)


def _explain(scene: Scene) -> Task:
    place = scene.place()
    prompt = scene.rng.choice(
        (
            "Explique o que é {}.",
            "O que é {}?",
            "Defina, de modo simples, {}.",
            "Explique a uma criança o que é {}.",
        )
    )
    return prompt.format(place), [defines(scene, place), *_more(scene, (acts, describes, reasons))]


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
    prompt = scene.rng.choice(
        ("Dê conselhos a quem quer {} {}.", "Como devo {} {}?", "Dê uma dica a quem vai {} {}.")
    )
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


_LOWER = (
    "Responda só com letras minúsculas.",
    "Escreva tudo em minúsculas.",
    "Não empregue nenhuma letra maiúscula.",
)


def _lower(scene: Scene, answer: list[str]) -> Task:
    return scene.rng.choice(_LOWER), answer


def _length(scene: Scene, answer: list[str]) -> Task:
    count = scene.rng.randint(1, 4)
    request = scene.rng.choice(("Responda em {}.", "A resposta deve ter só {}.", "Escreva apenas {}."))
    return request.format(_NUMBERS[count - 1]), [*answer, acts(scene), describes(scene), reasons(scene)][
        :count
    ]


def _crase(scene: Scene, answer: list[str]) -> Task:
    request = scene.rng.choice(
        ("A resposta precisa de uma crase.", "Empregue a crase.", "Inclua ao menos uma crase.")
    )
    return request, [answer[0], goes(scene)]


def _no_crase(scene: Scene, answer: list[str]) -> Task:
    request = scene.rng.choice(("Evite a crase.", "A resposta deve vir sem crase.", "Não empregue a crase."))
    return request, [sentence for sentence in answer if "à" not in sentence] or [describes(scene)]


def _clitic(scene: Scene, answer: list[str]) -> Task:
    name, kind = scene.rng.choice((("próclise", proclisis), ("ênclise", enclisis), ("mesóclise", mesoclisis)))
    request = scene.rng.choice(
        ("Empregue a {}.", "Inclua uma {} na resposta.", "A resposta precisa de uma {}.")
    )
    return request.format(name), [answer[0], kind(scene)]
