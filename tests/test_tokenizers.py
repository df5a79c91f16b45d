"""Tokenizers of published models: lengths, shared prefixes, the token that begins a text, thoughts, cut accents."""

import json
import random
from importlib.metadata import version
from pathlib import Path

import pytest

from lm_eval_ifeval_pt.benchmarks.ruler.length import TokenCounter, counter
from lm_eval_ifeval_pt.benchmarks.ruler.task import SHAPES, load_dataset
from lm_eval_ifeval_pt.text import Text
from lm_eval_ifeval_pt.text.reasoning import answer
from tests import published_tokenizers
from tests.published_tokenizers import NAMES

torch = pytest.importorskip("torch", reason="torch is not installed")

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).parents[1] / "data" / "samples"

# Version 4 heeds the `add_bos_token` in DeepSeek's file, version 5 does not.
TRANSFORMERS_5 = int(version("transformers").partition(".")[0]) >= 5

# Those that begin a text with a token of its own, and what their template begins with, read off the published files.
BEGIN = {"gemma3": "<bos>", "llama2": "<s>"} | ({} if TRANSFORMERS_5 else {"deepseek_v3": "<｜begin▁of▁sentence｜>"})
TEMPLATES = {"qwen3": None, "llama3": "<|begin_of_text|>", "gemma3": "<bos>", "deepseek_v3": "<｜begin▁of▁sentence｜>"}
# The tokens that the template puts around a message, counted by hand in its text: <|im_start|> user \n <|im_end|> \n
# <|im_start|> assistant \n; <|begin_of_text|> <|start_header_id|> user <|end_header_id|> \n\n <|eot_id|>
# <|start_header_id|> assistant <|end_header_id|> \n\n; <start_of_turn> user \n <end_of_turn> \n <start_of_turn>
# model \n (its <bos> is there without a template, too); <｜begin▁of▁sentence｜> <｜User｜> <｜Assistant｜>.
AROUND = {"qwen3": 8, "llama3": 10, "gemma3": 8, "deepseek_v3": 3 if TRANSFORMERS_5 else 2}
# Without thoughts, Qwen 3's template adds: <think> \n\n </think> \n\n.
NO_THOUGHT = 4


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    """The name of a tokenizer."""
    return request.param


@pytest.fixture(scope="module")
def tokenizer(name):
    """The tokenizer."""
    return published_tokenizers.load(name)


def model_of(tokenizer, **settings):
    """`hf-shared` with this tokenizer and a random model that knows as many tokens."""
    import transformers

    from lm_eval_ifeval_pt.models.shared_prefix.model import SharedPrefixLM

    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
        max_position_embeddings=4096, tie_word_embeddings=True,
    )  # fmt: skip
    torch.manual_seed(1)
    model = transformers.LlamaForCausalLM(config)
    return SharedPrefixLM(pretrained=model, tokenizer=tokenizer, device="cpu", batch_size=1, **settings)


@pytest.fixture(scope="module")
def model(tokenizer):
    """A model with the tokenizer."""
    return model_of(tokenizer)


# RULER


@pytest.mark.parametrize("ruler", SHAPES)
def test_ruler_fills_its_length_and_never_exceeds_it(ruler, name, model, tokenizer):
    """By the tokens that the harness gives the model, with a chat template and without."""
    shape = SHAPES[ruler]
    given = {"max_seq_lengths": [1024, 4096], "haystack": "generated", "num_samples": 2}
    for row in load_dataset(ruler, tokenizer=tokenizer, **given)["test"]:
        start = shape.delimiter + row["gen_prefix"] if row["gen_prefix"] else ""
        bare = len(model.tok_encode(row["input"] + start)) + shape.answer
        assert bare == row["length"]
        longest = bare
        if name in TEMPLATES:
            prompt = model.apply_chat_template([{"role": "user", "content": row["input"]}]) + row["gen_prefix"]
            longest = max(bare, len(model.tok_encode(prompt)) + shape.answer)
        assert (0.97 if row["max_length"] == 4096 else 0.95) * row["max_length"] <= longest <= row["max_length"]


def test_the_tokens_of_a_chat_template_are_counted_once(name, tokenizer):
    """A template that writes the first token itself does not get that of the tokenizer as well."""
    assert TokenCounter(tokenizer).template == AROUND.get(name, 0)


