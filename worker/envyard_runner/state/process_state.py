"""State files of this machine's runner processes, read by `hub-runner status` and `drain`.

A state file is valid for as long as its writer lives: the writer holds a lock on it, which the
kernel releases however the process ends.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

WriteState = Callable[[dict[str, Any]], None]


@contextmanager
def state_file(home: Path, kind: str) -> Iterator[WriteState]:
    """A function that writes this process's state file of that kind; the file is removed
    afterwards."""
    folder = home / "state"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if kind == "runner":
        _remove_stale(folder)
    file = folder / f"{kind}-{os.getpid()}.json"
    request_drain = _drain_file(home, os.getpid())

    def write(state: dict[str, Any]) -> None:
        part = file.with_suffix(".part")
        part.write_text(json.dumps({"pid": os.getpid(), **state}), encoding="utf-8")
        part.replace(file)

    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if kind == "runner":
            request_drain.unlink(missing_ok=True)  # left by a killed process of this number
        try:
            yield write
        finally:
            for path in (file, file.with_suffix(".lock")):
                with suppress(OSError):  # without its lock a state file is not valid
                    path.unlink(missing_ok=True)


@contextmanager
def runner_process(home: Path, mode: str, limits: str) -> Iterator[None]:
    """Register this process as a runner of this machine; `limits` names the mechanism of its
    limits."""
    with state_file(home, "runner") as write:
        write({"mode": mode, "held_by": limits, "since": time.time()})
        try:
            yield
        finally:
            _drain_file(home, os.getpid()).unlink(missing_ok=True)


def read_states(home: Path, kind: str) -> list[dict[str, Any]]:
    """The states of that kind whose writers live."""
    states = []
    for file in sorted((home / "state").glob(f"{kind}-*.json")):
        try:
            if _is_locked(file.with_suffix(".lock")):
                states.append(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError):  # it ended meanwhile
            continue
    return states


def is_draining(home: Path, pid: int | None = None) -> bool:
    """Whether that runner process, or this one, must take no new runs and end."""
    return _drain_file(home, os.getpid() if pid is None else pid).exists()


def request_drain(home: Path) -> list[dict[str, Any]]:
    """Signal every runner process of this machine to finish its run and end; their states."""
    states = read_states(home, "runner")
    for state in states:
        if not is_draining(home, state["pid"]):
            _drain_file(home, state["pid"]).touch()
            os.kill(state["pid"], signal.SIGTERM)
    return states


def _remove_stale(folder: Path) -> None:
    """Remove what killed processes left. A process that starts just now holds no lock yet, but
    lives."""
    for lock in folder.glob("*.lock"):
        pid = lock.stem.rpartition("-")[2]
        with suppress(FileNotFoundError):
            if not Path("/proc", pid).exists() and not _is_locked(lock):
                for suffix in (".json", ".part", ".drain", ".lock"):
                    lock.with_suffix(suffix).unlink(missing_ok=True)


def _drain_file(home: Path, pid: int) -> Path:
    return home / "state" / f"runner-{pid}.drain"


def _is_locked(file: Path) -> bool:
    with file.open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
