"""RULER in Portuguese: what the samples say, how long they are, how answers are scored."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from random import Random

import datasets
import lm_eval
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from lm_eval_ifeval_pt.benchmarks.ruler import cwe, draws, haystack, modes, templates, words
from lm_eval_ifeval_pt.benchmarks.ruler.errors import RulerError
from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter, counter
from lm_eval_ifeval_pt.benchmarks.ruler.samples import Sampler, Shape
from lm_eval_ifeval_pt.benchmarks.ruler.task import SHAPES, load_dataset, process_results
from lm_eval_ifeval_pt.corpus import dialogues as corpus
from lm_eval_ifeval_pt.paths import bundled
from tests.chat_server import ChatServer

NIAH = [name for name in SHAPES if name.startswith("niah")]
IN_TEXT = ["niah_single_2", "niah_single_3", "niah_multikey_1", "niah_multivalue", "niah_multiquery"]
TASKS = {
    **{f"niah_pt_single_{number}": f"niah_single_{number}" for number in (1, 2, 3)},
    **{f"niah_pt_multikey_{number}": f"niah_multikey_{number}" for number in (1, 2, 3)},
    "niah_pt_multiquery": "niah_multiquery",
    "niah_pt_multivalue": "niah_multivalue",
    "ruler_pt_vt": "vt",
    "ruler_pt_cwe": "cwe",
    "ruler_pt_fwe": "fwe",
}
# How tokenizers split a text before they merge: GPT-2's way, that of Llama 3, and one that merges across words.
SPLITS = {
    "gpt2": None,
    "llama3": r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "across words": r"[^\n]{1,40}|\n",
}
ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())
CHAT = "{% for message in messages %}<usuário>{{message['content']}}<fim>{% endfor %}<assistente>"


def trained(split, **kwargs):
    """A tokenizer of 3,000 byte-level tokens that splits by this regular expression, or as GPT-2 does."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=split is None)
    if split:
        by_regex = pre_tokenizers.Split(Regex(split), "isolated")
        bpe.pre_tokenizer = pre_tokenizers.Sequence([by_regex, bpe.pre_tokenizer])
    bpe.decoder = decoders.ByteLevel()
    texts = [*corpus.sentences(1, 1500), *words.vocabulary()[::5], *(templates.REPEATED, templates.VT_REPEATED) * 20]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=3000, initial_alphabet=alphabet, show_progress=False))
    return PreTrainedTokenizerFast(tokenizer_object=bpe, **kwargs)


@pytest.fixture(scope="module", params=SPLITS)
def tokenizer(request):
    """Tokenizers of several kinds."""
    return trained(SPLITS[request.param])


@pytest.fixture(scope="module")
def gpt2():
    """One tokenizer."""
    return trained(SPLITS["gpt2"])


def rows(ruler, tokenizer, **metadata):
    """The rows of a task; six of 1,024 tokens with a generated haystack if nothing else is said."""
    given = {"max_seq_lengths": [1024], "haystack": "generated", "num_samples": 6} | metadata
    return list(load_dataset(ruler, tokenizer=tokenizer, **given)["test"])


def whole(ruler, row):
    """What a base model is given."""
    return row["input"] + (SHAPES[ruler].delimiter + row["gen_prefix"] if row["gen_prefix"] else "")


# Length


@pytest.mark.slow
@pytest.mark.parametrize("ruler", SHAPES)
def test_samples_fill_their_length_and_never_exceed_it(ruler, tokenizer):
    """Counted by encoding each whole prompt, whether or not the tokenizer's counts of the parts add up."""
    for row in rows(ruler, tokenizer, max_seq_lengths=[1024, 4096], num_samples=12):
        length = len(tokenizer(whole(ruler, row)).input_ids) + SHAPES[ruler].answer
        assert length == row["length"]
        assert (0.97 if row["max_length"] == 4096 else 0.95) * row["max_length"] <= length <= row["max_length"]


@pytest.mark.slow
def test_a_sample_is_not_trusted_where_the_parts_do_not_add_up():
    """A tokenizer that merges across words is found out, one that does not is believed."""
    for name, expected in (("gpt2", True), ("across words", False)):
        tokens = TokenCounter(trained(SPLITS[name]))
        make = cwe.maker(words.vocabulary(), tokens, 1024, modes.FULL)
        assert Sampler(Shape("cwe", 120, "\n\n"), 1024, make, tokens).adds_up is expected


