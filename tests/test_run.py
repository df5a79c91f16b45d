"""`lm-eval-pt run` against a real server on loopback."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from click.testing import CliRunner

from lm_eval_ifeval_pt.cli import endpoint, main
from lm_eval_ifeval_pt.models.endpoint import evaluation
from lm_eval_ifeval_pt.models.endpoint.answers import AnswerFile
from lm_eval_ifeval_pt.models.endpoint.faults import EndpointError
from lm_eval_ifeval_pt.paths import bundled
from tests import ifeval_rows
from tests.chat_server import ChatServer, Reply, chat, error

PROMPTS = [f"Explique o item {number}. Use crase pelo menos uma vez." for number in range(6)]
SEQUENTIAL = ("--concurrency", "1")


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """An English locale, no key, no proxy; the harness's report on the machine (seconds each) left out."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "LM_EVAL_PT_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)


@pytest.fixture
def rows(tmp_path):
    """A file of six rows that ask for a crase."""
    path = tmp_path / "rows.jsonl"
    ifeval_rows.write(path, ifeval_rows.with_crase(PROMPTS))
    return path


@pytest.fixture
def command(tmp_path, rows):
    """Runs `lm-eval-pt run` on those rows in this process; later flags win over earlier ones."""

    def call(server, *flags):
        url = server.url if isinstance(server, ChatServer) else server
        output = tmp_path / "result.json"
        fixed = ("--url", url, "--model", "sabiá", "--output", str(output), "--source", str(rows))
        return CliRunner().invoke(main, ["run", *fixed, *flags])

    return call


@pytest.fixture
def result(tmp_path):
    """Reads the result file."""
    return lambda: json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))


@pytest.fixture
def stored(tmp_path):
    """Reads the answers file: the answer to each prompt."""

    def read():
        lines = (tmp_path / "result" / "answers.jsonl").read_text(encoding="utf-8").split("\n")
        rows = [json.loads(line) for line in lines if line]
        return {row["prompt"]: row["answer"]["text"] for row in rows}

    return read


def by_prompt(**special):
    """A script that answers well but for the prompts named by number: `p3=...`."""

    def script(prompt, nth):
        reply = special.get(f"p{PROMPTS.index(prompt)}", "Vou à feira.")
        return reply(nth) if callable(reply) else reply

    return script


# what a good run gives


def test_a_run_leaves_result_samples_and_answers(command, result, stored, tmp_path):
    """Four of six answers have a crase: the score says so, the samples say why, the table is printed."""
    with ChatServer(by_prompt(p0="Vou a feira.", p1="Nada.")) as server:
        ran = command(server)
    assert ran.exit_code == 0, ran.output
    assert result()["results"]["ifeval_pt"]["prompt_level_strict_acc,none"] == pytest.approx(4 / 6)
    assert result()["answers"] == {
        "total": 6,
        "empty": 0,
        "only_reasoning": 0,
        "truncated": 0,
        "at_stop": 0,
        "stops": "answer",
        "failed": 0,
        "prompt_tokens": 60,
        "completion_tokens": 30,
        "parameters_left_out": [],
    }
    assert (result()["config"]["model"], result()["model_name"]) == ("local-chat-completions", "sabiá")
    (samples,) = (tmp_path / "result").glob("samples_ifeval_pt_*.jsonl")
    docs = [json.loads(line)["doc"] for line in samples.read_text(encoding="utf-8").splitlines()]
    followed = [doc["verdicts"][0]["strict"]["followed"] for doc in docs]
    assert followed == [False, False, True, True, True, True]
    assert sorted(stored()) == PROMPTS
    assert "prompt_level_strict_acc" in ran.stdout
    assert "ptbr:crase" in ran.stdout
    assert not list(tmp_path.glob(".lm-eval-pt-*"))


def test_what_is_sent(command):
    """One user message, the prompt as it is, greedy, the task's token limit; no key, no empty stop list."""
    with ChatServer() as server:
        command(server, "--limit", "1")
    assert server.payloads == [
        {
            "model": "sabiá",
            "messages": [{"role": "user", "content": PROMPTS[0]}],
            "max_tokens": 1280,
            "temperature": 0.0,
            "seed": 1234,
        }
    ]
    assert "Authorization" not in server.headers[0]


