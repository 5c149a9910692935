"""The parent of the two processes that run the environment, and the only writer of events.

The first plays the run's rollouts. The second, with another hash seed and nothing of the first in
its memory, loads the tasks again, and plays again what the gateway then asks for.

An environment can end its process at any moment (`os._exit`, a crash in C, too much memory); this
one holds none of its code, so the run still ends with a sentence that says what happened.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .events import FD_VARIABLE, MAX_LINE, PLAN_FD_VARIABLE, Events, failure, write_all
from .job import read_given

OURS = ("tasks_again", "played")
AGAIN_SECONDS = 120.0
EXIT_SECONDS = 10.0
LOG_TAIL = 20_000


def main() -> int:
    """Run both children and pass their events on; 0 where the driver finished its work."""
    out, door = Events.inherited(), read_given().door
    story = Story()
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(tempfile.TemporaryFile())
        again = stack.enter_context(Child.start(log=log))
        driver = stack.enter_context(Child.start())
        import urllib.request  # noqa: F401  (while the children import far more)

        for event, line in driver.events():
            loaded = story.stage == "load" and event["event"] == "loaded"
            if event["event"] in OURS:
                out.emit(f"{event['event']} by the environment")
            elif story.note(event):
                out.relay(line)
            if loaded:
                driver.give(asked(door, "plan"))
        if not story.ended:
            out.emit("fatal", **story.cut_short(driver.status()))
        if not story.done:
            return 1
        driver.kill()  # what it holds, ports and memory, is free for the other
        told = again.pass_on_hashes(out, log)
        out.emit("played")
        with contextlib.suppress(OSError):  # the run is played: nothing may hang on this
            replays = asked(door, "replays")
            if told and replays["groups"]:
                again.give(replays["groups"])
                again.pass_on_replays(out, replays["seconds"])
        out.emit("done")
    return 0


def asked(door: str, what: str) -> Any:
    """What the gateway tells of the run."""
    import urllib.request

    with urllib.request.urlopen(f"{door}/{what}") as answer:
        return json.load(answer)


class Story:
    """What the driver has said so far: enough to tell what it was doing when it ended."""

    def __init__(self) -> None:
        self.stage = "import"
        self.running: dict[str, None] = {}
        self.done = False
        self.ended = False

    def note(self, event: dict[str, Any]) -> bool:
        """Take one event in; whether it is to be passed on now."""
        kind = event["event"]
        if kind == "imported":
            self.stage = "load"
        elif kind == "loaded":
            self.stage = "run"
        elif kind == "rollout_started":
            self.running[str(event.get("rollout"))] = None
        elif kind == "rollout":
            self.running.pop(str(event.get("rollout")), None)
        elif kind in ("done", "fatal"):
            self.ended, self.done = True, kind == "done"
        return kind not in ("imported", "done")

    def cut_short(self, status: int) -> dict[str, Any]:
        """The fields of the `fatal` event of a driver that ended without a word."""
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        during = f" while {', '.join(list(self.running)[:4])} ran" if self.running else ""
        message = f"the environment's process {how}{during}"
        return {"stage": self.stage, "error": failure("ProcessEnded", message, "environment")}


@dataclass(slots=True)
class Child:
    """One process that holds the environment's code: where it reads its plan, what it says."""

    process: subprocess.Popen[bytes]
    pipe: IO[bytes]
    plan: int

    @classmethod
    def start(cls, *, log: IO[bytes] | None = None) -> Child:
        """Start main.py as a driver; with `log`, its errors go there and its output nowhere.

        Unbuffered: what it printed before it was killed is what its author needs to read. The
        hash seed is a new one, so that nothing in there tells one child from the other.
        """
        reading, writing = os.pipe()
        told, plan = os.pipe()
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("main.py")), "drive"],
            env={
                **os.environ,
                FD_VARIABLE: str(writing),
                PLAN_FD_VARIABLE: str(told),
                "PYTHONHASHSEED": str(int.from_bytes(os.urandom(4))),
                "PYTHONUNBUFFERED": "1",
            },
            pass_fds=[writing, told],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if log else None,
            stderr=log,
        )
        os.close(writing)
        os.close(told)
        return cls(process, os.fdopen(reading, "rb", buffering=0), plan)

    def give(self, groups: list[Any]) -> None:
        """Tell it what to play; one that is gone says so by its end."""
        with contextlib.suppress(BrokenPipeError):
            write_all(self.plan, json.dumps(groups).encode() + b"\n")

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.pipe.close()
        os.close(self.plan)

    def kill(self) -> None:
        """End it, if it has not ended."""
        self.process.kill()
        self.process.wait()

    def status(self) -> int:
        """How it ended; a process that lingers after its last word is killed."""
        try:
            return self.process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def events(self, seconds: float | None = None) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Whole lines that are events, until its last one, its end or the time is over.

        The pipe alone does not tell its end: what the environment forked may still hold it open.
        """
        rest = b""
        deadline = None if seconds is None else time.monotonic() + seconds
        while deadline is None or time.monotonic() < deadline:
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

    def pass_on_hashes(self, out: Events, log: IO[bytes]) -> bool:
        """Pass on the second load: no hashes where it failed, no event where it takes too long."""
        until = time.monotonic() + AGAIN_SECONDS
        for event, _ in self.events(AGAIN_SECONDS):
            tasks = event.get("tasks")
            if event["event"] == "loaded" and isinstance(tasks, list):
                known = [task.get("hash") for task in tasks if isinstance(task, dict)]
                out.emit("tasks_again", hashes=known)
                return True
            if event["event"] == "fatal":
                sys.stderr.write(f"{event.get('error')}\n")
                break
        else:
            if time.monotonic() >= until:
                return False
        log.seek(0)
        sys.stderr.write("the second load of the tasks failed:\n")
        sys.stderr.write(log.read()[-LOG_TAIL:].decode("utf-8", "replace"))
        out.emit("tasks_again", hashes=[])
        return False

    def pass_on_replays(self, out: Events, seconds: float) -> None:
        """Pass on what it plays until it is done or the time is over; a process that ended while
        it played fails what it played."""
        story, until = Story(), time.monotonic() + seconds
        for event, line in self.events(seconds):
            if story.note(event) and event["event"] in ("rollout_started", "rollout"):
                out.relay(line)
        if not story.done and time.monotonic() < until:  # its pipe ends before it can be waited for
            failed = story.cut_short(self.status())["error"]
            for word in story.running:
                out.emit("rollout", rollout=word, ok=False, error=failed)


def parse(line: bytes) -> dict[str, Any] | None:
    """One event, or None for anything else."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None