def test_a_thought_that_the_template_closes_is_part_of_the_length():
    """Qwen 3 without thoughts has an empty one in its prompt; RULER leaves room for it."""
    folder = str(published_tokenizers.folder("qwen3"))
    for arguments in ({"enable_thinking": False}, {"chat_template_args": {"enable_thinking": False}}):
        assert counter({"pretrained": folder, **arguments}).template == AROUND["qwen3"] + NO_THOUGHT
    assert counter({"pretrained": folder, "enable_thinking": True}).template == AROUND["qwen3"]


# Chat templates


def test_a_chat_begins_once(name, model, tokenizer):
    """With one token that begins a text, or none where the model has none, whoever writes it."""
    if name not in TEMPLATES:
        pytest.skip("a tokenizer without a chat template")
    prompt = model.apply_chat_template([{"role": "user", "content": "Vou à feira."}])
    begin = TEMPLATES[name]
    assert prompt.startswith(begin or "<|im_start|>")
    tokens, _ = model.tok_batch_encode([prompt])
    pair, _ = model._encode_pair(prompt, "Vamos.")
    for given in (model.tok_encode(prompt), tokens[0].tolist(), pair):
        assert tokenizer.convert_ids_to_tokens(given).count(begin or "<|im_start|>") == (1 if begin else 2)


@pytest.mark.parametrize("name", ["llama3", "deepseek_v3"], indirect=True)
def test_a_beginning_that_is_asked_for_is_not_doubled(name, tokenizer):
    """`add_bos_token=True` puts the first token before a bare text, and not before a template that writes it."""
    if name == "llama3" and not TRANSFORMERS_5:
        pytest.skip("transformers 4 does not heed add_bos_token for this class of tokenizers")
    asked = published_tokenizers.load(name, add_bos_token=True)
    model = model_of(asked, add_bos_token=True)
    begin = TEMPLATES[name]
    prompt = model.apply_chat_template([{"role": "user", "content": "Vou à feira."}])
    for text in ("Vou à feira.", prompt):
        assert asked.convert_ids_to_tokens(model.tok_encode(text)).count(begin) == 1
        assert asked.convert_ids_to_tokens(model._encode_pair(text, " Sim.")[0]).count(begin) == 1
    named = counter({"pretrained": str(published_tokenizers.folder(name)), "add_bos_token": True})
    alone = {"llama3": 10, "deepseek_v3": 3}[name] - 1  # the first token is there without a template, too
    assert named.template == alone


def test_a_text_begins_as_its_tokenizer_says(name, model, tokenizer):
    """The contexts of `hf-shared` too, whose common part is encoded by itself."""
    for text in ("Vou à feira.", "Vou à feira. Depois, volto à casa."):
        tokens = tokenizer.convert_ids_to_tokens(model._encode_pair(text, " Sim.")[0])
        assert tokens[0] == BEGIN.get(name, tokens[0])
        assert tokenizer.bos_token not in tokens[name in BEGIN :]


# Shared prefixes

ODD = [
    " m² de área", "1.234,56 e 10 %", " <think>\nok</think> x", "e\u0301 c\u0327a\u0303o em partes", "🙂👩‍🚀 a",
    " \u00a0nbsp\u200b zero", "中文 texto", "“aspas” — travessão…", "\r\n\r\nlinha", "\tTab  dois   três",
    "l'eau d'água 's 'S don't", "ª º nº 5", "<|im_start|>user\nOi<|im_end|>\n", "<bos> a <start_of_turn>user",
    "<｜User｜> oi <｜Assistant｜>", " <|begin_of_text|> b", "x ²y ⅷ z", "a_b c_d", "ﬁ ½ meio", "  \n  \n",
    "f(x) == y; // c",
]  # fmt: skip
CONTINUATIONS = [
    *(" a", "s", " casas", "\n", "-clara", " \n x", "'s d'água", "é", ", 12 3", "  y", "\u0301x", " ção", "</think>"),
    *("🙂", " A", ".", " <|im_end|>", " 2024"),
]


