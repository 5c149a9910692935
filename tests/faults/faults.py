"""What can happen to a part: each fault is there for a while, is seen to be, then put right."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hub.supervisor import Process, process
from tests.faults.parts import Part
from tests.faults.world import DISKS, LEASE, SWEEP, World

LONGER_THAN_A_LEASE = LEASE + SWEEP + 1.0
AWAY_SECONDS = 1.0
SECONDS = {"kill": AWAY_SECONDS, "restart": AWAY_SECONDS, "stop 30 s": 30.0}
BALLAST = "ballast"
# What some part must have logged meanwhile, or nobody has met the fault.
TOLD = {
    "full": rb"No space left|Errno 28|Short write|disk_resource_limit|is insufficient|MISCONF",
    "read-only": rb"Read-only file system",
    "away": rb"Read-only file system|No such file|Missing",
}
Heal = Callable[[], str]


@dataclass
class Seen:
    """What showed that the fault was there, once it is put right."""

    told: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that happens to one part."""

    part: str
    name: str

    @contextmanager
    def happens(self, world: World) -> Iterator[Seen]:
        """It is so in the body, and put right afterwards; raises where nothing showed it."""
        observed, marks = Seen(), world.marks()
        heal = FAULTS[self.name](world, self.part)
        try:
            yield observed
        finally:
            observed.told = heal()
        if pattern := TOLD.get(self.name):
            world.wait(
                lambda: any(re.search(pattern, text) for text in world.logged(marks)),
                f"anybody to meet the fault {self}",
                seconds=30,
            )

    @property
    def seconds(self) -> float:
        """How long it lasts; what does not end a part outlasts a lease."""
        return SECONDS.get(self.name, LONGER_THAN_A_LEASE)

    def lasts(self, world: World) -> None:
        """Wait; what another part ended over it is started again, as a supervisor does."""
        until = time.monotonic() + self.seconds
        hit = _parts(world, self.part) if self.name in ("kill", "restart") else []
        while time.monotonic() < until:
            for part in world.everyone():
                if part not in hit:
                    part.restart_ended()
            time.sleep(0.2)

    def __str__(self) -> str:
        return f"{self.part} {self.name}"


def _parts(world: World, name: str) -> list[Part]:
    if name == "runner":
        return [lent.part for lent in world.runners]
    return [world.parts[name]] if name in world.parts else []


def _processes(world: World, name: str) -> list[Process]:
    """All processes of the part. The gateway lives in the child that does a runner's run."""
    lent = [runner.part for runner in world.runners]
    if name == "gateway":
        pids = [pid for p in lent for pid in p.pids() if p.popen and pid != p.popen.pid]
    elif name == "sandbox":
        return sandboxes(world)
    else:
        pids = [pid for part in _parts(world, name) for pid in part.pids()]
    return [entry for pid in pids if (entry := process(pid))]


def sandboxes(world: World) -> list[Process]:
    """The outer processes that runners wrote down, then every process in a mount namespace of its
    own that has a folder of a runner mounted: none is gone because its runner forgot it."""
    folder = world.home / "runner"
    files = (file for runner in world.runners for file in runner.home.glob("runs/*/processes"))
    written = [line.split() for file in files for line in file.read_text().splitlines()]
    outer = [
        runner
        for pid, since in written
        if (runner := process(int(pid))) and runner.started == int(since)
    ]
    inside = _inside(folder, where="" if world.disks else str(folder))
    numbers = {runner.pid for runner in inside}
    return [runner for runner in outer if runner.pid not in numbers] + inside


def _inside(folder: Path, where: str) -> list[Process]:
    device, own = folder.stat().st_dev, Path("/proc/self/ns/mnt").readlink()
    mark = f" {os.major(device)}:{os.minor(device)} "
    members = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (entry / "ns/mnt").readlink() == own:
                continue
            lines = (entry / "mountinfo").read_text().splitlines()
            mounted = any(mark in line and where in line and "/inside" in line for line in lines)
            if mounted and (member := process(int(entry.name))):
                members.append(member)
    return members


def _gone(hit: list[Process]) -> bool:
    return not [
        process_
        for process_ in hit
        if (now := process(process_.pid)) and now.started == process_.started
    ]


def _stopped(hit: list[Process]) -> list[Process]:
    """Those that stand still."""
    now = (process(process_.pid) for process_ in hit)
    return [process_ for process_ in now if process_ and process_.state in "Tt"]


def _within(seconds: float, look: Callable[[], bool], awaited: str) -> None:
    deadline = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < deadline, awaited
        time.sleep(0.02)


def _send(hit: list[Process], number: signal.Signals) -> None:
    for process_ in hit:
        with suppress(ProcessLookupError):
            os.kill(process_.pid, number)


