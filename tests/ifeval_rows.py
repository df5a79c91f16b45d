"""Rows in the schema of each IFEval data set, written for the tests."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

COLUMNS = [
    "capital_frequency",
    "capital_relation",
    "end_phrase",
    "first_word",
    "forbidden_words",
    "frequency",
    "keyword",
    "keywords",
    "language",
    "let_frequency",
    "let_relation",
    "letter",
    "nth_paragraph",
    "num_bullets",
    "num_highlights",
    "num_paragraphs",
    "num_placeholders",
    "num_sections",
    "num_sentences",
    "num_words",
    "postscript_marker",
    "prompt_to_repeat",
    "relation",
    "section_spliter",
]


def hub(**given: Any) -> dict[str, Any]:
    """Arguments as Parquet files of the Hub hold them: all columns, numbers as floats, null where absent."""
    numbers = {name: float(value) if isinstance(value, int) else value for name, value in given.items()}
    return dict.fromkeys(COLUMNS) | numbers


POLYGL0T = [
    {
        "key": 1,
        "prompt": "Escreva um bilhete em português, só com letras minúsculas, com menos de 20 palavras.",
        "instruction_id_list": ["change_case:portuguese_lowercase", "length_constraints:number_words"],
        "kwargs": [hub(), hub(num_words=20, relation="less than")],
    },
    {
        "key": 2,
        "prompt": "Escreva dois parágrafos; o segundo deve começar com 'ontem'.",
        "instruction_id_list": ["length_constraints:nth_paragraph_first_word"],
        "kwargs": [hub(num_paragraphs=2, nth_paragraph=2, first_word="ontem")],
    },
]

MARCO = [
    {
        "key": 7,
        "prompt": "Escreva em inglês, em maiúsculas, uma frase sobre o autocarro.",
        "instruction_id_list": ["change_case:english_capital", "language:response_language"],
        "kwargs": [{}, {"language": "en"}],
    },
    {
        "key": 8,
        "prompt": "Utilize pelo menos 2 vezes o sinal '#' no seu texto sobre o comboio.",
        "instruction_id_list": ["keywords:letter_frequency", "language:response_language"],
        "kwargs": [{"letter": "#", "let_frequency": 2, "let_relation": "at least"}, {"language": "pt"}],
    },
]

GAP_UFG = [
    {
        "key": 0,
        "instruction_id_list": ["pt:change_case:english_capital", "pt:punctuation:crase_presence"],
        "prompt": "Escreva um aviso em português, só com letras maiúsculas e com crase.",
        "kwargs": [{}, None],
    },
    {
        "key": 3,
        "instruction_id_list": ["pt:keywords:frequency", "pt:detectable_format:constrained_response"],
        "prompt": "Use a palavra 'não' ao menos uma vez. Responda Sim., Não. ou Talvez.",
        "kwargs": [{"keyword": "não", "frequency": 1, "relation": "ao menos"}, {}],
    },
]

PT_EN = [
    {
        "key": 1001,
        "instruction_id_list": ["pt:pontuação:sem_vírgula", "pt:palavras-chave:frequência"],
        "prompt": "Sem vírgulas, use a palavra 'mar' pelo menos 2 vezes.",
        "kwargs": [{}, {"relation": "pelo menos", "keyword": "mar", "frequency": 2}],
    },
    {
        "key": 1002,
        "instruction_id_list": ["pt:idioma:idioma_de_resposta"],
        "prompt": "Responda só em canarês.",
        "kwargs": [{"language": "sabe"}],
    },
    {
        "key": 1003,
        "instruction_id_list": ["pt:palavras-chave:letra_frequência"],
        "prompt": "Use pelo menos 4 vezes o sinal '#'.",
        "kwargs": [{"let_relation": "pelo menos", "letter": None, "let_frequency": 4}],
    },
]

CAPITU = [
    {
        "key": key,
        "prompt": f"Fale da obra em pelo menos {words} palavras.",
        "instruction_id_list": ["count:min_word_count"],
        "kwargs": [{"min_words": words}],
        "book": "Iracema",
    }
    for key, words in enumerate((3, 9))
]

CAPITU_TURNS = [{"key": 0, "turns": CAPITU}, {"key": 1, "turns": CAPITU[:1]}]

TURNS = [
    ("Escreva uma frase sobre o rio, sem vírgulas.", "punctuation:no_comma", {}),
    ("Agora inclua a palavra 'peixe'.", "keywords:existence", {"keywords": ["peixe"]}),
    (
        "Por fim, use pelo menos 6 palavras.",
        "length_constraints:number_words",
        {"num_words": 6, "relation": "at least"},
    ),
]


def multi_if(key: str = "5:1:pt", turns: int = 3, language: str = "Portuguese") -> dict[str, Any]:
    """A conversation as Multi-IF writes it: JSON in strings, and arguments as strings within; lists accumulate."""
    row: dict[str, Any] = {"turns": "None", "responses": "None", "key": key, "turn_index": 1, "language": language}
    for turn in (1, 2, 3):
        asked = TURNS[:turn]
        there = turn <= turns
        row[f"turn_{turn}_prompt"] = json.dumps({"role": "user", "content": TURNS[turn - 1][0]}) if there else "None"
        row[f"turn_{turn}_instruction_id_list"] = json.dumps([id for _, id, _ in asked]) if there else "None"
        row[f"turn_{turn}_kwargs"] = json.dumps([json.dumps(kwargs) for *_, kwargs in asked]) if there else "None"
    return row


def with_crase(prompts: list[str]) -> list[dict[str, Any]]:
    """Rows of ifeval_pt with these prompts, of which each must be answered with a crase."""
    return [
        {"key": key, "prompt": prompt, "instruction_id_list": ["ptbr:crase"], "kwargs": [{}]}
        for key, prompt in enumerate(prompts)
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    """Write rows as .jsonl, .csv or .parquet, as the name says; the path as a string."""
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".parquet":
        import datasets

        datasets.Dataset.from_list(rows).to_parquet(str(path))
    else:
        path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return str(path)
