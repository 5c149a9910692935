"""A server's whole process session: vLLM's engine outlives its front end when that is killed."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

GENTLE_SECONDS = 15.0


def started(pid: int) -> int:
    """When the process began, in clock ticks since boot; 0 where there is none."""
    fields = _stat(pid)
    return int(fields[19]) if fields else 0


def members(leader: int, since: int) -> list[int]:
    """What lives of the session that `leader`, started at `since`, opened.

    The kernel does not give a number away while a session bears it; where all died and a stranger
    got the number, the stranger's start differs.
    """
    if started(leader) not in (0, since):
        return []
    numbers = [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit()]
    stats = ((pid, _stat(pid)) for pid in numbers)
    return [pid for pid, stat in stats if stat and int(stat[3]) == leader]


def end(leader: int, since: int, *, seconds: float = GENTLE_SECONDS) -> None:
    """End the session: its leader gets SIGTERM, and after `seconds` all are killed."""
    until = time.monotonic() + seconds
    if started(leader) == since and seconds:
        with suppress(ProcessLookupError):
            os.kill(leader, signal.SIGTERM)
            os.kill(leader, signal.SIGCONT)  # a stopped process handles no signal
    while members(leader, since):
        # Without its leader nobody is left who would end the others.
        if time.monotonic() > until or started(leader) != since:
            for pid in members(leader, since):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def _stat(pid: int) -> list[str] | None:
    """The fields of a live process's stat after its name; None for a zombie too."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if fields[0] in "ZX" else fields
    return None
