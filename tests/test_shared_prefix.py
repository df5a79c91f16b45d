"""`hf-shared`: the numbers of `hf`, whatever the model, the requests and the batch size."""

from __future__ import annotations

import itertools
import json
import logging
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lm_eval_ifeval_pt.models.shared_prefix import plan, trie
from lm_eval_ifeval_pt.models.shared_prefix.plan import Cost
from lm_eval_ifeval_pt.models.shared_prefix.trie import ScoredSequence

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

VOCABULARY = 203
LONGEST = 96
WINDOW = 11
COMMON = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 128,
    "initializer_range": 0.2,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": 1,
}
GROUPED = {**COMMON, "num_key_value_heads": 2}
GPT = {"vocab_size": VOCABULARY, "initializer_range": 0.2, "bos_token_id": 0, "eos_token_id": 1}
GEMMA = {**GROUPED, "head_dim": 8, "query_pre_attn_scalar": 8, "sliding_window": WINDOW}
SHARED = {
    "gpt_neox": COMMON,
    "gpt2": {**GPT, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 128},
    "llama": GROUPED,
    "qwen2": GROUPED,
    "qwen3": {**GROUPED, "head_dim": 8},
    "mixtral": {**GROUPED, "num_local_experts": 4},
    "mistral": {**GROUPED, "sliding_window": WINDOW},
    "qwen2 with two kinds of layers": {
        **GROUPED,
        "use_sliding_window": True,
        "sliding_window": WINDOW,
        "max_window_layers": 1,
    },
    "gemma2": {**GEMMA, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 1.0},
    "gemma3_text": GEMMA,
}
PLAIN = {
    "bloom": {**GPT, "hidden_size": 32, "n_layer": 2, "n_head": 4},
    "gpt_neo": {
        **GPT,
        "hidden_size": 32,
        "num_layers": 2,
        "num_heads": 4,
        "max_position_embeddings": 128,
        "attention_types": [[["global", "local"], 1]],
        "window_size": 48,
    },
    "mamba": {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2},
    "llama": {
        **GROUPED,
        "max_position_embeddings": 32,
        "rope_parameters": {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10000.0},
    },
}
TEN = Cost(pair=0.001, copy=0.01, call=10)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)
    logging.getLogger("lm_eval").setLevel(logging.ERROR)


def model(kind: str, settings: dict[str, Any], dtype: Any = None) -> Any:
    """Make a small model of random weights, large enough to tell a wrong mask."""
    torch.manual_seed(0)
    config = transformers.AutoConfig.for_model(kind.split()[0], **settings)
    made = transformers.AutoModelForCausalLM.from_config(config)
    return made.to(dtype or torch.float32).eval()


def tokenizer() -> Any:
    """Make a tokenizer whose tokens are words, w0 to w199."""
    tokenizers = pytest.importorskip("tokenizers")
    names = ["<s>", "</s>", "<unk>", *(f"w{number}" for number in range(VOCABULARY - 3))]
    words = tokenizers.models.WordLevel({name: index for index, name in enumerate(names)}, unk_token="<unk>")
    made = tokenizers.Tokenizer(words)
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


def pairs() -> list[tuple[str, str]]:
    """Return contexts and continuations of many shapes."""
    chance = random.Random(0)

    def words(count: int) -> str:
        return " ".join(f"w{chance.randrange(VOCABULARY - 3)}" for _ in range(count))

    made = []
    shots = words(30)
    for _ in range(5):  # shots that are common to all, choices of several tokens
        context = f"{shots} {words(chance.randint(2, 9))}"
        made += [(context, f" {words(chance.randint(1, 6))}") for _ in range(4)]
    for _ in range(3):  # shots of its own; letters, two of them the same
        context = words(25)
        made += [(context, f" {letter}") for letter in ("w1", "w2", "w3", "w3")]
    context = words(12)
    made += [(context, continuation) for continuation in (" w1", " w1 w2", " w1 w2 w3", " w1 w2 w4")]
    made += [(context + " \n", "w5")]
    made += [("", words(5)), ("", words(1)), ("", "<s> w1 w2"), (words(1), f" {words(40)}")]
    made += [(words(LONGEST + 20), f" {words(5)}") for _ in range(2)]
    made += [(words(3), f" {words(LONGEST)}"), (words(LONGEST), " w7")]
    chance.shuffle(made)
    return made


