"""Faults of endpoints as real servers word them, and what is said about them."""

import email.utils
import json
import string
import time

import pytest

from lm_eval_ifeval_pt.models.endpoint import answers, faults, messages


@pytest.mark.parametrize(
    ("status", "body", "kind", "handling"),
    [
        # OpenAI
        (401, '{"error": {"message": "Incorrect API key: sk-x."}}', "unauthorized", "stop"),
        (404, '{"error": {"message": "No `m`", "code": "model_not_found"}}', "unknown_model", "stop"),
        (403, '{"error": {"message": "No access", "code": "model_not_found"}}', "unknown_model", "stop"),
        (429, '{"error": {"message": "Rate limit reached"}}', "rate_limited", "wait"),
        (429, '{"error": {"message": "No quota", "code": "insufficient_quota"}}', "rejected", "stop"),
        # vLLM, Ollama, LiteLLM, DeepSeek, OpenRouter
        (404, '{"object": "error", "message": "The model `m` does not exist."}', "unknown_model", "stop"),
        (404, '{"error": {"message": "model \\"m\\" not found, try pulling"}}', "unknown_model", "stop"),
        (400, '{"error": {"message": "Invalid model name passed in model=m"}}', "unknown_model", "stop"),
        (400, '{"error": {"message": "Model Not Exist"}}', "unknown_model", "stop"),
        (402, '{"error": {"message": "Insufficient credits", "code": 402}}', "rejected", "stop"),
        (403, '{"error": {"message": "Your input was flagged", "code": 403}}', "unauthorized", "reject"),
        # llama.cpp, Azure, gateways
        (503, '{"error": {"message": "Loading", "code": 503}}', "server_error", "retry"),
        (400, '{"error": {"code": "content_filter", "message": "Filtered"}}', "rejected", "reject"),
        (404, "404 page not found", "not_found", "stop"),
        (502, "<html>Bad gateway</html>", "server_error", "retry"),
        (408, "", "server_error", "retry"),
    ],
)
def test_kinds_of_faults(status, body, kind, handling):
    """What each server's refusal means for the run."""
    fault = faults.of_response("http://h/v1/chat/completions", status, {}, body, "m", ("other",))
    assert (fault.key, fault.handling) == (kind, handling)


def test_a_listed_model_is_not_unknown():
    """A 400 about something else stays a refusal of that request."""
    body = '{"error": {"message": "This model\'s maximum context length is 4096 tokens"}}'
    assert faults.of_response("u", 400, {}, body, "m", ("m",)).handling == "reject"
    assert faults.of_response("u", 400, {}, body, "m", ()).handling == "reject"


def test_a_server_pinned_to_another_model_does_not_know_ours():
    """As `transformers serve` says it, which does not use the word "model"."""
    body = '{"detail": "Server is pinned to \'/checkpoint\'; requested \'m\'."}'
    fault = faults.of_response("u", 400, {}, body, "m", ["/checkpoint"])
    assert (fault.key, fault.handling) == ("unknown_model", "stop")


def test_retry_after_in_seconds_or_as_a_date():
    """Both forms that HTTP allows, and nonsense."""

    def wait(value):
        return faults.of_response("u", 429, {"Retry-After": value}, "", "m", ()).wait

    assert wait("1.5") == 1.5
    assert wait(email.utils.formatdate(time.time() + 30, usegmt=True)) == pytest.approx(30, abs=2)
    assert wait(email.utils.formatdate(time.time() - 30, usegmt=True)) == 0
    assert wait("logo") is None


def test_errors_hidden_in_a_good_status():
    """OpenRouter sends the true status inside; an answer that speaks of an error is an answer."""
    assert faults.status_of(200, '{"error": {"code": 429, "message": "slow"}}') == 429
    assert faults.status_of(200, '{"error": {"code": "x"}}') == 502
    assert faults.status_of(200, '{"choices": [{"message": {"content": "x"}}], "error": null}') == 200


def test_a_temperature_that_was_asked_for_is_not_left_out():
    """Only the harness's own zero may go."""
    body = '{"error": {"param": "temperature"}}'
    assert faults.unsupported(400, body, {"temperature": 0}) == "temperature"
    assert faults.unsupported(400, body, {"temperature": 0.7}) is None
    assert faults.unsupported(500, body, {"temperature": 0}) is None


def test_an_answer_with_odd_accounts_is_an_answer():
    """It is paid for, whatever `usage` holds."""
    for usage in (None, [], {"prompt_tokens": "many"}):
        reply = {"choices": [{"message": {"content": "à"}}], "usage": usage}
        assert answers.read_reply("u", json.dumps(reply)) == answers.Answer("à")


def stream(*chunks, end="data: [DONE]\n\n"):
    """The body of a reply in events."""
    return ": keep alive\n\n" + "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + end


def delta(reason=None, **message):
    """A chunk of a stream."""
    return {"choices": [{"index": 0, "delta": message, "finish_reason": reason}]}


def test_a_stream_that_was_not_asked_for_is_an_answer():
    """As servers send it that know nothing else: thought and answer apart, the account in an event without a choice."""
    chunks = [
        delta(role="assistant", content=None),
        delta(reasoning_content="hm"),
        delta(content="Vou à \ud83d"),
        delta(content="\ude42\u2028\x85fim"),
        delta("length"),
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
    ]
    expected = answers.Answer("Vou à 🙂\u2028\x85fim", "length", "hm", 3, 4)
    assert answers.read_reply("u", stream(*chunks)) == expected
    assert answers.read_reply("u", stream(*chunks, end="").replace("\n", "\r\n")) == expected
    assert answers.read_reply("u", stream(delta(content="à"))) == answers.Answer("à")


@pytest.mark.parametrize(
    "body",
    [stream(delta(content="Vou"), end=""), stream({"error": {"message": "out of memory"}}), "data: {", "data:"],
)
def test_a_stream_that_breaks_off_is_no_answer(body):
    """Half an answer is asked for again."""
    with pytest.raises(faults.EndpointError) as refused:
        answers.read_reply("u", body)
    assert refused.value.handling == "retry"


def test_both_languages_say_the_same():
    """A message has the same values in Portuguese and in English."""

    def names(template):
        return {name for _, name, _, _ in string.Formatter().parse(template) if name}

    for key, (portuguese, english) in messages._TEXTS.items():
        assert names(portuguese) == names(english), key


def test_numbers_agree_with_their_nouns():
    """One and many, in both languages."""
    asked = messages.say("to_ask", "pt", missing=1, stored=0, path="a")
    assert asked.startswith("1 resposta a pedir; 0 já guardadas")
    assert messages.say("kept", "en", stored=2, path="a").startswith("2 answers are stored in a")
