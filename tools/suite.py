#!/usr/bin/env python3
"""Run make's parts of the tests in parallel: `suite.py JOBS PART... [then JOBS PART...]`.

List the longest parts first. `then` begins a group that starts when all parts before it have ended:
tests that measure time should not compete with all others. A part's output is printed when it ends;
a failed part stops no other. The closing lines contain each part's result and processor time, the
skipped tests with their reasons, and how busy the processors were. Exit code 0 when every part
passed, else 1.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

MAKE = ("make", "--no-print-directory")
TALLY = "TESTS_TALLY"  # the folder where tests/plugin.py leaves what each pytest did
THEN = "then"
ORDER = ("failed", "error", "passed", "skipped", "xfailed", "xpassed")


@dataclass(frozen=True, slots=True)
class Ended:
    """A part, its exit code, and its seconds by the clock and of processors."""

    name: str
    code: int
    seconds: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Group:
    """Parts, and how many of them run at once."""

    jobs: int
    parts: Sequence[str]


class Suite:
    """The running and the ended parts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[int, tuple[str, float, subprocess.Popen[bytes]]] = {}
        self._starting = self._interrupted = False
        self.ended: list[Ended] = []

    def interrupt(self, signum: int, frame: FrameType | None) -> None:
        """End this process, but only after a part that is being started can be stopped."""
        self._interrupted = True
        if not self._starting:
            sys.exit(128 + signum)

    def run(self, group: Group) -> None:
        """Run all parts of the group; an interruption stops the running parts."""
        waiting = list(group.parts)
        try:
            while waiting or self._running:
                while waiting and len(self._running) < group.jobs:
                    self._start(waiting.pop(0))
                self._wait()
        finally:
            for pid in self._running:
                os.kill(pid, signal.SIGTERM)
            while self._running:
                self._wait()

    def _start(self, name: str) -> None:
        self._starting = True
        with (self._folder / f"{name}.out").open("wb") as out:
            # Not MAKEFLAGS: the job server of the caller's make must not be passed on.
            environ = {k: v for k, v in os.environ.items() if k != "MAKEFLAGS"}
            process = subprocess.Popen(
                [*MAKE, name],
                env=environ | {TALLY: str(self._folder)},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        self._running[process.pid] = (name, time.monotonic(), process)
        self._starting = False
        if self._interrupted:
            sys.exit(128 + signal.SIGTERM)

    def _wait(self) -> None:
        """Wait for the end of a part; its processor time includes all of its reaped children."""
        pid, status, used = os.wait4(-1, 0)
        name, began, process = self._running.pop(pid)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        took = time.monotonic() - began
        self.ended.append(Ended(name, code, took, used.ru_utime + used.ru_stime))
        sys.stdout.write(f"\n######## {name}\n{(self._folder / f'{name}.out').read_text()}")
        sys.stdout.flush()


def busy_seconds() -> float:
    """The time that all processors of this machine have worked since it was started."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _waiting, interrupts, soft_interrupts, *_ = map(int, fields)
    ticks = user + nice + system + interrupts + soft_interrupts
    return ticks / os.sysconf("SC_CLK_TCK")


def closing(suite: Suite, folder: Path, seconds: float, busy: float) -> str:
    """The closing text: a line for each part and each reason of skipping, then pytest's line.

    A part's processor time lacks its sandboxes, which the kernel adds to no parent; `busy` has all.
    """
    width = max((len(part.name) for part in suite.ended), default=0) + 2
    lines = [f"\n{'part':<{width}}{'result':<12}{'seconds':>8}{'CPU s':>8}"]
    for part in suite.ended:
        result = "passed" if part.code == 0 else f"FAILED ({part.code})"
        lines.append(f"{part.name:<{width}}{result:<12}{part.seconds:8.0f}{part.cpu:8.0f}")
    processors = os.cpu_count() or 1
    share = busy / (seconds * processors)
    lines.append(f"{processors} processors were busy for {share:.0%} of the time, {busy:.0f} s")
    counts: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for file in folder.glob("*.json"):
        tally = json.loads(file.read_text(encoding="utf-8"))
        counts.update(tally["counts"])
        skipped.update(tally["skipped"])
    lines += [f"skipped {number}: {reason}" for reason, number in sorted(skipped.items())]
    broken = [part.name for part in suite.ended if part.code]
    lines += [f"failed parts: {', '.join(broken)}"] if broken else []
    summary = (
        ", ".join(f"{counts[name]} {name}" for name in ORDER if counts[name]) or "no tests ran"
    )
    return "\n".join([*lines, f"======== {summary} in {seconds:.2f}s ========\n"])


def run(groups: Sequence[Group]) -> int:
    """Run one group after the other and print their output and the closing text."""
    began, busy = time.monotonic(), busy_seconds()
    with TemporaryDirectory(prefix="envyard-suite-") as name:
        suite = Suite(Path(name))
        signal.signal(signal.SIGTERM, suite.interrupt)
        for group in groups:
            suite.run(group)
        seconds = time.monotonic() - began
        sys.stdout.write(closing(suite, Path(name), seconds, busy_seconds() - busy))
    return int(any(part.code for part in suite.ended))


def groups_of(words: Sequence[str]) -> list[Group]:
    """The groups that the command line names."""
    if THEN not in words:
        return [Group(int(words[0]), words[1:])]
    end = words.index(THEN)
    return [*groups_of(words[:end]), *groups_of(words[end + 1 :])]


if __name__ == "__main__":
    sys.exit(run(groups_of(sys.argv[1:])))