def test_a_constant_that_addition_misses_is_counted(gpt2):
    """Such as what a tokenizer puts at the ends of a text only if it is long."""

    class Adding(TokenCounter):
        def count(self, texts):
            return [size + 25 for size in super().count(texts)]

    tokens = Adding(gpt2)
    make = cwe.maker(words.vocabulary(), TokenCounter(gpt2), 1024, modes.FULL)
    samples = Sampler(SHAPES["cwe"], 1024, make, tokens)
    assert samples.adds_up
    for row in map(samples.sample, range(5)):
        (exact,) = tokens.count([whole("cwe", row)])
        assert 0.95 * 1024 < row["length"] == exact + 120 <= 1024


@pytest.mark.slow
@pytest.mark.parametrize("window", [{}, {"max_length": 1024}])
def test_the_chat_template_is_part_of_the_length(window, gpt2):
    """A prompt of 1,024 tokens has no more than these with the template, whether or not the window is known."""
    chat = trained(SPLITS["gpt2"], chat_template=CHAT)
    template = len(chat.tokenize("<usuário><fim><assistente>"))
    assert template > 5
    fitted = rows("fwe", chat, **window)
    assert all(row["length"] + template <= 1024 for row in fitted)
    assert max(row["length"] for row in fitted) > 1024 - 2 * template - 10
    assert max(row["length"] for row in rows("fwe", gpt2)) > 1024 - 10


# other sizes: NVIDIA's and the published ones


@pytest.mark.parametrize("length", [2048, 8192])
def test_nvidia_shows_a_solved_example_of_common_words(length, gpt2):
    """Its words stand 3 times and once, from 4,096 tokens on 10 and 3 times, and are numbered as an answer."""
    often, seldom, size = (10, 3, 40) if length > 4096 else (3, 1, 20)
    for row in rows("cwe", gpt2, mode="nvidia", max_seq_lengths=[length], num_samples=3):
        first, question = row["input"].split("\n" + templates.CWE_HEAD.rstrip("\n"))
        context, answer = first.split(templates.CWE_QUESTION)
        counts = Counter(re.findall(r"\d+\. (\S+)", context))
        solved = re.findall(r"\d+\. (\S+)", answer)
        assert {counts.pop(word) for word in solved} == {often}
        assert (len(solved), len(counts), set(counts.values())) == (10, size - 10, {seldom})
        assert templates.CWE_QUESTION in question
        assert 0.95 * length < len(gpt2(whole("cwe", row)).input_ids) + 120 <= length


@pytest.mark.slow
def test_nvidia_repeats_words_30_and_3_times_however_long(gpt2, tmp_path):
    """Where the length needs more words than there are, its lists end; ours repeat them more often."""
    few = written(tmp_path / "words.txt", words.vocabulary()[::20])
    counts = {}
    for mode in ("nvidia", "full"):
        (row,) = rows("cwe", gpt2, mode=mode, max_seq_lengths=[32_768], num_samples=1, words=few)
        question = row["input"].split(templates.CWE_HEAD)[-1].split(templates.CWE_QUESTION)[0]
        counts[mode] = set(Counter(re.findall(r"\d+\. (\S+)", question)).values())
    assert counts["nvidia"] == {30, 3}
    assert min(counts["full"]) > 3


