"""Programs of a model in the sandbox: right ones pass, hostile ones neither pass nor do harm."""

import contextlib
import json
import os
import platform
import random
import shutil
import socket
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_ifeval_pt.benchmarks import sandbox
from lm_eval_ifeval_pt.benchmarks.sandbox import Limits, Outcome, ProgramUnderTest, SandboxError, judge, judge_all
from lm_eval_ifeval_pt.benchmarks.sandbox.inside import wire
from lm_eval_ifeval_pt.benchmarks.sandbox.judge import Court, _outcome
from lm_eval_ifeval_pt.benchmarks.sandbox.syscalls import Permissions, seccomp_filter

QUICK = Limits(wall=4.0, cpu=1, memory=256 << 20)


@pytest.fixture(scope="module")
def strong():
    """Bubblewrap; a skip that says why where it does not work."""
    try:
        return sandbox.find()
    except SandboxError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module", params=["bubblewrap", "limits alone"])
def either(request):
    """Both ways to run a program."""
    if request.param == "bubblewrap":
        return request.getfixturevalue("strong")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "")
        try:
            return sandbox.find(weak=True)
        except SandboxError as error:
            pytest.skip(str(error))


def attack(body, expected="True", **names):
    """A program whose function `f` does something, and tests that it passes only if that gives the expected value."""
    code = f"def f():\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"
    for name, value in names.items():
        code = code.replace(name, repr(value))
    return ProgramUnderTest(code, "f", f"def check(candidate):\n    assert candidate() == {expected}\n")


def processes(mark):
    """The processes of the machine whose command line has the mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


# What passes


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("1", "1"),
        ("[1, 'a', None, True, 2.5]", "[1, 'a', None, True, 2.5]"),
        ("(1, (2,), [])", "(1, (2,), [])"),
        ("{'a': [1], 2: (3, 4), None: {5}}", "{'a': [1], 2: (3, 4), None: {5}}"),
        ("3 ** 20000", "3 ** 20000"),
        ("-(1 << 70)", "-(1 << 70)"),
        ("b'\\xff', complex(1, -2)", "(b'\\xff', 1 - 2j)"),
        ("float('inf')", "float('inf')"),
        ("'\\ud800 ç'", "'\\ud800 ç'"),
        ("__import__('fractions').Fraction(1, 2)", "0.5"),
        ("__import__('decimal').Decimal('0.5')", "0.5"),
        ("__import__('collections').Counter('aab')", "{'a': 2, 'b': 1}"),
        ("__import__('collections').namedtuple('P', 'x y')(1, 2)", "(1, 2)"),
        ("__import__('numpy').float64(0.5)", "0.5"),
        ("__import__('numpy').int64(3), __import__('numpy').bool_(True)", "(3, True)"),
        ("__import__('random').Random(1).choice([7]), __import__('hashlib').md5(b'').hexdigest()[:4]", "(7, 'd41d')"),
        ("{'a': 1}.keys()", "{'a'}"),
        ("print('x' * 10000, flush=True) or 4", "4"),
        ("[open('note', 'w').write('x'), open('note').read()]", "[1, 'x']"),
    ],
)
def test_values_arrive_as_they_are(either, returned, expected):
    """By value: built-in types, subclasses of them, numbers of NumPy and of the standard library."""
    outcome = judge(attack(f"return {returned}", expected), either)
    assert outcome == sandbox.Outcome(True, "")


def test_arguments_arrive_as_they_are_and_setup_serves_the_tests(either):
    """The tests may use what comes before the function in the prompt, not what the program makes of it."""
    program = ProgramUnderTest(
        "def helper(x):\n    return 'forged'\n\ndef f(*args, **kwargs):\n    return [args, kwargs]\n",
        "f",
        "def check(candidate):\n"
        "    assert candidate([1], (2,), {3}, key={'a': 1.5}) == [([1], (2,), {3}), {'key': {'a': 1.5}}]\n"
        "    assert f(1) == [(1,), {}]\n"
        "    assert helper(2) == 3\n",
        setup="def helper(x):\n    return x + 1\n\ndef f(x):\n    '''Doc.'''\n",
    )
    assert judge(program, either).passed


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def f():\n    return 5", "wrong answer"),
        ("def f():\n    return [1, 2", "SyntaxError"),
        ("def g():\n    return 1", "KeyError: 'f'"),
        ("def f():\n    raise ValueError('nada')", "ValueError: nada"),
        ("import nothing\ndef f():\n    return 1", "ModuleNotFoundError"),
        ("def f():\n    return (x for x in [1])", "no plain value: generator"),
        ("def f():\n    return f", "no plain value: function"),
        ("def f():\n    x = []\n    x.append(x)\n    return x", "no plain value"),
        ("def f():\n    return f()", "RecursionError"),
        ("def f():\n    return input()", "EOFError"),
    ],
)
def test_wrong_programs_fail_and_are_told_why(either, code, reason):
    """The reason is logged with the sample."""
    outcome = judge(ProgramUnderTest(code, "f", "def check(candidate):\n    assert candidate() == 1\n"), either)
    assert not outcome.passed
    assert reason in outcome.reason


def test_many_programs_keep_their_order(either):
    """Whichever is done first."""
    programs = [attack(f"import time; time.sleep({(i * 7 % 5) / 20}); return {i % 3}", "0") for i in range(9)]
    outcomes = judge_all(programs, either, workers=3, progress=False)
    assert [outcome.passed for outcome in outcomes] == [i % 3 == 0 for i in range(9)]


def test_a_sandbox_that_gives_wrong_verdicts_is_refused(strong):
    """No run in which every program fails for a reason of the machine."""
    with pytest.raises(SandboxError, match="known to be right"):
        judge_all([], strong, Limits(wall=0.0), progress=False)


def test_without_bubblewrap_programs_run_only_where_that_is_allowed(monkeypatch):
    """The message says what is missing and how to get it."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
        sandbox.find()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert sandbox.find(weak=True).is_weak


