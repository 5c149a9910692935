"""State files of model servers' watchers, read by runners: one folder per model, one small file.

The watcher holds a lock on its folder for as long as it lives, so that a file left by a killed
watcher is not valid.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from envyard_runner.model.endpoint import Endpoint

Phase = Literal["starting", "ready", "restarting"]
FILE, LOCK, LOG, SOCKET = "state.json", "lock", "server.log", "server.sock"


class AlreadyServed(Exception):
    """Another watcher serves this model already."""


@dataclass(frozen=True, slots=True)
class State:
    """One watched server: the `name` it answers to, how far it is, and how it is reached.

    `leader` and `started` name its process session (`started` in clock ticks since boot),
    `restarts` counts how often it had to be started again.
    """

    name: str
    phase: Phase
    url: str
    socket: str = ""
    key: str = field(default="", repr=False)
    leader: int = 0
    started: int = 0
    restarts: int = 0

    @property
    def endpoint(self) -> Endpoint:
        """Where it answers."""
        return Endpoint(self.url, self.key or None, Path(self.socket) if self.socket else None)


def folder_of(models: Path, name: str) -> Path:
    """The model's own folder; names that differ get folders that differ."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name).strip(".")[:40]
    return models / f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder for this process; the kernel releases the lock however the process ends."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.parent.chmod(0o700)
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AlreadyServed(
                f"{folder} is in use by another `hub-runner model`; stop that one"
            ) from None
        yield


def write(folder: Path, state: State) -> None:
    """Replace the folder's file in one step; only this user may read it."""
    written = folder / f"{FILE}.part"
    with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(asdict(state), file)
    written.replace(folder / FILE)


def read(folder: Path) -> State | None:
    """The state in the folder's file, whether or not its watcher lives."""
    try:
        return State(**json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def watched(models: Path) -> list[State]:
    """Every server on this machine whose watcher lives, in order of their folders."""
    folders = sorted(models.iterdir()) if models.is_dir() else []
    states = [read(folder) for folder in folders if _is_locked(folder)]
    return [state for state in states if state is not None]


def _is_locked(folder: Path) -> bool:
    try:
        with (folder / LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
