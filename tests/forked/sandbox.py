"""A Sandbox whose program is forked from a process that has imported the framework."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Sandbox, SandboxError
from envyard_runner.sandbox.command import DATA_VARIABLES, JUDGE_VARIABLES, PROXY_VARIABLES, View
from envyard_runner.sandbox.endpoints import PORTS, opened
from envyard_runner.sandbox.spawn import CHANNEL_FD, FOLDER, PACKAGE, Channels, Started, readable

PARENT = Path(__file__).with_name("parent.py")
MODULES = ("verifiers", "verifiers.v1", "httpx", "openai")
HOME, PATH = "/tmp", "/usr/bin:/bin"
CHANNEL = 256  # the number of its descriptor
FORK_SECONDS = 120.0  # the first fork waits for the imports
OWN = {**JUDGE_VARIABLES, **DATA_VARIABLES, **PROXY_VARIABLES}


@dataclass(frozen=True, slots=True)
class Supervisor:
    """The supervisor of a program, in the shape of a Popen."""

    control: socket.socket
    pid: int

    def wait(self) -> int:
        """The program's exit status once the supervisor has ended; -9 where it was killed."""
        try:
            return int(self.control.recv(16) or -signal.SIGKILL)
        except (BlockingIOError, ConnectionResetError):
            return -signal.SIGKILL


class Parents:
    """The processes that have imported the framework, one for each interpreter and venv."""

    def __init__(self) -> None:
        self._sockets: dict[tuple[Path, Path], socket.socket] = {}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._folder = tempfile.TemporaryDirectory(prefix="envyard-forked-", dir="/var/tmp")
        Path(self._folder.name).chmod(0o755)

    def of(self, python: Path, site: Path) -> socket.socket:
        """The socket that takes requests."""
        if (python, site) not in self._sockets:
            own, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            # dill takes a module below such a name for installed, and others for the user's own.
            installed = Path(self._folder.name, f"{len(self._sockets)}", "site-packages")
            installed.parent.mkdir()
            installed.symlink_to(site)
            command = [python, "-B", "-S", PARENT, str(theirs.fileno()), *MODULES]
            variables = {**OWN, "PYTHONPATH": str(installed), "HOME": HOME, "PATH": PATH}
            process = subprocess.Popen(command, env=variables, pass_fds=[theirs.fileno()])
            self._processes.append(process)  # each ends once this one has
            theirs.close()
            self._sockets[python, site] = own
        return self._sockets[python, site]


PARENTS = Parents()


async def fork(
    *,
    config: Config,
    uid: int,
    view: View,
    limits: Limits,
    program: list[str],
    channels: Channels,
) -> Started:
    """Fork the program; raises SandboxError where that fails."""
    control, control_there = channels.control
    request = {
        **_module(program, view),
        "uid": uid,
        "app": str(view.app),
        "environment": [str(view.environment)] if view.environment else [],
        "ports": [*PORTS.values()],
        "channel": CHANNEL,
    }
    try:
        fds = [control_there.fileno(), channels.log[1], channels.program[1]]
        parent = PARENTS.of(view.base.python, view.site)
        socket.send_fds(parent, [json.dumps(request).encode()], fds)
    finally:
        channels.close_sandbox_ends()
    control.setblocking(False)
    await asyncio.wait_for(readable(control.fileno()), FORK_SECONDS)
    content, sockets, *_ = socket.recv_fds(control, 64, len(PORTS))
    if len(sockets) < len(PORTS):
        raise SandboxError("the parent process forked no program")
    supervisor, first = map(int, content.split())
    return Started(
        process=cast("Any", Supervisor(control, supervisor)),
        pidfd=os.pidfd_open(supervisor),
        init=first,
        init_pidfd=os.pidfd_open(first),
        listening=opened([*sockets]),
        listener=None,
    )


def _module(program: list[str], view: View) -> dict[str, Any]:
    """The module that a program's command runs, with its arguments and variables.

    The command ends with `/usr/bin/env NAME=VALUE... python -m MODULE ARGUMENT...`; what comes
    before is the check of the machine.
    """
    values = {CHANNEL_FD: str(CHANNEL), PACKAGE: view.package, FOLDER: f"{view.app}/{view.package}"}
    command = [*program[program.index("/usr/bin/env") + 1 :]]
    for name, value in values.items():
        command = [part.replace(name, value) for part in command]
    place = command.index("python")
    own = dict(part.split("=", 1) for part in command[:place])
    folders = [view.app, view.site, *filter(None, [view.environment])]
    paths = {"PATH": PATH, "HOME": HOME, "PYTHONPATH": ":".join(map(str, folders))}
    variables = {**view.variables, **OWN, **own, **paths}
    return {"module": command[place + 2], "arguments": command[place + 3 :], "variables": variables}


class ForkedSandbox(Sandbox):
    """A process with namespaces and a uid of its own."""

    spawn: Callable[..., Awaitable[Started]] = staticmethod(fork)
