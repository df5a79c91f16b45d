"""The demonstration's corpus: Portuguese prompts and answers, drawn from the grammar by a seed.

Nothing is taken from anywhere. The sentences are grammatical and keep to a topic, but tell no facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from lm_eval_ifeval_pt.corpus import prompts
from lm_eval_ifeval_pt.corpus.grammar import adjective, topics
from lm_eval_ifeval_pt.corpus.sentences import Scene, anything

_ONSETS = ("", *"bcdfglmnprstvz", "br", "ch", "lh", "nh", "qu", "tr")
_SYLLABLES = tuple(onset + vowel for onset in _ONSETS for vowel in "aeiou")


def dialogues(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """Prompts, each with its answer of one to five sentences.

    Half of the prompts carry a request, which the answer obeys. Some consist of, or add, words that do not
    exist: so the model learns to answer what it does not understand.

    Args:
        seed: The same seed gives the same texts.
        count: How many.
    """
    rng = Random(seed)
    for _ in range(count):
        scene = Scene(rng, rng.choice(topics()))
        if rng.random() < 0.7:
            prompt, answer = prompts.task(scene)
        else:
            prompt, answer = _invented(rng), anything(scene)
        addition = ""
        draw = rng.random()
        if draw < 0.5:
            addition, answer = prompts.request(scene, answer)
        elif draw < 0.7:
            addition = _invented(rng)
        text = _finish(answer)
        yield f"{prompt} {addition}".rstrip(), text.lower() if addition in prompts.LOWER else text


def sentences(seed: int, count: int) -> list[str]:
    """Single sentences, for probing what a model has learnt of word order."""
    rng = Random(seed)
    return [_finish(anything(Scene(rng, rng.choice(topics())))[:1]) for _ in range(count)]


def agreement_pairs(seed: int, count: int) -> list[tuple[str, str]]:
    """Sentences, each beside its twin where gender or number of the adjective is wrong."""
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


def _invented(rng: Random) -> str:
    """A sentence of words that do not exist, with quotes, brackets and numbers as prompts have them."""
    words = ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 3))) for _ in range(rng.randint(3, 10))]
    words[0] = words[0].capitalize()
    index = rng.randrange(1, len(words))
    shape = rng.choice(("{0}", "'{0}'", "({0}, {1})", "{2} {0}", "{0}: {1}", "'{0}' {1}"))
    words[index] = shape.format(words[index], rng.choice(_SYLLABLES), rng.randint(2, 200))
    return " ".join(words) + rng.choice("..?")
