"""Rewards: as TRL and open-instruct ask for them, and what answers gain that follow in letter only."""

import asyncio
import json
import pickle
import subprocess
import sys

import pytest

from lm_eval_ifeval_pt import check, ifeval, verify
from lm_eval_ifeval_pt.ifeval import dialects
from lm_eval_ifeval_pt.ifeval.rows import RowsError
from lm_eval_ifeval_pt.rewards import InstructionReward, OpenInstructVerifier, gaming
from lm_eval_ifeval_pt.text import Text
from tests import runs, timing
from tests.quality.gold import GOLD, needs_gold, rows

FOLLOWS = "A força da lição está na caça às boas ideias."
HALF = "A força da lição está na caça de boas ideias."
COLUMNS = {"instruction_id_list": ["ptbr:cedilha", "ptbr:crase"], "kwargs": [{}, {}]}


def columns(count, **more):
    """The same columns for some completions."""
    return {name: [value] * count for name, value in (COLUMNS | more).items()}


@pytest.mark.parametrize(
    ("reward", "expected"),
    [
        (InstructionReward(), [1.0, 0.5, 0.0]),
        (InstructionReward(credit="all"), [1.0, 0.0, 0.0]),
        (InstructionReward(penalty=0.5), [1.0, 0.5, -0.5]),
    ],
    ids=["share", "all or none", "a penalty"],
)
def test_the_reward_is_the_share_that_was_followed(reward, expected):
    """Or 1 for all of them; an empty answer loses the penalty."""
    assert reward(prompts=["Fale."] * 3, completions=[FOLLOWS, HALF, " "], **columns(3)) == expected


def test_completions_may_be_messages_and_columns_what_trl_passes():
    """The last message of the assistant counts; TRL's own arguments are not looked at."""
    said = ("Deixe-me ver.", [{"type": "text", "text": FOLLOWS}])
    messages = [{"role": "assistant", "content": content} for content in said]
    reward = InstructionReward()
    given = reward(
        prompts=[[{"role": "user", "content": "Fale."}]] * 2,
        completions=[messages, [{"role": "assistant", "content": HALF}]],
        completion_ids=[[1], [2]],
        trainer_state=None,
        log_metric=print,
        **columns(2),
    )
    assert given == [1.0, 0.5]
    assert reward.__name__ == "instructions_followed"
    assert pickle.loads(pickle.dumps(reward)) == reward


def test_arguments_may_be_json_strings():
    """As a data set holds them whose rows have different ones."""
    given = InstructionReward()(completions=[FOLLOWS], **columns(1, kwargs=json.dumps([{}, None])))
    assert given == [1.0]


def test_reasoning_is_not_rewarded_unless_it_is_to_be_kept():
    """What stands before `</think>` follows nothing."""
    thought = f"<think>{FOLLOWS}</think>Pois bem, eu digo que sim."
    assert InstructionReward()(completions=[thought], **columns(1)) == [0.0]
    assert InstructionReward(reasoning="keep", refuse_gaming=False)(completions=[thought], **columns(1)) == [1.0]


def test_loose_rewards_what_the_loose_score_follows():
    """A first line before the phrase that must begin the answer."""
    row = {"instruction_id_list": [["ptbr:comeca_com"]], "kwargs": [[{"start_phrase": "Era uma vez"}]]}
    answer = ["Claro:\nEra uma vez um rei que não dormia."]
    rewards = {level: InstructionReward(level=level)(completions=answer, **row) for level in ("strict", "loose")}
    assert rewards == {"strict": [0.0], "loose": [1.0]}


def test_without_the_switch_the_reward_is_the_benchmark_s_verdict():
    """On every bundled row, prompt level."""
    reward, answer = InstructionReward(credit="all", refuse_gaming=False), runs.careful(0.7, seed=2)
    for doc in ifeval.load_dataset()["test"]:
        response = answer(doc)
        assert reward.of(doc, response) == check(doc, response).strict


@pytest.mark.parametrize(
    ("completions", "given", "message"),
    [
        ([FOLLOWS], columns(2), "there are 1 completions and 2 instruction_id_list"),
        ([FOLLOWS], {**columns(1), "prompts": ["a", "b"]}, "there are 1 completions and 2 prompts"),
        ([FOLLOWS, None], columns(2, key=5), r"completion 2 \(key 5\): a completion must be a text .* it is None"),
        ([FOLLOWS, []], columns(2), r"completion 2: a completion must be a text"),
        ([FOLLOWS], {}, "no column 'instruction_id_list'"),
        ([FOLLOWS], {"instruction_id_list": [["ptbr:crase"]]}, "no column 'kwargs'"),
        ([FOLLOWS], columns(1, instruction_id_list=None), "completion 1: instruction_id_list must be a list of ids"),
        ([FOLLOWS], columns(1, kwargs="[{}"), "completion 1: no valid JSON"),
        ([FOLLOWS], columns(1, instruction_id_list=["ptbr:cedilha", "crase?"]), "completion 1: unknown constraint"),
    ],
)
def test_bad_input_is_named_with_its_completion(completions, given, message):
    """Lengths, None, missing columns, broken JSON, unknown ids."""
    with pytest.raises(RowsError, match=message):
        InstructionReward()(completions=completions, **given)