def strings(value):
    """All strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def contexts(chance, count):
    """Contexts that share their beginnings, of sample rows and odd texts, some cut anywhere."""
    lines = [
        json.loads(line)
        for path in sorted(SAMPLES.rglob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    texts = [text for text in strings(lines) if text.strip()]
    for _ in range(count):
        shots = " ".join(chance.choice(texts + 10 * ODD) for _ in range(chance.randint(1, 6)))[:2000]
        for _ in range(4):
            context = shots + chance.choice([" ", "\n", "\n\n", "", ". "]) + chance.choice(texts + 20 * ODD)[:200]
            yield context[: chance.randint(1, len(context))] if chance.random() < 0.3 else context


def test_what_is_encoded_by_parts_is_what_is_encoded_whole(name, model, tokenizer):
    """Pairs of `hf-shared` have the tokens of `hf`; who splits words is found out."""
    from lm_eval.models.huggingface import HFLM

    from lm_eval_ifeval_pt.models.shared_prefix.encoding import Encoder, splits_words

    def plain(text):
        return model.tok_encode(text, add_special_tokens=False)

    def whole(context, continuation):
        return HFLM._encode_pair(model, context, continuation)

    by_parts = splits_words(tokenizer, model.tok_encode, plain)
    assert by_parts == (name not in {"gemma3", "llama2"})  # whose words are split by merges alone
    encoder = Encoder(whole, model.tok_encode, plain, by_parts)
    chance = random.Random(1)
    for context in contexts(chance, 60):
        if context.strip():
            for continuation in chance.sample(CONTINUATIONS, 3):
                assert encoder.pair(context, continuation) == whole(context, continuation)
    assert encoder.by_parts == by_parts


def test_shared_prefixes_score_as_hf(model):
    """The same log-likelihoods for choices of one question, though each of its tokens is computed once."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    questions = ["Pergunta: de que cor é o céu?\nResposta:", "Pergunta: de que cor é o limão?\nResposta:"]
    pairs = [(question, choice) for question in questions for choice in (" azul", " amarelo-limão", " ção")]
    requests = [Instance("loglikelihood", {}, pair, index) for index, pair in enumerate(pairs)]
    expected = HFLM.loglikelihood(model_of(model.tokenizer), requests, disable_tqdm=True)
    plain = [score for score, _ in expected]
    assert [score for score, _ in model.loglikelihood(requests, disable_tqdm=True)] == pytest.approx(plain, abs=1e-4)
    spent = model.get_model_info()
    assert spent["loglikelihood_backend"] == "shared prefixes"
    assert spent["loglikelihood_tokens"]["distinct"] < spent["loglikelihood_tokens"]["hf"]


# Answers

THOUGHT, ANSWER = "The user wants a sentence with crase à.", "Vou à feira."


@pytest.mark.parametrize("name", ["qwen3"], indirect=True)
def test_tags_of_a_thought_outlive_decoding(name, model, tokenizer):
    """Qwen 3's are single tokens and no special ones: the harness's text has them, and the answer is what follows."""
    tokens = model.tok_encode(f"<think>\n{THOUGHT}\n</think>\n\n{ANSWER}")
    assert tokenizer.convert_tokens_to_ids("</think>") in tokens
    assert answer(model.tok_decode(tokens)).text.strip() == ANSWER


@pytest.mark.parametrize("name", ["gptoss"], indirect=True)
@pytest.mark.parametrize("decoded", ["without special tokens", "whole"])
def test_a_thought_in_a_channel_is_no_answer(name, decoded, model):
    """gpt-oss marks channels with special tokens, which the harness leaves out; a thought cut off is no answer."""
    thought = f"<|channel|>analysis<|message|>{THOUGHT}"
    for response, expected in [
        (f"{thought}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}", ANSWER),
        (thought, ""),
    ]:
        text = model.tok_decode(model.tok_encode(response), skip_special_tokens=decoded != "whole")
        assert answer(text).text == expected


ACCENTED = (
    "“Não, avô: às vêzes o açaí é só açaí!” — Ẽ ŷ ũ, 🙂👩‍🚀🫩"
    ", disse a órfã em Iguaçu, d'água, às 20h30 de 1º de março."
)


def test_a_text_that_ends_within_a_letter_keeps_its_words(name, tokenizer):
    """Wherever the token limit cuts, all words before the last are those of the text, and half a letter is none."""
    text = Text(ACCENTED)
    words = [text.text[slice(*span)] for span in text.words]
    tokens = tokenizer(ACCENTED, add_special_tokens=False).input_ids
    assert tokenizer.decode(tokens) == ACCENTED
    within = 0
    for end in range(1, len(tokens)):
        said = tokenizer.decode(tokens[:end])
        within += said.endswith("\ufffd")
        assert ACCENTED.startswith(said.rstrip("\ufffd"))
        cut = Text(said)
        found = [cut.text[slice(*span)] for span in cut.words]
        assert found[:-1] == words[: max(0, len(found) - 1)]
        assert not found or words[len(found) - 1].startswith(found[-1])
    assert within  # else this tokenizer never does, and the test is not about it
