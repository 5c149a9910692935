"""The faults of a part: each is injected, observed, and undone."""

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
from tests.faults.deployment import DISKS, LEASE, SWEEP, Deployment
from tests.faults.parts import Part

LONGER_THAN_A_LEASE = LEASE + SWEEP + 1.0
AWAY_SECONDS = 1.0
SECONDS = {"kill": AWAY_SECONDS, "restart": AWAY_SECONDS, "stop 30 s": 30.0}
BALLAST = "ballast"
# One of these must be in some log meanwhile, or the fault met no part.
LOG_PATTERNS = {
    "full": rb"No space left|Errno 28|Short write|disk_resource_limit|is insufficient|MISCONF",
    "read-only": rb"Read-only file system",
    "away": rb"Read-only file system|No such file|Missing",
}
Undo = Callable[[], str]


@dataclass
class Observation:
    """The sign that the fault was there, known once it is undone."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault of one part."""

    part: str
    name: str

    @contextmanager
    def inject(self, deployment: Deployment) -> Iterator[Observation]:
        """Inject it for the body and undo it afterwards; raises if nothing showed it."""
        observed, marks = Observation(), deployment.marks()
        undo = FAULTS[self.name](deployment, self.part)
        try:
            yield observed
        finally:
            observed.text = undo()
        if pattern := LOG_PATTERNS.get(self.name):
            deployment.wait(
                lambda: any(re.search(pattern, text) for text in deployment.logged(marks)),
                f"anybody to meet the fault {self}",
                seconds=30,
            )

    @property
    def seconds(self) -> float:
        """Its duration; a fault that ends no process lasts longer than a lease."""
        return SECONDS.get(self.name, LONGER_THAN_A_LEASE)

    def wait_out(self, deployment: Deployment) -> None:
        """Wait for its duration; restart other parts that end, as a supervisor does."""
        until = time.monotonic() + self.seconds
        hit = _parts(deployment, self.part) if self.name in ("kill", "restart") else []
        while time.monotonic() < until:
            for part in deployment.everyone():
                if part not in hit:
                    part.restart_ended()
            time.sleep(0.2)

    def __str__(self) -> str:
        return f"{self.part} {self.name}"


def _parts(deployment: Deployment, name: str) -> list[Part]:
    if name == "runner":
        return [runner.part for runner in deployment.runners]
    return [deployment.parts[name]] if name in deployment.parts else []


def _processes(deployment: Deployment, name: str) -> list[Process]:
    """All processes of the part. The gateway lives in the child that does a runner's run."""
    parts = [runner.part for runner in deployment.runners]
    if name == "gateway":
        pids = [pid for p in parts for pid in p.pids() if p.popen and pid != p.popen.pid]
    elif name == "sandbox":
        return sandboxes(deployment)
    else:
        pids = [pid for part in _parts(deployment, name) for pid in part.pids()]
    return [entry for pid in pids if (entry := process(pid))]


def sandboxes(deployment: Deployment) -> list[Process]:
    """The outer processes that runners recorded, then every process in a mount namespace of its
    own that has a runner's folder mounted: also those that a runner no longer records."""
    folder = deployment.home / "runner"
    files = (file for entry in deployment.runners for file in entry.home.glob("runs/*/processes"))
    written = [line.split() for file in files for line in file.read_text().splitlines()]
    outer = [
        entry
        for pid, since in written
        if (entry := process(int(pid))) and entry.started == int(since)
    ]
    inside = _inside(folder, where="" if deployment.disks else str(folder))
    numbers = {entry.pid for entry in inside}
    return [entry for entry in outer if entry.pid not in numbers] + inside


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
    """Those that are suspended."""
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


def _kill(deployment: Deployment, name: str) -> Undo:
    hit = _processes(deployment, name)
    assert hit, f"{name} has no process to be killed"
    started = _parts(deployment, name)
    for part in started:
        part.kill()
    if not started:  # what is not started by itself comes back with the next run
        _send(hit, signal.SIGKILL)
    _within(20, lambda: _gone(hit), f"{name} outlives SIGKILL")

    def undo() -> str:
        for part in started:
            part.start()
        return f"{len(hit)} processes gone"

    return undo