def test_bad_options_are_named():
    """At once, not at the first answer."""
    with pytest.raises(ValueError, match="level is 'stict'; it must be one of: strict, loose"):
        InstructionReward(level="stict")
    with pytest.raises(dialects.DialectError, match="klingon"):
        InstructionReward(dialect="klingon")


@pytest.mark.parametrize(
    "label",
    [
        [{"instruction_id": ["ptbr:cedilha", "ptbr:crase"], "kwargs": [{}, None]}],
        "[{'instruction_id': ['ptbr:cedilha', 'ptbr:crase'], 'kwargs': [None, {}]}]",
        json.dumps([json.dumps({"instruction_id": ["ptbr:cedilha", "ptbr:crase"], "kwargs": [{}, {}]})]),
    ],
    ids=["objects", "a Python literal", "JSON in JSON"],
)
def test_open_instruct_s_labels_are_read_in_each_way_they_are_written(label):
    """The score is the share of the instructions."""
    verifier = OpenInstructVerifier()
    result = verifier([1, 2], HALF, label, query="Fale.")
    assert (result.score, result.cost, result.reasoning) == (0.5, 0.0, None)
    assert asyncio.run(verifier.async_call(None, FOLLOWS, label)) == type(result)(1.0)
    assert (verifier.name, verifier.weight) == ("ifeval_pt", 1.0)


@pytest.mark.parametrize("label", ["crase", "[1]", {"kwargs": []}])
def test_a_label_that_says_nothing_is_named(label):
    """No traceback of JSON or of Python's parser."""
    with pytest.raises(RowsError, match="label: "):
        OpenInstructVerifier()(None, FOLLOWS, label)


def test_neither_framework_is_imported():
    """Nor torch, nor the harness."""
    code = (
        "import sys, lm_eval_ifeval_pt.rewards; "
        "assert not {'trl', 'open_instruct', 'torch', 'lm_eval', 'datasets'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


PROSE = "Ontem fomos ao mercado comprar pão e leite para o café."
GAMED = {
    "an HTML comment": ("hidden", f"{PROSE} <!-- ação lição força -->"),
    "a comment never closed": ("hidden", f"{PROSE} <!-- ação lição força"),
    "a Markdown comment": ("hidden", f"{PROSE}\n[//]: # (ação lição força)"),
    "an attribute": ("hidden", f'{PROSE} <span title="ação lição força">Fim.</span>'),
    "a style": ("hidden", f'{PROSE} <p style="display: none">A ação, a lição e a força.</p>'),
    "white text": ("hidden", f'{PROSE} <font color="white">A ação é a lição da força.</font>'),
    "white LaTeX": ("hidden", rf"{PROSE} $\textcolor{{white}}{{ação lição força}}$"),
    "nested": ("hidden", f"{PROSE} <div hidden><div>a</div>A ação é a lição da força.</div>"),
    "a code block": ("code", f"{PROSE}\n```\nação = lição + força\n```"),
    "a code block never closed": ("code", f"{PROSE}\n```\nação = lição + força"),
    "a list of words": ("word_list", f"{PROSE} Ação, lição, força, praça, laço, caça."),
    "a list with articles": ("word_list", f"{PROSE} A ação, a lição e a força; a praça, o laço, a caça."),
    "a list in lines": ("word_list", f"{PROSE}\n- ação\n- lição\n- força\n- praça\n- laço\n- caça"),
    "words and no more": ("word_list", f"{PROSE} Ação lição força praça laço caça poço onça."),
    "another language": ("language", "Yesterday we went to the market; the ação, the lição and the força too."),
}
PROMPT = "Conte o que você fez ontem, com a ação, a lição e a força de quem vive bem. Use palavras com ç."


@pytest.mark.parametrize("name", GAMED)
def test_what_follows_in_letter_only_earns_nothing(name):
    """Each trick is named; the benchmark's verdict stays."""
    trick, answer = GAMED[name]
    row = {"instruction_id_list": ["ptbr:cedilha"], "kwargs": [{}]}
    assert verify("ptbr:cedilha", answer).followed
    assert InstructionReward(refuse_gaming=False).of(row, answer) == 1.0
    assert InstructionReward().of(row, answer) == 0.0
    instructions = [dialects.get("capitu").bind("ptbr:cedilha", {})]
    assert trick in gaming.readings(row, Text(answer), instructions).tricks


def test_the_prompt_again_earns_nothing():
    """Whole or before an answer of one's own; a few of its words in an answer are one's own."""
    row = {"prompt": PROMPT, "instruction_id_list": ["ptbr:cedilha"], "kwargs": [{}]}
    reward = InstructionReward()
    assert [reward.of(row, answer) for answer in (PROMPT, f"{PROMPT} {PROSE}")] == [0.0, 0.0]
    assert reward.of(row, "Ontem fiz a ação mais simples: comi um pedaço de maçã na praça.") == 1.0


def test_hidden_characters_hide_nothing_and_split_nothing():
    """A forbidden word with a zero-width space in it is the word; letters of Unicode's tags are no text."""
    assert not verify("keywords:forbidden_words", "pro\u200bibido", forbidden_words=["proibido"]).followed
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "saude")
    assert not verify("keywords:existence", f"Oi.{tags}", keywords=["saude"]).followed


