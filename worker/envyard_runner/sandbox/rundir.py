"""Folders that belong to one living runner, and the clearing up after runners that were killed.

A folder is locked while its runner lives (the kernel drops the lock however it ends) and names the
sandbox's processes with their start times, so that a later runner can end exactly those.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from envyard_runner.config import Config
from envyard_runner.sandbox.cgroup import Group, usable
from envyard_runner.sandbox.watchdog import start_time

PROCESSES = "processes"
WRITTEN = re.compile(rb"^(\d{1,9}) (\d+)$", re.MULTILINE)
YOUNG_SECONDS = 3600.0  # a folder without its name yet may just be about to be locked


@dataclass(frozen=True, slots=True)
class OwnedDir:
    """A folder of one run or one build, and the descriptor that holds its lock."""

    path: Path
    lock_fd: int

    @classmethod
    def create(cls, parent: Path) -> Self:
        """Make and lock a folder below `parent` that every uid can walk through."""
        make_shared(parent)
        name = secrets.token_hex(8)
        hidden = parent / f".{name}"  # locked before it has a name that `reap_orphans` looks at
        make_shared(hidden)
        lock_fd = os.open(hidden, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(lock_fd, fcntl.LOCK_EX)
        hidden.rename(parent / name)
        return cls(parent / name, lock_fd)

    def add_package(self, name: str, files: Mapping[str, bytes]) -> Path:
        """Write the files of a program's package here, for every user to read; returns the folder
        that holds the package."""
        app = self.path / "app"
        package = app / name
        package.mkdir(parents=True)
        for file, content in files.items():
            (package / file).write_bytes(content)
        for path in (app, *app.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        return app

    def add_data(self, source: Path, name: str, uid: int) -> Path:
        """Copy a folder for the run's own user: NLTK, for one, refuses data of any other, and root
        is another one inside. A runner that is not root is that user itself."""
        if os.geteuid() != 0:
            return source
        target = self.path / name
        shutil.copytree(source, target)
        for path in (target, *target.rglob("*")):
            os.chown(path, uid, uid)
            path.chmod(0o755 if path.is_dir() else 0o644)
        return target

    def record(self, *pids: int) -> None:
        """Write down which processes belong to the run, for `reap_orphans`."""
        lines = [f"{pid} {started}\n" for pid in pids if (started := start_time(pid)) is not None]
        (self.path / PROCESSES).write_text("".join(lines), encoding="ascii")

    def remove(self) -> None:
        """Delete the folder and drop its lock."""
        remove_tree(self.path)
        os.close(self.lock_fd)


def make_shared(folder: Path) -> None:
    """Make a folder that every uid can walk through and only the runner can list or write."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711)


def remove_tree(folder: Path) -> None:
    """Delete it as far as it can be, however deep: Python takes a call and a descriptor a level."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        subprocess.run(["/bin/rm", "-rf", "--", folder], stderr=subprocess.DEVNULL, check=False)


def reap_orphans(config: Config) -> int:
    """Kill the sandboxes and remove the folders that dead runners left; returns how many folders.

    Call once at start. Folders of runners that still live are locked and left alone.
    """
    reaped, groups = 0, usable(config.cgroup)
    for parent in (config.runs, config.builds):
        for path in parent.glob("*"):
            try:
                fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            except FileNotFoundError:  # its runner has just removed it, or given it its name
                continue
            try:
                if (
                    path.name.startswith(".")
                    and os.fstat(fd).st_mtime > time.time() - YOUNG_SECONDS
                ):
                    continue
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            else:
                _kill_recorded(path / PROCESSES)
                if groups is not None:
                    Group.of(groups, path.name).remove()
                remove_tree(path)
                reaped += 1
            finally:
                os.close(fd)
    return reaped


def _kill_recorded(record: Path) -> None:
    if not record.exists():
        return
    for line in WRITTEN.findall(record.read_bytes()):  # a loss of power may have cut it short
        pid, started = map(int, line)
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
