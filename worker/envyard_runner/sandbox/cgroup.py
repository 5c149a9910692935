"""Memory and process limits held by the kernel, where a cgroup v2 folder is delegated to us.

With systemd: `Delegate=memory pids` and `DelegateSubgroup=runner` in the unit, and RUNNER_CGROUP
naming the unit's folder. A folder with processes of its own cannot hand controllers down (the "no
internal processes" rule), which is why the runner's own folder rarely works without that.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from envyard_runner.limits import Limits

NEEDED = {"memory", "pids"}


def find(configured: Path | None) -> Path | None:
    """The folder to make run groups in, the configured or our own, if it has the controllers."""
    folder = configured or _own()
    if folder is None or not os.access(folder, os.W_OK):
        return None
    control = folder / "cgroup.subtree_control"
    try:
        if NEEDED - set(control.read_text(encoding="ascii").split()):
            control.write_text("+memory +pids", encoding="ascii")
    except OSError:
        return None
    return folder


def _own(mounts: Path = Path("/sys/fs/cgroup")) -> Path | None:
    if not (mounts / "cgroup.controllers").exists():
        return None
    for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        if line.startswith("0::"):
            return mounts / line[3:].lstrip("/")
    return None


@dataclass(frozen=True, slots=True)
class Group:
    """One run's cgroup."""

    path: Path

    @classmethod
    def create(cls, parent: Path, name: str, limits: Limits) -> Group:
        """Make the group with its limits set; raises OSError."""
        path = parent / f"envyard-{name}"
        path.mkdir()
        group = cls(path)
        group._set("memory.max", limits.memory_bytes)
        group._set("pids.max", limits.pids + 2)  # bubblewrap's own two
        group._set("memory.oom.group", 1)
        if (path / "memory.swap.max").exists():
            group._set("memory.swap.max", 0)
        return group

    def add(self, pids: Iterable[int]) -> None:
        """Move processes in; what they start later follows."""
        for pid in pids:
            self._set("cgroup.procs", pid)

    def out_of_memory(self) -> Literal["memory", "machine_memory"] | None:
        """Whether the kernel killed in the group for memory: for its own limit, or the machine's.

        `oom_kill` counts both; `oom` only rises in the group whose limit was reached (cgroup v2,
        memory.events).
        """
        events = dict(line.split() for line in self._get("memory.events").splitlines())
        if int(events.get("oom_kill", "0")) == 0:
            return None
        return "memory" if int(events.get("oom", "0")) > 0 else "machine_memory"

    def peak_bytes(self) -> int:
        """The most memory charged at once; 0 on kernels before 5.19, which do not tell."""
        return int(self._get("memory.peak") or 0)

    def remove(self) -> None:
        """Kill what is left and remove the group; it empties just after its last process dies."""
        if (self.path / "cgroup.kill").exists():
            self._set("cgroup.kill", 1)
        for _ in range(50):
            try:
                self.path.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.02)
            else:
                return

    def _set(self, name: str, value: int) -> None:
        (self.path / name).write_text(str(value), encoding="ascii")

    def _get(self, name: str) -> str:
        try:
            return (self.path / name).read_text(encoding="ascii")
        except FileNotFoundError:
            return ""