def test_a_hidden_word_still_breaks_what_forbids_it():
    """Hiding helps in no direction."""
    row = {"instruction_id_list": ["keywords:forbidden_words"], "kwargs": [{"forbidden_words": ["lixo"]}]}
    assert InstructionReward().of(row, f"{PROSE} <!-- lixo -->") == 0.0


@pytest.mark.parametrize(
    ("id", "kwargs", "answer"),
    [
        ("ptbr:cedilha", {}, "Compre maçã, açúcar e pão; a receita da moça é uma lição de paciência."),
        ("detectable_format:json_format", {}, '```json\n{"cor": "azul"}\n```'),
        ("detectable_format:title", {}, "<<poema de alegria>>\nO dia nasce e a rua canta."),
        ("format:bullet_list", {}, "- arroz\n- feijão\n- batata\n- cebola\n- alho\n- sal\n- louro"),
        ("count:word_count_range", {"min_words": 6, "max_words": 7}, "Arroz, feijão, sal, alho, louro, batata, pão."),
        ("language:response_language", {"language": "en"}, "We went to the market and bought some bread."),
        ("count:exact_line_count", {"num_lines": 3}, "Eu vou\nTu vais\nEla vai"),
    ],
)  # fmt: skip
def test_honest_answers_keep_their_reward(id, kwargs, answer):
    """What a reader would call followed: code where JSON is asked for, lists where lists are, another language."""
    row = {"instruction_id_list": [id], "kwargs": [kwargs]}
    assert verify(id, answer, **kwargs).followed
    assert InstructionReward().of(row, answer) == 1.0


def test_hand_written_answers_lose_nothing():
    """Every answer in the bundled file that follows keeps its reward."""
    answer = runs.careful(1.0, seed=1)
    for doc in ifeval.load_dataset()["test"]:
        response = answer(doc)
        assert InstructionReward(credit="all").of(doc, response) == check(doc, response).strict


@needs_gold
def test_real_answers_lose_next_to_nothing():
    """Of CAPITU's 1,800 answers of nine models, one verdict: that of an answer in English."""
    dialect = dialects.get("capitu")
    questions = {row["key"]: row for row in rows("capitu/input_questions.jsonl")}
    lost = []
    for path in sorted((GOLD / "capitu" / "runs").glob("*.jsonl"))[:3]:
        for row in list(rows(f"capitu/runs/{path.name}"))[::4]:
            doc, text = questions[row["key"]], Text(row["response"])
            bound = [dialect.bind(*one) for one in zip(doc["instruction_id_list"], doc["kwargs"], strict=True)]
            read = gaming.readings(doc, text, bound)
            lost += [one for one in bound if one.verify(text).followed and not gaming.is_honest(one, read)]
    assert lost == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["<!-- ", "<p hidden>", "<p ", "</p>", "<p style=opacity:0>a", '](a "b" ', "[a]: #\n", "```\n", r"\color{white}{",
     "ação, ", "ação ", "e ", "a, ", "<", "\\phantom{"],
)  # fmt: skip
def test_hostile_answers_take_linear_time(unit):
    """Twice the text, about twice the time."""
    instructions = [dialects.get("capitu").bind("ptbr:cedilha", {})]
    build = timing.repeated(unit)
    timing.assert_linear(lambda n: Text(build(n)), lambda text: gaming.readings({}, text, instructions), 20_000)
