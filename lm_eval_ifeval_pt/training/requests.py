"""The instructions that training prompts ask for: how each may be put in Portuguese, its arguments, what it decides.

None of the wordings is that of a benchmark. Two requests that claim the same aspect of an answer are never made
together, since one may exclude the other; `conflicts.related` knows further pairs, by their words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from lm_eval_ifeval_pt.paths import bundled
from lm_eval_ifeval_pt.text import lexicon

Arguments = dict[str, Any]
Noun = tuple[str, str, str]
"""Singular, plural and gender ("m" or "f") of what is counted."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The arguments of a request, and what fills the slots of its wordings beside them."""

    kwargs: Arguments
    slots: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InstructionKind:
    """One instruction that prompts may ask for.

    Attributes:
        id: Instruction id.
        claims: The aspects of an answer that it decides.
        draw: Draws its arguments; gets the base task too.
    """

    id: str
    claims: frozenset[str]
    draw: Callable[[Random, str], Drawn] = lambda rng, task: Drawn({})

    def put(self, rng: Random, drawn: Drawn) -> str:
        """The request in Portuguese, in one of its wordings."""
        return rng.choice(wordings()[self.id]).format(**{**drawn.kwargs, **drawn.slots})


@cache
def wordings() -> Mapping[str, tuple[str, ...]]:
    """The wordings of each instruction; `{name}` is filled with an argument or a slot."""
    table: dict[str, tuple[str, ...]] = {}
    id = ""
    for line in (bundled("data") / "training" / "wordings.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            id = line.strip("[]")
        elif line and not line.startswith("#"):
            table[id] = (*table.get(id, ()), line)
    return table


def words() -> tuple[str, ...]:
    """The words that prompts ask for, none with an accent."""
    return lexicon.lines("training_words")


def _accented() -> tuple[str, ...]:
    return lexicon.lines("training_accented_words")


ALONE = "*"
"""The claim of an instruction that stands alone."""

STARTS = (
    "Antes de tudo", "Conta-se que", "De um lado", "Dizem que", "Em poucas palavras", "Era cedo quando",
    "Houve um tempo em que", "Na verdade", "Ninguém esperava", "Para ser franco", "Pouca gente sabe",
    "Quando menos se espera", "Todo mundo sabe que",
)  # fmt: skip
ENDS = (
    "e nada mais.", "e assim termina.", "é o que importa.", "fica a ideia.", "foi tudo.", "por enquanto é isso.",
    "quem sabe um dia.", "sem pressa.", "vale a pena tentar.", "boa sorte.",
)  # fmt: skip
_ACROSTICS = ("amor", "casa", "festa", "livro", "pedra", "vento", "calma", "sonho", "ponte", "verde")
_NUMBER_WORDS = {
    "m": ("um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez"),
    "f": ("uma", "duas", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez"),
}
_QUANTITIES = {
    "at least": ("pelo menos {}", "no mínimo {}", "{} ou mais", "não menos de {}"),
    "at most": ("no máximo {}", "até {}", "não mais de {}", "{} ou menos"),
    "less than": ("menos de {}",),
    "more than": ("mais de {}",),
    "exactly": ("exatamente {}", "precisamente {}"),
}

WORD: Noun = ("palavra", "palavras", "f")
SENTENCE: Noun = ("frase", "frases", "f")
TIME: Noun = ("vez", "vezes", "f")


def quantity(rng: Random, relation: str, number: int, noun: Noun) -> str:
    """A quantity in words: "pelo menos 3 frases", "duas vezes ou mais"."""
    singular, plural, gender = noun
    spelled = number <= 10 and number > 0 and rng.random() < 0.5
    count = f"{_NUMBER_WORDS[gender][number - 1] if spelled else number} {singular if number == 1 else plural}"
    forms = [form for form in _QUANTITIES[relation] if " " not in singular or form.endswith("{}")]
    return rng.choice(forms).format(count)


def _amount(
    name: str,
    numbers: Mapping[str, Sequence[int]],
    noun: Noun,
    relation_name: str | None = "relation",
    fixed: Callable[[Random], Arguments] = lambda rng: {},
) -> Callable[[Random, str], Drawn]:
    """Draws a relation and a number that it asks for; without a name of the relation, that is implied."""

    def draw(rng: Random, task: str) -> Drawn:
        relation = rng.choice(list(numbers))
        number = rng.choice(numbers[relation])
        given = fixed(rng) | {name: number} | ({relation_name: relation} if relation_name else {})
        return Drawn(given, {"q": quantity(rng, relation, number, noun)})

    return draw


def _range(least: str, most: str, lows: Sequence[int], widths: Sequence[int]) -> Callable[[Random, str], Drawn]:
    def draw(rng: Random, task: str) -> Drawn:
        low = rng.choice(lows)
        return Drawn({least: low, most: low + rng.choice(widths)})

    return draw


def _choice(name: str, values: Sequence[Any]) -> Callable[[Random, str], Drawn]:
    return lambda rng, task: Drawn({name: rng.choice(values)})


def _word(rng: Random, task: str) -> Drawn:
    return Drawn({"word": rng.choice(words())})


def _words(name: str, most: int) -> Callable[[Random, str], Drawn]:
    """Draws words, of which one or more may have an accent, and says them in a list."""

    def draw(rng: Random, task: str) -> Drawn:
        drawn = rng.sample(rng.choice((words(), words() + _accented())), rng.randint(1, most))
        quoted = [f"'{word}'" for word in drawn]
        listed = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} e {quoted[-1]}"
        noun = ("a palavra", "o termo") if len(drawn) == 1 else ("as palavras", "os termos")
        return Drawn({name: drawn}, {"listed": listed, "terms": rng.choice(noun)})

    return draw


def _letter(rng: Random, task: str) -> Drawn:
    relation = rng.choice(("at least", "less than"))
    letter = rng.choice("fhjxz" if relation == "less than" else "bcdglmprtv")
    number = rng.choice((3, 5, 8))
    kwargs = {"letter": letter, "let_frequency": number, "let_relation": relation}
    return Drawn(kwargs, {"q": quantity(rng, relation, number, TIME)})


def _paragraph(rng: Random, task: str) -> Drawn:
    count = rng.randint(2, 5)
    position = rng.randint(1, count)
    word = rng.choice(words())
    ordinal = ("primeiro", "segundo", "terceiro", "quarto", "quinto")[position - 1]
    kwargs = {"num_paragraphs": count, "nth_paragraph": position, "first_word": word}
    return Drawn(kwargs, {"ordinal": ordinal, "q": _NUMBER_WORDS["m"][count - 1]})


def _ending(endings: str) -> Callable[[Random, str], Drawn]:
    noun: Noun = (f"palavra terminada em {endings}", f"palavras terminadas em {endings}", "f")
    return _amount("num_words", {"at least": (1, 2, 3), "exactly": (1, 2, 3), "at most": (1, 2)}, noun)


def _claims(names: str) -> frozenset[str]:
    return frozenset(names.split())


REQUESTS: tuple[InstructionKind, ...] = (
    InstructionKind("language:response_language", _claims("language"), _choice("language", ["pt"])),
    InstructionKind("change_case:lowercase", _claims("case")),
    InstructionKind("change_case:capital", _claims("case")),
    InstructionKind(
        "change_case:capital_word_frequency",
        _claims("case"),
        _amount("capital_frequency", {"at least": (1, 2, 3, 4)}, WORD, "capital_relation"),
    ),
    InstructionKind("format:title_case_start", _claims("case")),
    InstructionKind(
        "length_constraints:number_words",
        _claims("amount"),
        _amount(
            "num_words",
            {
                "at least": (40, 60, 80, 100, 150),
                "at most": (60, 80, 120, 200),
                "less than": (70, 100, 150),
                "more than": (30, 50, 90),
                "exactly": (20, 30, 50),
            },
            WORD,
        ),
    ),
    InstructionKind(
        "length_constraints:number_sentences",
        _claims("amount layout sentences"),
        _amount("num_sentences", {"at least": (3, 4, 6, 8), "at most": (4, 6, 8), "exactly": (2, 3, 5, 7)}, SENTENCE),
    ),
    InstructionKind(
        "count:sentence_count_range",
        _claims("amount layout sentences"),
        _range("min_sentences", "max_sentences", (2, 3, 4, 6), (1, 2, 3)),
    ),
    InstructionKind(
        "count:word_count_range", _claims("amount"), _range("min_words", "max_words", (30, 40, 60, 80), (10, 20, 40))
    ),
    InstructionKind(
        "count:character_count_range",
        _claims("amount"),
        _range("min_chars", "max_chars", (200, 300, 400, 600), (80, 120, 200)),
    ),
    InstructionKind("count:unique_word_count", _claims("amount repeat"), _choice("min_unique", (20, 30, 40, 60))),
    InstructionKind(
        "count:max_sentence_length",
        _claims("length_of_sentences layout"),
        _choice("max_words_per_sentence", (12, 15, 20)),
    ),
    InstructionKind(
        "count:min_sentence_length",
        _claims("length_of_sentences layout start end quotes"),
        _choice("min_words_per_sentence", (4, 5, 6)),
    ),
    InstructionKind("words:max_word_repeat", _claims("amount repeat layout"), _choice("max_repeats", (4, 5, 6))),
    InstructionKind("ptbr:comeca_com", _claims("start case"), _choice("start_phrase", STARTS)),
    InstructionKind("startend:end_checker", _claims("end case"), _choice("end_phrase", ENDS)),
    InstructionKind("structure:start_end_same_word", _claims("start end case"), _word),
    InstructionKind("combination:repeat_prompt", _claims(ALONE), lambda rng, task: Drawn({"prompt_to_repeat": task})),
    InstructionKind("startend:quotation", _claims("start end quotes layout")),
    InstructionKind("keywords:existence", _claims(""), _words("keywords", 3)),
    InstructionKind("keywords:forbidden_words", _claims(""), _words("forbidden_words", 3)),
    InstructionKind(
        "keywords:frequency",
        _claims("repeat"),
        _amount(
            "frequency",
            {"at least": (2, 3, 4), "exactly": (1, 2, 3), "at most": (2, 3)},
            TIME,
            fixed=lambda rng: {"keyword": rng.choice(words())},
        ),
    ),
    InstructionKind("keywords:letter_frequency", _claims("letters"), _letter),
    InstructionKind(
        "keywords:cedilha_frequency", _claims("cedilha"), _amount("count", {"exactly": (1, 2, 3)}, TIME, None)
    ),
    InstructionKind("words:connective", _claims("commas"), _choice("min_connectives", (1, 2, 3))),
    InstructionKind("words:temporal_marker", _claims(""), _choice("min_markers", (1, 2, 3))),
    InstructionKind("words:contrast_marker", _claims("")),
    InstructionKind("words:conjunction_count", _claims(""), _choice("min_count", (1, 2, 3))),
    InstructionKind("pattern:terminacao_ando_endo_indo", _claims("gerund"), _ending("-ando, -endo ou -indo")),
    InstructionKind("pattern:terminacao_inho_inha", _claims("diminutive"), _ending("-inho ou -inha")),
    InstructionKind("pattern:terminacao_ao_oes", _claims("til"), _ending("-ão ou -ões")),
    InstructionKind("pattern:terminacao_mente", _claims("adverb"), _ending("-mente")),
    InstructionKind("ptbr:crase", _claims("crase")),
    InstructionKind("ptbr:sem_crase", _claims("crase")),
    InstructionKind("ptbr:cedilha", _claims("cedilha")),
    InstructionKind("ptbr:sem_til", _claims("til")),
    InstructionKind("ptbr:sem_diacritico", _claims("accents til crase cedilha")),
    InstructionKind("ptbr:agudo_e_circunflexo", _claims("accents")),
    InstructionKind("ptbr:sem_digito", _claims("digits")),
    InstructionKind(
        "count:number_count",
        _claims("digits"),
        _amount("num_numbers", {"at least": (1, 2, 3), "exactly": (1, 2, 3)}, ("número", "números", "m")),
    ),
    InstructionKind("count:include_specific_number", _claims("digits"), _choice("number", (3, 7, 12, 20, 45, 100))),
    InstructionKind("ptbr:mesoclise", _claims("")),
    InstructionKind("ptbr:proclise", _claims("")),
    InstructionKind("ptbr:enclise", _claims("")),
    InstructionKind("ptbr:so_voce", _claims("person2 accents person1")),
    InstructionKind("detectable_content:vos_address_verification", _claims("person2 person1 accents")),
    InstructionKind("forbidden:no_first_person", _claims("person1")),
    InstructionKind("forbidden:no_second_person", _claims("person2")),
    InstructionKind("words:use_first_person", _claims("person1 person2"), _choice("min_count", (2, 3, 4))),
    InstructionKind("words:use_third_person", _claims(""), _choice("min_count", (2, 3))),
    InstructionKind("ptbr:porque_ambos", _claims("porques")),
    InstructionKind(
        "detectable_content:specific_porque",
        _claims("porques accents stops"),
        _choice("porque_type", ("porque", "por que", "porquê")),
    ),
    InstructionKind("punctuation:no_comma", _claims("commas")),
    InstructionKind("forbidden:no_questions", _claims("stops")),
    InstructionKind("forbidden:no_exclamations", _claims("stops")),
    InstructionKind("punctuation:only_declarative", _claims("stops")),
    InstructionKind("punctuation:include_question", _claims("stops sentences"), _choice("min_questions", (2, 3))),
    InstructionKind("punctuation:include_quote", _claims("quotes")),
    InstructionKind("punctuation:use_semicolon", _claims("semicolons"), _choice("min_count", (2, 3))),
    InstructionKind("punctuation:use_colon", _claims("colons"), _choice("min_count", (2, 3))),
    InstructionKind("structure:no_repeat_sentence_start", _claims("start layout")),
    InstructionKind(
        "br:sem_palavra_proibida_inicio",
        _claims("start"),
        _choice("word", ("O", "A", "Eu", "Não", "Mas", "E", "Quando")),
    ),
    InstructionKind(
        "count:paragraph_count",
        _claims("layout"),
        _amount("num_paragraphs", {"exactly": (2, 3, 4), "at least": (2, 3)}, ("parágrafo", "parágrafos", "m")),
    ),
    InstructionKind(
        "length_constraints:number_paragraphs",
        _claims("layout"),
        lambda rng, task: (lambda count: Drawn({"num_paragraphs": count}, {"q": _NUMBER_WORDS["m"][count - 1]}))(
            rng.randint(2, 5)
        ),
    ),
    InstructionKind("length_constraints:nth_paragraph_first_word", _claims("layout start case"), _paragraph),
    InstructionKind("count:exact_line_count", _claims("layout"), _choice("num_lines", (3, 4, 5, 6))),
    InstructionKind("structure:each_line_starts_with", _claims("layout start"), _choice("char", ("→", "§", "»", "+"))),
    InstructionKind("structure:acrostic", _claims("layout start amount"), _choice("word", _ACROSTICS)),
    InstructionKind("format:bullet_list", _claims("layout start end"), _choice("min_items", (3, 4, 5))),
    InstructionKind("format:numbered_list", _claims("layout start end digits"), _choice("min_items", (3, 4, 5))),
    InstructionKind(
        "br:n_marcadores",
        _claims("layout"),
        _amount("num_items", {"at least": (2, 3), "exactly": (3, 4)}, ("item", "itens", "m")),
    ),
    InstructionKind("detectable_format:number_bullet_lists", _claims("layout"), _choice("num_bullets", (2, 3, 4, 5))),
    InstructionKind("detectable_format:number_highlighted_sections", _claims(""), _choice("num_highlights", (1, 2, 3))),
    InstructionKind("detectable_format:title", _claims("title")),
    InstructionKind("br:tem_titulo_markdown", _claims("start layout case"), _choice("level", (1, 2, 3))),
    InstructionKind(
        "br:n_secoes",
        _claims("layout"),
        lambda rng, task: Drawn({"separator": rng.choice(("---", "###", "~~~")), "num_sections": rng.choice((2, 3))}),
    ),
    InstructionKind(
        "detectable_format:multiple_sections",
        _claims("layout start case digits"),
        lambda rng, task: Drawn(
            {"section_spliter": rng.choice(("Parte", "Cena", "Quadro", "Etapa")), "num_sections": rng.choice((2, 3, 4))}
        ),
    ),
    InstructionKind("detectable_content:number_placeholders", _claims(""), _choice("num_placeholders", (1, 2, 3))),
    InstructionKind(
        "detectable_content:postscript", _claims("end case layout"), _choice("postscript_marker", ("P.S.", "P.P.S."))
    ),
    InstructionKind(
        "detectable_format:json_format", _claims("layout start end amount commas stops quotes digits title case colons")
    ),
    InstructionKind("combination:two_responses", _claims("layout start end amount stops")),
)
"""All instructions that prompts ask for: all of the registry but those in other languages and closed answers."""
