"""Starts bubblewrap and receives the endpoints' listening sockets from it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import command, seccomp
from envyard_runner.sandbox.endpoints import PORTS, Listening, opened
from envyard_runner.sandbox.exit import SandboxError
from envyard_runner.sandbox.hints import remedy

LAUNCHER = (Path(__file__).parents[1] / "guest" / "launch.py").read_text(encoding="utf-8")
# In a program's arguments: the descriptor of its channel, the name and folder of its package.
CHANNEL_FD, PACKAGE, FOLDER = "{channel}", "{package}", "{folder}"
START_SECONDS = 60.0
CPU_SPARE_SECONDS = 10  # by which the kernel's limit is late: the watchdog names the cause
SIGNALS = 4096  # that wait, and timers: memory of the kernel's


@dataclass(frozen=True, slots=True)
class Channels:
    """Pipes and sockets of runner and sandbox: (runner's end, sandbox's end) of each.

    `program` is the channel of the program: it writes events and reads requests.
    """

    control: tuple[socket.socket, socket.socket]
    log: tuple[int, int]
    program: tuple[int, int]
    info: tuple[int, int]

    @classmethod
    def open(cls) -> Channels:
        """Open them all; only their ends that are passed on will be inherited."""
        runner_end, sandbox_end = socket.socketpair()
        control = runner_end, socket.socket(fileno=command.moved_up(sandbox_end.detach()))
        own, theirs = (end.detach() for end in socket.socketpair())
        return cls(control, _pipe(), (own, command.moved_up(theirs)), _pipe())

    def close_sandbox_ends(self) -> None:
        """Close the sandbox's ends here, so that its death is an end of file."""
        self.control[1].close()
        for _, sandbox_end in (self.log, self.program, self.info):
            os.close(sandbox_end)

    def close_runner_ends(self) -> None:
        """Close the runner's ends."""
        self.control[0].close()
        for runner_end, _ in (self.log, self.program, self.info):
            os.close(runner_end)


def _pipe() -> tuple[int, int]:
    runner_end, sandbox_end = os.pipe()
    return runner_end, command.moved_up(sandbox_end)


@dataclass(frozen=True, slots=True)
class Started:
    """A sandbox before its first byte: bubblewrap, its init as seen from here, the listening
    sockets.

    `listener` is the descriptor for its refused calls, None where the kernel refuses alone.
    """

    process: subprocess.Popen[bytes]
    pidfd: int
    init: int
    init_pidfd: int
    listening: Listening
    listener: int | None


async def spawn(
    *,
    config: Config,
    uid: int,
    view: command.View,
    limits: Limits,
    program: list[str],
    channels: Channels,
) -> Started:
    """Start bubblewrap as `uid` and wait until the launcher inside hands the listening sockets out.

    Raises SandboxError with bubblewrap's own message; nothing is left running then. Closes the
    sandbox's ends of `channels` in any case.
    """
    process = _popen(config, uid, view, limits, program, channels)
    try:
        listening, listener = await _receive_sockets(channels.control[0])
        init = int(json.loads(os.read(channels.info[0], 4096))["child-pid"])
        pidfd, init_pidfd = os.pidfd_open(process.pid), os.pidfd_open(init)
        return Started(process, pidfd, init, init_pidfd, listening, listener)
    except (OSError, ValueError, TimeoutError) as error:
        process.kill()
        process.wait()
        output = _read_output(channels.log[0]) or str(error)
        raise SandboxError(f"the sandbox did not start: {output}; {remedy(output)}") from error
    except BaseException:
        process.kill()
        process.wait()
        raise


def _read_output(log: int) -> str:
    os.set_blocking(log, False)
    try:
        return os.read(log, 4096).decode("utf-8", "replace").strip()
    except BlockingIOError:
        return ""


def _popen(
    config: Config,
    uid: int,
    view: command.View,
    limits: Limits,
    program: list[str],
    channels: Channels,
) -> subprocess.Popen[bytes]:
    root = os.geteuid() == 0
    memory = command.MemoryFiles()
    control, (_, log), (_, channel), (_, info) = (
        channels.control[1].fileno(),
        channels.log,
        channels.program,
        channels.info,
    )
    values = {CHANNEL_FD: str(channel), PACKAGE: view.package, FOLDER: view.folder}
    try:
        options = "\0".join(command.arguments(view, memory)).encode()
        bwrap = [
            str(config.bwrap),
            *("--args", memory.add(options), "--seccomp", memory.add(seccomp.base())),
            *("--info-fd", str(info), "--"),
            *(str(view.base.python), "-I", "-S", "-c", LAUNCHER),
            *(str(control), str(channel), memory.add(seccomp.launcher_filters())),
            *(_rlimits(limits), ",".join(map(str, PORTS.values())), "--"),
            *(_filled_in(part, values) for part in program),
        ]
        # An empty environment: the sandbox can read bubblewrap's own in /proc/1/environ.
        return subprocess.Popen(
            bwrap,
            env={},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(control, channel, info, *memory.fds),
            start_new_session=True,
            user=uid if root else None,
            group=uid if root else None,
            extra_groups=[] if root else None,
        )
    except OSError as error:
        raise SandboxError(
            f"{config.bwrap} does not start ({error.strerror}); apt-get install bubblewrap"
        ) from error
    finally:
        memory.close()
        channels.close_sandbox_ends()


def _filled_in(part: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        part = part.replace(name, value)
    return part


def _rlimits(limits: Limits) -> str:
    """Per-process limits that the launcher takes on; hard ones, so nothing can raise them again.

    Address space is wider than memory, since threads and allocators reserve much that they never
    use; the memory itself is held by the cgroup or the watchdog.
    """
    return ",".join(
        f"{name}={value}"
        for name, value in {
            "AS": 2 * limits.memory_bytes + (4 << 30),
            "FSIZE": limits.file_bytes,
            "CPU": limits.cpu_seconds + CPU_SPARE_SECONDS,
            "NOFILE": limits.process_files,
            "NPROC": limits.pids,
            "CORE": 0,
            "MSGQUEUE": 0,
            "SIGPENDING": SIGNALS,
        }.items()
    )


async def _receive_sockets(control: socket.socket) -> tuple[Listening, int | None]:
    control.setblocking(False)
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(control, _resolve, ready)
    try:
        await asyncio.wait_for(ready, START_SECONDS)
    except TimeoutError:
        raise TimeoutError(f"nothing came from inside in {START_SECONDS:.0f} s") from None
    finally:
        loop.remove_reader(control)
    _, fds, _, _ = socket.recv_fds(control, 1, len(PORTS) + 1)
    if len(fds) < len(PORTS):
        raise OSError("it ended before it was ready")
    listening, filters = opened(fds[: len(PORTS)]), fds[len(PORTS) :]
    for fd in filters:
        os.set_inheritable(fd, False)
    return listening, filters[0] if filters else None


async def readable(fd: int) -> None:
    """Wait until `fd` is readable; for a pidfd, until its process ended."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    loop.add_reader(fd, _resolve, done)
    try:
        await done
    finally:
        loop.remove_reader(fd)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
