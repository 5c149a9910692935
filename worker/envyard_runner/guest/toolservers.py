"""Tool servers without an import a rollout: each is forked from a process that has it all loaded.

verifiers starts `python -m the.server` for every rollout that has tools, and each start imports the
framework again (seconds of processor time). Here one process is forked before the event loop starts
and forks a server in milliseconds; a server still is a process of its own, with its own state.
Source: verifiers 0.4.0, verifiers.v1.mcp.launch.serve_in_runtime and ServerBase.run.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import inspect
import json
import os
import runpy
import signal
import socket
import sys
import time
import traceback
import uuid
import warnings
from pathlib import Path
from typing import Any, BinaryIO

READY_SECONDS = 60.0
PARAMETERS = {"server", "runtime", "exposed", "state_url", "state_secret"}


class ForkServer:
    """The loaded process that tool servers are forked from; it ends with this one."""

    def __init__(self) -> None:
        parent_end, server_end = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        if os.fork() == 0:
            parent_end.close()
            with contextlib.suppress(BaseException):
                _serve_forks(server_end)
            os._exit(0)
        server_end.close()
        self._requests = parent_end.makefile("rwb", buffering=0)
        parent_end.close()

    def start(self, module: str, *, env: dict[str, str], cwd: str, log: str) -> ForkedServer:
        """Fork one process that runs the module as `python -m` would."""
        request = {"module": module, "env": env, "cwd": cwd, "log": log}
        self._requests.write(json.dumps(request).encode() + b"\n")
        return ForkedServer(int(self._requests.readline()))


class ForkedServer:
    """A forked server, in the shape in which the framework's runtime stops its processes."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    @property
    def returncode(self) -> int | None:
        """None while it runs; its real status is only known to its parent."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    async def wait(self) -> int:
        """Wait for its end."""
        while self.returncode is None:  # noqa: ASYNC110 - only its parent is notified of its end
            await asyncio.sleep(0.02)
        return 0


def install(fork_server: ForkServer) -> None:
    """Make the framework start its local tool servers through the fork server."""
    from verifiers.v1.mcp import launch

    original = launch.serve_in_runtime
    if set(inspect.signature(original).parameters) != PARAMETERS:
        return  # another release: slower, and still right

    async def serve_in_runtime(server: Any, runtime: Any, **options: Any) -> int:
        if runtime.type != "subprocess":
            return int(await original(server, runtime, **options))
        return await _serve(fork_server, server, runtime, **options)

    launch.serve_in_runtime = serve_in_runtime


async def _serve(
    fork_server: ForkServer,
    server: Any,
    runtime: Any,
    *,
    exposed: bool,
    state_url: str | None = None,
    state_secret: str = "",
) -> int:
    """Start a server and return its port once it answers."""
    folder = Path(runtime.workdir)
    log, port_file = folder / f"{server.server_name}.log", folder / f".port-{uuid.uuid4().hex}"
    env = {key: value for key, value in os.environ.items() if "API_KEY" not in key.upper()}
    env |= runtime.process_env(
        {
            "VF_CONFIG": server.config.model_dump_json(),
            "VF_STATE_URL": state_url or "",
            "VF_STATE_SECRET": state_secret,
            "TMPDIR": str(folder),
            "MCP_PORT_FILE": str(port_file),
        }
    )
    process = fork_server.start(type(server).__module__, env=env, cwd=str(folder), log=str(log))
    runtime._background.append(process)
    deadline = time.monotonic() + READY_SECONDS
    while process.returncode is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError, ValueError):
            port = int(port_file.read_text())
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return port
        await asyncio.sleep(0.02)
    output = log.read_text(errors="replace")[-2000:] if log.exists() else ""
    raise RuntimeError(f"tool server {server.server_name!r} did not start: {output}")


def _serve_forks(server_end: socket.socket) -> None:
    """The fork server's loop: fork one process per request until the other end closes."""
    _end_with_parent()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    requests = server_end.makefile("rwb", buffering=0)
    for line in requests:
        _load_server_side()
        pid = os.fork()
        if pid == 0:
            requests.close()
            server_end.close()
            _become_server(json.loads(line))
        requests.write(f"{pid}\n".encode())


def _end_with_parent() -> None:
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _load_server_side() -> None:
    """What every server imports anyway, once; frozen so that forks share the memory."""
    for name in ("mcp.server.mcpserver", "mcp.server.transport_security", "uvicorn"):
        importlib.import_module(name)

    gc.freeze()


def _become_server(request: dict[str, Any]) -> None:
    """Turn this fork into `python -m module`; never returns."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        os.chdir(request["cwd"])
        _redirect(request["log"])
        os.environ.clear()
        os.environ.update(request["env"])
        warnings.simplefilter("ignore", RuntimeWarning)
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def _redirect(log: str) -> None:
    file: BinaryIO
    with open(log, "wb") as file:  # noqa: PTH123
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
