"""What sandboxes left running under their uids."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterable
from pathlib import Path


def processes_of(uids: Iterable[int]) -> list[str]:
    """Command lines of live processes under these uids, apart from the test's own.

    A uid that another run has leased meanwhile is left out: the runner leases none that has a
    process, so what runs under it now is that run's.
    """
    return [line for uid in set(uids) - {os.geteuid()} for line in _lines_of(uid)]


def _lines_of(uid: int) -> list[str]:
    with socket.socket(socket.AF_UNIX) as lease:
        try:
            lease.bind(f"\0envyard-runner-uid-{uid}")
        except OSError:
            return []
        rows = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if entry.stat().st_uid == uid:
                    rows.append((entry / "cmdline").read_bytes().decode("utf-8", "replace"))
    return [line for line in rows if line]