def _kill(world: World, name: str) -> Heal:
    hit = _processes(world, name)
    assert hit, f"{name} has no process to be killed"
    started = _parts(world, name)
    for part in started:
        part.kill()
    if not started:  # what is not started by itself comes back with the next run
        _send(hit, signal.SIGKILL)
    _within(20, lambda: _gone(hit), f"{name} outlives SIGKILL")

    def heal() -> str:
        for part in started:
            part.start()
        return f"{len(hit)} processes gone"

    return heal


def _stop(world: World, name: str) -> Heal:
    hit = _processes(world, name)
    assert hit, f"{name} has no process to be stopped"
    _send(hit, signal.SIGSTOP)
    _within(20, lambda: len(_stopped(hit)) == len(hit) or _gone(hit), f"{name} does not stop")

    def heal() -> str:
        still = _stopped(hit)
        _send(hit, signal.SIGCONT)
        assert still, f"nothing of {name} stood still to the end"
        return f"{len(still)} of {len(hit)} processes stood still to the end"

    return heal


def _restart(world: World, name: str) -> Heal:
    hit, started_at = _processes(world, name), time.monotonic()
    assert hit, f"{name} has no process to be restarted"
    started = _parts(world, name)
    for part in started:
        part.ask_to_end()

    def heal() -> str:
        for part in started:
            part.start()
        assert _gone(hit), f"an old process of {name} outlives its restart"
        return f"{len(hit)} processes gone, new ones after {time.monotonic() - started_at:.1f} s"

    return heal


def _cut(world: World, name: str) -> Heal:
    wires = world.wires[name]
    for wire in wires:
        wire.cut()

    def heal() -> str:
        lost, refused = sum(item.lost for item in wires), sum(item.refused for item in wires)
        for wire in wires:
            wire.heal()
        assert lost or refused, f"nothing was sent while {name} was cut off"
        return f"{lost} bytes and {refused} connections held back"

    return heal


def _fill(world: World, name: str) -> Heal:
    """Write zeros until the part's disk takes no more."""
    file, met = world.home / name / BALLAST, 0
    with file.open("wb", buffering=0) as out:
        for size in (1 << 20, 1 << 12, 1):
            try:
                for _ in range(DISKS[name] << 20):
                    out.write(bytes(size))
            except OSError as error:
                met = error.errno or 0
    assert met == errno.ENOSPC, f"the disk of {name} cannot be filled"

    def heal() -> str:
        size = file.stat().st_size
        file.unlink()
        return f"ENOSPC after {size} bytes"

    return heal


def _read_only(world: World, name: str) -> Heal:
    """The folder takes no new file; a mount of its own, for somebody may be writing just now."""
    folder = world.home / name
    _mount("--bind", folder, folder)
    _mount("-o", "remount,bind,ro", folder)
    return lambda: _unmount(folder)


def _away(world: World, name: str) -> Heal:
    """The folder is there and empty, as where a disk was not mounted; nobody may write to it."""
    folder = world.home / name
    _mount("-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", folder)
    assert not list(folder.iterdir())
    return lambda: _unmount(folder)


def _unmount(folder: Path) -> str:
    try:
        (folder / "probe").touch()
    except OSError as error:
        reason = os.strerror(error.errno or 0)
    else:
        raise AssertionError(f"{folder} could be written to")
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
    return reason


def _mount(*words: str | Path) -> None:
    subprocess.run(["mount", *words], check=True)


def _twice(world: World, name: str) -> Heal:
    """A second one beside the first, as after a failed hand-over between two machines."""
    first = world.parts[name]
    home = world.home / "second"
    home.mkdir(exist_ok=True)
    environ = {**first.environ, "HUB_HOME": str(home)}
    second = Part(name, first.command, environ, world.home / "logs" / "second.log", cwd=first.cwd)
    second.start()

    def heal() -> str:
        sent = world.wait(lambda: second.log.read_text().count("Sending due task sweep"), "sweeps")
        both = [item.popen and item.popen.poll() is None for item in (first, second)]
        second.kill()
        assert all(both), "one of the two ended"
        return f"{sent} sweeps sent by the second"

    return heal


def _forget(world: World, name: str) -> Heal:
    """Every connection to it is gone and nobody was told, as where its machine lost power."""
    wires = world.wires[name]
    for wire in wires:
        wire.forget()
    lost = sum(wire.forgotten for wire in wires)
    assert lost, f"nobody was connected to {name}"
    return lambda: f"{lost} connections lost without a word"


FAULTS: dict[str, Callable[[World, str], Heal]] = {
    "kill": _kill,
    "stop": _stop,
    "stop 30 s": _stop,
    "restart": _restart,
    "cut": _cut,
    "full": _fill,
    "read-only": _read_only,
    "away": _away,
    "twice": _twice,
    "forgets": _forget,
}
