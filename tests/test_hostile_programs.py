"""Hostile graders and preprocessors of a manifest: each fails for itself, and nothing of it is left.

Every grader here misbehaves at the second of three rows. What it may cost is that row's score.
"""

import os
import socket
import threading
import time

import pytest

from lm_eval_ifeval_pt.suite.documents import documents
from lm_eval_ifeval_pt.suite.errors import SuiteError
from lm_eval_ifeval_pt.suite.programs import Programs, programs
from lm_eval_ifeval_pt.suite.scoring import OutputSample, score, summary
from tests.programs import BUBBLEWRAP

SECRET = "segredo-7f3a"
FAILS = None  # the row has no score, for whatever reason
HOLDS = 1.0  # the row has the score that was returned: the attempt came to nothing

# What the second row does: its lines, and either what its error says, or the score that it has. {folder} is one of the
# machine's, {port} a server's there. None: either is right, as long as nothing comes of it.
GRADERS = {
    # processes and threads
    "fork bomb": ("while True: os.fork()", "Error"),
    "forks that were caught": ("for _ in range(99):\n    try: os.fork()\n    except OSError: pass", HOLDS),
    "subprocess": ("import subprocess; subprocess.run(['id'])", "Error"),
    "os.system": ("assert os.system('touch {folder}/mark') == 0", "AssertionError"),
    "multiprocessing": ("import multiprocessing; multiprocessing.Pool(4).map(abs, [1])", FAILS),
    "exec": ("os.execv('/bin/sh', ['sh', '-c', 'touch {folder}/mark; sleep 60'])", FAILS),
    "thread bomb": (
        "import threading\nfor _ in range(10**5): threading.Thread(target=time.sleep, args=(99,), daemon=True).start()",
        FAILS,
    ),
    "a thread left behind": (
        "import threading\ndef later():\n    time.sleep(0.5)\n    open('{folder}/mark', 'w')\n"
        "threading.Thread(target=later).start()",
        "can't start new thread",
    ),
    "atexit": ("import atexit; atexit.register(time.sleep, 99)", HOLDS),
    # time
    "endless loop": ("while True: pass", "takes longer than 2 s"),
    "endless loop that catches everything": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass", "takes longer than 2 s"
    ),
    "sleep": ("time.sleep(99)", "takes longer than 2 s"),
    "huge power": ("9 ** 9 ** 9 ** 9", FAILS),
    "regular expression": ("re.match('(a+)+$', 'a' * 64 + 'b')", "takes longer than 2 s"),
    "stopped by itself": ("os.kill(os.getpid(), signal.SIGSTOP)", FAILS),
    # memory and output
    "memory at once": ("bytearray(10**12)", "MemoryError"),
    "memory bit by bit": ("held = []\nwhile True: held.append(bytearray(10**7))", FAILS),
    "huge output": ("for _ in range(200): print('x' * 10**6)", HOLDS),
    "huge value": ("return 'x' * (300 << 20)", FAILS),
    "huge report": ("raise ValueError('x' * 10**8)", "ValueError: xxx"),
    "recursion": ("def f(): f()\nf()", "RecursionError"),
    "recursion without a limit": ("sys.setrecursionlimit(10**9)\ndef f(): f()\nf()", FAILS),
    "a disk filled": ("with open('/tmp/x', 'wb') as f:\n    for _ in range(10**5): f.write(bytes(10**7))", FAILS),
    # leaving
    "sys.exit": ("sys.exit(0)", "SystemExit: 0"),
    "os._exit": ("os._exit(0)", "the program ended before it answered"),
    "kill itself": ("os.kill(os.getpid(), signal.SIGKILL)", FAILS),
    "kill its parent": ("os.kill(os.getppid(), signal.SIGKILL)", FAILS),
    "kill everybody": ("os.kill(-1, signal.SIGKILL)", FAILS),
    "alarm": ("signal.setitimer(signal.ITIMER_REAL, 0.01)\ntime.sleep(1)", FAILS),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "segmentation fault": ("ctypes.string_at(0)", FAILS),
    # values
    "nan": ("return float('nan')", "nan as score, which is no finite number"),
    "infinite": ("return {'scores': {'score': float('-inf')}}", "-inf as score"),
    "huge int": ("return 10 ** 400", "as score, which is no finite number"),
    "an int too long to be read": ("return 10 ** 5000", FAILS),
    "deep value": ("value = []\nfor _ in range(10**5): value = [value]\nreturn value", "it returned no plain value"),
    "value as deep as can be": ("value = []\nfor _ in range(960): value = [value]\nreturn value", FAILS),
    "a value that holds itself": ("value = []\nvalue.append(value)\nreturn value", "it returned no plain value"),
    "object": ("return object()", "it returned no plain value: object"),
    "float in disguise": ("class F(float):\n    def __repr__(self): return '1e999'\nreturn F(1)", HOLDS),
    "coroutine that waits": ("import asyncio\nreturn asyncio.sleep(9)", FAILS),
    "generator": ("return (x for x in [1])", "it returned no plain value"),
    "an error that fails": (
        "class E(Exception):\n    def __str__(self): raise MemoryError\nraise E", "an exception without a message"
    ),
    "many metrics": ("return {'scores': {str(x): 1 for x in range(10**5)}}", "the grader returned no score score"),
    # files, environment, other processes
    "reading a file": ("raise ValueError(open('{folder}/secret').read())", "FileNotFoundError"),
    "writing a file": ("open('{folder}/mark', 'w')", "Error"),
    "symbolic link": (
        "os.symlink('{folder}/secret', '/tmp/link'); raise ValueError(open('/tmp/link').read())", "FileNotFoundError"
    ),
    "hard link": ("os.link('{folder}/secret', '/tmp/link')", "Error"),
    "home": ("raise ValueError(str([open(os.path.join('/root', n)).read(99) for n in os.listdir('/root')]))", FAILS),
    "environment": ("raise ValueError(str(dict(os.environ)))", "ValueError"),
    "environment of others": (
        "raise ValueError(str([open(f'/proc/{p}/environ', 'rb').read() for p in os.listdir('/proc') if p.isdigit()]))",
        FAILS,
    ),
    "memory of others": ("open('/proc/1/mem', 'rb').read(1)", "Error"),
    "devices": ("open('/dev/sda', 'rb')", "Error"),
    "mount by libc": (
        "assert ctypes.CDLL(None).mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0", "AssertionError"
    ),
    "new namespaces by libc": ("assert ctypes.CDLL(None).unshare(0x10000000 | 0x20000) == 0", "AssertionError"),
    "trace": ("assert ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0", "AssertionError"),
    # network
    "network": ("socket.create_connection(('127.0.0.1', {port}), 1)", "Error"),
    "name server": ("socket.getaddrinfo('example.com', 80)", "gaierror"),
    "server": ("s = socket.socket(); s.bind(('0.0.0.0', 0)); s.listen(); s.settimeout(1); s.accept()", FAILS),
    # the wire
    "forged lines": ("print('[\"value\", 5.0]'); sys.stdout.flush(); sys.__stdout__.write('[\"value\", 5.0]')", HOLDS),
    "rubbish on every descriptor": (
        "for fd in range(64):\n    try: os.write(fd, b'\\xff' * 64)\n    except OSError: pass", FAILS
    ),
    "closed descriptors": ("os.closerange(0, 256)", FAILS),
    "json replaced": ("import json; json.dumps = lambda *a, **k: 'no json'", FAILS),
    "the caller's names replaced": (
        "frame = sys._getframe()\nwhile frame: frame.f_globals.clear(); frame = frame.f_back", FAILS
    ),
    "ctx is not there": ("return grade.__globals__['ctx'].responses_create(input='x')", "KeyError"),
    "arguments changed": ("sample.clear(); item.clear(); item['target'] = sample", HOLDS),
}  # fmt: skip

