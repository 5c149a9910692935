"""A uid of its own for every run, when the runner is root.

Bubblewrap maps the sandbox's user to the uid that started it, so a run started by root would act
as the host's root on every file it can reach, and no process limit would hold (uid 0 is exempt).
"""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

from envyard_runner.sandbox.exit import SandboxError

FIRST, LAST = 23000, 23999


@dataclass(frozen=True, slots=True)
class Lease:
    """A uid nobody else on this machine runs under; `lock` None: the runner's own uid is used."""

    uid: int
    lock: socket.socket | None

    def release(self) -> None:
        """Give the uid back; its processes must be gone."""
        if self.lock is not None:
            self.lock.close()


def lease() -> Lease:
    """Lease a uid in 23000-23999 for root, else the runner's own.

    The lock is an abstract unix socket's name: unique on the machine across all runners, and freed
    by the kernel however its holder ends.
    """
    if os.geteuid() != 0:
        return Lease(os.geteuid(), None)
    busy = _uids_running()
    span = LAST - FIRST + 1
    start = secrets.randbelow(span)
    for step in range(span):
        uid = FIRST + (start + step) % span
        if uid in busy:
            continue
        lock = socket.socket(socket.AF_UNIX)
        try:
            lock.bind(f"\0envyard-runner-uid-{uid}")
        except OSError:
            lock.close()
            continue
        return Lease(uid, lock)
    raise SandboxError(f"all uids from {FIRST} to {LAST} are in use; wait for runs to end")


def _uids_running() -> set[int]:
    uids: set[int] = set()
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                uids.add(process.stat().st_uid)
            except OSError:
                continue
    return uids
