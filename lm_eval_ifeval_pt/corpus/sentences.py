"""Kinds of sentences: each function draws one from a scene, without its capital and full stop."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from lm_eval_ifeval_pt.corpus.grammar import (
    Noun,
    Tense,
    Topic,
    adjective,
    article,
    conjugate,
    contract,
    enclitic,
    mesoclitic,
)

_TIMES: dict[Tense, tuple[str, ...]] = {
    "present": ("hoje", "todos os dias", "às vezes", "de manhã"),
    "past": ("ontem", "na semana passada", "no domingo", "de manhã"),
    "future": ("amanhã", "no próximo mês", "depois do almoço", "à tarde"),
}
_DETERMINERS = (
    ("um", "uma", "uns", "umas"),
    ("este", "esta", "estes", "estas"),
    ("nosso", "nossa", "nossos", "nossas"),
)
_MANNERS = ("com cuidado", "com calma", "sem pressa", "com atenção")


@dataclass(frozen=True)
class Phrase:
    """A noun phrase and what agrees with it."""

    text: str
    feminine: bool
    plural: bool

    @property
    def pronoun(self) -> str:
        """The object pronoun for it."""
        return article(self.feminine, self.plural)

    @property
    def subject(self) -> str:
        """The subject pronoun for it."""
        return ("ela" if self.feminine else "ele") + ("s" if self.plural else "")

    def verb(self, infinitive: str, tense: Tense) -> str:
        """The verb, this phrase being its subject."""
        return conjugate(infinitive, tense, "eles" if self.plural else "ele")


class Scene:
    """Who and what a text is about: one topic, one protagonist, and draws from both."""

    def __init__(self, rng: Random, topic: Topic) -> None:
        self.rng = rng
        self.topic = topic
        self.hero = self.definite(rng.choice(topic.people))

    def definite(self, noun: Noun, plural: bool | None = None) -> Phrase:
        """The noun with its definite article."""
        plural = self.rng.random() < 0.4 if plural is None else plural
        return Phrase(f"{article(noun.feminine, plural)} {noun.form(plural)}", noun.feminine, plural)

    def thing(self) -> Phrase:
        """A thing of the topic, with some determiner and at times an adjective."""
        noun = self.rng.choice(self.topic.things)
        phrase = self.definite(noun)
        text = phrase.text
        if self.rng.random() < 0.4:
            determiner = self.rng.choice(_DETERMINERS)[2 * phrase.plural + phrase.feminine]
            text = f"{determiner} {noun.form(phrase.plural)}"
        if self.rng.random() < 0.4:
            text += f" {self.quality(phrase)}"
        return Phrase(text, phrase.feminine, phrase.plural)

    def quality(self, phrase: Phrase) -> str:
        """An adjective that agrees with the phrase."""
        return adjective(self.rng.choice(self.topic.adjectives), phrase.feminine, phrase.plural)

    def place(self, feminine: bool | None = None) -> str:
        """A place of the topic with its article, in the singular."""
        nouns = [noun for noun in self.topic.places if feminine is None or noun.feminine == feminine]
        return self.definite(self.rng.choice(nouns), plural=False).text

    def verb(self) -> str:
        """A verb of what is done with the things of the topic."""
        return self.rng.choice(self.topic.do)

    def time(self, tense: Tense) -> str:
        """An adverbial of time."""
        return self.rng.choice(_TIMES[tense])


def acts(scene: Scene, tense: Tense = "present") -> str:
    """Who does what, where and when: 'Ontem, a aluna leu o livro na escola'."""
    clause = f"{scene.hero.text} {scene.hero.verb(scene.verb(), tense)} {scene.thing().text}"
    where = contract("em", scene.place())
    return scene.rng.choice(
        (f"{clause} {where}", f"{scene.time(tense)}, {clause} {where}", f"{clause} {scene.time(tense)}")
    )


def proclisis(scene: Scene, tense: Tense = "past") -> str:
    """An object pronoun after the word that attracts it: 'A aluna leu o livro, mas não o guardou'."""
    thing = scene.thing()
    first, second = scene.rng.sample(scene.topic.do, 2)
    attractor = scene.rng.choice(("mas não", "mas nunca", "mas ainda não"))
    hero = scene.hero
    done, undone = hero.verb(first, tense), hero.verb(second, tense)
    return f"{hero.text} {done} {thing.text}, {attractor} {thing.pronoun} {undone}"


def enclisis(scene: Scene, tense: Tense = "past") -> str:
    """An object pronoun behind the verb: 'A aluna leu o livro e guardou-o na escola'."""
    thing = scene.thing()
    first, second = scene.rng.sample(scene.topic.do, 2)
    hero = scene.hero
    pronoun = enclitic(hero.verb(second, tense), thing.pronoun)
    return f"{hero.text} {hero.verb(first, tense)} {thing.text} e {pronoun} {contract('em', scene.place())}"


def mesoclisis(scene: Scene) -> str:
    """An object pronoun inside a future: 'O livro é longo: lê-lo-emos amanhã'."""
    thing = scene.definite(scene.rng.choice(scene.topic.things))
    verb = mesoclitic(scene.verb(), thing.pronoun, scene.rng.choice(("eu", "nós")))
    return f"{thing.text} {thing.verb('ser', 'present')} {scene.quality(thing)}: {verb} {scene.time('future')}"


def goes(scene: Scene, tense: Tense = "past") -> str:
    """To a feminine place, hence with crase: 'A aluna foi à escola'."""
    where = contract("a", scene.place(feminine=True))
    return f"{scene.hero.text} {scene.hero.verb('ir', tense)} {where} {scene.time(tense)}"


def describes(scene: Scene) -> str:
    """Subject, copula, two adjectives that agree: 'Os livros são longos e difíceis'."""
    thing = scene.definite(scene.rng.choice(scene.topic.things))
    words = scene.rng.sample(scene.topic.adjectives, 2)
    first, second = (adjective(word, thing.feminine, thing.plural) for word in words)
    return f"{thing.text} {thing.verb('ser', 'present')} {first} e {second}"


def singles_out(scene: Scene) -> str:
    """A relative clause between subject and copula: 'O livro que a aluna leu é longo'."""
    thing = scene.definite(scene.rng.choice(scene.topic.things))
    done = scene.hero.verb(scene.verb(), "past")
    return f"{thing.text} que {scene.hero.text} {done} {thing.verb('ser', 'present')} {scene.quality(thing)}"


def reasons(scene: Scene) -> str:
    """A reason: 'A aluna lê o livro porque ele é interessante'."""
    thing = scene.thing()
    because = f"porque {thing.subject} {thing.verb('ser', 'present')} {scene.quality(thing)}"
    return f"{scene.hero.text} {scene.hero.verb(scene.verb(), 'present')} {thing.text} {because}"


def suggests(scene: Scene, thing: Phrase | None = None) -> str:
    """Advice to the reader: 'Você pode ler o livro e guardá-lo com cuidado'."""
    thing = thing or scene.thing()
    first, second = scene.rng.sample(scene.topic.do, 2)
    manner = scene.rng.choice(_MANNERS)
    if scene.rng.random() < 0.5:
        modal = scene.rng.choice(("pode", "deve", "precisa"))
        return f"você {modal} {first} {thing.text} e {enclitic(second, thing.pronoun)} {manner}"
    do, avoid = (conjugate(verb, "imperative", "ele") for verb in (first, second))
    return f"{do} {thing.text} {manner} e não {thing.pronoun} {avoid}"


def defines(scene: Scene, place: str) -> str:
    """What a place is: 'A escola é um lugar onde os alunos leem os livros'."""
    people = scene.definite(scene.rng.choice(scene.topic.people), plural=True)
    things = scene.definite(scene.rng.choice(scene.topic.things), plural=True)
    return f"{place} é um lugar onde {people.text} {people.verb(scene.verb(), 'present')} {things.text}"


def anything(scene: Scene) -> list[str]:
    """One to four sentences of any kind."""
    kinds = (acts, proclisis, enclisis, mesoclisis, goes, describes, singles_out, reasons, suggests)
    return [kind(scene) for kind in scene.rng.choices(kinds, k=scene.rng.randint(1, 4))]