HEAD = "import ctypes, os, re, signal, socket, sys, time\ndef grade(sample, item):\n    if item['n'] == 2:\n"
TRUSTED = (
    "recursion", "sys.exit", "nan", "infinite", "huge int", "deep value", "value as deep as can be",
    "a value that holds itself", "object", "generator", "an error that fails", "many metrics", "coroutine that waits",
    "huge report", "an int too long to be read", "arguments changed", "KeyboardInterrupt",
)  # fmt: skip
"""What can be held without a sandbox: what a program returns or raises."""


@pytest.fixture(scope="module")
def sandbox():
    """The sandbox of this machine."""
    if BUBBLEWRAP.path is None:
        pytest.skip("needs bubblewrap")
    return programs(False)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A folder with a secret, a server, and a key in the environment; afterwards nothing of them was touched."""
    tmp_path.chmod(0o777)
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    monkeypatch.setenv("LM_EVAL_PT_JUDGE_API_KEY", SECRET)
    connections = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        stopped = threading.Event()

        def accept():
            while not stopped.is_set():
                try:
                    connections.append(server.accept())
                except TimeoutError:
                    continue

        thread = threading.Thread(target=accept)
        thread.start()
        yield {"folder": str(tmp_path), "port": server.getsockname()[1]}
        time.sleep(0.1)
        stopped.set()
        thread.join()
    assert connections == []
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]
    assert os.stat(tmp_path / "secret").st_nlink == 1


def attacked(runner, lines, machine):
    """Three samples, graded by a grader that misbehaves at the second."""
    for name, value in machine.items():
        lines = lines.replace(f"{{{name}}}", str(value))
    body = "".join(f"        {line}\n" for line in lines.split("\n"))
    grader = {"type": "python", "source": f"{HEAD}{body}    return 1.0\n", "timeout_seconds": 2}
    samples = [OutputSample("x", {"prompt": "p", "target": "t", "row": {"n": n}}) for n in (1, 2, 3)]
    score(samples, {"grader": grader, "metrics": [{"id": "score", "aggregation": "mean"}]}, runner)
    return samples


def check(samples, outcome):
    """The first and the last row have their scores; of the second, what is expected."""
    assert [samples[0].scores, samples[2].scores] == [{"score": 1.0}] * 2, samples[2].error
    if outcome == HOLDS:
        assert (samples[1].scores, samples[1].error) == ({"score": 1.0}, "")
    else:
        assert samples[1].scores == {}
        assert (outcome or "") in samples[1].error
        assert samples[1].error
        assert len(samples[1].error) < 3000
        assert len(summary(samples)) == 1
    assert SECRET not in samples[1].error


@pytest.mark.slow
@pytest.mark.parametrize("attack", GRADERS)
def test_a_hostile_grader_costs_its_row_and_nothing_else(sandbox, machine, attack):
    """No file, no secret, no connection, no lost row, no crash of ours."""
    lines, outcome = GRADERS[attack]
    check(attacked(sandbox, lines, machine), outcome)


@pytest.mark.parametrize("attack", TRUSTED)
def test_without_a_sandbox_what_a_grader_returns_or_raises_is_held(machine, attack):
    """The rest is what --trust-code means."""
    lines, outcome = GRADERS[attack]
    check(attacked(Programs(None), lines, machine), outcome)


def test_outputs_of_models_and_rows_of_files_may_be_hostile_too(sandbox, tmp_path):
    """What is too deep to be handed on is no JSON to a grader; a row of a file is named by its line."""
    deep = "[" * 960 + "]" * 960
    source = "def grade(sample, item):\n    return float(sample['output_json'] is None)\n"
    outputs = (deep, "9" * 5000, "[1e999, NaN]", '{"a": 1}', "\udcff", "\x00" * 99)
    samples = [OutputSample(output, {"prompt": "p", "target": "t", "row": {}}) for output in outputs]
    score(samples, {"grader": {"type": "python", "source": source}, "metrics": [{"id": "score"}]}, sandbox)
    assert [sample.error for sample in samples] == [""] * 6
    assert [sample.scores["score"] for sample in samples] == [1, 1, 0, 0, 1, 1]
    (tmp_path / "rows.jsonl").write_text(f'{{"q": 1}}\n{{"q": {deep[230:-230]}}}\n', encoding="utf-8")
    with pytest.raises(SuiteError, match="line 2: has more than 100 levels of lists and objects"):
        documents({"file": "rows.jsonl", "format": "jsonl"}, "{{q}}", "", None, tmp_path)


def test_a_grader_that_ends_its_process_at_every_row_is_started_no_more(sandbox, machine):
    """After five times; the rows that follow say so."""
    source = "import os\ndef grade(sample, item):\n    os._exit(1)\n"
    samples = [OutputSample("x", {"prompt": "p", "target": "t", "row": {"n": n}}) for n in range(300)]
    begun = time.process_time()
    score(samples, {"grader": {"type": "python", "source": source}, "metrics": [{"id": "score"}]}, sandbox)
    assert [bool(sample.error) for sample in samples] == [True] * 300
    assert sum("had to be ended 5 times" in sample.error for sample in samples) == 295
    assert time.process_time() - begun < 20


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("while True: pass", marks=pytest.mark.slow),
        "import os; os._exit(0)", "import sys; sys.exit(0)", "raise KeyboardInterrupt", "1 / 0",
        "x = bytearray(10**12)", "import os\nwhile True: os.fork()", "open('/etc/shadow').read()",
        "import json; json.loads = None", "grade = 3",
    ],
)  # fmt: skip
def test_a_grader_that_is_hostile_when_it_is_loaded_grades_nothing(sandbox, machine, source):
    """Every row says why, in the same words."""
    whole = f"def grade(sample, item): return 1.0\n{source}\n"
    grader = {"type": "python", "source": whole, "timeout_seconds": 1}
    samples = [OutputSample("x", {"prompt": "p", "target": "t", "row": {"n": n}}) for n in range(3)]
    score(samples, {"grader": grader, "metrics": [{"id": "score"}]}, sandbox)
    errors = {sample.error for sample in samples}
    assert all(errors)
    assert all(not sample.scores for sample in samples)
    assert SECRET not in str(errors)


PREPROCESSORS = {
    "endless loop": ("while True: pass", "preprocess, row 2: the program takes longer than 2 s"),
    "os._exit": ("os._exit(0)", "preprocess, row 2: the program ended before it answered"),
    "sys.exit": ("sys.exit(0)", "preprocess, row 2: SystemExit: 0"),
    "fork bomb": ("while True: os.fork()", "preprocess, row 2: "),
    "memory": ("bytearray(10**12)", "preprocess, row 2: MemoryError"),
    "rows without end": ("return [{'q': 'x' * 10**6}] * 300", "preprocess, row 2: "),
    "deep rows": ("for _ in range(960): row = {'a': row}\nreturn row", "preprocess, row 2: "),
    "no rows": ("return 'rows'", "preprocess, row 2: returned \"rows\"; it may return"),
    "reading a file": ("raise ValueError(open('{folder}/secret').read())", "preprocess, row 2: FileNotFoundError"),
    "writing a file": ("open('{folder}/mark', 'w')", "preprocess, row 2: "),
    "network": ("socket.create_connection(('127.0.0.1', {port}), 1)", "preprocess, row 2: "),
    "rubbish on every descriptor": (
        "for fd in range(64):\n    try: os.write(fd, b'\\xff' * 64)\n    except OSError: pass", "preprocess, row 2: "
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("attack", PREPROCESSORS)
def test_a_hostile_preprocessor_ends_its_task_before_the_run(sandbox, machine, tmp_path_factory, attack):
    """With the row and one reason; nothing of it is left."""
    lines, said = PREPROCESSORS[attack]
    for name, value in machine.items():
        lines = lines.replace(f"{{{name}}}", str(value))
    body = "".join(f"        {line}\n" for line in lines.split("\n"))
    source = f"{HEAD.replace('grade(sample, item)', 'transform(row)').replace('item', 'row')}{body}    return row\n"
    folder = tmp_path_factory.mktemp("data")
    (folder / "rows.jsonl").write_text('{"n": 1, "q": "a"}\n{"n": 2, "q": "b"}\n', encoding="utf-8")
    preprocess = {"type": "python", "contract": "row", "source": source, "timeout_seconds": 2}
    with pytest.raises(SuiteError) as caught:
        documents({"file": "rows.jsonl", "format": "jsonl"}, "{{q}}", "", sandbox, folder, preprocess=preprocess)
    assert str(caught.value).startswith(said)
    assert SECRET not in str(caught.value)