def test_options_reach_the_server(command):
    """System message, token limit and temperature are sent as asked."""
    with ChatServer() as server:
        options = ("--sistema", "Seja breve.", "--max-tokens", "7", "--temperature", "0.5")
        command(server, "--limite", "1", *options)
    (payload,) = server.payloads
    assert payload["messages"][0] == {"role": "system", "content": "Seja breve."}
    assert (payload["max_tokens"], payload["temperature"]) == (7, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("concurrency", [1, 3])
def test_concurrency(command, concurrency):
    """As many requests at a time as asked for, and no more."""
    with ChatServer(lambda prompt, nth: Reply(chat("à"), delay=0.2)) as server:
        assert command(server, "--paralelo", str(concurrency)).exit_code == 0
    assert server.most_at_once == concurrency


def test_text_survives_unharmed(command, stored, tmp_path):
    """Accents, decomposed letters and emoji come through; half an emoji becomes U+FFFD and stops nothing."""
    text = "À noite, a\u0303o pé do 🐗 — “fim”\u2028\r\n"
    broken = json.dumps(chat("à |"), ensure_ascii=False).replace("|", "\\ud83d!").encode()
    with ChatServer(by_prompt(p0=text, p1=Reply(broken))) as server:
        assert command(server).exit_code == 0
    assert stored()[PROMPTS[0]] == text
    (samples,) = (tmp_path / "result").glob("samples_*.jsonl")
    answers = [json.loads(line)["resps"] for line in samples.read_text(encoding="utf-8").split("\n")[:2]]
    assert answers == [[[text]], [["à \ufffd!"]]]


def test_two_results_in_one_folder_keep_apart(command, tmp_path):
    """`lm-eval-pt table` on a result shows the samples of that result."""
    with ChatServer(lambda prompt, nth: "Nada.") as server:
        command(server, "--output", str(tmp_path / "a.json"))
    with ChatServer() as server:
        command(server, "--output", str(tmp_path / "b.json"))
    table = CliRunner().invoke(main, ["table", str(tmp_path / "a.json")])
    assert "0–39" in table.output  # Wilson interval of 0 in 6
    assert "61–100" in CliRunner().invoke(main, ["table", str(tmp_path / "b.json")]).output


# addresses


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/", "/v1/models", "/v1/chat/completions", "/v1/chat/completions/"])
def test_spellings_of_the_address(command, end):
    """With or without /v1, a slash, the full path: the same endpoint."""
    with ChatServer() as server:
        assert command(server.host + end, "--limit", "1").exit_code == 0
    assert server.paths == ["/v1/chat/completions"]


def test_an_api_that_is_not_below_v1(command):
    """Where /v1 does not exist the address is taken as given."""
    with ChatServer(prefix="/openai") as server:
        assert command(server, "--limit", "1").exit_code == 0
    assert server.paths == ["/openai/chat/completions"]


def test_a_query_in_the_address_is_kept(command):
    """Some clouds carry the API version there."""
    with ChatServer() as server:
        assert command(f"{server.url}/chat/completions?api-version=1", "--limit", "1").exit_code == 0
    assert server.paths == ["/v1/chat/completions?api-version=1"]


def test_a_server_without_a_list_of_models(command):
    """The list is a help, not a need: without one, /v1 is taken for granted."""
    with ChatServer(models=None) as server:
        assert command(server.host).exit_code == 0


def test_the_proxy_of_the_environment_is_used(command, monkeypatch):
    """A host that only the proxy knows is reached through it."""
    with ChatServer() as proxy:
        monkeypatch.setenv("http_proxy", proxy.host)
        assert command("http://modelo.invalid/v1", "--limit", "1").exit_code == 0
    assert proxy.paths == ["http://modelo.invalid/v1/chat/completions"]


# interruptions


def start(server, tmp_path, rows, *flags):
    """`lm-eval-pt run` in a process of its own."""
    fixed = ("--url", server.url, "--modelo", "sabiá", "--saida", str(tmp_path / "result.json"))
    command = [sys.executable, "-m", "lm_eval_ifeval_pt", "run", *fixed, "--fonte", str(rows), *flags]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def wait_for(process, condition, seconds=60):
    """Wait until something holds while the process runs."""
    end = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            pytest.fail(process.communicate()[1])
        time.sleep(0.02)


@pytest.mark.slow
def test_after_kill_9_only_missing_answers_are_asked_for(command, stored, tmp_path, rows):
    """What was answered before the kill is not asked for again, the rest is, once; none is lost."""
    release = threading.Event()
    path = tmp_path / "result" / "answers.jsonl"

    def script(prompt, nth):
        if prompt not in PROMPTS[:3]:
            release.wait(30)
        return "Vou à feira."

    with ChatServer(script) as server:
        process = start(server, tmp_path, rows, "--paralelo", "2")
        wait_for(process, lambda: len(server.payloads) == 5 and path.read_bytes().count(b"\n") == 3)
        process.kill()
        process.communicate()
        release.set()
        server.payloads.clear()
        assert command(server).exit_code == 0
    assert sorted(server.prompts) == PROMPTS[3:]
    assert sorted(stored()) == PROMPTS


@pytest.mark.slow
def test_ctrl_c_waits_for_what_is_paid_for(command, stored, tmp_path, rows):
    """Requests under way are answered and stored, no other is sent; the same command goes on later."""
    gates = {PROMPTS[3]: threading.Event(), PROMPTS[4]: threading.Event()}

    def script(prompt, nth):
        if prompt in gates:
            gates[prompt].wait(30)
        return "Vou à feira."

    with ChatServer(script) as server:
        process = start(server, tmp_path, rows, "--paralelo", "2")
        wait_for(process, lambda: len(server.payloads) == 5)
        process.send_signal(signal.SIGINT)
        for gate in gates.values():
            time.sleep(0.3)
            assert process.poll() is None
            gate.set()
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 130
        assert "esperando 2 respostas já pedidas" in errors
        assert "5 respostas estão guardadas" in errors
        assert "Traceback" not in errors
        assert sorted(server.prompts) == sorted(stored()) == PROMPTS[:5]
        assert command(server).exit_code == 0
    assert sorted(server.prompts) == PROMPTS


def test_a_finished_run_asks_nothing_again(command, result, tmp_path):
    """Running again, e.g. with other verifiers, costs nothing and leaves one sample file."""
    with ChatServer() as server:
        command(server)
        before = result()["results"]
        ran = command(server)
    assert len(server.payloads) == 6
    assert "0 answers to ask for; 6 already stored" in ran.stderr
    assert result()["results"] == before
    assert len(list((tmp_path / "result").glob("samples_*"))) == 1


def test_a_torn_line_is_asked_for_again(command, stored, tmp_path):
    """A crash in mid-write costs that answer alone."""
    path = tmp_path / "result" / "answers.jsonl"
    with ChatServer() as server:
        command(server, *SEQUENTIAL)
        path.write_bytes(path.read_bytes()[:-40])
        command(server)
        command(server)
    assert server.prompts == [*PROMPTS, PROMPTS[-1]]


def test_another_model_is_asked_anew(command):
    """Answers belong to address, model, messages and sampling."""
    with ChatServer() as server:
        command(server, "--limit", "1")
        command(server, "--limit", "1", "--model", "outro")
        command(server, "--limit", "1", "--temperature", "1")
        command(server, "--limit", "1", "--system", "Oi.")
    assert len(server.payloads) == 4


def test_equal_prompts_are_separate_requests(command, rows, result):
    """Two documents with one prompt get an answer each, and keep it when the run is repeated."""
    rows.write_text(rows.read_text(encoding="utf-8").replace("item 1", "item 0"), encoding="utf-8")
    with ChatServer(lambda prompt, nth: "Vou à feira." if nth == 1 else "Nada.") as server:
        for _ in range(2):
            command(server)
            assert result()["results"]["ifeval_pt"]["prompt_level_strict_acc,none"] == pytest.approx(5 / 6)
    assert server.prompts.count(PROMPTS[0]) == 2
    assert len(server.payloads) == 6


def test_fresh_asks_again_and_keeps_the_old_answers(command, tmp_path):
    """Paid answers are moved aside, never deleted."""
    with ChatServer() as server:
        command(server)
        command(server, "--fresh")
    assert len(server.payloads) == 12
    assert [path.read_bytes().count(b"\n") for path in (tmp_path / "result").glob("answers*.jsonl")] == [6, 6]


def interrupt_after(seconds):
    """Press Ctrl-C, soon."""
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_a_second_ctrl_c_does_not_wait(command):
    """The server never answers: the second one leaves at once."""
    release, waits = threading.Event(), []

    def script(prompt, nth):
        interrupt_after(0.1)
        interrupt_after(0.4)
        waits.append(release.wait(60))

    with ChatServer(script) as server:
        ran = command(server)
        assert waits == []
        release.set()
    assert ran.exit_code == 130
    assert "Interrupted. Resume with the same command." in ran.stderr


def test_ctrl_c_during_a_pause_leaves_at_once(command):
    """Nothing is under way while the server asks to wait."""

    def script(prompt, nth):
        interrupt_after(0.3)
        return Reply({}, 429, {"Retry-After": "60"})

    with ChatServer(script) as server:
        assert command(server).exit_code == 130
    assert len(server.payloads) == 1


def test_a_second_run_on_the_same_file_is_refused(command, tmp_path):
    """Two runs at once would pay twice."""
    with ChatServer() as server, AnswerFile(tmp_path / "result" / "answers.jsonl"):
        ran = command(server)
    assert ran.exit_code == 2
    assert "Another run is using" in ran.stderr
    assert server.payloads == []


def test_an_answer_that_cannot_be_stored_stops_the_run(command, monkeypatch):
    """A full disk must not let the run go on paying."""

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with ChatServer() as server:
        ran = command(server)
    assert ran.exit_code == 2
    assert "No space left on device" in ran.stderr
    assert len(server.payloads) == 1


# faults: one message, exit code 2


def test_unreachable(command):
    """Nothing listens there."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        ran = command(f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
    assert ran.exit_code == 2
    (line,) = ran.stderr.splitlines()
    assert "Cannot connect to http://127.0.0.1" in line
    assert "refused" in line


def test_a_wrong_key_is_tried_once(command, monkeypatch, tmp_path):
    """401: the server's words, what to set, one request; and the key is written nowhere."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-errada")
    with ChatServer(key="sk-certa") as server:
        ran = command(server)
        assert (ran.exit_code, len(server.paths)) == (2, 1)
        assert "refused the API key (HTTP 401): Incorrect API key provided" in ran.stderr
        assert "LM_EVAL_PT_API_KEY" in ran.stderr
        monkeypatch.setenv("LM_EVAL_PT_API_KEY", "sk-certa\n")
        assert command(server).exit_code == 0
    files = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    assert not any("sk-certa" in text for text in files)


def test_unknown_model(command):
    """404: the models that the server offers are listed; one request."""

    def script(prompt, nth):
        return error(404, "The model `sabiá` does not exist.", code="model_not_found")

    with ChatServer(script, models=("sabia-3", "tucano")) as server:
        ran = command(server)
    assert (ran.exit_code, len(server.payloads)) == (2, 1)
    assert "does not know the model sabiá" in ran.stderr
    assert "It offers: sabia-3, tucano." in ran.stderr


def test_moved(command):
    """A redirect is told, not followed with the key."""
    with ChatServer(lambda prompt, nth: Reply({}, 308, {"Location": "https://novo/v1"})) as server:
        ran = command(server)
    assert ran.exit_code == 2
    assert "Use the new address: https://novo/v1" in ran.stderr


@pytest.mark.slow
def test_rate_limit(command):
    """429: the run waits as long as asked, which uses up no attempt, and says so."""

    def script(prompt, nth):
        return Reply({}, 429, {"Retry-After": "0.2"}) if nth < 4 else "Vou à feira."

    with ChatServer(script) as server:
        ran = command(server, "--limit", "2", "--retries", "1")
    assert ran.exit_code == 0, ran.output
    assert len(server.payloads) == 8
    assert "asks to wait (HTTP 429)" in ran.stderr


def test_a_rate_limit_of_hours_is_not_waited_for(command):
    """The run stops with the server's words and can be resumed."""
    reply = Reply({"error": {"message": "Daily limit"}}, 429, {"Retry-After": "7200"})
    with ChatServer(by_prompt(p2=reply)) as server:
        ran = command(server, *SEQUENTIAL)
    assert ran.exit_code == 2
    assert "limits requests (HTTP 429): Daily limit" in ran.stderr
    assert "2 answers are stored" in ran.stderr


@pytest.mark.slow
def test_a_server_error_is_tried_again(command):
    """500, then fine: nothing is lost."""
    with ChatServer(by_prompt(p3=lambda nth: error(500, "oops") if nth < 2 else "à")) as server:
        assert command(server).exit_code == 0
    assert len(server.payloads) == 7


@pytest.mark.slow
def test_prompts_that_always_fail(command, result, stored):
    """The others are answered; the failed ones are told, tried again later, or accepted as empty."""
    with ChatServer(by_prompt(p3=error(400, "filtered"), p4=error(400, "filtered"))) as server:
        ran = command(server)
        assert ran.exit_code == 2
        assert "2 requests failed. The last one: The server rejected" in ran.stderr
        assert len(stored()) == 4
        assert command(server, "--accept-failures").exit_code == 0
        assert server.prompts.count(PROMPTS[3]) == 2
    assert (result()["answers"]["failed"], result()["answers"]["total"]) == (2, 6)
    assert result()["results"]["ifeval_pt"]["prompt_level_strict_acc,none"] == pytest.approx(4 / 6)


def test_an_endpoint_that_refuses_every_request_is_not_asked_all(command):
    """400 twice and never an answer: the endpoint is at fault."""
    with ChatServer(lambda prompt, nth: error(400, "bad request")) as server:
        ran = command(server, *SEQUENTIAL)
    assert (ran.exit_code, len(server.payloads)) == (2, 2)
    assert "The server rejected the request (HTTP 400): bad request." in ran.stderr


def test_a_prompt_refused_first_does_not_stop_the_others(command, stored):
    """The first request may be the one that a content filter refuses."""
    with ChatServer(by_prompt(p0=error(400, "filtered"))) as server:
        assert command(server).exit_code == 2
        assert command(server, "--accept-failures").exit_code == 0
    assert sorted(stored()) == PROMPTS[1:]


@pytest.mark.slow
def test_a_server_that_always_fails_is_asked_one_prompt(command):
    """500 every time: all attempts go to the first prompt, then the run ends."""
    with ChatServer(lambda prompt, nth: error(500, "oops")) as server:
        ran = command(server, "--retries", "2")
    assert ran.exit_code == 2
    assert server.prompts == [PROMPTS[0]] * 2
    assert "Attempt 2 of 2: The server failed (HTTP 500): oops." in ran.stderr


@pytest.mark.slow
def test_a_lost_connection_ends_the_run_and_is_resumed(command, stored):
    """The server goes away after three answers: they are kept, and only the others are asked for later."""

    def script(prompt, nth):
        if prompt in PROMPTS[3:]:
            raise ConnectionError  # the connection is closed without an answer
        return "Vou à feira."

    with ChatServer(script) as server:
        ran = command(server, *SEQUENTIAL, "--retries", "2")
        assert ran.exit_code == 2
        assert "was lost" in ran.stderr
        assert "3 answers are stored" in ran.stderr
        assert "Traceback" not in ran.stderr
        server.script = lambda prompt, nth: "à"
        server.payloads.clear()
        assert command(server).exit_code == 0
    assert sorted(server.prompts) == PROMPTS[3:]


@pytest.mark.slow
def test_a_slow_server(command):
    """An answer later than --timeout is tried again, then given up with the reason."""
    with ChatServer(by_prompt(p0=lambda nth: Reply(chat("à"), delay=1.3 if nth == 1 else 0))) as server:
        assert command(server, "--limit", "1", "--timeout", "1").exit_code == 0
        server.script = lambda prompt, nth: Reply(chat("à"), delay=1.3)
        ran = command(server, "--limit", "2", "--timeout", "1", "--retries", "1")
    assert ran.exit_code == 2
    assert "did not answer within 1 second." in ran.stderr


@pytest.mark.parametrize(
    "body",
    [b"<html>Login</html>", b"{", b"[]", b'{"choices": []}', b'{"choices": [{}]}', b"\xff", b"[" * 100_000],
)
def test_a_malformed_answer(command, body):
    """No chat answer in the reply: said once, with what came instead."""
    with ChatServer(lambda prompt, nth: Reply(body)) as server:
        ran = command(server, "--retries", "1")
    assert ran.exit_code == 2
    assert "did not answer as an OpenAI-compatible API does" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_empty_and_truncated_answers_are_counted_and_explained(command, result):
    """Null content, blanks, reasoning without answer and cut answers: in the result and on screen."""
    script = by_prompt(
        p0=Reply(chat(None)),
        p1="  \n",
        p2=Reply(chat("", "length", reasoning_content="Uso à? Sim: à.")),
        p3=Reply(chat("Vou à", "length")),
        p4=Reply(chat([{"type": "text", "text": "Vou à "}, {"type": "text", "text": "feira."}])),
    )
    with ChatServer(script) as server:
        ran = command(server, "--paralelo", "2")
    assert ran.exit_code == 0
    counts = result()["answers"]
    assert [counts[name] for name in ("empty", "only_reasoning", "truncated")] == [3, 1, 2]
    assert result()["results"]["ifeval_pt"]["prompt_level_strict_acc,none"] == pytest.approx(3 / 6)
    assert "Respostas vazias: 3 de 6." in ran.stderr
    assert "só com raciocínio e sem resposta: 1." in ran.stderr
    assert "Respostas cortadas no limite de tokens: 2 de 6. Aumente --max-tokens" in ran.stderr


def test_after_raising_the_limit_only_truncated_answers_are_asked_for(command, result):
    """Greedy answers that ended by themselves are kept under a larger limit."""
    script = by_prompt(p3=lambda nth: Reply(chat("Vou", "length")) if nth == 1 else "Vou à feira.")
    with ChatServer(script) as server:
        command(server)
        command(server, "--max-tokens", "4000")
        command(server, "--max-tokens", "4000")
    assert server.prompts[6:] == [PROMPTS[3]]
    assert server.payloads[6]["max_tokens"] == 4000
    assert result()["answers"]["truncated"] == 0


def test_retry_empty_asks_for_empty_answers_alone(command, result):
    """The others stay as they are."""
    with ChatServer(by_prompt(p2=lambda nth: "" if nth == 1 else "à")) as server:
        command(server)
        assert result()["answers"]["empty"] == 1
        command(server, "--retry-empty")
    assert server.prompts[6:] == [PROMPTS[2]]
    assert result()["answers"]["empty"] == 0


def test_a_parameter_that_the_server_does_not_take(command, result):
    """Refused by name, `seed` is left out and max_tokens spelled anew; the result says what was left out."""

    def script(prompt, nth):
        payload = server.payloads[-1]
        if "seed" in payload:
            return Reply({"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"]}]}, 422)
        if "max_tokens" in payload:
            return error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return "Vou à feira."

    with ChatServer(script) as server:
        assert command(server, *SEQUENTIAL).exit_code == 0
    assert len(server.payloads) == 8
    assert server.payloads[-1]["max_completion_tokens"] == 1280
    assert result()["answers"]["parameters_left_out"] == ["seed"]