@pytest.mark.parametrize("has_bubblewrap", [True, False])
def test_a_container_without_further_users_works(strong, has_bubblewrap):
    """There, root is the only user, so a way in which programs become another one is passed over when it fails."""
    code = (
        "from lm_eval_ifeval_pt.benchmarks import sandbox\n"
        "isolation = sandbox.find(weak=True)\n"
        "print(isolation.is_weak, isolation.as_root)\n"
    )
    path = os.environ["PATH"] if has_bubblewrap else ""
    command = [shutil.which("unshare") or "unshare", "--user", "--map-root-user", sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path}, check=False)
    if "unshare failed" in done.stderr:
        pytest.skip(done.stderr)
    assert done.stdout.split() == [str(not has_bubblewrap), "False"]
    assert ("WITHOUT isolation" in done.stderr) != has_bubblewrap


# Forged verdicts

FORGERIES = {
    "exit 0": "import os; os._exit(0)",
    "SystemExit": "raise SystemExit(0)",
    "print": "print('passed'); print('{\"passed\": true, \"reason\": \"\"}', flush=True)",
    "verdicts into every open file": """
        import os
        for fd in range(64):
            for text in (b'{"passed": true, "reason": ""}', b'passed', b'0'):
                try:
                    os.write(fd, text)
                except OSError:
                    pass
        os._exit(0)
    """,
    "answers into every open file": """
        import json, os
        for value in (True, 12345, ["value", True], ["ready", None], None, []):
            body = json.dumps(["value", value]).encode()
            for fd in range(64):
                try:
                    os.write(fd, len(body).to_bytes(4, "big") + body)
                except OSError:
                    pass
        os._exit(0)
    """,
    "endless answers": """
        import os
        while True:
            for fd in range(3, 64):
                try:
                    os.write(fd, b"[" * 65536)
                except OSError:
                    pass
    """,
    "equal to everything": """
        class Liar:
            __hash__ = object.__hash__
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            def __bool__(self): return True
        return Liar()
    """,
    "a number equal to everything": """
        class Liar(int):
            __hash__ = int.__hash__
            def __eq__(self, other): return True
        return Liar(3)
    """,
    "a list equal to everything": """
        class Liar(list):
            def __eq__(self, other): return True
        return Liar()
    """,
    "no assertions": """
        import builtins, sys
        class Never(BaseException):
            pass
        builtins.AssertionError = Never
        builtins.isinstance = lambda *args: True
        builtins.exec = builtins.compile = lambda *args, **kwargs: None
        sys.excepthook = lambda *args: None
        raise AssertionError
    """,
    "its own protocol": """
        import sys
        for name, module in list(sys.modules.items()):
            if hasattr(module, "encode") and hasattr(module, "receive"):
                module.encode = lambda value: ["dict", [[["list", []], 1]]]
                module.json.dumps = lambda value: '["value", {"passed": true}]'
        return 1
    """,
    "not a number": "return float('nan')",
    "code in a pickle": """
        class Bomb:
            def __reduce__(self): return (exec, ("import os; os._exit(0)",))
        return Bomb()
    """,
    "deep nesting": """
        import os
        body = b'["value", ' + b'["list", [' * 100000 + b']]' * 100000 + b']'
        for fd in range(3, 64):
            try:
                os.write(fd, len(body).to_bytes(4, "big") + body)
            except OSError:
                pass
        os._exit(0)
    """,
    "a huge number": """
        import sys
        wire = next(m for m in list(sys.modules.values()) if hasattr(m, "encode") and hasattr(m, "receive"))
        sys.modules["inside.candidate"].encode = lambda value: ["Fraction", "1e9999999999"]
        return 1
    """,
    "the tests in its memory": """
        import gc
        found = [x for x in gc.get_objects() if isinstance(x, dict) and "tests" in x]
        return found[0]["tests"] if found else None
    """,
}