def written(path, lines):
    """The name of a text file with these lines."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def test_lists_of_ones_own_are_drawn_from(gpt2, tmp_path):
    """The words of `cwe` and the keys of needles, one a line; no sample is too long with them either."""
    own = [f"{first}{second}" for first in ("pau", "sol", "mar", "rio") for second in words.vocabulary()[:30]]
    named = {"words": written(tmp_path / "words.txt", own), "keys": written(tmp_path / "keys.txt", own)}
    for row in rows("cwe", gpt2, **named):
        listed = set(re.findall(r"\d+\. (\S+)", row["input"]))
        assert listed | set(row["outputs"]) <= set(own)
        assert len(gpt2(whole("cwe", row)).input_ids) + SHAPES["cwe"].answer <= 1024
    for ruler in ("niah_single_2", "niah_multikey_2"):
        for row in rows(ruler, gpt2, **named):
            assert set(re.findall(r"especial para (\S+) é: ", row["input"])) <= set(own)
            assert len(gpt2(whole(ruler, row)).input_ids) + SHAPES[ruler].answer <= 1024


def test_a_list_of_ones_own_that_will_not_do_is_said(gpt2, tmp_path):
    """One sentence with the file, and how many lines are needed."""
    with pytest.raises(RulerError, match=r'metadata "words": .*none\.txt cannot be read'):
        rows("cwe", gpt2, words=str(tmp_path / "none.txt"))
    with pytest.raises(RulerError, match=r'metadata "keys": .*few\.txt has 2 different lines; at least 100'):
        rows("niah_single_2", gpt2, keys=written(tmp_path / "few.txt", ["sol", "mar", "sol"]))
    enough = written(tmp_path / "keys.txt", words.vocabulary()[:100])
    with pytest.raises(RulerError, match=r"4096 tokens may need \d+ keys, and there are 100"):
        rows("niah_multikey_2", gpt2, keys=enough, max_seq_lengths=[4096])


@pytest.mark.slow
@pytest.mark.parametrize(("length", "step"), [(2048, 5), (4096, 25)])
def test_compat_grows_lines_by_the_published_steps(length, step, gpt2):
    """25 lines at a time, below 4,096 tokens 5; one step more would not fit."""
    for ruler, line in (("niah_single_1", templates.REPEATED), ("niah_multikey_3", "Um código UUID especial para")):
        for row in rows(ruler, gpt2, mode="compat", max_seq_lengths=[length]):
            count = row["input"].count(line) - (ruler != "niah_single_1")
            assert (count > 0, count % step) == (True, 0)
            each = len(gpt2(row["input"]).input_ids) / (count + 1)
            assert row["length"] <= length < row["length"] + step * each + 2 * each


@pytest.mark.slow
def test_compat_grows_other_contexts_by_the_published_steps(gpt2):
    """500 words of a text, ten sentences of a chain, ten common words."""
    for row in rows("niah_single_2", gpt2, mode="compat", max_seq_lengths=[4096]):
        context = row["input"].split("\n")[1]
        needle = re.search(r"Um número especial para \S+ é: \d+\.", context)[0]
        assert (len(context.split()) - len(needle.split())) % 500 == 0
    for row in rows("vt", gpt2, mode="compat", max_seq_lengths=[4096]):
        assert row["input"].startswith(
            "Memorize e acompanhe a(s) cadeia(s) de atribuição de variáveis ocultas no texto"
        )
        example, question = row["input"].split("\n\n\n\n")
        assert re.search(r"elas são:  [A-Z]{3} [A-Z]{3}", example)
        assert (question.count("Lá vamos nós") % 10, example.count("Lá vamos nós") % 5) == (0, 0)
    for row in rows("cwe", gpt2, mode="compat", max_seq_lengths=[8192]):
        assert len(set(re.findall(r"\d+\. (\S+)", row["input"]))) % 10 == 0
        assert row["length"] < 0.85 * 8192  # the solved example is counted and not shown


def test_a_tokenizer_of_characters_suffices_for_variables():
    """Its example is longer than the published 500 tokens, which is no limit of the length."""
    bytes_alone = Tokenizer(models.BPE(vocab={sign: i for i, sign in enumerate(ALPHABET)}, merges=[]))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise = PreTrainedTokenizerFast(tokenizer_object=bytes_alone)
    for row in rows("vt", bytewise, max_seq_lengths=[4096], num_samples=2):
        assert 0.95 * 4096 < len(bytewise(whole("vt", row)).input_ids) + 30 <= 4096


@pytest.mark.parametrize("ruler", SHAPES)
def test_a_length_that_is_too_short_is_refused(ruler, gpt2):
    """By name, instead of a search without end."""
    with pytest.raises(RulerError, match=f"{ruler}: a length of 200 tokens, .* is too short"):
        rows(ruler, gpt2, max_seq_lengths=[200])


# Sameness


@pytest.mark.slow
@pytest.mark.parametrize("ruler", SHAPES)
def test_the_same_call_gives_the_same_samples(ruler, gpt2):
    """A sample does not depend on how many there are or which lengths stand beside it, but differs from the others."""
    many = rows(ruler, gpt2, max_seq_lengths=[1024, 2048], num_samples=5)
    assert [row["max_length"] for row in many] == [1024, 2048] * 5
    few = rows(ruler, gpt2, num_samples=3)
    assert few == [row for row in many if row["max_length"] == 1024][:3]
    assert len({row["input"] for row in many}) == len(many)


@pytest.mark.slow
def test_another_process_gives_the_same_samples(gpt2, tmp_path):
    """Nothing depends on the order of a set."""
    gpt2.save_pretrained(tmp_path)
    code = (
        "import json, sys; from lm_eval_ifeval_pt.benchmarks.ruler.task import SHAPES, load_dataset\n"
        "print(json.dumps([list(load_dataset(name, [1024], haystack='generated', num_samples=2,"
        " tokenizer=sys.argv[1])['test']) for name in SHAPES]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env=os.environ | {"PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [rows(name, gpt2, num_samples=2) for name in SHAPES]


# What is in a sample


@pytest.mark.parametrize("version", templates.VERSIONS)
@pytest.mark.parametrize("ruler", NIAH)
def test_every_value_asked_for_is_hidden_once_with_its_key(ruler, version, gpt2):
    """And no other value has one of these keys."""
    for row in rows(ruler, gpt2, ruler_version=version):
        body, question = row["input"].rsplit("\n", 1)
        needles = re.findall(r" para (\S+) é: ([\w-]+)\.", body)
        asked = re.split(r", | e ", re.search(r" para (.+) mencionados? ", question)[1])
        assert len(asked) == (4 if ruler == "niah_multiquery" else 1)
        assert len(row["outputs"]) == (4 if ruler in ("niah_multiquery", "niah_multivalue") else 1)
        assert sorted(value for key, value in needles if key in asked) == sorted(row["outputs"])
        assert len({value for _, value in needles}) == len(needles)
        if ruler in ("niah_multikey_2", "niah_multikey_3"):
            assert len(needles) > 5
            assert len(dict(needles)) == len(needles)
        else:
            values = 4 if ruler in ("niah_multikey_1", "niah_multivalue", "niah_multiquery") else 1
            assert len(needles) == values


def test_needles_lie_anywhere(gpt2):
    """In the first and in the last fifth of the text, over some samples."""
    for ruler in ("niah_single_1", "niah_single_2", "niah_multikey_2"):
        places = [
            row["input"].index(row["outputs"][0]) / len(row["input"]) for row in rows(ruler, gpt2, num_samples=30)
        ]
        assert min(places) < 0.2
        assert max(places) > 0.8


def test_the_variables_are_those_that_the_value_reaches(gpt2):
    """Following the assignments in order, in the example and in the question."""
    for row in rows("vt", gpt2):
        example, text = row["input"].split("\n\n\n\n")
        solution = example.split("elas são: ")[1].split()
        for part, names in ((example, solution), (text, row["outputs"])):
            reached = []
            value = re.search(r"ao valor (\d{5}) no texto", part)[1]
            for name, assigned in re.findall(r"VAR (\w+) = (?:VAR )?(\w+)", part):
                if assigned in (value, *reached):
                    reached.append(name)
            assert reached == names
            assert len(set(names)) == 5
        assert value in row["gen_prefix"]
        assert not set(solution) & set(row["outputs"])


def test_no_common_word_is_part_of_another():
    """An answer that has the longer one would count for both."""
    assert list(cwe._apart(["casa", "casaco", "mesa", "asa", "lua"])) == ["casa", "mesa", "lua"]


@pytest.mark.parametrize(("length", "often", "seldom"), [(1024, 6, 1), (4096, 30, 3)])
def test_ten_words_are_common(length, often, seldom, gpt2):
    """And all others equally rare."""
    for row in rows("cwe", gpt2, max_seq_lengths=[length], num_samples=3):
        listed = re.findall(r"(\d+)\. (\S+)", row["input"].split("\n")[1])
        assert [int(number) for number, _ in listed] == list(range(1, len(listed) + 1))
        counts = Counter(word for _, word in listed)
        assert {counts.pop(word) for word in row["outputs"]} == {often}
        assert set(counts.values()) == {seldom}
        assert len(row["outputs"]) == 10


def test_three_coded_words_are_most_frequent(gpt2):
    """After the dots, with the frequencies of the zeta distribution: 1/4, 1/9, 1/16 of the first."""
    for row in rows("fwe", gpt2, max_seq_lengths=[4096], num_samples=3):
        text = row["input"].split("que mais apareceram. ")[1].split("\nPergunta:")[0]
        (dots, many), *others = Counter(text.split()).most_common()
        assert dots == "..."
        assert [word for word, _ in others[:3]] == row["outputs"]
        assert others[2][1] > others[3][1]
        assert [count / many for _, count in others[:3]] == pytest.approx([1 / 4, 1 / 9, 1 / 16], rel=0.1)
        assert all(re.fullmatch("[a-z]{6}", word) for word, _ in others)


def test_a_short_haystack_is_repeated(gpt2, tmp_path):
    """And a text file of the user's is a haystack."""
    text = tmp_path / "texto.txt"
    text.write_text("Era uma vez\num rei. Ele tinha três filhas!\n\nFim?", encoding="utf-8")
    (row,) = rows("niah_single_2", gpt2, haystack=str(text), num_samples=1)
    assert row["input"].count("Era uma vez um rei. Ele tinha três filhas! Fim? Era uma vez um rei.") > 5


