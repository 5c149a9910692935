"""Child processes of one command: started, watched, restarted, and ended with it.

Each child leads its own session, so that Ctrl-C reaches only the supervisor, which then ends
the whole tree. A pid file says which session was ours: what a killed supervisor left behind is
found by it, even where the session's leader is gone.
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
HARSHER = ((0.0, signal.SIGTERM), (6.0, signal.SIGQUIT), (8.0, signal.SIGKILL))
LOOK_SECONDS = 0.1  # a look at all processes takes some milliseconds
STEADY_SECONDS = 60.0
BACK_OFF_SECONDS = (1, 2, 4, 8, 15, 30)

_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(signum: int = signal.SIGTERM) -> None:
    """Ask the kernel to send this process `signum` when the thread that started it ends."""
    _libc.prctl(PR_SET_PDEATHSIG, int(signum))


@dataclass(frozen=True, slots=True)
class Process:
    """One line of the kernel's process table; `started` is in clock ticks since boot."""

    pid: int
    state: str
    session: int
    started: int


def process(pid: int) -> Process | None:
    """The live process of that number; None when there is none, or only its exit status."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before it may hold spaces and brackets
    found = Process(pid, fields[0], int(fields[3]), int(fields[19]))
    return None if found.state in "ZX" else found


def processes() -> Iterator[Process]:
    """Every live process that this user can see."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and (found := process(int(entry.name))):
            yield found


def session_members(leader: int, started: int) -> list[Process]:
    """What is left of the session that process `leader`, started at `started`, opened.

    The kernel does not reuse a number while a session bears it; where all members died and a
    stranger got the number, the stranger's start differs.
    """
    head = process(leader)
    if head is not None and head.started != started:
        return []
    return [found for found in processes() if found.session == leader and found.started >= started]


@dataclass(slots=True)
class Ending:
    """Processes that are being ended, more harshly as time goes by."""

    members: Callable[[], list[Process]]
    began: float = field(default_factory=time.monotonic)
    steps: list[tuple[float, signal.Signals]] = field(default_factory=lambda: list(HARSHER))

    def goes_on(self, *, at_once: bool = False) -> bool:
        """Whether some are still there; call it often. `at_once` leaves out all but SIGKILL."""
        if at_once:
            self.steps = [(0.0, HARSHER[-1][1])]
        living = self.members()
        if living and self.steps and self.waited >= self.steps[0][0]:
            _signal(living, self.steps.pop(0)[1])
        return bool(living)

    @property
    def waited(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    @property
    def is_in_vain(self) -> bool:
        """Whether they have outlived even SIGKILL."""
        return self.waited > STOP_SECONDS


def end(members: Callable[[], list[Process]]) -> bool:
    """End them; False if some outlive even SIGKILL."""
    ending = Ending(members)
    while ending.goes_on():
        if ending.is_in_vain:
            return False
        time.sleep(LOOK_SECONDS)
    return True


def _signal(living: list[Process], signum: signal.Signals) -> None:
    """Ask leaders first: they know best how to end their own children. SIGKILL is for all."""
    leaders = [found for found in living if found.pid == found.session]
    for found in living if signum == signal.SIGKILL else leaders or living:
        with contextlib.suppress(ProcessLookupError):
            os.kill(found.pid, signum)


def end_leftovers(folder: Path) -> list[str]:
    """End what a killed supervisor left running; the names of the children that were."""
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
    """One program to keep running; its output goes to `log`, its files are born under `umask`.

    Where all are stopped it is told to end once the one that it `outlives` has ended.
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
    """Keeps its children running until `stop`; `say` gets one short line for each event.

    What still runs is killed at once where somebody sets `in_a_hurry`, also while it stops.
    """

    folder: Path
    say: Callable[[str], None]
    children: list[Child] = field(default_factory=list)
    in_a_hurry: bool = False

    def start(self, child: Child) -> None:
        """Start one child and remember it in its pid file.

        Call it from the main thread: the kernel ends the child with the thread that started it.
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
        found = process(child.popen.pid)
        child.started = found.started if found else 0
        (self.folder / f"{child.name}.pid").write_text(f"{child.popen.pid} {child.started}\n")
        if child not in self.children:
            self.children.append(child)

    def tend(self) -> None:
        """Notice children that ended, and start them again when their pause is over."""
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
                    f"{child.name} ended ({_ending(code)}), starting again in {pause} s; "
                    f"see {child.log}"
                )

    def stop(self) -> None:
        """End every child and all that it started, side by side but for those that outlive one."""
        left = list(self.children)
        endings: dict[str, Ending] = {}
        while left:
            names = {child.name for child in left}
            for child in left.copy():
                if self.in_a_hurry or child.outlives not in names:
                    ending = endings.setdefault(child.name, Ending(partial(_members, child)))
                    if self._is_over(child, ending):
                        left.remove(child)
            time.sleep(LOOK_SECONDS)

    def _is_over(self, child: Child, ending: Ending) -> bool:
        if ending.goes_on(at_once=self.in_a_hurry):
            if ending.is_in_vain:
                self.say(f"{child.name} did not end; the next start ends it")
            return ending.is_in_vain
        (self.folder / f"{child.name}.pid").unlink(missing_ok=True)
        if child.popen is not None:
            child.popen.wait()  # it has ended, and is heard of no more
        child.popen = None
        return True

    def _clear(self, child: Child) -> None:
        """End what a dead child left of its session, before another takes its place."""
        end(partial(_members, child))


def _members(child: Child) -> list[Process]:
    """What lives of the child and of all that it started."""
    return [] if child.popen is None else session_members(child.popen.pid, child.started)


def _ending(code: int) -> str:
    return f"exit {code}" if code >= 0 else signal.Signals(-code).name
