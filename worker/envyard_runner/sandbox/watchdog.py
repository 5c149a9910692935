"""What a sandbox uses, read from the host's /proc over its whole process tree.

Used where no memory cgroup can be had: RLIMIT_AS is per process, so many small ones would pass it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat after the command's closing bracket (proc(5), counted from its state).
PARENT, USER, SYSTEM, DEAD_USER, DEAD_SYSTEM, START, RESIDENT = 1, 11, 12, 13, 14, 19, 21


@dataclass(frozen=True, slots=True)
class Usage:
    """Processes of a tree, their resident bytes (shared ones counted again), processor seconds."""

    pids: tuple[int, ...]
    resident_bytes: int
    cpu_seconds: float


def measure(root: int) -> Usage:
    """Sum over `root` and its descendants; none is missed, as orphans fall to the sandbox's init.

    Processes are matched by parent, not by /proc's owner: a process can change the latter.
    """
    stats = _all_stats()
    children: dict[int, list[int]] = {}
    for pid, fields in stats.items():
        children.setdefault(int(fields[PARENT]), []).append(pid)
    tree, waiting = [], [root] if root in stats else []
    while waiting:
        pid = waiting.pop()
        tree.append(pid)
        waiting += children.get(pid, ())
    ticks = sum(
        int(stats[pid][field]) for pid in tree for field in (USER, SYSTEM, DEAD_USER, DEAD_SYSTEM)
    )
    resident = sum(int(stats[pid][RESIDENT]) for pid in tree) * PAGE
    return Usage(tuple(tree), resident, ticks / TICKS)


def proportional_bytes(pids: tuple[int, ...]) -> int:
    """Memory of these processes, shared pages counted once; slow, so asked only past the limit."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        except ProcessLookupError:
            continue
        except OSError:
            total += _resident(pid)
            continue
        total += next(
            (int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("Pss:")), 0
        )
    return total


def start_time(pid: int) -> int | None:
    """Clock ticks after boot when the process started, None without one; tells reused pids."""
    fields = _stat(pid)
    return None if fields is None else int(fields[START])


def _resident(pid: int) -> int:
    fields = _stat(pid)
    return 0 if fields is None else int(fields[RESIDENT]) * PAGE


def _all_stats() -> dict[int, list[bytes]]:
    stats = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - ten times a second: no Path objects
        if name.isdigit() and (fields := _stat(int(name))):
            stats[int(name)] = fields
    return stats


def _stat(pid: int) -> list[bytes] | None:
    try:
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
        try:
            text = os.read(fd, 4096)
        finally:
            os.close(fd)
    except OSError:
        return None
    return text[text.rindex(b")") + 2 :].split()
