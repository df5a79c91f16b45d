"""Prompts to train on: what they ask for can be followed and broken, and none is a benchmark's."""

import json
import re
from collections import Counter
from itertools import islice

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt.cli import main
from lm_eval_ifeval_pt.constraints import registry
from lm_eval_ifeval_pt.constraints.conflicts import related
from lm_eval_ifeval_pt.ifeval import sources
from lm_eval_ifeval_pt.ifeval.dialects import get
from lm_eval_ifeval_pt.paths import bundled
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.training import prompts
from lm_eval_ifeval_pt.training.prompts import PromptsError
from lm_eval_ifeval_pt.training.requests import REQUESTS, wordings
from tests import timing
from tests.answers import answer
from tests.quality.gold import GOLD, rows

SAMPLE = list(prompts.prompts(1500, seed=3))


def bound(row):
    """The verifiers of a row."""
    asked = zip(row["instruction_id_list"], row["kwargs"], strict=True)
    return [registry.get(id).bind(kwargs) for id, kwargs in asked]


def texts(value):
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


def benchmark_texts():
    """All that is bundled of any benchmark, and, where they are there, the published rows of the IFEvals."""
    files = [*bundled("data").glob("ifeval_pt/*.jsonl"), *bundled("data").glob("samples/**/*.jsonl")]
    if GOLD.is_dir():
        files += [GOLD / "capitu/input_questions.jsonl", *GOLD.glob("bench/*ifeval*.jsonl")]
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            yield from texts(json.loads(line))


@pytest.mark.slow
def test_every_prompt_can_be_followed():
    """By an answer that is made of what each instruction asks for, whatever the others ask for."""
    for row in SAMPLE:
        verifiers = bound(row)
        text = Text(answer(verifiers))
        assert [one.constraint.id for one in verifiers if not one.verify(text).followed] == [], (row, str(text))


def test_every_prompt_can_be_broken():
    """Each of its instructions is broken by some answer: an example of a constraint, or the words that it names."""
    pool = [Text(example.text) for one in registry.constraints().values() for example in (*one.breaks, *one.follows)]
    pool.append(Text(" ".join(f"Esta é a {number}.ª frase de um texto longo." for number in range(60))))
    pool.append(Text(f"Esta frase fala de {'coisas e mais ' * 40}coisas."))
    pool.append(Text("O gatinho comia pão lentamente, cantando uma canção na praça; eu sou feliz. " * 5))
    for row in SAMPLE[:300]:
        for one in bound(row):
            named = [Text(f"{word} foi. {f'{word} ' * 9} {word * 9}") for word in texts(dict(one.kwargs))]
            assert any(not one.verify(text).followed for text in (*named, *pool)), row


def test_no_two_instructions_of_a_prompt_say_something_about_each_other():
    """Neither by the declared pairs nor by words that one demands and another forbids; no id comes twice."""
    for row in SAMPLE:
        verifiers = bound(row)
        assert 1 <= len(verifiers) <= 4
        assert not [(a, b) for n, a in enumerate(verifiers) for b in verifiers[:n] if related(a, b)]


def test_all_verifiers_are_asked_for_but_foreign_and_closed_ones():
    """The rest of the registry asks for another language, or for one of some given answers."""
    left = set(registry.constraints()) - {request.id for request in REQUESTS}
    assert left == {
        *(id for id in registry.constraints() if id.startswith(("es:", "fr:"))),
        "detectable_format:constrained_response",
    }
    counts = Counter(id for row in SAMPLE for id in row["instruction_id_list"])
    assert counts.keys() == {request.id for request in REQUESTS}
    assert min(counts.values()) >= 5


def test_each_constraint_has_several_wordings_and_none_of_a_benchmark():
    """Three or more, none of which is the registry's (the benchmark's) or stands in a benchmark's row."""
    benchmark = "\n".join(" ".join(text.lower().split()) for text in benchmark_texts())
    by_id = wordings()
    assert by_id.keys() == {request.id for request in REQUESTS}
    own = {one.bind(one.follows[0].kwargs).wording.lower() for one in registry.constraints().values()}
    for id, listed in by_id.items():
        assert len(set(listed)) >= 3, id
        for wording in listed:
            fixed = max(re.split(r"\{\w+\}", wording.lower()), key=len).strip()
            assert wording.lower() not in own
            assert len(fixed.split()) < 5 or fixed not in benchmark, (id, wording)


def test_no_base_task_shares_eight_words_with_a_benchmark():
    """A few hundred tasks, each once, none of which a bundled row of any benchmark holds a part of."""
    tasks = prompts.base_tasks()
    assert len(tasks) == len(set(tasks)) >= 250
    assert prompts.allowed(tasks, prompts.grams_of(benchmark_texts())) == list(tasks)


