"""CPU seconds and resident memory of a process tree, from /proc (Linux)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
START_SECONDS = 180
Program = subprocess.Popen[bytes]


def tree(root: int) -> list[int]:
    """The process and its descendants."""
    pids = [root]
    for pid in pids:
        for file in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):  # a thread that has just ended
                pids += [int(child) for child in file.read_text().split()]
    return pids


def cpu_seconds(root: int) -> float:
    """User and system time of the tree, children that ended included."""
    total = 0
    for pid in tree(root):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += sum(map(int, fields[11:15] if pid == root else fields[11:13]))
    return total / TICK


def resident_mib(root: int) -> float:
    """Resident memory of the tree, shared pages counted once each process that maps them."""
    total = 0
    for pid in tree(root):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                total += int(line.split()[1])
    return total / 1024


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on just now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def start(command: list[str], *, log: Path, port: int, environ: dict[str, str]) -> Program:
    """Start a server and return once it listens; raises RuntimeError where it never does."""
    with log.open("wb") as output:
        running = subprocess.Popen(
            command, stdout=output, stderr=output, env=environ, start_new_session=True
        )
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and running.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 0.5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return running
    stop(running)
    raise RuntimeError(f"{command[0]} does not listen:\n{log.read_text()[-2000:]}")


def stop(running: Program) -> None:
    """End it, with force after ten seconds."""
    running.send_signal(signal.SIGTERM)
    try:
        running.wait(10)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
