"""What can happen to a part: each fault is there for a while, then put right."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.faults.parts import Part
from tests.faults.world import DISKS, LEASE, SWEEP, World

LONGER_THAN_A_LEASE = LEASE + SWEEP + 1.0
AWAY_SECONDS = 1.0
BALLAST = "ballast"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that happens to one part."""

    part: str
    name: str

    @contextmanager
    def happens(self, world: World) -> Iterator[None]:
        """It is so in the body, and put right afterwards."""
        heal = FAULTS[self.name](world, self.part)
        try:
            yield
        finally:
            heal()

    @property
    def seconds(self) -> float:
        """How long it lasts; what does not end a part outlasts a lease."""
        return AWAY_SECONDS if self.name in ("kill", "restart") else LONGER_THAN_A_LEASE

    def lasts(self, world: World) -> None:
        """Wait; what another part ended over it is started again, as a supervisor does."""
        until = time.monotonic() + self.seconds
        hit = _parts(world, self.part) if self.name in ("kill", "restart") else []
        while time.monotonic() < until:
            for part in world.everyone():
                if part not in hit:
                    part.tend()
            time.sleep(0.2)

    def __str__(self) -> str:
        return f"{self.part} {self.name}"


Heal = Callable[[], object]


def _parts(world: World, name: str) -> list[Part]:
    if name == "runner":
        return [lent.part for lent in world.runners]
    return [world.parts[name]] if name in world.parts else []


def _pids(world: World, name: str) -> list[int]:
    """All processes of the part. The gateway lives in the child that does a runner's run."""
    parts = [lent.part for lent in world.runners]
    if name == "gateway":
        return [pid for p in parts for pid in p.pids() if p.popen and pid != p.popen.pid]
    if name == "sandbox":
        return sandboxes(world)
    return [pid for part in _parts(world, name) for pid in part.pids()]


def sandboxes(world: World) -> list[int]:
    """The outer processes of those that run."""
    files = (file for one in world.runners for file in one.home.glob("runs/*/processes"))
    found = [int(line.split()[0]) for file in files for line in file.read_text().splitlines()]
    return [pid for pid in found if Path(f"/proc/{pid}").exists()]


def _send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _kill(world: World, name: str) -> Heal:
    parts = _parts(world, name)
    for part in parts:
        part.kill()
    if not parts:  # what is not started by itself comes back with the next run
        _send(_pids(world, name), signal.SIGKILL)
    return lambda: [part.start() for part in parts]


def _stop(world: World, name: str) -> Heal:
    pids = _pids(world, name)
    _send(pids, signal.SIGSTOP)
    return lambda: _send(pids, signal.SIGCONT)


def _restart(world: World, name: str) -> Heal:
    parts = _parts(world, name)
    for part in parts:
        part.ask_to_end()
    return lambda: [part.start() for part in parts]


def _cut(world: World, name: str) -> Heal:
    wires = world.wires[name]
    for wire in wires:
        wire.cut()
    return lambda: [wire.heal() for wire in wires]


def _fill(world: World, name: str) -> Heal:
    """Write zeros until the part's disk takes no more."""
    file = world.home / name / BALLAST
    with file.open("wb", buffering=0) as out, suppress(OSError):
        for size in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                for _ in range(DISKS[name] << 20):
                    out.write(bytes(size))
    return file.unlink


def _read_only(world: World, name: str) -> Heal:
    """The folder takes no new file; a mount of its own, for somebody may be writing just now."""
    folder = world.home / name
    _mount("--bind", folder, folder)
    _mount("-o", "remount,bind,ro", folder)
    return lambda: subprocess.run(["umount", "-l", folder], check=True)


def _away(world: World, name: str) -> Heal:
    """The folder is there and empty, as where a disk was not mounted; nobody may write to it."""
    folder = world.home / name
    _mount("-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", folder)
    return lambda: subprocess.run(["umount", "-l", folder], check=True)


def _mount(*words: str | Path) -> None:
    subprocess.run(["mount", *words], check=True)


FAULTS: dict[str, Callable[[World, str], Heal]] = {
    "kill": _kill,
    "stop": _stop,
    "restart": _restart,
    "cut": _cut,
    "full": _fill,
    "read-only": _read_only,
    "away": _away,
}