@pytest.mark.parametrize("name", FORGERIES)
def test_no_verdict_can_be_forged(either, name):
    """Passing means to return 12345, and nothing but the tests knows that."""
    start = time.monotonic()
    outcome = judge(attack(FORGERIES[name], "12345"), either, QUICK)
    assert not outcome.passed
    assert time.monotonic() - start < 5 * QUICK.wall


@pytest.mark.parametrize("name", ["exit 0", "print", "no assertions", "verdicts into every open file"])
def test_nor_while_the_program_is_loaded(either, name):
    """Code at module level runs before any test does."""
    program = attack("return 12345" if name == "print" else FORGERIES[name], "54321")
    code = f"{program.code}\nf()\n"
    assert not judge(ProgramUnderTest(code, "f", program.tests), either, QUICK).passed


OPEN_ELSEWHERE = """
    import glob, json, os, threading
    answer = json.dumps(["value", 12345]).encode()
    texts = [b'{"passed": true, "reason": ""}', len(answer).to_bytes(4, "big") + answer, NOISE]
    for path in glob.glob("/proc/[0-9]*/fd/[0-9]*") + glob.glob("/proc/[0-9]*/task/*/fd/[0-9]*"):
        if not path.startswith(f"/proc/{os.getpid()}/"):
            try:
                fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
                if "pipe" in os.readlink(path):
                    for text in texts:
                        os.write(fd, text)
            except OSError:
                pass
    return 1
"""


@pytest.mark.slow
def test_no_verdict_is_forged_through_the_files_of_another_process(either):
    """`/proc/<pid>/fd` of the process that waits for the verdict, while programs run beside each other."""
    programs = [attack(OPEN_ELSEWHERE, "12345", NOISE=b"[[[{\xff") for _ in range(3)]
    programs.append(attack("import time; time.sleep(1); return 12345", "12345"))
    assert [outcome.passed for outcome in judge_all(programs, either, QUICK, 4, progress=False)] == [False] * 3 + [True]


