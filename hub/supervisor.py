"""Child processes of one command: start, restart and stop.

Each child leads its own session, so that Ctrl-C reaches only the supervisor, which then stops all
processes. A pid file identifies the session: with it the next start finds the processes of a killed
supervisor, even if the leader of the session is gone.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

PR_SET_PDEATHSIG = 1
STOP_SECONDS = 12.0
STOP_SIGNALS = ((0.0, signal.SIGTERM), (6.0, signal.SIGQUIT), (8.0, signal.SIGKILL))
POLL_SECONDS = 0.1  # reading all of /proc takes some milliseconds
STEADY_SECONDS = 60.0
BACK_OFF_SECONDS = (1, 2, 4, 8, 15, 30)

_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(signum: int = signal.SIGTERM) -> None:
    """Let the kernel send `signum` to this process when the thread that started it ends."""
    _libc.prctl(PR_SET_PDEATHSIG, int(signum))


@dataclass(frozen=True, slots=True)
class Process:
    """One process of /proc; `started` is in clock ticks since boot."""

    pid: int
    state: str
    session: int
    started: int


def process(pid: int) -> Process | None:
    """The live process with that number; None if there is none or it is a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before it may contain spaces and brackets
    row = Process(pid, fields[0], int(fields[3]), int(fields[19]))
    return None if row.state in "ZX" else row


def processes() -> Iterator[Process]:
    """All live processes that this user can see."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and (row := process(int(entry.name))):
            yield row


def session_members(leader: int, started: int) -> list[Process]:
    """The live members of the session of process `leader`, started at `started`.

    The kernel does not reuse the number of an existing session. If all members died and another
    process got the number, its start time differs.
    """
    head = process(leader)
    if head is not None and head.started != started:
        return []
    return [row for row in processes() if row.session == leader and row.started >= started]


@dataclass(slots=True)
class Ending:
    """Processes that are being stopped, with stronger signals over time."""

    members: Callable[[], list[Process]]
    began: float = field(default_factory=time.monotonic)
    steps: list[tuple[float, signal.Signals]] = field(default_factory=lambda: list(STOP_SIGNALS))

    def step(self, *, at_once: bool = False) -> bool:
        """Whether some are still alive; call it often. `at_once` sends SIGKILL immediately."""
        if at_once:
            self.steps = [(0.0, STOP_SIGNALS[-1][1])]
        living = self.members()
        if living and self.steps and self.waited >= self.steps[0][0]:
            _signal(living, self.steps.pop(0)[1])
        return bool(living)

    @property
    def waited(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.began

    @property
    def has_failed(self) -> bool:
        """Whether some survived SIGKILL."""
        return self.waited > STOP_SECONDS


def end(members: Callable[[], list[Process]]) -> bool:
    """Stop them; False if some survive SIGKILL."""
    ending = Ending(members)
    while ending.step():
        if ending.has_failed:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _signal(living: list[Process], signum: signal.Signals) -> None:
    """Signal the leaders first, which stop their own children; SIGKILL goes to all."""
    leaders = [row for row in living if row.pid == row.session]
    for row in living if signum == signal.SIGKILL else leaders or living:
        with contextlib.suppress(ProcessLookupError):
            os.kill(row.pid, signum)


def end_leftovers(folder: Path) -> list[str]:
    """Stop processes of a killed supervisor; returns the names of their children."""
    ended = []
    for file in sorted(folder.glob("*.pid")):
        with contextlib.suppress(ValueError):
            pid, started = map(int, file.read_text().split())
            members = partial(session_members, pid, started)
            if members():
                end(members)
                ended.append(file.stem)
        file.unlink()
    return ended


@dataclass(slots=True)
class Child:
    """One program to keep running; its output goes to `log`, its files get `umask`.

    When all are stopped, it is stopped after the child that it `outlives`.
    """

    name: str
    command: Sequence[str]
    environ: Mapping[str, str]
    log: Path
    umask: int = 0o077
    outlives: str = ""
    popen: subprocess.Popen[bytes] | None = None
    started: int = 0
    since: float = 0.0
    failures: int = 0
    start_at: float = 0.0


@dataclass(slots=True)
class Supervisor:
    """Keeps its children running until `stop`; `say` is called with one line per event.

    With `kill_now` set, also during `stop`, all processes are killed immediately.
    """

    folder: Path
    say: Callable[[str], None]
    children: list[Child] = field(default_factory=list)
    kill_now: bool = False

    def start(self, child: Child) -> None:
        """Start one child and write its pid file.

        Call it from the main thread: the kernel stops the child with the thread that started it.
        """
        child.log.parent.mkdir(parents=True, exist_ok=True)
        with child.log.open("ab") as log:
            child.popen = subprocess.Popen(
                child.command,
                env=dict(child.environ),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=child.umask,
                preexec_fn=die_with_parent,
            )
        child.since = time.monotonic()
        leader = process(child.popen.pid)
        child.started = leader.started if leader else 0
        staged = self.folder / f"{child.name}.pid.part"
        staged.write_text(f"{child.popen.pid} {child.started}\n")
        staged.replace(self.folder / f"{child.name}.pid")  # no reader sees an empty file
        if child not in self.children:
            self.children.append(child)

    def restart_ended(self) -> None:
        """Restart children that ended, each after a pause."""
        now = time.monotonic()
        for child in self.children:
            if child.popen is None:
                if now >= child.start_at:
                    self.start(child)
            elif (code := child.popen.poll()) is not None:
                self._clear(child)
                steady = now - child.since > STEADY_SECONDS
                child.failures = 1 if steady else child.failures + 1
                pause = BACK_OFF_SECONDS[min(child.failures, len(BACK_OFF_SECONDS)) - 1]
                child.popen, child.start_at = None, now + pause
                self.say(
                    f"{child.name} ended ({_ending(code)}), restarting in {pause} s; "
                    f"see {child.log}"
                )

    def stop(self) -> None:
        """Stop all children and their processes in parallel, except those that outlive another."""
        remaining = list(self.children)
        endings: dict[str, Ending] = {}
        while remaining:
            names = {child.name for child in remaining}
            for child in remaining.copy():
                if self.kill_now or child.outlives not in names:
                    ending = endings.setdefault(child.name, Ending(partial(_members, child)))
                    if self._is_over(child, ending):
                        remaining.remove(child)
            time.sleep(POLL_SECONDS)

    def _is_over(self, child: Child, ending: Ending) -> bool:
        if ending.step(at_once=self.kill_now):
            if ending.has_failed:
                self.say(f"{child.name} did not end; the next start stops it")
            return ending.has_failed
        (self.folder / f"{child.name}.pid").unlink(missing_ok=True)
        if child.popen is not None:
            child.popen.wait()  # reap it
        child.popen = None
        return True

    def _clear(self, child: Child) -> None:
        """Stop the remaining processes of an ended child before its restart."""
        end(partial(_members, child))


def _members(child: Child) -> list[Process]:
    """The live processes of the child's session."""
    return [] if child.popen is None else session_members(child.popen.pid, child.started)


def _ending(code: int) -> str:
    return f"exit {code}" if code >= 0 else signal.Signals(-code).name