def instances(arguments: Sequence[tuple[str, ...]]) -> list[Any]:
    """Return the requests as the harness gives them."""
    from lm_eval.api.instance import Instance

    return [Instance("loglikelihood", {}, pair, index) for index, pair in enumerate(arguments)]


def harness_model(shared: bool, made: Any, **settings: Any) -> Any:
    """Return the model as `hf` or as `hf-shared`."""
    from lm_eval.models.huggingface import HFLM

    from lm_eval_ifeval_pt.models.shared_prefix.model import SharedPrefixLM

    kind = SharedPrefixLM if shared else HFLM
    settings = {"tokenizer": tokenizer(), "batch_size": 4, "max_length": LONGEST, **settings}
    return kind(pretrained=made, **settings)


def assert_same(found: Sequence[tuple[float, bool]], expected: Sequence[tuple[float, bool]]) -> None:
    """Log-likelihoods within 1e-4 nats, greedy flags equal."""
    np.testing.assert_allclose([each for each, _ in found], [each for each, _ in expected], rtol=0, atol=1e-4)
    assert [greedy for _, greedy in found] == [greedy for _, greedy in expected]


class TestNumbers:
    """Log-likelihoods and greedy flags, beside those of `hf`."""

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", SHARED)
    def test_as_hf(self, kind: str) -> None:
        """They are those of `hf` for every batch size, and fewer tokens are computed."""
        made = model(kind, SHARED[kind])
        requests = instances(pairs())
        expected = harness_model(False, made).loglikelihood(requests, disable_tqdm=True)
        for batch_size in (1, 3, 64, "auto"):
            shared = harness_model(True, made, batch_size=batch_size)
            assert_same(shared.loglikelihood(requests, disable_tqdm=True), expected)
            info = shared.get_model_info()
            assert info["loglikelihood_backend"] == "shared prefixes"
            tokens = info["loglikelihood_tokens"]
            assert tokens["distinct"] < tokens["computed"] < tokens["hf"]

    @pytest.mark.slow
    def test_kept_for_other_weights(self) -> None:
        """What was prepared of requests serves after the weights change: the numbers are those of a model made anew."""
        made = model("llama", SHARED["llama"])
        shared = harness_model(True, made)
        shared.keep()
        requests = instances(pairs())
        shared.loglikelihood(requests, disable_tqdm=True)
        with torch.no_grad():
            for weight in made.parameters():
                weight.mul_(1.1)
        shared.tok_encode = None  # nothing is encoded again
        anew = harness_model(True, made)
        anew._cost = shared._cost
        found = shared.loglikelihood(requests, disable_tqdm=True)
        assert found == anew.loglikelihood(requests, disable_tqdm=True)
        assert_same(found, harness_model(False, made).loglikelihood(requests, disable_tqdm=True))

    @pytest.mark.parametrize("kind", PLAIN)
    def test_fallback(self, kind: str, caplog: pytest.LogCaptureFixture) -> None:
        """A model that takes no tree mask or no cache is computed as by `hf`; one line says so."""
        made = model(kind, PLAIN[kind])
        requests = instances(pairs())
        expected = harness_model(False, made).loglikelihood(requests, disable_tqdm=True)
        shared = harness_model(True, made)
        with caplog.at_level(logging.WARNING, "lm_eval_ifeval_pt"):
            for _ in range(2):
                assert shared.loglikelihood(requests, disable_tqdm=True) == expected
        (record,) = (each for each in caplog.records if each.name.startswith("lm_eval_ifeval_pt"))
        assert "computed as by hf" in record.getMessage()
        assert shared.get_model_info()["loglikelihood_backend"].startswith("hf: ")

    def test_encoder_and_decoder(self) -> None:
        """A T5 is computed as by `hf`, its inputs having no prefix in common, and does not report shared prefixes."""
        torch.manual_seed(0)
        sizes = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 1}
        config = transformers.T5Config(vocab_size=VOCABULARY, pad_token_id=1, eos_token_id=1, **sizes)
        made = transformers.T5ForConditionalGeneration(config).eval()
        requests = instances([pair for pair in pairs() if all(pair)][:12])
        expected = harness_model(False, made).loglikelihood(requests, disable_tqdm=True)
        shared = harness_model(True, made)
        assert shared.loglikelihood(requests, disable_tqdm=True) == expected
        info = shared.get_model_info()
        assert info["loglikelihood_backend"] == "hf: encoder and decoder have no prefix in common"
        assert info["loglikelihood_tokens"] == {"computed": 0, "distinct": 0, "hf": 0}

    def test_window_of_its_own(self) -> None:
        """A window that the model counts in tokens of a row counts siblings: inputs may be shorter than it."""
        made = model("gpt_neo", PLAIN["gpt_neo"])
        chance = random.Random(0)
        context = " ".join(f"w{chance.randrange(200)}" for _ in range(30))
        asked = [(context, f" w{number} w{number + 1} w{number + 2}") for number in range(0, 90, 3)]
        expected = harness_model(False, made).loglikelihood(instances(asked), disable_tqdm=True)
        shared = harness_model(True, made, batch_size=8)
        assert_same(shared.loglikelihood(instances(asked), disable_tqdm=True), expected)

    def test_greedy(self) -> None:
        """A continuation that the model would write is greedy, one that leaves it at one token is not."""
        made = model("llama", SHARED["llama"])
        shared = harness_model(True, made)
        context = "w1 w2 w3 w4"
        tokens = shared.tok_encode(context)
        for _ in range(4):
            tokens.append(int(made(torch.tensor([tokens])).logits[0, -1].argmax()))
        written = shared.tokenizer.convert_ids_to_tokens(tokens[4:])
        other = "w9" if written[2] != "w9" else "w8"
        asked = [written, written[:1], [*written[:2], other, *written[3:]]]
        requests = instances([(context, " " + " ".join(each)) for each in asked])
        found = shared.loglikelihood(requests, disable_tqdm=True)
        assert [greedy for _, greedy in found] == [True, True, False]

    def test_same_input_parted_elsewhere(self) -> None:
        """Requests whose inputs are the same but parted elsewhere are scored as each by itself.

        With its logits_cache, the harness's 0.4.13 scores the shorter continuation at the longer one's first
        positions.
        """
        made = model("llama", SHARED["llama"])
        requests = instances([("w1 w2 w3", " w5 w6"), ("w1 w2", " w3 w5 w6")])
        expected = harness_model(False, made, logits_cache=False).loglikelihood(requests, disable_tqdm=True)
        assert_same(harness_model(True, made).loglikelihood(requests, disable_tqdm=True), expected)

    def test_rolling(self) -> None:
        """Whole texts, longer than the model's window too."""
        made = model("llama", SHARED["llama"])
        texts = [context for context, _ in pairs() if context]
        requests = instances([(text,) for text in (*texts, texts[0], f"{texts[0]} {texts[1]} {texts[2]}")])
        expected = harness_model(False, made).loglikelihood_rolling(requests, disable_tqdm=True)
        for batch_size in (2, "auto"):
            shared = harness_model(True, made, batch_size=batch_size)
            found = shared.loglikelihood_rolling(requests, disable_tqdm=True)
            np.testing.assert_allclose(found, expected, rtol=0, atol=2e-4)

    @pytest.mark.parametrize("settings", [{"softmax_dtype": "float32"}, {"mixed_precision_dtype": "bfloat16"}])
    def test_low_precision(self, settings: dict[str, str]) -> None:
        """In bf16 the numbers differ from those in fp32 no more than those of `hf` do, give or take."""
        requests = instances(pairs())
        exact = np.array(
            harness_model(False, model("llama", SHARED["llama"])).loglikelihood(requests, disable_tqdm=True)
        )[:, 0]
        dtype = torch.bfloat16 if "softmax_dtype" in settings else torch.float32
        made = model("llama", SHARED["llama"], dtype)
        plain, shared = (
            np.array(harness_model(which, made, **settings).loglikelihood(requests, disable_tqdm=True))[:, 0]
            for which in (False, True)
        )
        assert 0 < np.abs(shared - exact).max() < 2 * np.abs(plain - exact).max()

    def test_a_config_that_surprises(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        """Whatever a configuration raises ends no run: the model is computed as by `hf`, and one line says why."""
        made = model("llama", SHARED["llama"])
        requests = instances(pairs())
        expected = harness_model(False, made).loglikelihood(requests, disable_tqdm=True)

        read = type(made.config).get_text_config

        def ambiguous(self: Any, *args: Any, **kwargs: Any) -> Any:
            if sys._getframe(1).f_code.co_name == "measure":  # the model itself can read its configuration
                raise AttributeError("head_dim differs by layer")
            return read(self, *args, **kwargs)

        shared = harness_model(True, made)
        monkeypatch.setattr(type(made.config), "get_text_config", ambiguous)
        assert_same(shared.loglikelihood(requests, disable_tqdm=True), expected)
        assert sum("head_dim differs by layer" in record.getMessage() for record in caplog.records) == 1

    def test_processes_agree(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where `hf` waits for other processes, one that computes as `hf` does makes all do so."""
        made = model("llama", SHARED["llama"])
        requests = instances([("w1 w2 w3 w4 w5",), ("w1 w2 w3",)])
        expected = harness_model(False, made).loglikelihood_rolling(requests, disable_tqdm=True)
        shared = harness_model(True, made, batch_size=64)
        shared._world_size = 2
        waited = []

        def all_gather(tensor: Any) -> Any:
            waited.append(tensor)
            return torch.stack([tensor, tensor if tensor.dtype != torch.bool else ~tensor])

        monkeypatch.setattr(shared, "all_gather", all_gather)
        assert shared.loglikelihood_rolling(requests, disable_tqdm=True) == pytest.approx(expected, abs=1e-4)
        assert [each.dtype for each in waited] == [torch.bool, torch.int64]

    def test_errors(self) -> None:
        """What `hf` refuses is refused: an empty continuation, and one longer than the model's window."""
        shared = harness_model(True, model("llama", SHARED["llama"]))
        for continuation in ("", " w1" * (LONGEST + 1)):
            with pytest.raises(AssertionError):
                shared.loglikelihood(instances([("w1 w2", continuation)]), disable_tqdm=True)
        assert shared.loglikelihood([], disable_tqdm=True) == []


class TestHarness:
    """What the harness does around the model."""

    def test_progress_and_cache(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        """The bar counts requests, and `--use_cache` keeps each answer."""
        from lm_eval.api.model import CachingLM

        shared = harness_model(True, model("llama", SHARED["llama"]))
        cached = CachingLM(shared, str(tmp_path / "answers.db"))
        requests = instances(pairs())
        found = cached.loglikelihood(requests)
        total = len(requests)
        assert f"Running loglikelihood requests: 100%|██████████| {total}/{total}" in capsys.readouterr().err
        assert len(cached.dbdict) == len(set(pairs()))
        computed = shared.get_model_info()["loglikelihood_tokens"]
        again = cached.loglikelihood(requests)
        assert again == found
        assert shared.get_model_info()["loglikelihood_tokens"] == computed

    def test_memory_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """When the device's memory is exhausted, smaller calls go on with what is left."""
        from lm_eval_ifeval_pt.models.shared_prefix.forward import Forward

        made = model("llama", SHARED["llama"])
        requests = instances(pairs())
        expected = harness_model(False, made).loglikelihood(requests, disable_tqdm=True)
        shared = harness_model(True, made, batch_size=8)
        call = Forward.__call__
        refused = []

        def limited(self: Any, rows: Any, kept: int, keep: bool = False) -> Any:
            tokens = len(rows) * max(len(row.tokens) for row in rows)
            if tokens > 2 * LONGEST:
                refused.append(tokens)
                raise torch.cuda.OutOfMemoryError("no memory")
            return call(self, rows, kept, keep)

        monkeypatch.setattr(Forward, "__call__", limited)
        assert_same(shared.loglikelihood(requests, disable_tqdm=True), expected)
        assert refused

    def test_memory_error_after_a_prefix(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What a kept prefix has scored of unfinished texts is not counted again."""
        made = model("llama", SHARED["llama"])
        requests = instances([(f"{pairs()[0][0]} w1 w2 w{number} w{number}",) for number in range(12)])
        expected = harness_model(False, made).loglikelihood_rolling(requests, disable_tqdm=True)
        shared = harness_model(True, made)
        shared._cost = Cost(pair=0.001, copy=0, call=0)
        shared.loglikelihood_rolling(requests[:1], disable_tqdm=True)  # the trial is over
        calls = fail_at(2, torch.cuda.OutOfMemoryError("no memory"), monkeypatch)
        found = shared.loglikelihood_rolling(requests, disable_tqdm=True)
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-4)
        assert calls[0] == ("keep", 1)

    def test_interrupted(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """With `--use_cache`, a run that is interrupted has kept what it had answered."""
        from lm_eval.api.model import CachingLM

        made = model("llama", SHARED["llama"])
        requests = instances(pairs())
        expected = dict(zip(pairs(), harness_model(True, made).loglikelihood(requests), strict=True))
        shared = harness_model(True, made, batch_size=1)
        shared.loglikelihood(requests[:1], disable_tqdm=True)
        cached = CachingLM(shared, str(tmp_path / "answers.db"))
        with monkeypatch.context() as patch:
            fail_at(6, KeyboardInterrupt(), patch)
            with pytest.raises(KeyboardInterrupt):
                cached.loglikelihood(requests)
        kept = len(cached.dbdict)
        assert 0 < kept < len(expected)
        found = cached.loglikelihood(requests)
        assert_same(found, [expected[pair] for pair in pairs()])


TEXT = """
A casa fica no fim da rua, ao lado da padaria do senhor José. Pergunta: quantas janelas ela tem?
Resposta: três\n\nPergunta: de que cor é a porta, azul-clara ou amarela?\nResposta: azul-clara e nova
"""


def bpe(before: str = "", pre_tokenizer: Any = None, normalizer: Any = None) -> Any:
    """Make a tokenizer of merged pairs, that puts `before` before each text and splits words, if it does."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizer
    made.normalizer = normalizer
    initial = [*pre_tokenizers.ByteLevel.alphabet(), "\u2581"]
    trainer = trainers.BpeTrainer(
        vocab_size=420, initial_alphabet=initial, special_tokens=["<s>", "</s>"], show_progress=False
    )
    made.train_from_iterator([TEXT] * 3, trainer)
    if before:
        made.post_processor = processors.TemplateProcessing(
            single=f"{before} $A", special_tokens=[(before, made.token_to_id(before))]
        )
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>")


class TestEncoding:
    """Tokens of contexts and continuations, beside those of `hf`."""

    @staticmethod
    def encoder(made: Any, seen: list[str] | None = None) -> Any:
        """Return the encoder, and `hf`'s own way, over a tokenizer."""
        from lm_eval_ifeval_pt.models.shared_prefix.encoding import Encoder, splits_words

        def plain(text: str) -> list[int]:
            if seen is not None:
                seen.append(text)
            return list(made.encode(text, add_special_tokens=False))

        def encode(text: str) -> list[int]:
            if seen is not None:
                seen.append(text)
            return list(made.encode(text))

        def whole(context: str, continuation: str) -> tuple[list[int], list[int]]:
            stripped = context.rstrip()
            both = list(made.encode(context + continuation))
            context_tokens = list(made.encode(stripped))
            return context_tokens, both[len(context_tokens) :]

        return Encoder(whole, encode, plain, splits_words(made, encode, plain)), whole

    @staticmethod
    def texts() -> list[tuple[str, str]]:
        """Contexts that share much with each other, cut anywhere, and continuations of all sorts."""
        made = []
        for cut in range(3, len(TEXT), 7):
            for continuation in (" a", "s", " casas", "\n", "-clara", " \n x", "'s d'água", "é", ", 12 3", "  y"):
                made.append((TEXT[:cut], continuation))
        chance = random.Random(1)
        return made + chance.sample(made, 60) + [(f"{TEXT}x{number}", " sim") for number in range(9)]

    @pytest.mark.slow
    @pytest.mark.parametrize("before", ["", "<s>"])
    @pytest.mark.parametrize("kind", ["gpt2", "llama3", "metaspace", "none", "gemma"])
    def test_as_hf(self, kind: str, before: str) -> None:
        """They are the same, whether the tokenizer splits words or not."""
        from tokenizers import Regex, normalizers, pre_tokenizers

        words = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        pattern = Regex(words + r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
        pre_tokenizer = {
            "gpt2": pre_tokenizers.ByteLevel(add_prefix_space=False),
            "llama3": pre_tokenizers.Sequence(
                [
                    pre_tokenizers.Split(pattern, behavior="isolated"),
                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
                ]
            ),
            "metaspace": pre_tokenizers.Metaspace(prepend_scheme="first"),
            "none": pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            "gemma": pre_tokenizers.Split(" ", behavior="merged_with_previous"),
        }[kind]
        made = bpe(before, pre_tokenizer, normalizers.Replace(" ", "\u2581") if kind == "gemma" else None)
        encoder, whole = self.encoder(made)
        assert encoder.by_parts == (kind not in {"none", "gemma"})
        for context, continuation in self.texts():
            if context.strip():
                assert encoder.pair(context, continuation) == whole(context, continuation)

    def test_shared_text_is_encoded_once(self) -> None:
        """After two documents, neither the shots nor a context's words before its last are encoded again."""
        from tokenizers import pre_tokenizers

        seen: list[str] = []
        made = bpe("<s>", pre_tokenizers.ByteLevel(add_prefix_space=False))
        encoder, _ = self.encoder(made, seen)
        questions = [f"quem vive na casa {number}?" for number in range(16)]
        for question in ("qual é a cor?", *questions, "quem mora no fim da rua?"):
            seen.clear()
            for choice in (" um", " dois", " três"):
                encoder.pair(f"{TEXT} Pergunta: {question}", choice)
        end = " nova\n Pergunta: quem mora no fim da"
        assert seen == [end, " rua?", " rua? um", " rua? dois", " rua? três"]

    def test_checked(self) -> None:
        """A tokenizer that says it splits words, and does not, is found out before a pair is wrong."""
        from tokenizers import pre_tokenizers

        from lm_eval_ifeval_pt.models.shared_prefix.encoding import Encoder

        made = bpe("", pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False))
        honest, whole = self.encoder(made)
        encoder = Encoder(whole, honest.encode, honest.plain, by_parts=True)
        pairs = [(f"{TEXT[:60]} a rua da casa", " da porta"), ("a porta da casa", " azul-clara da rua")]
        assert [encoder.pair(*pair) for pair in pairs] == [whole(*pair) for pair in pairs]
        assert not encoder.by_parts

    def test_special_token_behind(self) -> None:
        """A tokenizer that ends each text with a token is used whole, as one without a fast version is."""
        from tokenizers import pre_tokenizers, processors

        from lm_eval_ifeval_pt.models.shared_prefix.encoding import splits_words

        made = bpe("", pre_tokenizers.ByteLevel(add_prefix_space=False))
        end = made.convert_tokens_to_ids("</s>")
        made.backend_tokenizer.post_processor = processors.TemplateProcessing(
            single="$A </s>", special_tokens=[("</s>", end)]
        )
        encoder, _ = self.encoder(made)
        assert made.encode("a")[-1] == end
        assert not encoder.by_parts
        assert not splits_words(object(), list, list)


def fail_at(call: int, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Make one forward call, counted from 1, fail; return the list of calls, which grows."""
    from lm_eval_ifeval_pt.models.shared_prefix.forward import Forward

    original = Forward.__call__
    calls: list[tuple[str, int]] = []

    def counted(self: Any, rows: Any, kept: int, keep: bool = False) -> Any:
        calls.append(("keep" if keep else "rows", len(rows)))
        if len(calls) == call:
            raise error
        return original(self, rows, kept, keep)

    monkeypatch.setattr(Forward, "__call__", counted)
    return calls


def small_requests(seed: int) -> list[ScoredSequence]:
    """Return requests over three tokens, so that they share much."""
    chance = np.random.default_rng(seed)
    made = []
    for _ in range(30):
        tokens = chance.integers(0, 3, size=chance.integers(2, 12))
        made.append(ScoredSequence(tokens, int(chance.integers(1, len(tokens)))))
    return made


class TestPlan:
    """The tree and what is computed together; no model."""

    @pytest.mark.parametrize("seed", range(8))
    def test_distinct(self, seed: int) -> None:
        """The tree has one token for each distinct beginning of an input."""
        requests = small_requests(seed)
        inputs = [tuple(request.tokens[:-1]) for request in requests]
        beginnings = {each[:length] for each in inputs for length in range(1, len(each) + 1)}
        assert trie.build(requests).size == len(beginnings)

    @pytest.mark.parametrize(("seed", "room"), list(itertools.product(range(6), (12, 20, 200))))
    @pytest.mark.parametrize("call", [0.0, 3.0, 1000.0])
    def test_complete(self, seed: int, room: int, call: float) -> None:
        """Each scored token is asked for once, behind its own input's tokens, in calls that fit the room."""
        requests = small_requests(seed)
        cost = Cost(pair=0.01, copy=0.01, call=call, row=4)
        asked = []
        kept: list[np.ndarray[Any, Any]] = []
        done: set[trie.Node] = set()
        for step in plan.steps(trie.build(requests), cost, room):
            del kept[step.kept :]
            before = np.concatenate([*kept, np.empty(0, np.int64)])
            rows = [plan.row(items, requests, done) for items in step.items]
            assert len(rows) * max(len(row.tokens) for row in rows) <= room
            for row in rows:
                for slot, target, request in zip(row.slots, row.targets, row.requests, strict=True):
                    index = np.arange(len(row.tokens))
                    seen = (index <= slot) & (row.last > slot)
                    inputs = np.concatenate([before, row.tokens[seen]])
                    depth = len(before) + int(seen.sum())
                    assert (row.positions[seen] == np.arange(len(before), depth)).all()
                    assert (inputs == requests[request].tokens[:depth]).all()
                    assert target == requests[request].tokens[depth]
                    asked.append((int(request), depth))
            if step.keep:
                kept.append(rows[0].tokens)
        assert sorted(asked) == [
            (index, depth)
            for index, request in enumerate(requests)
            for depth in range(len(request.tokens) - request.scored, len(request.tokens))
        ]

    def test_shots_are_kept(self) -> None:
        """Shots that many documents share are computed once, a document's choices in one row."""
        shots, contexts = list(range(100)), [[200 + number] * 20 for number in range(10)]
        requests = [
            ScoredSequence(np.array([*shots, *context, choice, 3]), 2) for context in contexts for choice in range(4)
        ]
        root = trie.build(requests)
        assert root.size == 100 + 10 * (20 + 4)
        first, *rest = plan.steps(root, TEN, room=1000)
        assert first.keep
        assert [item.size for item in first.items[0]] == [100]
        assert not any(step.keep for step in rest)
        assert sorted(item.size for step in rest for row in step.items for item in row) == [24] * 10

    def test_short_prefix_is_not_kept(self) -> None:
        """A first token that all inputs share is not worth a call of its own."""
        requests = [ScoredSequence(np.array([0, *[5 + number] * 40, 1]), 1) for number in range(6)]
        root = trie.build(requests)
        found = list(plan.steps(root, TEN, room=200))
        assert not any(step.keep for step in found)
        assert {item.size for step in found for row in step.items for item in row} == {41}

    def test_deep(self) -> None:
        """Inputs that begin one another a thousand times over are no trouble."""
        requests = [ScoredSequence(np.zeros(length, np.int64), 1) for length in range(2, 1500)]
        root = trie.build(requests)
        assert root.size == 1498
        found = [item for step in plan.steps(root, TEN, room=10_000) for row in step.items for item in row]
        assert sum(item.size for item in found) == 1498


CHOICES = """
task: choices
dataset_path: json
dataset_kwargs: {data_files: {test: rows.json}}
test_split: test
fewshot_split: test
fewshot_config: {sampler: first_n}
num_fewshot: 2
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: "{{choices}}"
doc_to_target: "{{answer}}"
metric_list: [{metric: acc}, {metric: acc_norm}]
"""
WRITTEN = """
task: written
dataset_path: json
dataset_kwargs: {data_files: {test: rows.json}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "w1"
generation_kwargs: {until: ["w7"], max_gen_toks: 5}
metric_list: [{metric: exact_match}]
"""


@pytest.mark.slow
def test_evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole evaluation, with the caches of requests and of answers, gives the samples of `hf`."""
    import datasets
    import lm_eval
    from lm_eval.caching import cache
    from lm_eval.tasks import TaskManager

    from lm_eval_ifeval_pt import _hook

    _hook.install()
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "datasets"))
    monkeypatch.setattr(cache, "PATH", str(tmp_path / "requests"))
    monkeypatch.chdir(tmp_path)
    chance = random.Random(0)
    rows = [
        {
            "question": " ".join(f"w{chance.randrange(200)}" for _ in range(6)),
            "choices": [f"w{chance.randrange(200)} w{chance.randrange(200)}" for _ in range(3)],
            "answer": chance.randrange(3),
        }
        for _ in range(8)
    ]
    Path("rows.json").write_text(json.dumps(rows), encoding="utf-8")
    Path("choices.yaml").write_text(CHOICES, encoding="utf-8")
    Path("written.yaml").write_text(WRITTEN, encoding="utf-8")
    model("llama", {**GROUPED, "max_position_embeddings": 512}).save_pretrained("model")
    tokenizer().save_pretrained("model")
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)

    def evaluate(name: str, answers: str) -> Any:
        return lm_eval.simple_evaluate(
            model=name,
            model_args={"pretrained": "model", "dtype": "float32"},
            tasks=["choices", "written"],
            task_manager=manager,
            device="cpu",
            batch_size=2,
            use_cache=str(tmp_path / answers),
            cache_requests=True,
            log_samples=True,
            bootstrap_iters=0,
        )

    plain, shared, again = evaluate("hf", "hf"), evaluate("hf-shared", "shared"), evaluate("hf-shared", "shared")
    assert list((tmp_path / "requests").iterdir())
    assert shared["results"] == plain["results"]
    assert again["samples"] == shared["samples"]
    for task in ("choices", "written"):
        for one, other in zip(shared["samples"][task], plain["samples"][task], strict=True):
            assert one["arguments"] == other["arguments"]
            if task == "written":
                assert one["resps"] == other["resps"]
            else:
                assert_same(*([(float(each[0][0]), each[0][1]) for each in a["resps"]] for a in (one, other)))
    config = json.loads(json.dumps(shared["config"], default=str))
    assert config["model"] == "hf-shared"
    assert config["loglikelihood_backend"] == "shared prefixes"
    tokens = config["loglikelihood_tokens"]
    assert 0 < tokens["distinct"] < tokens["computed"]
    assert again["config"]["loglikelihood_tokens"]["computed"] == 0
