"""docs/tutorial.md is a recording: its commands are run again, as written, in one bash session.

`RECORD=1 pytest tests/flows/test_tutorial.py` writes down what they print today.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

import pytest

from tests.flows.conftest import limited
from tests.flows.hub import BIN, ROOT, Hub, clean_environ
from tests.ports import free_port

pytestmark = [pytest.mark.flow, pytest.mark.timeout(900)]

DOCUMENT = ROOT / "docs" / "tutorial.md"
COLUMNS = 100
SECONDS = 840  # it takes 150 on a quiet machine
MARK = "\x1e"
# After each command its exit code, which stays $? for the next.
MARKING = f"mark() {{ local code=$?; printf '{MARK}%s\\n' $code; return $code; }}\n"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRESS = {"uploaded ...", "checking ..."}  # seen or not, as the moment has it
VARIES = (
    (r"\b[0-9a-f]{64}\b", "SHA256"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "ID"),
    (r"\b\d{4}-\d\d-\d\d( \d\d:\d\d)?", "TIME"),
    (r"(\d+\.\d\ds) \(\d+:\d\d:\d\d\)", r"\1"),  # pytest adds this after a minute
    (r"\b\d+(\.\d+)? ?m?s\b", "DURATION"),
    (r"(Environment seconds:) [\d.]+", r"\1 DURATION"),
    (r"((?:Wrong changes|Other forms) \w+:) [\d.]+ \[[^]]*\]", r"\1 SHARE"),  # of drawn tasks
    (r" \d+ bytes", " SIZE bytes"),
    (r"/files/[0-9a-f]{2}/", "/files/AA/"),
    (r"by rules \d+", "by rules N"),
    (r"Python \d+\.\d+\.\d+", "Python X.Y.Z"),
    (r" {2,}", "  "),  # columns are as wide as their widest cell
)


@dataclass
class Step:
    """One command, what it is recorded to print, and what it printed now."""

    command: str
    recorded: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    code: int = 0


def steps(text: str) -> list[Step]:
    """Every `$ ` line of the console blocks with the lines below it."""
    result: list[Step] = []
    for kind, body in BLOCK.findall(text):
        if kind != "console":
            continue
        assert body.startswith("$ "), f"a console block begins with a command, not {body[:40]!r}"
        for line in body.splitlines():
            if line.startswith("$ "):
                result.append(Step(line[2:]))
            else:
                result[-1].recorded.append(line)
    return result


def lines(text: str) -> list[str]:
    """The lines that a terminal shows in the end: a carriage return overwrites its line."""
    bare = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.replace("\r\n", "\n"))
    shown = bare.removesuffix("\n").split("\n") if bare else []
    return [line.rpartition("\r")[2].rstrip() for line in shown]


def plain(printed: list[str]) -> list[str]:
    """The lines without what differs from run to run."""
    kept = [line for line in printed if line not in PROGRESS]
    for pattern, word in VARIES:
        kept = [re.sub(pattern, word, line) for line in kept]
    return kept


def same(recorded: list[str], printed: list[str]) -> bool:
    """Whether they agree; a recorded line `...` matches any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in plain(recorded)
    )
    return bool(re.fullmatch(pattern, "".join(f"{line}\n" for line in plain(printed))))


def recorded(text: str, walk: list[Step]) -> str:
    """The document with today's words where they differ; an elision that still fits stays."""
    for step in walk:
        if not same(step.recorded, step.printed):
            step.recorded = step.printed
    following = iter(walk)

    def block(match: re.Match[str]) -> str:
        if match[1] != "console":
            return match[0]
        commands = [line for line in match[2].splitlines() if line.startswith("$ ")]
        printed = [
            [f"$ {step.command}", *step.recorded] for step in islice(following, len(commands))
        ]
        return "\n".join(("```console", *chain.from_iterable(printed), "```"))

    return BLOCK.sub(block, text)


def expected_code(number: int, walk: list[Step]) -> int:
    """0, or what the `echo $?` below it is recorded to say."""
    following = walk[number + 1] if number + 1 < len(walk) else None
    if following and following.command == "echo $?":
        return int(following.recorded[0]) if following.recorded else -1
    return 0