def _stop(deployment: Deployment, name: str) -> Undo:
    hit = _processes(deployment, name)
    assert hit, f"{name} has no process to be stopped"
    _send(hit, signal.SIGSTOP)
    _within(20, lambda: len(_stopped(hit)) == len(hit) or _gone(hit), f"{name} does not stop")

    def undo() -> str:
        still = _stopped(hit)
        _send(hit, signal.SIGCONT)
        assert still, f"no process of {name} was suspended to the end"
        return f"{len(still)} of {len(hit)} processes suspended to the end"

    return undo


def _restart(deployment: Deployment, name: str) -> Undo:
    hit, started_at = _processes(deployment, name), time.monotonic()
    assert hit, f"{name} has no process to be restarted"
    started = _parts(deployment, name)
    for part in started:
        part.ask_to_end()

    def undo() -> str:
        for part in started:
            part.start()
        assert _gone(hit), f"an old process of {name} outlives its restart"
        return f"{len(hit)} processes gone, new ones after {time.monotonic() - started_at:.1f} s"

    return undo


def _cut(deployment: Deployment, name: str) -> Undo:
    proxies = deployment.proxies[name]
    for proxy in proxies:
        proxy.cut()

    def undo() -> str:
        lost, refused = sum(item.lost for item in proxies), sum(item.refused for item in proxies)
        for proxy in proxies:
            proxy.restore()
        assert lost or refused, f"nothing was sent while {name} was cut off"
        return f"{lost} bytes and {refused} connections held back"

    return undo


def _fill(deployment: Deployment, name: str) -> Undo:
    """Write zeros until the part's disk takes no more."""
    file, met = deployment.home / name / BALLAST, 0
    with file.open("wb", buffering=0) as out:
        for size in (1 << 20, 1 << 12, 1):
            try:
                for _ in range(DISKS[name] << 20):
                    out.write(bytes(size))
            except OSError as error:
                met = error.errno or 0
    assert met == errno.ENOSPC, f"the disk of {name} cannot be filled"

    def undo() -> str:
        size = file.stat().st_size
        file.unlink()
        return f"ENOSPC after {size} bytes"

    return undo


def _read_only(deployment: Deployment, name: str) -> Undo:
    """Remount the folder read-only; a bind mount, because a part may be writing to it."""
    folder = deployment.home / name
    _mount("--bind", folder, folder)
    _mount("-o", "remount,bind,ro", folder)
    return lambda: _unmount(folder)


def _away(deployment: Deployment, name: str) -> Undo:
    """Cover the folder by an empty read-only one, as if its disk were not mounted."""
    folder = deployment.home / name
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


def _twice(deployment: Deployment, name: str) -> Undo:
    """Start a second one beside the first, as after a failed hand-over between two machines."""
    first = deployment.parts[name]
    home = deployment.home / "second"
    home.mkdir(exist_ok=True)
    environ = {**first.environ, "HUB_HOME": str(home)}
    second = Part(
        name, first.command, environ, deployment.home / "logs" / "second.log", cwd=first.cwd
    )
    second.start()

    def undo() -> str:
        sent = deployment.wait(
            lambda: second.log.read_text().count("Sending due task sweep"), "sweeps"
        )
        both = [item.popen and item.popen.poll() is None for item in (first, second)]
        second.kill()
        assert all(both), "one of the two ended"
        return f"{sent} sweeps sent by the second"

    return undo


def _forget(deployment: Deployment, name: str) -> Undo:
    """Drop every connection to it without a packet, as a power failure does."""
    proxies = deployment.proxies[name]
    for proxy in proxies:
        proxy.drop_silently()
    lost = sum(proxy.forgotten for proxy in proxies)
    assert lost, f"nobody was connected to {name}"
    return lambda: f"{lost} connections lost without a word"


FAULTS: dict[str, Callable[[Deployment, str], Undo]] = {
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
