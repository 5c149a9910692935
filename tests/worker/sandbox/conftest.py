"""Real sandboxes in a runner's home of the test's own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pytest

from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Exit, Sandbox
from envyard_runner.sandbox.rundir import PROCESSES
from envyard_runner.sandbox.spawn import CHANNEL_FD, FOLDER

MIB = 1 << 20
QUICK = Limits(
    wall_seconds=20,
    cpu_seconds=10,
    memory_bytes=256 * MIB,
    pids=40,
    files=512,
    file_bytes=32 * MIB,
    tmp_bytes=16 * MIB,
    log_bytes=64 << 10,
    events_bytes=256 << 10,
)


@dataclass(slots=True)
class Ran:
    """What came out of one sandbox."""

    exit: Exit
    uid: int
    log: str
    lines: list[bytes] = field(default_factory=list)


@pytest.fixture(scope="session")
def config() -> Iterator[Config]:
    """A runner's settings with a home that every uid can reach; pytest's own folders are closed."""
    if not shutil.which("bwrap"):
        pytest.fail("the sandbox's tests need bubblewrap: apt-get install bubblewrap")
    home = Path(tempfile.mkdtemp(prefix="envyard-runner-", dir="/var/tmp"))
    home.chmod(0o755)
    yield Config.from_environment({**os.environ, "RUNNER_HOME": str(home)})
    shutil.rmtree(home)


@pytest.fixture(scope="session")
def site(config: Config) -> Path:
    """A venv with nothing in it but the hostile environment."""
    folder = config.home / "site"
    folder.mkdir()
    shutil.copy(Path(__file__).with_name("hostile.py"), folder)
    folder.chmod(0o755)
    return folder


class Run(Protocol):
    """Runs Python code in a sandbox to its end."""

    def __call__(self, code: str, limits: Limits = QUICK) -> Ran: ...


@pytest.fixture
def run(config: Config, site: Path) -> Run:
    """Runs Python code in a sandbox to its end."""

    def run_code(code: str, limits: Limits = QUICK) -> Ran:
        return asyncio.run(contained(config, site, ["python", "-c", code], limits))

    return run_code


async def contained(
    config: Config,
    site: Path,
    program: list[str],
    limits: Limits = QUICK,
    host: bytes = b"{}",
) -> Ran:
    """The whole life of one sandbox, with a gateway that answers everything with {}.

    The variables CHANNEL_FD and HOST name the program's channel and the file `host`.
    """
    log, files = bytearray(), {"host.json": host}
    variables = [f"CHANNEL_FD={CHANNEL_FD}", f"HOST={FOLDER}/host.json"]
    async with Sandbox.prepare(config=config, venv=site, files=files, limits=limits) as sandbox:
        sandbox.on_log = log.extend
        listening = await sandbox.start(["/usr/bin/env", *variables, *program])
        try:
            async with await asyncio.start_server(_answer, sock=listening.gateway):
                lines = [line async for line in sandbox.lines()]
                end = await sandbox.wait()
        finally:
            listening.close()
    return Ran(end, sandbox.uid, log.decode("utf-8", "replace"), lines)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError):
        await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    writer.close()
    await writer.wait_closed()


def recorded_pids(config: Config) -> list[int]:
    """The processes that the only run's folder names."""
    (folder,) = config.runs.iterdir()
    return [int(line.split()[0]) for line in (folder / PROCESSES).read_text().splitlines()]