def play(walk: list[Step], folder: Path, environ: dict[str, str]) -> None:
    """Run them in one bash on a terminal of its own; fills in what they printed."""
    script = folder.parent / "walk.sh"
    script.write_text(MARKING + "".join(f"{step.command}\nmark\n" for step in walk))
    terminal, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    bash = subprocess.Popen(
        ["bash", "--norc", str(script)],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    os.close(its)
    too_long = threading.Timer(SECONDS, os.killpg, (bash.pid, signal.SIGKILL))
    too_long.start()
    try:
        output = read_all(terminal)
    finally:
        too_long.cancel()
        bash.wait()
    parts = output.split(MARK)
    for number, step in enumerate(walk):
        assert number + 1 < len(parts), f"nothing came after `$ {step.command}`:\n{parts[-1]}"
        before = parts[number] if number == 0 else parts[number].split("\n", 1)[1]
        step.printed = lines(before)
        step.code = int(parts[number + 1].split("\r", 1)[0])


def read_all(terminal: int) -> str:
    """Everything until the last writer is gone, which Linux reports as an error."""
    output = b""
    with os.fdopen(terminal, "rb", buffering=0) as source:
        try:
            while block := source.read(1 << 16):
                output += block
        except OSError:
            pass
    return output.decode()


@pytest.fixture
def model() -> Iterator[str]:
    """The base URL of a model server that replies `ok`."""
    port = free_port()
    stub = subprocess.Popen([sys.executable, "-m", "tests.worker.stub_model", str(port)], cwd=ROOT)
    deadline = time.monotonic() + 60
    try:
        while not listens(port):
            assert time.monotonic() < deadline, "the stub model did not start"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        stub.terminate()
        stub.wait()


def listens(port: int) -> bool:
    """Whether anybody does."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def hub(home: Path) -> Iterator[Hub]:
    """A hub whose runs survey the tasks, as every reader's."""
    with limited(home, "tutorial", HUB_RUN_SECONDS="600", HUB_SURVEY_TASKS="1000") as hub:
        yield hub


def environ(hub: Hub, home: Path, model: str) -> dict[str, str]:
    """What the tutorial has its reader set, a plain terminal, and the cache of wheels."""
    cache = subprocess.check_output([BIN / "uv", "cache", "dir"], text=True).strip()
    variables = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "HUB_URL": hub.url}
    model_variables = {"MODEL_URL": model, "MODEL": "stub", "MODEL_KEY": "unused"}
    look = {"NO_COLOR": "1", "TERM": "xterm", "UV_NO_PROGRESS": "1"}
    return (
        clean_environ()
        | variables
        | model_variables
        | look
        | {"HOME": str(home), "UV_CACHE_DIR": cache}
    )


def test_every_command_of_the_tutorial_prints_the_documented_output(
    hub: Hub, model: str, tmp_path: Path
) -> None:
    home, folder = tmp_path / "alice", tmp_path / "alice" / "walk"
    folder.mkdir(parents=True)
    token = hub.manage("create_token", "alice", "--name", "laptop", "--scope", "publish")
    (home / "token").write_text(token)
    text = DOCUMENT.read_text()
    for kind, body in BLOCK.findall(text):
        if kind == "python":
            name = body.split("\n", 1)[0].removeprefix("# ")
            (folder / name).write_text(body)

    walk = steps(text)
    play(walk, folder, environ(hub, home, model))
    for step in walk:
        step.printed = [
            line.replace(hub.url, "http://127.0.0.1:8000").replace(str(home), "/home/alice")
            for line in step.printed
        ]
    if os.environ.get("RECORD"):
        DOCUMENT.write_text(recorded(text, walk))
    wrong = [
        "\n".join((f"$ {step.command}", *step.printed, f"exit code {step.code}"))
        for number, step in enumerate(walk)
        if step.code != expected_code(number, walk) or not same(step.recorded, step.printed)
    ]
    assert not wrong, "printed something else than docs/tutorial.md says:\n" + "\n".join(wrong)