@pytest.mark.parametrize("path", ["mem", "environ", "maps", "fd"])
def test_the_memory_of_the_harness_is_closed_to_programs(either, path):
    """Whoever can write there needs no verdict."""
    body = """
        import os
        try:
            path = f"/proc/{HARNESS}/{PATH}"
            return bool(os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(0) is not None)
        except OSError:
            return False
    """
    assert judge(attack(body, HARNESS=os.getpid(), PATH=path), either).reason == "wrong answer"


@given(st.binary() | st.text().map(str.encode) | st.sampled_from([b'{"passed": 1, "reason": ""}', b"[" * 100_000]))
def test_no_bytes_in_place_of_a_verdict_raise(said):
    """And none of them passes, but for the one verdict that does."""
    assert not _outcome(said).passed
    assert _outcome(json.dumps({"passed": True, "reason": ""}).encode() + said[:0]) == Outcome(True, "")


def test_checkers_that_end_are_started_again(either):
    """One program that brings them down costs no other its verdict."""
    program = attack("return 5", "5")
    with Court(either, QUICK) as court:
        assert court.judge(program).passed
        court._checkers.kill()
        court._checkers.wait()
        assert court.judge(program).passed


# System calls

CALLS = {
    "shmget": (29, 0, 64 << 20, 0o1600),
    "memfd_create": (319, b"x", 0),
    "unshare a user namespace": (272, 0x10000000),
    "unshare mounts": (272, 0x00020000),
    "clone into a user namespace": (56, 0x10000000 | 17, 0, 0, 0, 0),
    "clone3": (435, 0, 0),
    "setns": (308, 0, 0),
    "mount": (165, b"none", b"/scratch", b"tmpfs", 0, 0),
    "keyctl": (250, 0, 0),
    "add_key": (248, b"user", b"x", b"y", 1, 0),
    "bpf": (321, 0, 0, 0),
    "io_uring_setup": (425, 4, b"\0" * 120),
    "ptrace": (101, 0, 0, 0, 0),
    "process_vm_writev": (311, 1, 0, 0, 0, 0, 0),
    "perf_event_open": (298, b"\0" * 128, 0, -1, -1, 0),
    "userfaultfd": (323, 0),
    "vsock": (41, 40, 1, 0),
    "netlink": (41, 16, 3, 0),
    "a call of tomorrow": (470, 0, 0),
    "fork": (57,),
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86_64")
@pytest.mark.parametrize("name", CALLS)
def test_calls_that_get_round_limits_are_refused(either, name):
    """By the kernel, with an error that is not an argument's."""
    body = """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall.restype = ctypes.c_long
        done = libc.syscall(*CALL)
        return (done, ctypes.get_errno() in (1, 11, 13, 38))
    """
    assert judge(attack(body, "(-1, True)", CALL=CALLS[name]), either) == Outcome(True, "")


def test_shared_memory_of_system_v_does_not_get_round_the_limit(either):
    """3 GiB against 256 MiB: nothing is kept, and no segment is left behind."""
    body = """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.shmat.restype = ctypes.c_void_p
        kept = 0
        for _ in range(48):
            segment = libc.shmget(0, 64 << 20, 0o1600)
            address = libc.shmat(segment, None, 0)
            if segment >= 0 and address not in (None, (1 << 64) - 1):
                ctypes.memset(address, 1, 64 << 20)
                libc.shmdt(ctypes.c_void_p(address))
                kept += 1
        return kept
    """
    before = Path("/proc/sysvipc/shm").read_text(encoding="ascii").count("\n")
    assert judge(attack(body, "0"), either, QUICK) == Outcome(True, "")
    assert Path("/proc/sysvipc/shm").read_text(encoding="ascii").count("\n") == before


def test_pipes_hold_little_beside_the_address_space(either):
    """All that a program can put into the kernel: half as many pipes as it may have files open, a MiB in each."""
    program = attack(
        """
        import fcntl, os
        written = 0
        try:
            while True:
                _, end = os.pipe()
                os.set_blocking(end, False)
                try:
                    fcntl.fcntl(end, 1031, 1 << 20)  # F_SETPIPE_SZ
                except OSError:
                    pass
                written += os.write(end, bytes(1 << 20))
        except OSError:
            return 0 < written <= 32 << 20
        """
    )
    assert judge(program, either) == Outcome(True, "")


def test_python_still_works_behind_the_filter(either):
    """What programs do: processes of their own are none of it."""
    body = """
        import asyncio, bisect, collections, datetime, decimal, functools, hashlib, heapq, itertools, math, random, re
        import ssl, sqlite3, statistics, string, tempfile, zlib, lzma, bz2, numpy
        async def three(): return 3
        return (asyncio.run(three()), hashlib.sha256(b"").hexdigest()[:4], int(numpy.linalg.det(numpy.eye(3))),
                sqlite3.connect(":memory:").execute("select 1").fetchone(), zlib.crc32(b"a") > 0)
    """
    assert judge(attack(body, "(3, 'e3b0', 1, (1,), True)"), either) == Outcome(True, "")


def test_machines_without_a_list_have_no_filter():
    """Rather than a filter with the numbers of another machine."""
    permissions = Permissions(forks=False, signals=False)
    assert seccomp_filter(permissions, "riscv64") == b""
    for machine in ("x86_64", "aarch64"):
        assert len(seccomp_filter(permissions, machine)) % 8 == 0
        assert len(seccomp_filter(permissions, machine)) < 8 * 4096  # BPF_MAXINSNS


# Limits


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import time; time.sleep(600)",
        "import signal, time; [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15, 24)]\nwhile True: pass",
        "while True: print('x' * 100000)",
        "import os\nwhile True: os.write(1, b'x' * 100000)",
        "import sys\nwhile True: sys.stderr.write('x' * 100000)",
        "import re; return re.match('(a+)+$', 'a' * 40 + 'b')",
        "import os, time\nos.fork() or time.sleep(600)\nreturn True",
        "import os, time\nos.setsid() if os.getpid() != os.getpgid(0) else 0\ntime.sleep(600)",
        "return len(bytearray(10 << 30)) > 0",
        "x = []\nwhile True: x.append(bytearray(10 << 20))",
        "import mmap; m = mmap.mmap(-1, 10 << 30); m[:] = bytes(10 << 30); return True",
        "return 'x' * (50 << 20)",
        "import threading; threading.Thread(target=print).start(); return True",
        "import subprocess; subprocess.run(['/bin/true']); return True",
        "open('big', 'wb').write(bytes(100 << 20)); return True",
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1)); return True",
        "import os\nfor i in range(200): os.open('/dev/null', 0)\nreturn True",
    ],
)  # fmt: skip
def test_no_limit_can_be_passed(either, body):
    """Nothing passes, nothing outlives the wall limit, and no process is left."""
    limits = replace(QUICK, wall=QUICK.wall + random.random())
    mark = f'"wall": {limits.wall}'  # in the command line of the processes of this test alone
    start = time.monotonic()
    outcome = judge(attack(body), either, limits)
    assert not outcome.passed
    assert time.monotonic() - start < 5 * limits.wall
    deadline = time.monotonic() + 60
    while processes(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes(mark)


@pytest.mark.slow
def test_processor_time_is_limited_apart_from_the_clock(either):
    """A busy loop ends long before the wall limit."""
    start, limits = time.monotonic(), replace(QUICK, wall=120.0)
    outcome = judge(attack("while True: pass"), either, limits)
    assert outcome.reason == "the program ended before it answered"
    assert time.monotonic() - start < limits.wall / 2


@pytest.mark.slow
def test_a_right_answer_beyond_the_limit_on_output_fails(either):
    """The tests do not even read it."""
    program = attack("return 'x' * (50 << 20)", "'x' * (50 << 20)")
    outcome = judge(program, either)
    assert not outcome.passed
    assert "allowed" in outcome.reason
    assert judge(program, either, Limits(output=60 << 20)).passed


def test_a_fork_bomb_makes_no_process(either):
    """The first fork is refused."""
    bomb = """
        import os
        made = 0
        for _ in range(100):
            try:
                if os.fork() == 0:
                    while True: pass
                made += 1
            except OSError:
                pass
        return made > 0
    """
    outcome = judge(attack(bomb), either, QUICK)
    assert outcome.reason == "wrong answer"


def test_many_small_files_do_not_fill_the_machine(strong):
    """The scratch folder as a whole is bounded, not each file alone."""
    fill = """
        written = 0
        try:
            for i in range(60):
                with open(f'f{i}', 'wb') as file:
                    written += file.write(bytes(1 << 20))
        except OSError:
            pass
        return written >= (40 << 20)
    """
    assert judge(attack(fill), strong).reason == "wrong answer"


# The machine


def test_the_environment_of_the_harness_is_not_seen(strong, monkeypatch):
    """Neither its own copy nor that of another process."""
    monkeypatch.setenv("SECRET_TOKEN", "swordfish")
    body = """
        import glob, os
        seen = [str(dict(os.environ))]
        for path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cmdline'):
            try:
                seen.append(open(path).read())
            except OSError:
                pass
        return 'swordfish' in ''.join(seen) or 'SECRET_TOKEN' in ''.join(seen)
    """
    assert judge(attack(body), strong).reason == "wrong answer"


def test_processes_of_the_machine_are_not_seen(strong):
    """Not even whether they exist."""
    body = """
        import os
        try:
            os.kill(HARNESS, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return True
    """
    assert judge(attack(body, HARNESS=os.getpid()), strong).reason == "wrong answer"


@pytest.mark.parametrize("where", ["home", "folder", "passwd", "package"])
def test_files_of_the_machine_are_not_seen(strong, tmp_path, where):
    """Home, working files, accounts, and this package with the data it may have."""
    (tmp_path / "secret").write_text("swordfish", encoding="utf-8")
    path = {
        "home": Path.home(),
        "folder": tmp_path / "secret",
        "passwd": Path("/etc/passwd"),
        "package": Path(sandbox.__file__),
    }[where]
    assert path.exists()
    body = """
        import os
        try:
            return len(os.listdir(PATH)) > 1 if os.path.isdir(PATH) else open(PATH).read() != ''  # Python may be there
        except OSError:
            return False
    """
    assert judge(attack(body, PATH=str(path)), strong).reason == "wrong answer"


def test_nothing_is_written_outside_the_scratch_folder(strong, tmp_path):
    """Nor is anything removed, nor do two programs share a file."""
    (tmp_path / "kept").write_text("kept", encoding="utf-8")
    python = Path(os.__file__).parent
    system = ("/", "/tmp", "/dev", "/dev/shm", "/usr", "/etc", "/var/tmp")
    outside = [str(tmp_path), *system, str(python)]
    body = """
        import os, shutil
        done = []
        for folder in OUTSIDE:
            try:
                os.makedirs(folder, exist_ok=True)
                with open(os.path.join(folder, 'sandbox-was-here'), 'w') as file:
                    file.write('x')
                done.append(folder)
            except OSError:
                pass
        shutil.rmtree(OUTSIDE[0], ignore_errors=True)
        shutil.rmtree('/usr', ignore_errors=True)
        return done != []
    """
    outcome = judge(attack(body, OUTSIDE=outside), strong)
    assert outcome.reason == "wrong answer"
    assert (tmp_path / "kept").exists()
    assert not [folder for folder in outside if (Path(folder) / "sandbox-was-here").exists()]
    judge(attack("open('left', 'w').write('x'); return True"), strong)
    assert judge(attack("import os; return os.path.exists('left')"), strong).reason == "wrong answer"


def test_no_connection_is_made(strong):
    """Neither to this machine nor beyond it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        body = """
            import socket
            for address in (('127.0.0.1', PORT), ('8.8.8.8', 53), ('10.0.0.1', 80)):
                try:
                    socket.create_connection(address, timeout=1).sendall(b'x')
                    return True
                except OSError:
                    pass
            return False
        """
        assert judge(attack(body, PORT=port), strong).reason == "wrong answer"
        with pytest.raises(TimeoutError):
            server.accept()


@pytest.mark.slow
def test_other_processes_cannot_be_killed(strong):
    """Not the parent, not the group, not the checker, nor by any number; the other program still passes."""
    body = """
        import os, signal
        for pid in [os.getppid(), 0, 1, -1, *range(2, 5000)]:
            for target in (os.kill, os.killpg):
                if pid not in (os.getpid(), 0, -1):
                    try:
                        target(pid, signal.SIGKILL)
                    except (OSError, OverflowError):
                        pass
        os.kill(os.getppid(), signal.SIGKILL) if os.getppid() else None
        os.kill(-1, signal.SIGKILL)
        return True
    """
    quiet = attack("import time; time.sleep(1); return True")
    hostile, spared = judge_all([attack(body, "2"), quiet], strong, workers=2, progress=False)
    assert not hostile.passed
    assert spared.passed


def test_only_python_and_numpy_are_seen(strong):
    """No program of the system, no library that Python does not load, no package but NumPy."""
    body = """
        import os, sys, sysconfig
        library = sysconfig.get_path("stdlib")
        programs = [name for folder in ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/opt")
                    if os.path.isdir(folder) and folder != f"/{HOME}" for name in os.listdir(folder)]
        packages = os.listdir("/packages") + [
            name for name in ("site-packages", "dist-packages") if os.path.isdir(f"{library}/{name}")
            for name in os.listdir(f"{library}/{name}")
        ]
        return (
            [name for name in programs if not name.startswith("python")],
            [name for name in packages if not name.startswith("numpy")],
            sorted(set(os.listdir("/")) & {"etc", "proc", "sys", "tmp", "var", "run", "home", "boot"} - {HOME}),
            os.path.exists("/usr/share"), len([name for name in os.listdir("/libraries")]) < 150,
        )
    """
    home = Path(sandbox.view.python()).parts[1]
    assert judge(attack(body, "([], [], [], False, True)", HOME=home), strong) == Outcome(True, "")


# Turns


@pytest.mark.slow
def test_sleepers_hold_no_other_back(strong):
    """Six that sleep to their end and ten that work, one at a time, take the time of one sleeper and of the ten."""
    limits = replace(QUICK, wall=6.0)
    asleep, quick = attack("import time; time.sleep(600); return 1", "1"), attack("return 1", "1")
    start = time.monotonic()
    judge_all([quick] * 10, strong, limits, workers=1, progress=False)
    alone = time.monotonic() - start
    start = time.monotonic()
    outcomes = judge_all([asleep] * 6 + [quick] * 10, strong, limits, workers=1, progress=False)
    taken = time.monotonic() - start
    assert [outcome.passed for outcome in outcomes] == [False] * 6 + [True] * 10
    assert taken < alone * 2 + 2 * limits.wall < 6 * limits.wall


@pytest.mark.slow
def test_a_busy_program_keeps_its_turn(strong):
    """Sleeping is not waiting for a processor: busy programs do not pile up."""
    busy = attack("while True: pass")
    start = time.monotonic()
    judge_all([busy] * 3, strong, replace(QUICK, wall=20.0, cpu=1), workers=1, progress=False)
    assert time.monotonic() - start > 3 * 0.9


# Values


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner),
)


@pytest.mark.slow
@given(PLAIN)
def test_plain_values_survive_the_wire(value):
    """With their types: 1 is not 1.0, nor True."""
    back = wire.decode(json.loads(json.dumps(wire.encode(value))))
    assert repr(back) == repr(value)


@pytest.mark.slow
@given(st.recursive(st.none() | st.text() | st.floats() | st.sampled_from(["int", "set", "dict"]), st.lists))
def test_what_is_no_value_is_refused(data):
    """The other side may send anything."""
    with contextlib.suppress(wire.WireError):
        wire.decode(data)
