"""The folder of one run, and the clearing up after runners that were killed.

The folder is locked while its runner lives (the kernel drops the lock however it ends) and names
the sandbox's processes with their start times, so that a later runner can end exactly those.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

from envyard_runner.config import Config
from envyard_runner.sandbox.watchdog import start_time

PROCESSES = "processes"


@dataclass(frozen=True, slots=True)
class RunDir:
    """One run's folder and the descriptor that holds its lock."""

    path: Path
    lock_fd: int

    @classmethod
    def create(cls, config: Config, inside: Path) -> RunDir:
        """Make and lock the folder with a copy of the inside programs that any uid can read.

        A copy, because the installed one may lie below a home that the run's uid cannot enter.
        """
        make_shared(config.runs)
        hidden = config.runs / f".{secrets.token_hex(8)}"
        hidden.mkdir(mode=0o711)
        lock_fd = os.open(hidden, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(lock_fd, fcntl.LOCK_EX)
        shutil.copytree(inside, hidden / "inside", ignore=shutil.ignore_patterns("__pycache__"))
        for path in (hidden, *(hidden / "inside").rglob("*"), hidden / "inside"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        path = config.runs / hidden.name[1:]
        hidden.rename(path)
        return cls(path, lock_fd)

    def record(self, *pids: int) -> None:
        """Write down which processes belong to the run, for `reap_orphans`."""
        lines = [f"{pid} {started}\n" for pid in pids if (started := start_time(pid)) is not None]
        (self.path / PROCESSES).write_text("".join(lines), encoding="ascii")

    def remove(self) -> None:
        """Delete the folder and drop its lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.lock_fd)


def make_shared(folder: Path) -> None:
    """Make a folder that every uid can walk through and only the runner can list or write."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711)


def reap_orphans(config: Config) -> int:
    """Kill the sandboxes and remove the folders that dead runners left; returns how many folders.

    Call once at start. Folders of runners that still live are locked and left alone.
    """
    reaped = 0
    for path in config.runs.iterdir() if config.runs.is_dir() else ():
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        else:
            _kill_recorded(path / PROCESSES)
            shutil.rmtree(path, ignore_errors=True)
            reaped += 1
        finally:
            os.close(fd)
    return reaped


def _kill_recorded(record: Path) -> None:
    if not record.exists():
        return
    for line in record.read_text(encoding="ascii").splitlines():
        pid, started = (int(part) for part in line.split())
        try:
            pidfd = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            # Compared after opening: the descriptor cannot come to mean another process.
            if start_time(pid) == started:
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        except ProcessLookupError:
            pass
        finally:
            os.close(pidfd)
