"""One fault, with a version at each stage of its life; then all that must be true afterwards."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tests.faults.aftermath import Cell, problems
from tests.faults.faults import Fault
from tests.faults.proxy import Hold
from tests.faults.upload import Upload
from tests.faults.world import World

T = TypeVar("T")
DECIDED = ("listed", "rejected", "held")
# Stuck is what so many looks for lost things have not moved, however slow the machine is.
MOST_SWEEPS, DECIDE_SECONDS, AT_MOST_SECONDS = 75, 150, 600
TRIES, STAGED_SECONDS = 5, 45
# After a little more a runner gives up what it waits for: an answer of the hub, or the model's.
HELD_UP_SECONDS, SLOW_MODEL_SECONDS = 18, 50
# Each runner is stopped at one of these with one version: what its wire to the hub (or, while
# running, to the model) then carries. The row says the same, but for the last one's: it has ended.
NEXT = b"POST /api/v1/runner/poll/"
CALL = b"POST /v1/chat/completions"
Stages = dict[str, tuple[str, Hold]]
STAGES: Stages = {
    "queued": ("queued", Hold(NEXT, before=True)),
    "leased": ("leased", Hold(NEXT, before=False)),
    "preparing": ("preparing", Hold(b"GET /files/", before=True)),
    "running": ("running", Hold(CALL, before=True, skip=2)),
    "scoring": ("scoring", Hold(b"/finish/ ", before=True)),
    "finishing": ("succeeded", Hold(b"/finish/ ", before=False)),
}
# A sandbox lives only while a run is running: its faults come at each of its four calls. The runner
# itself has asked the model whether it answers before.
PLAYING: Stages = {f"call {n}": ("running", Hold(CALL, before=True, skip=n)) for n in range(1, 5)}
PLAYING |= {f"reply {n}": ("running", Hold(CALL, before=False, skip=n)) for n in (1, 4)}
HUBS = ("web", "worker", "beat", "database", "broker", "storage")  # the check meets these alone
ANY = "any"
UPLOADED_TO = ("web", "database", "broker", "storage")
OF_VERSIONS = """
    SELECT e.name, v.status, r.id, r.status, r.attempt, u.name
    FROM registry_version v JOIN registry_environment e ON e.id = v.environment_id
    LEFT JOIN registry_run r ON r.version_id = v.id
    LEFT JOIN registry_runner u ON u.id = r.runner_id
    WHERE e.name = ANY(%s)
