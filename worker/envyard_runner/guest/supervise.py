"""The parent of the process that runs the environment, and the only writer of events.

An environment can end its process at any moment (`os._exit`, a crash in C, too much memory); this
process holds none of its code, so the run still ends with a sentence that states what happened.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .events import FD_VARIABLE, MAX_LINE, PLAN_FD_VARIABLE, Events, failure, write_all
from .job import read_own
from .machine import lacking

EXIT_SECONDS = 10.0
SET_DUMPABLE = 4
# The driver's steps in their order, each with the event that begins it.
STAGE_OF_EVENT = {
    "driver_started": "framework",
    "environment_began": "import",
    "imported": "load",
    "loaded": "run",
}
STAGES_BEFORE = ("start", "framework")  # the environment's code
PRIVATE_EVENTS = ("driver_started", "imported")  # events for this process alone


def main() -> int:
    """Run the driver and pass its events on; 0 where it finished its work."""
    keep_memory_private()
    out, job = Events.inherited(), read_own()
    if missing := lacking():
        out.emit("fatal", stage="machine", error=failure("MachineUnfit", missing, "platform"))
        return 1
    progress = DriverProgress()
    with DriverProcess.start(job.variables) as driver:
        import urllib.request  # noqa: F401  (while the driver imports far more)

        for event, line in driver.events():
            before = progress.stage
            if progress.note(event):
                out.relay(line)
            if before in STAGES_BEFORE and progress.stage == "import":
                driver.go_on()
            elif before == "load" and progress.stage == "run":
                driver.give(planned(job.gateway))
        if not progress.ended:
            out.emit("fatal", **progress.cut_short(driver.status()))
    return 0 if progress.done else 1


def keep_memory_private() -> None:
    """Close this process's memory, descriptors and variables in /proc to others of its user.

    What it starts is not concerned: exec resets it (prctl(2), PR_SET_DUMPABLE).
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(SET_DUMPABLE, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the supervisor cannot be closed to other processes")


def planned(gateway: str) -> list[Any]:
    """Fetch the plan from the gateway."""
    import urllib.request

    with urllib.request.urlopen(f"{gateway}/plan") as answer:
        groups: list[Any] = json.load(answer)
    return groups


class DriverProgress:
    """The driver's progress so far: enough to state what it was doing when it ended."""

    def __init__(self) -> None:
        self.stage = "start"
        self.running: dict[str, None] = {}
        self.done = False
        self.ended = False

    def note(self, event: dict[str, Any]) -> bool:
        """Process one event; returns whether it is to be passed on now."""
        kind = event["event"]
        order = ["start", *STAGE_OF_EVENT.values()]
        if order.index(STAGE_OF_EVENT.get(kind, "start")) > order.index(self.stage):
            self.stage = STAGE_OF_EVENT[kind]
        elif kind == "rollout_started":
            self.running[str(event.get("rollout"))] = None
        elif kind == "rollout":
            self.running.pop(str(event.get("rollout")), None)
        elif kind in ("done", "fatal"):
            self.ended, self.done = True, kind == "done"
        return kind not in PRIVATE_EVENTS

    def cut_short(self, status: int) -> dict[str, Any]:
        """The fields of the `fatal` event of a driver that ended without a word."""
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        during = f" while {', '.join(list(self.running)[:4])} ran" if self.running else ""
        process = "driver's" if self.stage in STAGES_BEFORE else "environment's"
        message = f"the {process} process {how}{during}"
        return {"stage": self.stage, "error": failure("ProcessEnded", message, "environment")}


@dataclass(slots=True)
class DriverProcess:
    """One process that holds the environment's code, with the pipes of its plan and its events."""

    process: subprocess.Popen[bytes]
    pipe: IO[bytes]
    plan: int

    @classmethod
    def start(cls, variables: Mapping[str, str]) -> DriverProcess:
        """Start main.py as a driver with the version's variables, which replace none of this
        process's own.

        Unbuffered: what it printed before it was killed is what its author needs to read. The
        hash seed is another each time, so that an order that hangs on it shows.
        """
        reading, writing = os.pipe()
        plan_reader, plan = os.pipe()
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("main.py")), "drive"],
            env={
                **variables,
                **os.environ,
                FD_VARIABLE: str(writing),
                PLAN_FD_VARIABLE: str(plan_reader),
                "PYTHONHASHSEED": str(int.from_bytes(os.urandom(4))),
                "PYTHONUNBUFFERED": "1",
            },
            pass_fds=[writing, plan_reader],
            stdin=subprocess.DEVNULL,
        )
        os.close(writing)
        os.close(plan_reader)
        return cls(process, os.fdopen(reading, "rb", buffering=0), plan)

    def go_on(self) -> None:
        """Let the driver import the environment: its report was passed on to the runner."""
        self._write(b"\n")

    def give(self, groups: list[Any]) -> None:
        """Send it the plan."""
        self._write(json.dumps(groups).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # one that is gone shows by its end
            write_all(self.plan, line)

    def __enter__(self) -> DriverProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.pipe.close()
        os.close(self.plan)

    def status(self) -> int:
        """How it ended; a process that lingers after its last event is killed."""
        try:
            return self.process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def events(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Whole lines that are events, until its last one or its end.

        The pipe alone does not show its end: what the environment forked may still hold it open.
        """
        rest = b""
        while True:
            if not select.select([self.pipe], [], [], 0.5)[0]:
                if self.process.poll() is not None:
                    return
                continue
            chunk = self.pipe.read(1 << 16)
            if not chunk:
                return
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                event = parse(line)
                if event is not None:
                    yield event, line + b"\n"
                    if event["event"] in ("done", "fatal"):
                        return
            rest = b"" if len(rest) > MAX_LINE else rest


def parse(line: bytes) -> dict[str, Any] | None:
    """One event, or None for anything else."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None
