"""A trial sandbox: a program in it attempts what no sandbox may allow."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from envyard_runner.config import Config
from envyard_runner.doctor.check import CheckFailed
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Exit, Sandbox
from envyard_runner.sandbox.rundir import make_shared

TRIAL_LIMITS = Limits(wall_seconds=30, cpu_seconds=20, memory_bytes=1 << 30, tmp_bytes=16 << 20)
# What must fail inside, one line each; the program names those that did not in its events.
ATTEMPTS = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def refused(answer):
    if answer:
        raise PermissionError
attempts = {
    "reached the network": lambda: socket.create_connection(("192.0.2.1", 80), 1),
    "made a vsock": lambda: socket.socket(40, socket.SOCK_STREAM),
    "saw the host's files": lambda: os.listdir("/var"),
    "wrote to the host's files": lambda: open("/usr/envyard", "w"),
    "saw other processes": lambda: refused(sum(map(str.isdigit, os.listdir("/proc"))) <= 3),
    "traced its keeper": lambda: refused(libc.ptrace(16, 1, 0, 0)),
    "became root": lambda: os.setuid(0),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except OSError:
        continue
    os.write({channel}, name.encode() + b"\\n")
"""


async def check_sandbox(config: Config) -> str:
    try:
        reached, end = await _run_trial(config)
    except PermissionError as error:
        raise CheckFailed(
            f"not tried, {error.filename} cannot be written: set RUNNER_HOME"
        ) from error
    if reached:
        raise CheckFailed(
            f"the sandbox leaks: a program inside {', '.join(reached)}; do not use it"
        )
    if end.code != 0:
        raise CheckFailed(f"a program in the sandbox ended with {end}")
    named = (
        "refused calls have names"
        if end.refused_calls is not None
        else "refused calls have no names (that takes Linux 5.5 and libseccomp 2.5)"
    )
    return f"sealed in {end.seconds:.2f} s; {named}"


async def _run_trial(config: Config) -> tuple[list[str], Exit]:
    make_shared(config.home)
    with _empty_venv(config) as venv:
        trial = replace(
            TRIAL_LIMITS, memory_bytes=min(TRIAL_LIMITS.memory_bytes, config.limits.memory_bytes)
        )
        async with Sandbox.prepare(config=config, venv=venv, files={}, limits=trial) as sandbox:
            (await sandbox.start(["python", "-c", ATTEMPTS])).close()
            reached = [line.decode("utf-8", "replace") async for line in sandbox.lines()]
            return reached, await sandbox.wait()


@contextmanager
def _empty_venv(config: Config) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=config.home) as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path