# Language


PROMPTS = {
    ("2026-03", "niah_single_2"): (
        "Um número especial está escondido no texto abaixo. Memorize-o. Vou questioná-lo sobre ele depois.",
        "Um número especial para K é: V.",
        "Qual é o número especial para K mencionado no texto fornecido?",
        "O número especial para K mencionado no texto fornecido é",
    ),
    ("2026-03", "niah_single_3"): (
        "Um código UUID especial está escondido no texto abaixo. Memorize-o. Vou questioná-lo sobre ele depois.",
        "Um código UUID especial para K é: V.",
        "Qual é o código UUID especial para K mencionado no texto fornecido?",
        "O código UUID especial para K mencionado no texto fornecido é",
    ),
    ("2026-03", "niah_multivalue"): (
        "Alguns números especiais estão escondidos no texto abaixo. Memorize-os. Vou questioná-lo sobre eles depois.",
        "Um número especial para K é: V.",
        "Quais são todos os números especiais para K mencionados no texto fornecido?",
        "Os números especiais para K mencionados no texto fornecido são",
    ),
    ("2026-03", "niah_multiquery"): (
        "Alguns números especiais estão escondidos no texto abaixo. Memorize-os. Vou questioná-lo sobre eles depois.",
        "Um número especial para K é: V.",
        "Quais são todos os números especiais para K, K, K e K mencionados no texto fornecido?",
        "Os números especiais para K, K, K e K mencionados no texto fornecido são",
    ),
    ("2025", "niah_single_2"): (
        "Algum tipo de número mágico especial está escondido dentro do seguinte texto. Certifique-se de memorizá-lo. "
        "Vou questioná-lo sobre o número depois.",
        "Um dos números mágicos especiais para K é: V.",
        "Qual é o número mágico especial para K mencionado no texto fornecido?",
        "O número mágico especial para K mencionado no texto fornecido é",
    ),
    ("2025", "niah_multikey_3"): (
        "Algum tipo de código UUID mágico especial está escondido dentro do seguinte texto. "
        "Certifique-se de memorizá-lo. Vou questioná-lo sobre o código UUID depois.",
        "Um dos códigos UUID mágicos especiais para K é: V.",
        "Qual é o código UUID mágico especial para K mencionado no texto fornecido?",
        "O código UUID mágico especial para K mencionado no texto fornecido é",
    ),
    ("2025", "niah_multivalue"): (
        "Alguns números mágicos especiais estão escondidos dentro do seguinte texto. Certifique-se de memorizá-los. "
        "Vou questioná-lo sobre os números depois.",
        "Um dos números mágicos especiais para K é: V.",
        "Quais são todos os números mágicos especiais para K mencionados no texto fornecido?",
        "Os números mágicos especiais para K mencionados no texto fornecido são",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("version", "ruler"), PROMPTS)
def test_what_is_said_agrees(version, ruler, gpt2):
    """Article, noun, adjective, participle, pronoun and verb, in both generations; written down by hand."""
    uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    for row in rows(ruler, gpt2, ruler_version=version):
        hidden = re.sub(rf"{uuid}\.|\b\d{{7}}\.", "V.", row["input"] + "\n" + row["gen_prefix"])
        hidden = re.sub(rf"{uuid}|(?<=para )\w+-\w+(?= é)", "K", hidden)
        head, *body, question, prefix = hidden.split("\n")
        for word in set(re.findall(r"[\w-]+", question)) & set(_pairs()):
            question, prefix = question.replace(word, "K"), prefix.replace(word, "K")
        expected = PROMPTS[version, ruler]
        assert (head, question, prefix) == (expected[0], *expected[2:])
        assert expected[1] in "\n".join(body)


def _pairs():
    return {
        f"{adjective.form(noun.feminine)}-{noun.singular}" for adjective in words.adjectives() for noun in words.nouns()
    }


def test_keys_agree(gpt2):
    """The adjective of a key has the gender of its noun."""
    genders = {noun.singular: noun.feminine for noun in words.nouns()}
    forms = {form: (a.masculine, a.feminine) for a in words.adjectives() for form in (a.masculine, a.feminine)}
    seen = set()
    for row in rows("niah_multikey_2", gpt2, num_samples=20):
        for key in re.findall(r" para (\S+) é:", row["input"]):
            adjective, _, noun = key.partition("-")
            assert forms[adjective][genders[noun]] == adjective
            seen.add(genders[noun])
    assert seen == {False, True}


def test_word_lists():
    """Each word once; irregular plurals and genders as the grammar has them."""
    nouns = {noun.singular: noun for noun in words.nouns()}
    assert len(nouns) == len(words.nouns()) > 800
    assert len({a.masculine for a in words.adjectives()}) == len(words.adjectives()) > 200
    assert len(set(words.vocabulary())) == len(words.vocabulary()) > 6000
    plurals = "pão pães;mão mãos;capitão capitães;irmão irmãos;farol faróis;caracol caracóis;túnel túneis;mês meses;"
    plurals += "lápis lápis;juiz juízes;raiz raízes;homem homens;cristal cristais;vulcão vulcões;maçã maçãs"
    for singular, plural in (pair.split() for pair in plurals.split(";")):
        assert nouns[singular].plural == plural
    masculine = "dia mapa planeta cometa poema problema sofá enigma tigre mel sal leite chá avô"
    feminine = "mão tribo flor cor viagem ponte árvore mãe foto avó noite tarde estante moto nuvem fonte"
    assert not [word for word in masculine.split() if nouns[word].feminine]
    assert not [word for word in feminine.split() if word in nouns and not nouns[word].feminine]
    fours = {a.masculine: (a.feminine, a.masculine_plural, a.feminine_plural) for a in words.adjectives()}
    assert fours["bom"] == ("boa", "bons", "boas")
    assert fours["fácil"] == ("fácil", "fáceis", "fáceis")
    assert fours["cru"] == ("crua", "crus", "cruas")
    assert fours["simples"] == ("simples", "simples", "simples")


def test_the_answer_begins_in_the_prompt_in_2025(gpt2):
    """The published code of that generation never found where the answer begins in variable tracking."""
    (row,) = rows("vt", gpt2, ruler_version="2025", num_samples=1)
    assert row["gen_prefix"] == ""
    assert row["input"].endswith("elas são:")
    (row,) = rows("vt", gpt2, num_samples=1)
    assert row["gen_prefix"].endswith("elas são:")
    assert row["input"].endswith("no texto acima.")


# Scoring


@pytest.mark.parametrize(
    ("outputs", "response", "score"),
    [
        (["1234567"], " 1234567.", 1.0),
        (["1234567"], "12345678", 1.0),
        (["1234567"], "1.234.567", 1.0),
        (["casa", "livro", "sol", "mar"], "1. Casa 2. LIVRO 3. lua", 0.5),
        (["casa"], "", 0.0),
        (["ABCDE", "FGHIJ"], "abcde\x00fghij\n", 1.0),
    ],
)
def test_the_score_is_the_share_of_the_outputs_that_are_contained(outputs, response, score):
    """Whatever the case, as published; also under the length, and as NPM with a chance of 0."""
    doc = {"outputs": outputs, "max_length": 2048}
    assert process_results(doc, [response]) == {"2048": score, "string_match": score, "npm": 100 * score}


@pytest.mark.parametrize(
    ("response", "score"),
    [
        ("<think>9006111 e 1234567?</think>Não sei.", 0),
        ("<think>Hum.</think>São 9006111 e 1234567.", 1),
        ("São 9.006.111 e 1.234.567.", 1),
        ("São 9.006.1119 e 1.234.567.", 0.5),
    ],
)
def test_the_answer_is_scored_and_not_the_thought(response, score):
    """Whatever comes before `</think>` is not said; points between thousands are how Portuguese writes numbers."""
    doc = {"outputs": ["9006111", "1234567"], "max_length": 2048}
    assert process_results(doc, [response])["string_match"] == score


# What a user may get wrong


def test_without_a_tokenizer_it_says_how_to_name_one():
    """Names of models behind an API are no tokenizers."""
    with pytest.raises(RulerError, match=r'--metadata \'{"tokenizer": '):
        counter({"base_url": "http://localhost:1/v1/chat/completions"})
    with pytest.raises(RulerError, match=r"'um modelo' \(from 'model'\) cannot be loaded .*\"tokenizer\": "):
        counter({"model": "um modelo"})
    with pytest.raises(RulerError, match='metadata "pretrained" is 3'):
        counter({"pretrained": 3})


def test_a_tokenizer_can_be_named_beside_a_model_that_is_none(gpt2, tmp_path):
    """As for a chat model behind an API, under either key."""
    gpt2.save_pretrained(tmp_path)
    expected = rows("vt", gpt2, num_samples=1)
    for key in ("tokenizer", "pretrained"):
        given = {"model": "sabia", "base_url": "http://localhost:1/", key: str(tmp_path)}
        found = load_dataset("vt", [1024], num_samples=1, **given)["test"]
        assert list(found) == expected


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"ruler_version": "2024"}, "\"ruler_version\" is '2024'; it must be one of: 2025, 2026-03"),
        ({"mode": "paper"}, "\"mode\" is 'paper'; it must be one of: full, nvidia, compat"),
        ({"max_seq_lengths": []}, '"max_seq_lengths" is'),
        ({"max_seq_lengths": ["4096"]}, "positive integers"),
        ({"max_seq_lengths": [1024, 1024]}, "each once"),
        ({"num_samples": 0}, '"num_samples" is'),
        ({"haystack": "não/há.txt"}, r"não/há.txt: cannot be read .*\"haystack\": \"generated\""),
    ],
)
def test_wrong_metadata_is_refused(metadata, message, gpt2):
    """With what it may be."""
    with pytest.raises(RulerError, match=message):
        rows("niah_single_2", gpt2, **metadata)