# what is said, and in which language


def test_language(command, monkeypatch):
    """Portuguese flags or a Portuguese locale give Portuguese messages, otherwise English ones."""
    assert "deve começar" in command("localhost:1", "--limite", "1").stderr
    assert "must begin" in command("localhost:1").stderr
    monkeypatch.setenv("LANG", "pt_BR.UTF-8")
    assert "deve começar" in command("localhost:1").stderr
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert "must begin" in command("localhost:1").stderr


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--output", "result.txt"), "--output result.txt: the name must end in .json"),
        (("--metadata", "{"), "--metadata: "),
        (("--metadata", "[]"), "A JSON object is expected"),
        (("--source", "missing.jsonl"), "missing.jsonl: cannot be read"),
        (("--api-key", "chave\ncom quebra"), "The API key has characters that cannot be sent."),
        (("--url", "http://[::1"), "the address must begin with"),
        (("--url", "http://localhost:x/v1"), "the address must begin with"),
    ],
)
def test_wrong_options(command, flags, message):
    """One message, before any request."""
    with ChatServer() as server:
        ran = command(server, *flags)
    assert (ran.exit_code, server.payloads) == (2, [])
    assert message in ran.stderr


def test_missing_extra(command, monkeypatch):
    """Without lm-eval[api] the command says what to install."""
    monkeypatch.setattr(endpoint, "API_PACKAGES", ("aiohttp", "pacote_que_falta"))
    ran = command("http://localhost:1")
    assert ran.exit_code == 2
    assert "(pacote_que_falta)" in ran.stderr
    assert "pip install 'lm_eval_ifeval_pt[api]'" in ran.stderr


