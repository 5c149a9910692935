"""Runs uv with an empty environment and decides whose fault its failures are.

As root, uv runs under a uid of its own: it reads files of strangers and talks to the network.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import resource
import secrets
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from envyard.contract.codes import CODES, Fault
from envyard.contract.findings import Finding, finding
from envyard.contract.resolution import diagnose
from envyard.messaging.parent import die_with_parent
from envyard_runner import open_files
from envyard_runner.config import Config
from envyard_runner.sandbox.rundir import make_shared

BUILD_UID = 22999  # just below the runs' own
ERROR_BYTES = 1 << 16
CHECK_SECONDS = 0.2
DISK_RESERVE = 256 << 20  # bytes that stay free whatever the limit is
# A thirtieth of it is what uv needs; what it reads may be made to need any amount.
MEMORY_BYTES = 8 << 30


class VenvError(Exception):
    """A venv could not be built; `finding` states why, `fault` whether the author or the operator
    must act."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(finding.message)

    @property
    def fault(self) -> Fault:
        """ "environment": rejected; "platform": tried again."""
        return CODES[self.finding.code].fault


def cache_folder(config: Config) -> Path:
    """Where uv keeps what it downloaded, locked while it is at work."""
    return config.home / "uv-cache"


def make_writable(config: Config, *folders: Path) -> None:
    """Make folders that uv may write."""
    for folder in folders:
        make_shared(folder)
        if os.geteuid() == 0:
            os.chown(folder, BUILD_UID, BUILD_UID)
            folder.chmod(0o755)
    cache = cache_folder(config)
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.geteuid() == 0:
        os.chown(cache, BUILD_UID, BUILD_UID)


def shared_program(config: Config) -> Path:
    """A copy of uv that every user can start, for sandboxes: it may be installed below a closed
    home. One for each size and time of the original."""
    facts = config.uv.stat()
    folder = config.home / "programs" / f"uv-{facts.st_size}-{facts.st_mtime_ns}"
    program = folder / "uv"
    if not program.exists():
        for shared in (folder.parent, folder):
            make_shared(shared)
        draft = folder / f".{secrets.token_hex(8)}"
        shutil.copyfile(config.uv, draft)
        draft.chmod(0o755)
        draft.rename(program)
    return program


async def run(config: Config, *arguments: str, folder: Path, deadline: float) -> None:
    """Run one uv command in `folder` until the loop's `deadline`; raises VenvError.

    uv keeps the index's pages for minutes: the environment is at fault only where fresh pages show
    it too.
    """
    try:
        await _run_once(config, arguments, folder, deadline)
    except VenvError as error:
        if error.fault != "environment":
            raise
        await _run_once(config, (*arguments, "--refresh"), folder, deadline)


async def _run_once(
    config: Config, arguments: Sequence[str], folder: Path, deadline: float
) -> None:
    """Run it with a lock on the cache: downloads stay while uv is at work."""
    busy = os.open(cache_folder(config), os.O_RDONLY | os.O_DIRECTORY)
    try:
        await asyncio.to_thread(fcntl.flock, busy, fcntl.LOCK_SH)
        process = await _start(config, arguments, folder)
        guard = asyncio.create_task(_kill_when_full(process, config))
        try:
            async with asyncio.timeout_at(deadline):
                errors = await _read_errors(process)
                await process.wait()
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            if isinstance(error, TimeoutError):
                message = "fetching the dependencies took longer than the run allows"
                raise VenvError(finding("run.install_failed", message)) from None
            raise
        finally:
            guard.cancel()
        if guard.done() and not guard.cancelled():
            raise too_large(config)
    finally:
        os.close(busy)
    if process.returncode:
        raise VenvError(diagnose(process.returncode, errors.decode("utf-8", "replace")))


async def _read_errors(process: asyncio.subprocess.Process) -> bytes:
    """The first bytes of uv's error output; the rest is read and thrown away."""
    assert process.stderr is not None  # noqa: S101  (it was started with a pipe)
    errors = b""
    while part := await process.stderr.read(ERROR_BYTES):
        errors += part[: ERROR_BYTES - len(errors)]
    return errors


def too_large(config: Config) -> VenvError:
    """The error for a venv beyond any honest size: a small wheel may unpack to any size."""
    limit = config.build_bytes >> 20
    message = f"the dependencies fill this runner's disk: a venv may take {limit} MiB of it"
    return VenvError(finding("run.install_failed", message))


async def _kill_when_full(process: asyncio.subprocess.Process, config: Config) -> None:
    """Kill it once the disk has lost that much, or is nearly full; what ends between two checks is
    measured by the caller."""
    home = config.home
    minimum = max(shutil.disk_usage(home).free - config.build_bytes, DISK_RESERVE)
    while shutil.disk_usage(home).free > minimum:  # noqa: ASYNC110  (there is no event for it)
        await asyncio.sleep(CHECK_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def _start(
    config: Config, arguments: Sequence[str], folder: Path
) -> asyncio.subprocess.Process:
    """uv is started through a descriptor, since it may be installed below a closed home."""
    root = os.geteuid() == 0
    program = os.open(config.uv, os.O_RDONLY)
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "UV_CACHE_DIR": str(cache_folder(config)),
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_PROGRESS": "1",
        **config.index_environment,
    }
    try:
        return await asyncio.create_subprocess_exec(
            f"/proc/self/fd/{program}",
            *("pip", *arguments, "--no-config", "--quiet", "--color", "never"),
            *("--python", str(config.python), "--only-binary", ":all:"),
            cwd=folder,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            pass_fds=(program,),
            start_new_session=True,
            user=BUILD_UID if root else None,
            group=BUILD_UID if root else None,
            extra_groups=[] if root else None,
            preexec_fn=_limit_process,
        )
    finally:
        os.close(program)


def _limit_process() -> None:
    die_with_parent(signal.SIGKILL)
    open_files.restore_limit()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
