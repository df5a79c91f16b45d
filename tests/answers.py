"""Answers made to follow the instructions of a training prompt: proof that one can. They say nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.text import lexicon
from lm_eval_ifeval_pt.training import requests

_PLAIN = re.compile(r"[abcdegilmnopqrstuv]{3,9}")
_ENDING = re.compile(r"(?:ndo|inho|inha|mente|ou)$")


def _plain_words() -> list[str]:
    """Nouns without accents and rare letters that no request asks for or forbids."""
    phrases = (*requests.words(), *requests.STARTS, *requests.ENDS)
    named = {word.lower() for phrase in phrases for word in phrase.split()}
    nouns = sorted({line.split()[1] for line in lexicon.lines("nouns")} - named)
    return [noun for noun in nouns if _PLAIN.fullmatch(noun) and not _ENDING.search(noun)]


FILLERS = _plain_words()

_ENDINGS = {
    "pattern:terminacao_ando_endo_indo": ("cantando", "vendo", "partindo"),
    "pattern:terminacao_inho_inha": ("gatinho", "patinho", "ratinho"),
    "pattern:terminacao_ao_oes": ("pão", "mão", "grão"),
    "pattern:terminacao_mente": ("lentamente", "raramente", "simplesmente"),
}
_ALWAYS = {
    "ptbr:crase": ["vai à vila"],
    "ptbr:cedilha": ["laço", "aço", "terraço"],
    "ptbr:agudo_e_circunflexo": ["lá", "três"],
    "ptbr:mesoclise": ["dar-se-ia"],
    "ptbr:proclise": ["sabe que se perde"],
    "ptbr:enclise": ["diga-se"],
    "ptbr:so_voce": ["você pode"],
    "detectable_content:vos_address_verification": ["vós sois bons"],
    "ptbr:porque_ambos": ["sabe por que veio", "veio porque quis"],
    "words:contrast_marker": ["mas"],
    "punctuation:include_quote": ['"bem claro" disse'],
    "detectable_format:title": ["<<tema>>"],
}
_LISTS = {
    "words:connective": (("portanto", "contudo", "assim"), "min_connectives"),
    "words:temporal_marker": (("primeiro", "depois", "agora"), "min_markers"),
    "words:conjunction_count": (("e", "mas", "ou"), "min_count"),
    "words:use_first_person": (("eu", "meu", "nosso", "me"), "min_count"),
    "words:use_third_person": (("ele", "ela", "seu"), "min_count"),
    "punctuation:use_semicolon": (("sim;", "tal;", "vale;"), "min_count"),
    "punctuation:use_colon": (("sim:", "tal:", "vale:"), "min_count"),
    "detectable_content:number_placeholders": (("[data]", "[lugar]", "[pessoa]"), "num_placeholders"),
    "detectable_format:number_highlighted_sections": (("*um trecho*", "*outro trecho*", "*mais um*"), "num_highlights"),
}
_PORQUES = {"porque": "veio porque quis", "por que": "sabe por que veio", "porquê": "eis o porquê disso"}


def answer(asked: Sequence[Bound]) -> str:
    """A text that follows all instructions of a prompt."""
    by_id = {one.constraint.id: one.kwargs for one in asked}
    chunks = [chunk for one in asked for chunk in _chunks(one)]
    sentences = _sentences(by_id, chunks)
    text = _laid_out(by_id, sentences)
    return _cased(by_id, _ends(by_id, text))


def _chunks(one: Bound) -> list[str]:
    """The words that an instruction asks for."""
    id, kwargs = one.constraint.id, one.kwargs
    if id in _ALWAYS:
        return _ALWAYS[id]
    if id in _LISTS:
        words, name = _LISTS[id]
        return list(words[: kwargs[name]])
    relation = kwargs.get("relation") or kwargs.get("let_relation")
    wanted = 0 if relation in ("at most", "less than") else None
    match id:
        case _ if id in _ENDINGS:
            return list(_ENDINGS[id][: kwargs["num_words"] if wanted is None else 0])
        case "keywords:existence":
            return list(kwargs["keywords"])
        case "keywords:frequency":
            return [kwargs["keyword"]] * (kwargs["frequency"] if wanted is None else 0)
        case "keywords:letter_frequency":
            return [kwargs["letter"] * kwargs["let_frequency"]] if wanted is None else []
        case "keywords:cedilha_frequency":
            return ["laço"] * kwargs["count"]
        case "change_case:capital_word_frequency":
            return ["SIM", "VALE", "TUDO", "BEM"][: kwargs["capital_frequency"]]
        case "count:number_count":
            return ["12", "21", "35"][: kwargs["num_numbers"]]
        case "count:include_specific_number":
            return [str(kwargs["number"])]
        case "detectable_content:specific_porque":
            return [_PORQUES[kwargs["porque_type"]]]
    return []


def _target(by_id) -> tuple[int, int | None]:
    """How many words, and how many sentences where that is asked for."""
    words, sentences = 0, None
    if (kwargs := by_id.get("length_constraints:number_words")) is not None:
        number = kwargs["num_words"]
        words = {"exactly": number, "at least": number, "more than": number + 1}.get(kwargs["relation"], 0)
    if (kwargs := by_id.get("count:word_count_range")) is not None:
        words = kwargs["min_words"]
    if (kwargs := by_id.get("count:unique_word_count")) is not None:
        words = kwargs["min_unique"] + 15
    if (kwargs := by_id.get("length_constraints:number_sentences")) is not None:
        sentences = kwargs["num_sentences"]
    if (kwargs := by_id.get("count:sentence_count_range")) is not None:
        sentences = kwargs["min_sentences"]
    return words, sentences


def _sentences(by_id, chunks: list[str]) -> list[str]:
    """Sentences that hold the chunks, each beginning with another word, of seven to twelve words where it may be."""
    fillers = iter(FILLERS)
    target, exact = _target(by_id)
    least = _least(by_id)
    asked = sum(len(_words(chunk)) for chunk in chunks)
    room = max(target - _taken(by_id), 0)
    count = exact or max(least, room // 8, (asked + 6) // 7)
    if target and not exact:
        count = max(min(count, room // 3), least)
    bodies: list[list[str]] = [[] for _ in range(count)]
    for index, chunk in enumerate(chunks):
        bodies[index % count].append(chunk)
    wanted = max(room - asked, count) if target else 0
    for index in range(wanted):
        bodies[index % count].insert(0, next(fillers))
    for body in bodies:
        while not target and len(_words(" ".join(body))) < 7:
            body.insert(0, next(fillers))
        if body[-1] in ("e", "mas", "ou", "me", "assim"):  # words that join do not end a sentence
            body.insert(-1, body.pop(0))
            body.append(body.pop(0) if target and len(body) > 2 else next(fillers))
    asks = by_id.get("punctuation:include_question", {}).get("min_questions", 0)
    marks = ["?"] * asks + ["."] * count
    written = [f"{_opened(' '.join(body))}{mark}" for body, mark in zip(bodies, marks, strict=False)]
    if (kwargs := by_id.get("count:character_count_range")) is not None:
        length = sum(map(len, written)) + len(written) + sum(map(len, _fixed(by_id))) + 12
        while length < kwargs["min_chars"] + 20:
            short = min(range(len(written)), key=lambda index: len(written[index]))
            more = next(fillers)
            written[short] = f"{written[short][:-1]} {more}{written[short][-1]}"
            length += len(more) + 1
            if min(map(len, written)) > 70:  # twelve words at most
                written.append(f"{_opened(next(fillers))}.")
                length += len(written[-1]) + 1
    return written


def _opened(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _words(text: str) -> list[str]:
    return re.findall(r"[\w-]+", text)


def _fixed(by_id) -> list[str]:
    """The phrases that begin and end the text."""
    names = {
        "ptbr:comeca_com": "start_phrase",
        "startend:end_checker": "end_phrase",
        "structure:start_end_same_word": "word",
    }
    phrases = [by_id[id][name] for id, name in names.items() if id in by_id]
    return phrases * (2 if "structure:start_end_same_word" in by_id else 1)


def _taken(by_id) -> int:
    """Words that do not stand in the sentences made."""
    taken = sum(len(_words(phrase)) for phrase in _fixed(by_id))
    if "detectable_content:postscript" in by_id:
        taken += 2
    if (kwargs := by_id.get("detectable_format:multiple_sections")) is not None:
        taken += 2 * kwargs["num_sections"]
    return taken + len(by_id.keys() & {"length_constraints:nth_paragraph_first_word", "br:tem_titulo_markdown"})


def _least(by_id) -> int:
    """How many sentences a layout needs."""
    least = 3
    for kwargs in by_id.values():
        for name in (
            "num_paragraphs",
            "num_lines",
            "min_items",
            "num_items",
            "num_bullets",
            "num_sections",
            "min_questions",
        ):
            least = max(least, kwargs.get(name) or 0)
    return least


def _dealt(sentences: Sequence[str], count: int) -> list[str]:
    """Sentences in some groups."""
    groups: list[list[str]] = [[] for _ in range(count)]
    for index, sentence in enumerate(sentences):
        groups[index * count // len(sentences)].append(sentence)
    return [" ".join(group) for group in groups]


def _laid_out(by_id, sentences: list[str]) -> str:
    for id, kwargs in by_id.items():
        match id:
            case "count:paragraph_count":
                return "\n\n".join(_dealt(sentences, kwargs["num_paragraphs"]))
            case "length_constraints:number_paragraphs":
                return "\n***\n".join(_dealt(sentences, kwargs["num_paragraphs"]))
            case "length_constraints:nth_paragraph_first_word":
                paragraphs = _dealt(sentences, kwargs["num_paragraphs"])
                paragraphs[kwargs["nth_paragraph"] - 1] = (
                    f"{kwargs['first_word']} {paragraphs[kwargs['nth_paragraph'] - 1]}"
                )
                return "\n\n".join(paragraphs)
            case "count:exact_line_count":
                return "\n".join(_dealt(sentences, kwargs["num_lines"]))
            case "structure:each_line_starts_with":
                return f"{kwargs['char']} {' '.join(sentences)}"
            case "structure:acrostic":
                lines = _dealt([*sentences, *["Bem."] * len(kwargs["word"])], len(kwargs["word"]))
                return "\n".join(
                    f"{letter.upper()}: {line}" for letter, line in zip(kwargs["word"], lines, strict=True)
                )
            case "format:bullet_list":
                return "\n".join(f"- {sentence}" for sentence in sentences)
            case "format:numbered_list":
                return "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(sentences, 1))
            case "br:n_marcadores":
                return "\n".join(f"- {item}" for item in _dealt(sentences, kwargs["num_items"]))
            case "detectable_format:number_bullet_lists":
                return "\n".join(f"* {item}" for item in _dealt(sentences, kwargs["num_bullets"]))
            case "br:tem_titulo_markdown":
                return f"{'#' * kwargs['level']} Tema\n\n{' '.join(sentences)}"
            case "br:n_secoes":
                return f"\n{kwargs['separator']}\n".join(_dealt(sentences, kwargs["num_sections"]))
            case "detectable_format:multiple_sections":
                parts = _dealt(sentences, kwargs["num_sections"])
                return "\n".join(
                    f"{kwargs['section_spliter']} {number}\n{part}" for number, part in enumerate(parts, 1)
                )
            case "detectable_format:json_format":
                return json.dumps({"texto": " ".join(sentences)}, ensure_ascii=False)
            case "combination:two_responses":
                return f"{' '.join(sentences)}\n******\n{' '.join(_opened(word) + '.' for word in FILLERS[-3:])}"
            case "combination:repeat_prompt":
                return f"{kwargs['prompt_to_repeat']}\n{' '.join(sentences)}"
    return " ".join(sentences)


def _ends(by_id, text: str) -> str:
    """The text with its beginning and its end."""
    if (kwargs := by_id.get("ptbr:comeca_com")) is not None:
        text = f"{kwargs['start_phrase']}{_after(text)}{text}"
    if (kwargs := by_id.get("startend:end_checker")) is not None:
        text = f"{text.rstrip('.')} {kwargs['end_phrase']}"
    if (kwargs := by_id.get("structure:start_end_same_word")) is not None:
        text = f"{_opened(kwargs['word'])}{_after(text)}{text.rstrip('.')} {kwargs['word']}."
    if (kwargs := by_id.get("detectable_content:postscript")) is not None:
        text = f"{text}\n\n{kwargs['postscript_marker']} Bem."
    if "startend:quotation" in by_id:
        text = f'"{text}"'
    return text


def _after(text: str) -> str:
    """What stands between the beginning and a list, or the rest of the sentence."""
    return "\n" if text.startswith(("- ", "* ")) else " "


def _cased(by_id, text: str) -> str:
    if "change_case:lowercase" in by_id:
        return text.lower()
    if "change_case:capital" in by_id:
        return text.upper()
    return text