def test_a_task_of_log_probabilities_is_refused(tmp_path):
    """Before anything is asked: chat endpoints cannot answer it."""
    from lm_eval.tasks import TaskManager

    (tmp_path / "rows.json").write_text('{"q": "?", "c": ["a", "b"], "a": 0}\n', encoding="utf-8")
    (tmp_path / "toy.yaml").write_text(
        "task: toy\ndataset_path: json\n"
        f"dataset_kwargs: {{data_files: {{test: {tmp_path}/rows.json}}}}\ntest_split: test\n"
        "output_type: multiple_choice\ndoc_to_text: q\ndoc_to_choice: c\ndoc_to_target: a\n",
        encoding="utf-8",
    )
    manager = TaskManager(include_path=tmp_path, include_defaults=False)
    with pytest.raises(EndpointError, match="toy measures log-probabilities"):
        evaluation._load("toy", manager, confirm_run_unsafe_code=False)


# tasks of anyone, and what a task itself says


@pytest.fixture
def own_task(tmp_path):
    """Writes a definition of two questions whose right answer is in the prompt; settings are added to it."""

    def write(folder="tasks", **settings):
        (tmp_path / folder).mkdir(exist_ok=True)
        rows = tmp_path / folder / "rows.json"
        rows.write_text("".join(json.dumps({"q": f"Diga {word}", "a": word}) + "\n" for word in ("sim", "não")))
        definition = {
            "task": "minha_tarefa",
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"test": str(rows)}},
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": "q",
            "doc_to_target": "a",
            "generation_kwargs": {"until": ["\n\n"], "max_gen_toks": 20},
            "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        }
        path = tmp_path / folder / "minha.yaml"
        path.write_text(json.dumps(definition | settings), encoding="utf-8")
        return path

    return write


