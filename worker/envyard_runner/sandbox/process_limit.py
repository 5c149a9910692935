"""Processes and threads that the kernel refused because of a cgroup's limit around the runner.

Such a limit (`TasksMax=` of a service, `--pids-limit` of a container) is the operator's, and code
of an environment fails at it as at its own limit. The kernel counts the refusals (pids.events of
cgroup v2), since 6.11 in the cgroup that has the limit and before in the one of the process.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")


def refused_processes(mount: Path = MOUNT, cgroups: Path = Path("/proc/self/cgroup")) -> int:
    """The number refused so far by the limits of the runner's own cgroup and those above it."""
    total = 0
    for top, own in _own(mount, cgroups):
        for folder in (own, *own.parents):
            if not folder.is_relative_to(top):
                break
            if folder == own or _read(folder / "pids.max") not in ("", "max"):
                total += _count(folder)
    return total


def _own(mount: Path, cgroups: Path) -> Iterator[tuple[Path, Path]]:
    """The runner's folder in each hierarchy that counts processes, after that hierarchy's top."""
    for line in _read(cgroups).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "pids" or not controllers:
            top = mount / "pids" if controllers else mount
            yield top, top / path.lstrip("/")


def _count(folder: Path) -> int:
    events = _read(folder / "pids.events.local") or _read(folder / "pids.events")
    for line in events.splitlines():
        name, _, number = line.partition(" ")
        if name == "max" and number.isdigit():
            return int(number)
    return 0


def _read(file: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return file.read_text(encoding="utf-8").strip()
    return ""
