"""The bundled rows: the card's design, answerable prompts, verifiers that agree with reference answers."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.registry import Bound
from lm_eval_ifeval_pt.ifeval import dialects, scoring
from lm_eval_ifeval_pt.text import Text

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "data" / "ifeval_pt"
TASKS, RESTRICTIONS = 14, 22


def read(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


ROWS = read(FOLDER / "ifeval_pt_input_data.jsonl")
ANSWERS = read(ROOT / "tests" / "data" / "ifeval_pt_answers.jsonl")
BLOCKS = [ROWS[start : start + TASKS] for start in range(0, len(ROWS), TASKS)]

# Their wording cannot but show the form or the word that is asked for, so an echo of the prompt meets them.
QUOTED = {"ptbr:mesoclise", "ptbr:proclise", "ptbr:enclise", "ptbr:porque_ambos", "keywords:existence"}

RELATIONS = {
    "at least": "pelo menos",
    "at most": "no máximo",
    "less than": "menos de",
    "exactly": "exatamente",
}
NUMERALS = {3: "três", 4: "quatro", 6: "seis"}


each_restriction = pytest.mark.parametrize(
    "block", BLOCKS, ids=lambda block: f"{block[0]['key']}-{block[0]['instruction_id_list'][0]}"
)


def build(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the builder as its user does."""
    command = [sys.executable, str(FOLDER / "build.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def base_task(row: dict[str, Any]) -> str:
    """The first sentence of a prompt; what follows is the restriction."""
    return row["prompt"].partition(". ")[0] + "."


def bind(row: dict[str, Any]) -> Bound:
    """The verifier of a row."""
    (id,), (kwargs,) = row["instruction_id_list"], row["kwargs"]
    return registry.get(id).bind(kwargs)


def plain(text: str) -> str:
    """Lower case without diacritics."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def test_the_file_is_what_the_builder_writes(tmp_path):
    """The committed file is the builder's; a changed or a missing one is told from it."""
    assert build("--check").returncode == 0
    copy = tmp_path / "rows.jsonl"
    assert build("--output", str(copy)).returncode == 0
    assert copy.read_bytes() == (FOLDER / "ifeval_pt_input_data.jsonl").read_bytes()
    assert list(tmp_path.iterdir()) == [copy]

    copy.write_bytes(copy.read_bytes().replace(b"crase", b"Crase", 1))
    changed = build("--check", "--output", str(copy))
    assert changed.returncode == 1
    assert str(copy) in changed.stderr
    assert build("--check", "--output", str(tmp_path / "missing.jsonl")).returncode == 1


def test_the_card_s_row():
    """The one row that the card shows stands where it stands there, letter for letter."""
    lines = (FOLDER / "ifeval_pt_input_data.jsonl").read_text(encoding="utf-8").splitlines()
    assert lines[11] == (
        '{"key": 11, "prompt": "Explique o que é reciclagem. Use crase pelo menos uma vez na resposta.", '
        '"instruction_id_list": ["ptbr:crase"], "kwargs": [{}]}'
    )


def test_columns():
    """Each row has the columns of google/IFEval, in its order, with one instruction and its arguments."""
    for key, row in enumerate(ROWS):
        assert list(row) == ["key", "prompt", "instruction_id_list", "kwargs"]
        assert row["key"] == key
        assert len(row["instruction_id_list"]) == len(row["kwargs"]) == 1


def test_crossed_design():
    """Fourteen tasks under each of 22 restrictions, restriction after restriction, in one order of tasks."""
    assert len(ROWS) == TASKS * RESTRICTIONS == 308
    tasks = [base_task(row) for row in BLOCKS[0]]
    assert len(set(tasks)) == TASKS
    for block in BLOCKS:
        assert [base_task(row) for row in block] == tasks
        assert len({row["instruction_id_list"][0] for row in block}) == 1
    assert len({row["prompt"] for row in ROWS}) == 308


def test_the_restrictions_of_the_card():
    """Twelve restrictions of Portuguese, then the ten generic ones."""
    ids = [block[0]["instruction_id_list"][0] for block in BLOCKS]
    assert ids[:12] == [
        "ptbr:crase",
        "ptbr:sem_crase",
        "ptbr:mesoclise",
        "ptbr:proclise",
        "ptbr:enclise",
        "ptbr:porque_ambos",
        "ptbr:cedilha",
        "ptbr:sem_til",
        "ptbr:so_voce",
        "ptbr:sem_diacritico",
        "ptbr:sem_digito",
        "ptbr:agudo_e_circunflexo",
    ]
    assert Counter(ids[12:]) == {
        "length_constraints:number_sentences": 3,
        "length_constraints:number_words": 2,
        "keywords:existence": 1,
        "keywords:forbidden_words": 1,
        "ptbr:comeca_com": 1,
        "startend:end_checker": 1,
        "change_case:lowercase": 1,
    }


@each_restriction
def test_rows_bind(block):
    """The registry knows the ids and takes the arguments of all rows."""
    for row in block:
        assert bind(row).constraint.id == row["instruction_id_list"][0]


def test_the_wording_says_what_is_verified():
    """A prompt names the relation, the number, the word or the phrase of its arguments."""
    for row in ROWS:
        restriction = row["prompt"].removeprefix(base_task(row))
        for name, value in row["kwargs"][0].items():
            if name == "relation":
                assert RELATIONS[value] in restriction
            elif isinstance(value, int):
                assert NUMERALS.get(value, str(value)) in restriction.split()
            else:
                (phrase,) = value if isinstance(value, list) else [value]
                assert f"'{phrase}'" in restriction


def test_words_are_not_given_by_the_task():
    """Neither a required nor a forbidden word stands in the task itself, in any spelling."""
    for row in ROWS:
        kwargs = row["kwargs"][0]
        for word in kwargs.get("keywords", []) + kwargs.get("forbidden_words", []):
            assert plain(word) not in plain(base_task(row)), row


def test_tasks_do_not_force_a_mark():
    """What a task is about can be named without diacritics; only request and addressee may have them."""
    requests = {"dê", "história", "convença", "opinião", "anúncio", "criança", "é"}
    for row in BLOCKS[0]:
        words = base_task(row).lower().rstrip(".").split()
        assert [word for word in words if plain(word) != word and word not in requests] == []


@each_restriction
def test_the_prompt_is_no_answer(block):
    """Echoing a prompt follows no active restriction, but for those whose wording must quote the form."""
    for row in block:
        bound = bind(row)
        if bound.kind == "active":
            assert not bound.verify(Text(base_task(row))), row
            assert bool(bound.verify(Text(row["prompt"]))) == (bound.constraint.id in QUOTED), row


def test_every_row_has_an_answer():
    """Each of the 308 prompts has an answer that follows it, and each restriction one that breaks it."""
    followed = {key for answer in ANSWERS if answer["followed"] for key in answer["keys"]}
    broken = {key // TASKS for answer in ANSWERS if not answer["followed"] for key in answer["keys"]}
    assert followed == set(range(308))
    assert broken == set(range(RESTRICTIONS))


@each_restriction
def test_verdicts_on_the_answers(block):
    """The verifiers judge the answers as their writer does, strictly and loosely."""
    wrong = []
    for answer in ANSWERS:
        for row in block:
            if row["key"] in answer["keys"]:
                (score,) = scoring.score(answer["response"], [bind(row)], dialects.unmarked)
                if not (score.strict.followed == score.loose.followed == answer["followed"]):
                    wrong.append((row["key"], answer["followed"], score.strict.detail, answer["response"]))
    assert wrong == []