def repeated(prompt, nth):
    """What the prompt asks to be said."""
    return prompt.removeprefix("Diga ")


def test_a_definition_is_run_and_resumed(command, own_task, result):
    """`--task my.yaml` is the engine for anyone's task: stored answers are not asked for again."""
    path = own_task()
    with ChatServer(repeated) as server:
        assert command(server, "--task", str(path), "--limit", "1").exit_code == 0
        ran = command(server, "--task", str(path))
    assert ran.exit_code == 0, ran.output
    assert server.prompts == ["Diga sim", "Diga não"]
    assert result()["results"]["minha_tarefa"]["exact_match,none"] == 1.0


def test_a_task_of_another_folder(command, own_task, result):
    """`--include-path DIR` makes its tasks known by name."""
    path = own_task()
    with ChatServer(repeated) as server:
        ran = command(server, "--task", "minha_tarefa", "--include-path", str(path.parent))
    assert ran.exit_code == 0, ran.output
    assert result()["results"]["minha_tarefa"]["exact_match,none"] == 1.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such file"),
        ("[]", "Expected YAML dict"),
        ("task: t\n  doc: {", "cannot be evaluated"),
        ("{task: t, dataset_path: text, dataset_kwargs: {data_files: none.txt}, test_split: test}", "cannot be"),
    ],
)
def test_a_wrong_definition_is_one_sentence(command, tmp_path, content, message):
    """Whatever the harness says of it, no traceback."""
    path = tmp_path / "minha.yaml"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with ChatServer() as server:
        ran = command(server, "--task", str(path))
    assert (ran.exit_code, server.payloads) == (2, [])
    assert message in ran.stderr
    assert "Traceback" not in ran.output
    assert isinstance(ran.exception, SystemExit)