def test_offline_it_says_how_to_name_a_haystack(gpt2, monkeypatch):
    """The default text is downloaded; without a network there is another way."""

    def fail(self, address):
        raise ConnectionError("no network")

    monkeypatch.setattr(datasets.DownloadManager, "download", fail)
    with pytest.raises(RulerError, match=r"doc-20\.txt: the haystack cannot be downloaded .*\"generated\""):
        rows("niah_single_2", gpt2, haystack=None)
    assert rows("niah_single_1", gpt2, haystack=None)


def test_another_text_than_the_default_is_not_taken_for_it(tmp_path, monkeypatch):
    """Its checksum is compared, white space aside."""
    text = tmp_path / "outro.txt"
    text.write_text("Outro texto.", encoding="utf-8")
    monkeypatch.setattr(datasets.DownloadManager, "download", lambda self, address: str(text))
    haystack._read.cache_clear()
    with pytest.raises(RulerError, match="checksum"):
        haystack.load(None)
    haystack._read.cache_clear()


# In the harness


class Knowing(LM):
    """A model that knows every answer."""

    def generate_until(self, requests):
        """The outputs in a sentence."""
        return [f" {', '.join(request.doc['outputs'])}." for request in requests]

    def loglikelihood(self, requests):
        """No task asks for it."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


@pytest.mark.slow
def test_the_group_runs_in_the_harness(gpt2, tmp_path):
    """Eleven tasks, metrics by length, and the means of the group."""
    gpt2.save_pretrained(tmp_path)
    metadata = {
        "tokenizer": str(tmp_path),
        "max_seq_lengths": [1024, 1500],
        "num_samples": 2,
        "haystack": "generated",
    }
    manager = TaskManager(include_path=str(bundled("tasks")), include_defaults=False, metadata=metadata)
    assert set(manager.load(["ruler_pt"])["tasks"]) == set(TASKS)
    results = lm_eval.simple_evaluate(model=Knowing(), tasks=["ruler_pt"], task_manager=manager)
    for task, ruler in TASKS.items():
        scores = [results["results"][task][f"{name},none"] for name in ("1024", "1500", "string_match", "npm")]
        assert scores == [1.0, 1.0, 1.0, 100.0]
        config = results["configs"][task]
        assert config["metadata"]["npm"] == {"metric": "string_match", "random": 0.0, "max": 1.0}
        assert config["metadata"]["ruler"] == ruler
        assert config["generation_kwargs"]["max_gen_toks"] == SHAPES[ruler].answer
        assert config["target_delimiter"] == SHAPES[ruler].delimiter
        sample = results["samples"][task][1]
        assert sample["doc"]["max_length"] == 1500
        assert sample["arguments"][0][0] == whole(ruler, sample["doc"])
    means = results["groups"]["ruler_pt"]
    assert [means[f"{name},none"] for name in ("1024", "string_match", "npm")] == [1.0, 1.0, 100.0]


def test_a_chat_model_behind_an_address_is_asked(gpt2, tmp_path):
    """The tokenizer comes from the metadata; the beginning of the answer is the assistant's."""
    gpt2.save_pretrained(tmp_path)
    with ChatServer(lambda prompt, nth: "VAR nada") as server:
        arguments = {"model": "sabiá", "base_url": f"{server.url}/chat/completions", "tokenizer_backend": None}
        metadata = arguments | {"tokenizer": str(tmp_path), "max_seq_lengths": [1024], "num_samples": 2}
        manager = TaskManager(include_path=str(bundled("tasks")), include_defaults=False, metadata=metadata)
        results = lm_eval.simple_evaluate(
            model="local-chat-completions",
            model_args=arguments,
            tasks=["ruler_pt_vt"],
            task_manager=manager,
            apply_chat_template=True,
        )
        sent = sorted(server.payloads, key=str)
    assert results["results"]["ruler_pt_vt"]["1024,none"] == 0
    expected = [
        [{"role": "user", "content": row["input"]}, {"role": "assistant", "content": row["gen_prefix"]}]
        for row in rows("vt", gpt2, num_samples=2)
    ]
    found = [
        [{key: message[key] for key in ("role", "content")} for message in payload["messages"]] for payload in sent
    ]
    assert sorted(found, key=str) == sorted(expected, key=str)


