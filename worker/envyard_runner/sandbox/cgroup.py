"""Memory and process limits held by the kernel, where a cgroup v2 folder is delegated to us.

Systemd marks the folders it has delegated (`Delegate=memory pids` in the runner's unit); in a
container its whole cgroup namespace is its own. A folder with processes of its own cannot hand
controllers down (the "no internal processes" rule), so the runner's step down into a folder below.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from envyard_runner.limits import Limits
from envyard_runner.sandbox.exit import LimitMechanism, SandboxError

log = logging.getLogger(__name__)

NEEDED = {"memory", "pids"}
MOUNT = Path("/sys/fs/cgroup")
BELOW = "runner"
MARKS = ("user.delegate", "trusted.delegate")
UNIT = "put `Delegate=memory pids` into the runner's systemd unit"
ATTEMPTS = 20


class NotDelegated(SandboxError):
    """No folder can be used; the message states why and what to change."""


def usable(configured: Path | None) -> Path | None:
    """As `find`, but None where nothing was configured and nothing is delegated."""
    try:
        return find(configured)
    except NotDelegated as error:
        if configured:
            raise NotDelegated(f"RUNNER_CGROUP: {error}") from error
        return None


def limit_mechanism(configured: Path | None) -> LimitMechanism:
    """The mechanism that limits memory and processes of this process's runs; raises
    NotDelegated."""
    return "cgroup2" if usable(configured) else "rlimit+watchdog"


def find(configured: Path | None) -> Path:
    """The folder to make run groups in, the configured or our own; raises Undelegated.

    Its controllers are handed down, for which the processes in it may have to step down.
    """
    folder = configured or _delegated()
    try:
        missing = NEEDED - _words(folder / "cgroup.controllers")
    except OSError as error:
        raise NotDelegated(f"{folder} is no cgroup v2 folder ({error.strerror})") from error
    if missing:
        raise NotDelegated(f"{folder} has no controller {' and '.join(sorted(missing))}: {UNIT}")
    if not os.access(folder, os.W_OK):
        raise NotDelegated(f"{folder} cannot be written by uid {os.geteuid()}: {UNIT}")
    try:
        if NEEDED - _words(folder / "cgroup.subtree_control"):
            _move_processes_down(folder)
            (folder / "cgroup.subtree_control").write_text("+memory +pids", encoding="ascii")
    except OSError as error:
        raise NotDelegated(f"{folder} hands no limits down ({error.strerror}): {UNIT}") from error
    return folder


def _delegated() -> Path:
    if not (MOUNT / "cgroup.controllers").exists():
        raise NotDelegated(
            f"{MOUNT} is not cgroup v2: start the kernel with systemd.unified_cgroup_hierarchy=1"
        )
    own = next(
        line[3:].strip()
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        if line.startswith("0::")
    )
    folder = MOUNT / own.lstrip("/")
    for candidate in (folder, folder.parent):
        if _is_delegated(candidate):
            return candidate
    raise NotDelegated(f"{folder} is not delegated to the runner: {UNIT}")


def _is_delegated(folder: Path) -> bool:
    if folder == MOUNT:  # the root of all has no type; one that has is a container's
        return (folder / "cgroup.type").exists()
    for mark in MARKS:
        with contextlib.suppress(OSError):
            if os.getxattr(folder, mark) == b"1":
                return True
    return False


def _move_processes_down(folder: Path) -> None:
    """Move the processes of the folder into the one below, again and again while others fork."""
    for _ in range(ATTEMPTS):
        pids = _words(folder / "cgroup.procs")
        if not pids:
            return
        (folder / BELOW).mkdir(exist_ok=True)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                (folder / BELOW / "cgroup.procs").write_text(pid, encoding="ascii")


def _words(file: Path) -> set[str]:
    return set(file.read_text(encoding="ascii").split())


@dataclass(frozen=True, slots=True)
class Group:
    """One run's cgroup."""

    path: Path

    @classmethod
    def of(cls, parent: Path, name: str) -> Group:
        """The group of the run whose folder has this name, whether it exists or not."""
        return cls(parent / f"envyard-{name}")

    @classmethod
    def create(cls, parent: Path, name: str, limits: Limits) -> Group:
        """Make the group with its limits set; raises OSError.

        The kernel counts the files on the sandbox's memory file systems too, so they are added.
        """
        group = cls.of(parent, name)
        group.path.mkdir()
        try:
            group.set("memory.max", limits.memory_bytes + 2 * limits.tmp_bytes)
            group.set("pids.max", limits.pids + 2)  # bubblewrap's own two
            group.set("memory.oom.group", 1)
            if (group.path / "memory.swap.max").exists():
                group.set("memory.swap.max", 0)
        except OSError:
            group.remove()
            raise
        return group

    def add(self, pids: Iterable[int]) -> None:
        """Move processes in; what they start later follows."""
        for pid in pids:
            self.set("cgroup.procs", pid)

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
        """The most memory charged at once; 0 on kernels before 5.19, which do not record it."""
        return int(self._get("memory.peak") or 0)

    def remove(self) -> None:
        """Kill what is left and remove the group; it empties just after its last process dies."""
        if (self.path / "cgroup.kill").exists():  # since Linux 5.14
            self.set("cgroup.kill", 1)
        for _ in range(50):
            try:
                self.path.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.02)
            else:
                return
        log.warning("the cgroup %s could not be removed: something in it does not die", self.path)

    def set(self, name: str, value: int) -> None:
        """Write one of its files; raises OSError."""
        (self.path / name).write_text(str(value), encoding="ascii")

    def _get(self, name: str) -> str:
        try:
            return (self.path / name).read_text(encoding="ascii")
        except FileNotFoundError:
            return ""
