"""What a sandbox uses, read from the host's /proc over its whole process tree.

Used where no memory cgroup can be had: RLIMIT_AS is per process and does not bound their sum.
Kernel memory that no process shows is bounded by counting what it hangs on: descriptors (each may
be a socket with a full buffer) and files on the memory file systems (an inode each).
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
CHUNK = 1 << 16
FULL = 100  # with less than a hundredth of its blocks left
CHILDREN_FILES = Path("/proc/thread-self/children").exists()
TICKS = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat after the command's closing bracket (proc(5), counted from its state).
PARENT, USER, SYSTEM, DEAD_USER, DEAD_SYSTEM, START, RESIDENT = 1, 11, 12, 13, 14, 19, 21


@dataclass(frozen=True, slots=True)
class Usage:
    """Processes of a tree, their resident bytes (shared ones counted again), processor seconds.

    `tasks` counts threads too, `descriptors` the open ones of all processes.
    """

    pids: tuple[int, ...]
    tasks: int
    descriptors: int
    resident_bytes: int
    cpu_seconds: float


def measure(root: int) -> Usage:
    """Sum over `root` and its descendants; orphans fall to the sandbox's init, so none gets away.

    Processes are found by parent, not by /proc's owner: a process can change the latter.
    """
    tree = _walk(root) if CHILDREN_FILES else _scan(root)
    tasks = sum(_entries(f"/proc/{pid}/task") for pid in tree)
    descriptors = sum(_entries(f"/proc/{pid}/fd") for pid in tree)
    stats = [fields for pid in tree if (fields := _stat(pid))]
    ticks = sum(
        int(fields[field]) for fields in stats for field in (USER, SYSTEM, DEAD_USER, DEAD_SYSTEM)
    )
    resident = sum(int(fields[RESIDENT]) for fields in stats) * PAGE
    return Usage(tuple(tree), tasks, descriptors, resident, ticks / TICKS)


def proportional_bytes(pids: tuple[int, ...]) -> int:
    """Memory of these processes, shared pages counted once; slow, so read only past the limit."""
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
    """Clock ticks after boot when the process started, None without one; identifies reused pids."""
    fields = _stat(pid)
    return None if fields is None else int(fields[START])


@dataclass(frozen=True, slots=True)
class Storage:
    """One of the sandbox's own file systems: its name inside, whether it is full, its files."""

    name: str
    full: bool
    files: int


def storages(init: int) -> list[Storage]:
    """The file systems that a sandbox may write to, as its first process sees them.

    The machine's own are none of them, whatever a broken sandbox shows.
    """
    rows = []
    for name in ("/tmp", "/dev/shm"):  # noqa: S108 - inside the sandbox
        with contextlib.suppress(OSError):
            path = f"/proc/{init}/root{name}"
            if os.stat(path).st_dev == os.stat(name).st_dev:  # noqa: PTH116 - often
                continue
            statistics = os.statvfs(path)
            full = statistics.f_bfree <= statistics.f_blocks // FULL or statistics.f_ffree == 0
            rows.append(Storage(name, full, statistics.f_files - statistics.f_ffree))
    return rows


def oom_kills() -> int:
    """How many processes the kernel has killed for want of memory since this machine started."""
    for line in (_read("/proc/vmstat") or b"").splitlines():
        if line.startswith(b"oom_kill "):
            return int(line.split()[1])
    return 0


def available_bytes() -> int | None:
    """The memory that the machine could still give to programs; None where it is not known.

    Memory of the kernel's own that nothing of a process shows ends here at last: locks on files,
    page tables, maps.
    """
    for line in (_read("/proc/meminfo") or b"").splitlines():
        if line.startswith(b"MemAvailable:"):
            return int(line.split()[1]) << 10
    return None


@functools.cache
def total_bytes() -> int:
    """The memory of the machine; 0 where it cannot be read."""
    for line in (_read("/proc/meminfo") or b"").splitlines():
        if line.startswith(b"MemTotal:"):
            return int(line.split()[1]) << 10
    return 0


def die_first(pids: Iterable[int]) -> None:
    """Make these, and what they start, the first to go where the machine runs out of memory."""
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("1000")


def _entries(folder: str) -> int:
    try:
        return len(os.listdir(folder))  # noqa: PTH208 - often: no Path objects
    except OSError:
        return 0


def _resident(pid: int) -> int:
    fields = _stat(pid)
    return 0 if fields is None else int(fields[RESIDENT]) * PAGE


def _walk(root: int) -> set[int]:
    """Costs what the tree has threads, however many processes the machine has."""
    tree, waiting = set(), [root]
    while waiting:
        pid = waiting.pop()
        tree.add(pid)
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - often: no Path objects
                children = _read(f"/proc/{pid}/task/{thread}/children") or b""
                waiting += {int(child) for child in children.split()} - tree
    return tree


def _scan(root: int) -> set[int]:
    """The same for kernels without the children files: every process of the machine is read."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    parents = {pid: int(fields[PARENT]) for pid in pids if (fields := _stat(pid))}
    tree, grown = set[int](), {root}
    while grown:
        tree |= grown
        grown = {pid for pid, parent in parents.items() if parent in tree} - tree
    return tree


def _stat(pid: int) -> list[bytes] | None:
    text = _read(f"/proc/{pid}/stat")
    return text[text.rindex(b")") + 2 :].split() if text else None


def _read(path: str) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY)
        try:
            return os.read(fd, CHUNK)
        finally:
            os.close(fd)
    except OSError:
        return None