"""


@dataclass
class Pipe:
    """A pipe in the place of a stored wheel: whoever reads it waits until it is put right.

    Its folder is kept open, so that this works also where another disk has covered the storage.
    """

    stored: Path
    folder: int
    right: bool = False

    @classmethod
    def lay(cls, stored: Path) -> Pipe:
        stored.rename(stored.with_name("kept"))
        os.mkfifo(stored)
        return cls(stored, os.open(stored.parent, os.O_RDONLY | os.O_DIRECTORY))

    def put_right(self) -> None:
        """The wheel is back; who waits for it gets its bytes."""
        if self.right:
            return
        self.right, name, at = True, self.stored.name, self.folder
        end = None
        with suppress(OSError):  # nobody waits
            end = os.open(name, os.O_WRONLY | os.O_NONBLOCK, dir_fd=at)
        os.rename("kept", name, src_dir_fd=at, dst_dir_fd=at)
        if end is not None:
            wheel = os.open(name, os.O_RDONLY, dir_fd=at)
            with suppress(BrokenPipeError):
                os.sendfile(end, wheel, 0, os.fstat(wheel).st_size)
            os.close(wheel)
            os.close(end)
        os.close(at)


@dataclass
class Staged:
    """Versions that are each at a stage of its life, and what keeps them there."""

    world: World
    fault: Fault
    cells: list[Cell] = field(default_factory=list)
    expected: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    holds: list[Hold] = field(default_factory=list)
    pipe: Pipe | None = None
    upload: Upload | None = None

    def late(self) -> list[str]:
        """The stages whose version has left them, or whose runner has given up; else none."""
        rows = {row[0]: row for row in self.world.rows(OF_VERSIONS, list(self.expected))}
        left = []
        for cell in self.cells:
            if cell.name not in self.expected:
                continue
            row = rows[cell.name]
            state = (row[1], row[3] or "", row[5] or "")
            cell.seen = " ".join(word for word in state if word)
            pairs = zip(state, self.expected[cell.name], strict=True)
            if any(is_ != should for is_, should in pairs if should != ANY) or (row[4] or 1) != 1:
                left.append(f"{cell.stage}: {state}")
        return left + [f"{hold.request!r}" for hold in self.holds if _is_old(hold)]

    def let_go(self) -> None:
        """Let everybody go on; the worker, too, unless it is what the fault has hit."""
        for lent in self.world.runners:
            lent.hub.release()
            lent.model.release()
        if self.pipe:
            self.pipe.put_right()
        if self.upload:
            self.upload.go_on()
        if self.fault.part != "worker":
            self.world.parts["worker"].signal_main(signal.SIGCONT)


def _is_old(hold: Hold) -> bool:
    limit = SLOW_MODEL_SECONDS if hold.request == CALL else HELD_UP_SECONDS
    return time.monotonic() - hold.since > limit


def play(world: World, fault: Fault, *, may_end: tuple[str, ...] = ("listed",)) -> list[Cell]:
    """Bring a version to each stage, let the fault happen, put it right, and look at each."""
    staged = _staged(world, fault)
    began = time.monotonic()
    with fault.happens(world) as observed:
        staged.let_go()
        fault.lasts(world)
    world.parts["worker"].signal_main(signal.SIGCONT)
    _uploaded(staged)
    follow(world, staged.cells, began)
    for cell in staged.cells:
        cell.seen = f"{cell.seen}; {observed.told}"
        cell.wrong += problems(world, cell, may_end)
    return staged.cells


def _staged(world: World, fault: Fault) -> Staged:
    """Everything in its place, as the rows say this very moment."""
    late: list[str] = []
    for _ in range(TRIES):
        staged = Staged(world, fault)
        try:
            _with_runners(staged)
            if fault.part in HUBS:
                _with_hub(staged)
            world.renew()
            if not (late := staged.late()):
                return staged
        except Late as error:
            late = [str(error)]
        staged.let_go()
        world.parts["worker"].signal_main(signal.SIGCONT)
        _uploaded(staged)
        follow(world, staged.cells, time.monotonic())
        wrong = [why for cell in staged.cells for why in problems(world, cell, DECIDED)]
        assert not wrong, wrong
    raise AssertionError(f"{fault} never met {late}")


def _with_hub(staged: Staged) -> None:
    """A version that is being checked, one that is uploaded, and half of an upload."""
    world, fault = staged.world, staged.fault
    worker = world.parts["worker"]
    worker.signal_main(signal.SIGSTOP)  # it hands out no task while the pipe is laid
    checking, sha256 = push(world, fault, "checking")
    staged.pipe = Pipe.lay(world.files / "wheels" / sha256[:2] / sha256)
    worker.signal_main(signal.SIGCONT)
    _renewed(world, lambda: _status(world, checking.name) == "checking", f"checking of {fault}")
    worker.signal_main(signal.SIGSTOP)
    uploaded, _ = push(world, fault, "uploaded")
    staged.cells += [checking, uploaded]
    staged.expected |= {checking.name: ("checking", "", ""), uploaded.name: ("uploaded", "", "")}
    if fault.part in UPLOADED_TO:
        staged.upload = Upload(_way_in(world), world.token, _new_name(world)).start()
        state = "half of it sent"
        staged.cells.append(Cell(fault.part, fault.name, "uploading", staged.upload.name, state))


def _way_in(world: World) -> str:
    """An upload's own wire to web, cut off when web is."""
    server = world.servers["web"]
    if world.way_in is None:
        world.way_in = world.loop.wire(server.target)
        world.wires["web"].append(world.way_in)
    return server.at(world.way_in.port)


