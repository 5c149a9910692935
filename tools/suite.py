#!/usr/bin/env python3
"""Run make's parts of the tests beside each other: `suite.py JOBS PART...`, longest first.

The output of a part is printed when it ends; a failed part stops no other. At the end follow each
part's result and processor time, all that was skipped and why, and one closing line. Exit code 0
when every part passed, else 1.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

MAKE = ("make", "--no-print-directory")
TALLY = "TESTS_TALLY"  # the folder where tests/plugin.py leaves what each pytest did
ORDER = ("failed", "error", "passed", "skipped", "xfailed", "xpassed")


@dataclass(frozen=True, slots=True)
class Ended:
    """A part, its exit code, and its seconds by the clock and of processors."""

    name: str
    code: int
    seconds: float
    cpu: float


class Suite:
    """The parts that run, those that wait, and those that ended."""

    def __init__(self, commands: dict[str, list[str]], jobs: int, folder: Path) -> None:
        self._waiting = list(commands.items())
        self._jobs, self._folder = jobs, folder
        self._running: dict[int, tuple[str, float, subprocess.Popen[bytes]]] = {}
        self.ended: list[Ended] = []

    def run(self) -> None:
        """Run all of them; those that run are ended where this is interrupted."""
        try:
            while self._waiting or self._running:
                while self._waiting and len(self._running) < self._jobs:
                    self._start(*self._waiting.pop(0))
                self._wait()
        finally:
            for pid in self._running:
                os.kill(pid, signal.SIGTERM)
            while self._running:
                self._wait()

    def _start(self, name: str, command: list[str]) -> None:
        with (self._folder / f"{name}.out").open("wb") as out:
            # Not MAKEFLAGS: the job server of the caller's make must not be passed on.
            environ = {k: v for k, v in os.environ.items() if k != "MAKEFLAGS"}
            process = subprocess.Popen(
                command,
                env=environ | {TALLY: str(self._folder)},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        self._running[process.pid] = (name, time.monotonic(), process)

    def _wait(self) -> None:
        """For the next to end; its processor time holds all that it waited for."""
        pid, status, used = os.wait4(-1, 0)
        name, began, process = self._running.pop(pid)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        took = time.monotonic() - began
        self.ended.append(Ended(name, code, took, used.ru_utime + used.ru_stime))
        sys.stdout.write(f"\n######## {name}\n{(self._folder / f'{name}.out').read_text()}")
        sys.stdout.flush()


def closing(suite: Suite, folder: Path, seconds: float) -> str:
    """The closing text: a line for each part and each reason of skipping, then pytest's line."""
    lines = [f"\n{'part':<16}{'result':<12}{'seconds':>8}{'CPU s':>8}"]
    for part in suite.ended:
        result = "passed" if part.code == 0 else f"FAILED ({part.code})"
        lines.append(f"{part.name:<16}{result:<12}{part.seconds:8.0f}{part.cpu:8.0f}")
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


def run(commands: dict[str, list[str]], jobs: int) -> int:
    """Run the commands, at most `jobs` at once, and print their output and the closing text."""
    began = time.monotonic()
    with TemporaryDirectory(prefix="envyard-suite-") as name:
        suite = Suite(commands, jobs, Path(name))
        suite.run()
        sys.stdout.write(closing(suite, Path(name), time.monotonic() - began))
    return int(any(part.code for part in suite.ended))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(run({part: [*MAKE, part] for part in sys.argv[2:]}, int(sys.argv[1])))
