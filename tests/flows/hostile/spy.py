"""Tries to reach everything outside its sandbox; the metric `reached` counts the successes."""

# ruff: noqa
# mypy: ignore-errors

import ctypes
import json
import os
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

HOST: dict[str, Any] = json.loads("""@HOST@""")
OURS = {"bwrap", "python", "python3"}
CALM = {"rollout": "silent/0/0", "ok": True, "reward": 1.0, "seconds": 0.1}
FORGED: list[dict[str, Any]] = [
    {"event": "rollout", **CALM, "rollout": "model/0/0"},
    {"event": "rollout", **CALM, "rollout": "oracle/99/0"},
    {"event": "rollout_started", "rollout": "pleader/0/0"},
    {"event": "loaded", "tasks": []},
    {"event": "listed"},
]
reached_names: list[str] = []
forged: list[bool] = []


def attempts() -> dict[str, Callable[[], object]]:
    """What each returns, if it does, was reached."""
    libc = ctypes.CDLL(None)
    datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return {
        "tcp": lambda: socket.create_connection(("1.1.1.1", 443), 1),
        "the hub": lambda: socket.create_connection(("127.0.0.1", HOST["port"]), 1),
        "udp": lambda: datagram.sendto(b"x", ("8.8.8.8", 53)),
        "dns": lambda: socket.getaddrinfo("example.org", 443),
        **{f"file {path}": lambda path=path: entries(Path(path)) for path in HOST["paths"]},
        "environment": lambda: [k for k in os.environ if k.startswith(("HUB", "RUN", "DATA"))],
        "first environment": lambda: Path("/proc/1/environ").read_bytes(),
        "processes": lambda: [p for p in Path("/proc").glob("[0-9]*/comm") if is_foreign(p)],
        "the runner": lambda: [os.kill(pid, 0) for pid in HOST["pids"]] or "signalled",
        "ptrace": lambda: libc.ptrace(16, os.getppid(), 0, 0) == 0,
    }


def entries(path: Path) -> object:
    """Something of that file or folder."""
    return list(path.iterdir()) if path.is_dir() else path.read_bytes()


def is_foreign(comm: Path) -> bool:
    """Whether a process is none of this run's."""
    return comm.read_text().strip() not in OURS


def at(stage: str) -> None:
    """Try everything; write the log as if one owned the reader's terminal."""
    for name, reach in attempts().items():
        try:
            if answer := reach():
                reached_names.append(f"{stage}: {name}")
                print(f"REACHED {name} at {stage}: {answer!r}"[:300])
        except OSError as error:
            print(f"refused {name} at {stage}: {type(error).__name__}")
    print(f"\x1b[2J\x1b]0;owned\x07 spied at {stage}")
    if stage == "rollout":
        forge()


def forge() -> None:
    """Write events of one's own into the channel of this process, once: more would be a flood."""
    if forged:
        return
    forged.append(True)
    channel = int(Path("/proc/self/cmdline").read_text().split("\0")[-2])
    lines = [*map(json.dumps, FORGED), "x" * 700_000, "[" * 5000]
    os.write(channel, "".join(f"{line}\n" for line in lines).encode())


def score() -> dict[str, float]:
    """How much was reached, and whether looking works at all: the door of the run must be open."""
    try:
        urllib.request.urlopen("http://127.0.0.1:8000/", timeout=5)
    except urllib.error.HTTPError:
        gateway_score = 1.0
    return {"reached": float(len(reached_names)), "door": gateway_score}