@given(st.integers(0, 2**32), st.integers(0, 3000), st.data())
def test_draws_are_those_of_the_standard_library(seed, among, data):
    """The same values, and the generator is left in the same state, so that samples stay what they were."""
    count = data.draw(st.integers(0, among))
    ours, theirs = Random(seed), Random(seed)
    assert draws.sample(ours, range(among), count) == theirs.sample(range(among), count)
    mixed, expected = list(range(count)), list(range(count))
    draws.shuffle(ours, mixed)
    theirs.shuffle(expected)
    assert (mixed, ours.getstate()) == (expected, theirs.getstate())


def test_counts_are_those_of_the_tokenizer_itself(tokenizer):
    """What encodes without copies gives what the tokenizer's own call gives, whatever its file asks for."""
    cut = trained(SPLITS["gpt2"])
    cut.backend_tokenizer.enable_truncation(3)
    cut.backend_tokenizer.enable_padding(length=50)
    texts = ["Um texto.", "", "\n\nOutro, mais longo que o primeiro: 9.006.111.", "<s>"]
    for known in (tokenizer, cut):
        assert TokenCounter(known).count(texts) == [len(known(text).input_ids) for text in texts]


def test_a_tokenizer_with_a_way_of_its_own_is_asked_itself():
    """A class that changes how texts are encoded is not gone round."""

    class Doubling(PreTrainedTokenizerFast):
        def __call__(self, text, **settings):
            return super().__call__([f"{each} {each}" for each in text], **settings)

    plain = trained(SPLITS["gpt2"])
    doubling = Doubling(tokenizer_object=plain.backend_tokenizer)
    assert TokenCounter(doubling).count(["sol"]) == [len(plain("sol sol").input_ids)]