def test_no_prompt_shares_eight_words_with_what_is_excluded():
    """A base task that does is left out, and a prompt that would is drawn again."""
    copied = "Escreva um anúncio para vender uma bicicleta usada na feira de domingo."
    excluded = prompts.grams_of([copied])
    made = list(prompts.prompts(200, tasks=[copied, "Fale do mar."], excluded=excluded))
    assert all("Fale do mar." in row["prompt"] and copied not in row["prompt"] for row in made)
    with pytest.raises(PromptsError, match="every base task shares 8 words"):
        prompts.prompts(1, tasks=[copied], excluded=excluded)


def test_no_prompt_comes_twice_and_too_few_is_said():
    """Where nothing new can be drawn the error says what to do."""
    assert len({row["prompt"] for row in SAMPLE}) == len(SAMPLE)
    with pytest.raises(PromptsError, match=r"after \d+ of 1000: name more instructions or tasks"):
        list(prompts.prompts(1000, tasks=["Fale."], ids=["ptbr:crase"]))


def test_rows_are_read_back_as_the_task_reads_rows(tmp_path):
    """By `datasets` from the file, whatever the arguments of the rows, and bound in the default dialect."""
    import datasets

    file = tmp_path / "train.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in SAMPLE[:200]), encoding="utf-8")
    read = datasets.Dataset.from_json(str(file), cache_dir=str(tmp_path / "cache"))
    for row, again in zip(SAMPLE, read, strict=False):
        asked = zip(again["instruction_id_list"], again["kwargs"], strict=True)
        assert [get("capitu").bind(id, kwargs).kwargs for id, kwargs in asked] == row["kwargs"]


@pytest.mark.slow
def test_ten_thousand_prompts_take_seconds():
    """Fifty thousand steps of the interpreter's plainest loop a prompt would be 25 s; it is a tenth of that."""
    prompts.grams_of(prompts.base_tasks())
    excluded = prompts.grams_of(prompts.texts_of(sources.read("ifeval_pt", "bundled")))
    made = min(timing.seconds(lambda: list(prompts.prompts(1000, seed=7, excluded=excluded))) for _ in range(3))
    assert made < 10 * min(timing.seconds(timing.loop) for _ in range(3))


def run(*arguments):
    """The command, with what it says on both streams."""
    return CliRunner().invoke(main, ["prompts", *arguments])


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    """In a file and on standard output; another seed gives others."""
    for name in ("a.jsonl", "b.jsonl"):
        assert run("--n", "50", "--seed", "4", "-o", str(tmp_path / name)).exit_code == 0
    written = (tmp_path / "a.jsonl").read_bytes()
    assert written == (tmp_path / "b.jsonl").read_bytes()
    assert run("--n", "50", "--seed", "4").stdout.encode() == written
    assert run("--n", "50", "--seed", "5").stdout.encode() != written
    row = json.loads(written.splitlines()[0])
    assert list(row) == ["key", "prompt", "instruction_id_list", "kwargs"]


def test_base_tasks_of_ones_own_and_chosen_instructions(tmp_path):
    """What shares eight words with an excluded benchmark is left out and counted."""
    copied = next(islice(sources.read("ifeval_pt", "bundled"), 1))["prompt"]
    (tmp_path / "own.jsonl").write_text('{"prompt": "Fale do mar."}\n' + json.dumps({"prompt": copied}) + "\n")
    result = run("--n", "5", "--base", str(tmp_path / "own.jsonl"), "--ids", "ptbr:crase,ptbr:enclise", "--most", "1")
    assert result.exit_code == 0
    assert "1 base tasks share eight words in a row with a benchmark and are left out" in result.stderr
    made = list(map(json.loads, result.stdout.splitlines()))
    assert {id for row in made for id in row["instruction_id_list"]} <= {"ptbr:crase", "ptbr:enclise"}
    assert all("Fale do mar." in row["prompt"] for row in made)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--exclude", "klingon"], "--exclude klingon: no .jsonl file and no IFEval task of this package: capitu, "),
        (["--exclude", "capitu=absent.jsonl"], "absent.jsonl: cannot be read"),
        (["--ids", "ptbr:crases"], "no training prompts ask for ptbr:crases; they ask for: language:response_language"),
        (["--base", "tests/data/tucano2_published.json"], "row 1|valid JSON"),
        (["-o", "no/such/folder/x.jsonl"], "cannot be written"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments, message):
    """It names the option, the file and the row."""
    result = run("--n", "3", *arguments)
    assert (result.exit_code, result.exception.__class__) == (2, SystemExit)
    assert re.search(message, result.stderr)


@pytest.mark.skipif(not (GOLD / "capitu").exists(), reason="the external data is not there")
def test_a_benchmark_may_be_excluded_from_a_local_copy():
    """CAPITU's rows by the name of its task."""
    result = run("--n", "3", "--exclude", f"ifeval_pt,capitu={GOLD / 'capitu/input_questions.jsonl'}")
    assert result.exit_code == 0
    assert len(list(rows("capitu/input_questions.jsonl"))) > 0