def _uploaded(staged: Staged) -> None:
    """The upload under way was accepted; at once where only the broker was away."""
    if (upload := staged.upload) is None:
        return
    cell = next(cell for cell in staged.cells if cell.name == upload.name)
    if not upload.accepted(AT_MOST_SECONDS):
        cell.wrong.append(f"never accepted: {upload.answers[-10:]}")
    if staged.fault.part == "broker" and upload.answers != [200]:
        cell.wrong.append(f"a broker that is away costs an upload nothing, yet: {upload.answers}")
    allowed = {0, 200, 500, 502, 503} | ({507} if staged.fault.name == "full" else set())
    if not set(upload.answers) <= allowed:
        cell.wrong.append(f"answered {upload.answers}")


def push(world: World, fault: Fault, stage: str) -> tuple[Cell, str]:
    """Publish a new environment as alice; its cell, and its wheel's sha256."""
    upload = Upload(world.url, world.token, _new_name(world))
    upload.go_on()
    upload.start()
    assert upload.accepted(120), upload.answers
    return Cell(fault.part, fault.name, stage, upload.name), upload.sha256


def _new_name(world: World) -> str:
    return f"word-{world.broker_kind}-{next(world.pushed)}"


def _with_runners(staged: Staged) -> None:
    """A version a runner, each runner stopped at its stage."""
    world, fault = staged.world, staged.fault
    stages = PLAYING if fault.part == "sandbox" else STAGES
    holds = {}
    for lent, (stage, (_, hold)) in zip(world.runners, stages.items(), strict=True):
        wire = lent.model if hold.request == CALL else lent.hub
        holds[stage] = wire.stop_at(Hold(hold.request, hold.before, hold.skip))
    staged.holds = list(holds.values())
    with ThreadPoolExecutor(len(stages)) as pool:
        pushed = pool.map(lambda stage: push(world, fault, stage)[0], stages)
    staged.cells = list(pushed)
    cells = {cell.name: cell for cell in staged.cells}
    for stage, hold in holds.items():
        _renewed(world, hold.caught.is_set, f"{stage} of {fault}")
    waiting = dict(cells)
    for lent, (stage, (status, _)) in zip(world.runners, stages.items(), strict=True):
        if stage == "queued":
            continue
        name = _renewed(
            world,
            lambda runner=lent.name, status=status: _held_by(world, waiting, status, runner),  # type: ignore[misc]
            f"a run that is {status} at {stage} of {fault}",
        )
        waiting.pop(name).stage = stage
        version = ANY if status == "succeeded" else "evaluating"
        staged.expected[name] = (version, status, lent.name)
    for last in waiting.values():
        last.stage = "queued"
        staged.expected[last.name] = ("evaluating", "queued", "")


class Late(Exception):
    """The machine was too slow to have all in place at once."""


def _renewed(world: World, look: Callable[[], T], awaited: str) -> T:
    """The first true answer; meanwhile no runner that is held up loses its lease."""

    def renewed() -> T:
        world.renew()
        return look()

    try:
        return world.wait(renewed, awaited, STAGED_SECONDS)
    except AssertionError as error:
        raise Late(awaited) from error


def _held_by(world: World, names: Collection[str], status: str, runner: str) -> str:
    """Which of them that runner has, in that status; empty where none is so."""
    rows = world.rows(OF_VERSIONS, list(names))
    return next((row[0] for row in rows if (row[3], row[5]) == (status, runner)), "")


def _status(world: World, name: str) -> str:
    return str(world.rows(OF_VERSIONS, [name])[0][1])


def follow(world: World, cells: list[Cell], began: float) -> None:
    """Wait until each is decided, and note what became of it."""
    waiting = {cell.name: cell for cell in cells}
    swept, since = world.sweeps(), time.monotonic()

    def look() -> bool:
        for name, version, _, _, attempt, _ in world.rows(OF_VERSIONS, list(waiting)):
            if version in DECIDED:
                cell = waiting.pop(name)
                cell.end, cell.attempt = version, attempt or 0
                cell.seconds = time.monotonic() - began
        lasted = time.monotonic() - since
        late = lasted > DECIDE_SECONDS and world.sweeps() - swept > MOST_SWEEPS
        return not waiting or late

    with suppress(AssertionError):
        world.wait(look, "", AT_MOST_SECONDS, pause=0.3)
    for cell in waiting.values():
        cell.end = "undecided"
        cell.wrong.append(f"stuck after {world.sweeps() - swept} sweeps\n{world.logs()}")