def test_ruler_without_a_tokenizer_names_the_option(command):
    """RULER counts tokens, and an address tells none."""
    with ChatServer() as server:
        ran = command(server, "--task", "niah_pt_single_1")
    assert (ran.exit_code, server.payloads) == (2, [])
    assert """--metadata '{"tokenizer":""" in ran.stderr
    assert isinstance(ran.exception, SystemExit)


@pytest.mark.slow
def test_programs_are_run_only_where_the_option_says_so(command, tmp_path, result):
    """`humaneval_pt` behind an address: the option is named, and does what it says."""
    pytest.importorskip("resource")
    rows = tmp_path / "humaneval.json"
    check = "def check(candidate):\n    assert candidate(2) == 4\n"
    prompt = 'def dobro(x):\n    """O dobro."""\n'
    doc = {"task_id": "T/0", "prompt": prompt, "entry_point": "dobro", "canonical_solution": "    return 2 * x\n"}
    rows.write_text(json.dumps(doc | {"test": check}) + "\n", encoding="utf-8")
    path = tmp_path / "he.yaml"
    path.write_text(
        f"include: {bundled('tasks')}/humaneval_pt/humaneval_pt.yaml\ntask: he\ndataset_path: json\n"
        f"dataset_name: null\ndataset_kwargs: {{data_files: {{test: {rows}}}}}\n",
        encoding="utf-8",
    )
    with ChatServer(lambda prompt, nth: "```python\ndef dobro(x):\n    return x + x\n```") as server:
        refused = command(server, "--task", str(path))
        assert (refused.exit_code, server.payloads) == (2, [])
        assert "If you agree: --confirm-run-unsafe-code" in refused.stderr
        ran = command(server, "--task", str(path), "--confirm-run-unsafe-code")
    assert ran.exit_code == 0, ran.output
    assert result()["results"]["he"]["pass@1,none"] == 1.0


# stop strings


def test_a_chat_answer_that_begins_with_a_stop_is_whole(command, own_task, result):
    """Stops are not sent; a thought and an empty line before the answer are no end of it."""
    path = own_task(filter_list=[{"name": "none", "filter": [{"function": "take_first"}]}])
    with ChatServer(lambda prompt, nth: f"{repeated(prompt, nth)}\n\nPois assim foi pedido.") as server:
        ran = command(server, "--task", str(path))
    assert "stop" not in server.payloads[0]
    assert result()["results"]["minha_tarefa"]["exact_match,none"] == 1.0
    assert result()["answers"]["at_stop"] == 2
    assert "ATTENTION: most answers were cut at a stop string" in ran.stderr
    assert "--stops none" in ran.stderr


def test_other_stops_need_no_new_requests(command, own_task, result):
    """Answers are stored whole, so that what counts as their end can be decided again."""
    path = own_task()
    with ChatServer(lambda prompt, nth: f"{repeated(prompt, nth)}\n\nPois assim foi pedido.") as server:
        command(server, "--task", str(path))
        ran = command(server, "--task", str(path), "--paradas", "none")
    assert (ran.exit_code, len(server.payloads)) == (0, 2)
    assert result()["results"]["minha_tarefa"]["exact_match,none"] == 0.0
    assert result()["answers"]["at_stop"] == 0


def test_most_answers_empty_is_said_aloud(command, own_task):
    """Stops of the server may cut all there is: the score says nothing, and the option is named."""
    with ChatServer(lambda prompt, nth: "") as server:
        ran = command(server, "--task", str(own_task()), "--stops", "server")
    assert server.payloads[0]["stop"] == ["\n\n"]
    assert "ATTENTION: most answers are empty (2 of 2)" in ran.stderr
    assert "--stops answer" in ran.stderr


def test_a_server_that_refuses_stop_is_asked_without(command, own_task, result):
    """The answer is cut here instead."""

    def script(prompt, nth):
        if "stop" in server.payloads[-1]:
            return error(400, "Unsupported parameter: 'stop' is not supported with this model.")
        return f"{repeated(prompt, nth)}\n\nPois assim foi pedido."

    with ChatServer(script) as server:
        assert command(server, "--task", str(own_task()), "--stops", "server").exit_code == 0
    assert result()["results"]["minha_tarefa"]["exact_match,none"] == 1.0
    assert result()["answers"]["parameters_left_out"] == ["stop"]


def test_a_thought_without_an_answer_is_empty(command, own_task, result):
    """Also where the server does not tell thoughts apart."""
    with ChatServer(lambda prompt, nth: Reply(chat("<think>\n\nHum", finish_reason="length"))) as server:
        ran = command(server, "--task", str(own_task()))
    assert result()["answers"]["only_reasoning"] == 2
    assert "Raise --max-tokens" in ran.stderr


@pytest.mark.slow
def test_an_unknown_task(command):
    """The nearest names of all that lm_eval has are offered."""
    with ChatServer() as server:
        ran = command(server, "--task", "ifeval_ptt")
    assert ran.exit_code == 2
    assert "There is no task ifeval_ptt. Did you mean ifeval_pt" in ran.stderr
