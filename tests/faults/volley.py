"""One fault, with a version at each stage of its life; then all that must be true afterwards."""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import requests

from tests.faults.aftermath import Cell, problems
from tests.faults.faults import Fault
from tests.faults.proxy import Hold
from tests.faults.world import World
from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel

DECIDED = ("listed", "rejected", "held")
DECIDE_SECONDS = 150
UPLOAD_SECONDS = 15
# Each runner is stopped at one of these with one version: what its wire to the hub (or, while
# running, to the model) then carries. The row says the same, but for the last one's: it has ended.
NEXT = b"POST /api/v1/runner/poll/"
STAGES = {
    "queued": ("queued", Hold(NEXT, before=True)),
    "leased": ("leased", Hold(NEXT, before=False)),
    "preparing": ("preparing", Hold(b"GET /files/", before=True)),
    "running": ("running", Hold(b"POST /v1/chat/completions", before=True, skip=2)),
    "scoring": ("scoring", Hold(b"/finish/ ", before=True)),
    "finishing": ("succeeded", Hold(b"/finish/ ", before=False)),
}
HUBS = ("web", "worker", "beat", "database", "broker", "storage")  # the check meets these alone
OF_VERSIONS = """
    SELECT e.name, v.status, r.id, r.status, r.attempt, u.name
    FROM registry_version v JOIN registry_environment e ON e.id = v.environment_id
    LEFT JOIN registry_run r ON r.version_id = v.id
    LEFT JOIN registry_runner u ON u.id = r.runner_id
    WHERE e.name = ANY(%s)
"""


@dataclass
class Pipe:
    """A pipe in the place of a stored wheel: whoever reads it waits until it is put right."""

    stored: Path
    kept: Path

    @classmethod
    def lay(cls, stored: Path) -> Pipe:
        kept = stored.with_name("kept")
        stored.rename(kept)
        os.mkfifo(stored)
        return cls(stored, kept)

    def put_right(self) -> None:
        """The wheel is back; who waits for it gets its bytes."""
        with suppress(OSError):  # nobody waits
            end = os.open(self.stored, os.O_WRONLY | os.O_NONBLOCK)
            self.kept.rename(self.stored)
            os.write(end, self.stored.read_bytes())
            os.close(end)
        if self.kept.exists():
            self.kept.rename(self.stored)


def play(world: World, fault: Fault, *, may_end: tuple[str, ...] = ("listed",)) -> list[Cell]:
    """Bring a version to each stage, let the fault happen, put it right, and look at each."""
    cells = _with_runners(world, fault)
    worker, pipe = world.parts["worker"], None
    if fault.part in HUBS:
        worker.signal_main(signal.SIGSTOP)  # it hands out no task while the pipe is laid
        cell, sha256 = push(world, fault, "checking")
        pipe = Pipe.lay(world.files / "wheels" / sha256[:2] / sha256)
        worker.signal_main(signal.SIGCONT)
        world.wait(
            lambda name=cell.name: _status(world, name) == "checking", f"checking of {fault}"
        )  # type: ignore[misc]
        worker.signal_main(signal.SIGSTOP)
        cells += [cell, push(world, fault, "uploaded")[0]]
    began = time.monotonic()
    if pipe and fault.part == "storage":
        pipe.put_right()  # nobody can reach it afterwards
    with fault.happens(world):
        for lent in world.runners:
            lent.hub.release()
            lent.model.release()
        if pipe and pipe.kept.exists():
            pipe.put_right()
        if fault.part != "worker":
            worker.signal_main(signal.SIGCONT)
        if fault.part == "broker":  # nobody waits for it: a message may be lost
            cells.append(push(world, fault, "uploading", seconds=UPLOAD_SECONDS)[0])
        fault.lasts(world)
    worker.signal_main(signal.SIGCONT)
    _follow(world, cells, began)
    for cell in cells:
        cell.wrong += problems(world, cell, may_end)
    return cells


def push(world: World, fault: Fault, stage: str, *, seconds: float = 60) -> tuple[Cell, str]:
    """Publish a new environment as alice; its cell, and its wheel's sha256."""
    world.pushed += 1
    name = f"word-{world.broker_kind}-{world.pushed}"
    data = make_wheel(name)
    answer = requests.post(
        f"{world.url}/legacy/alice/",
        data=form_of(data),
        files={"content": (filename(name), data)},
        auth=("__token__", world.token),
        timeout=seconds,
    )
    assert answer.status_code == 200, answer.text
    return Cell(fault.part, fault.name, stage, name), hashlib.sha256(data).hexdigest()


def _with_runners(world: World, fault: Fault) -> list[Cell]:
    """A version a runner, each runner stopped at its stage."""
    holds = {}
    for lent, (stage, (_, hold)) in zip(world.runners, STAGES.items(), strict=True):
        wire = lent.model if stage == "running" else lent.hub
        holds[stage] = wire.stop_at(Hold(hold.request, hold.before, hold.skip))
    cells = {cell.name: cell for cell, _ in (push(world, fault, "") for _ in STAGES)}
    for stage, hold in holds.items():
        world.wait(hold.caught.is_set, f"{stage} of {fault}")
    where = [
        (lent.name, stage, status)
        for lent, (stage, (status, _)) in zip(world.runners, STAGES.items(), strict=True)
        if stage != "queued"
    ]
    waiting = dict(cells)
    for runner, stage, status in where:
        name = world.wait(
            lambda runner=runner, status=status: _held_by(world, waiting, status, runner),  # type: ignore[misc]
            f"a run that is {status} at {stage} of {fault}",
        )
        waiting.pop(name).stage = stage
    (last,) = waiting.values()
    last.stage = "queued"
    return list(cells.values())


def _held_by(world: World, names: Collection[str], status: str, runner: str) -> str:
    """Which of them that runner has, in that status; empty where none is so."""
    rows = world.rows(OF_VERSIONS, list(names))
    return next((one[0] for one in rows if (one[3], one[5]) == (status, runner)), "")


def _status(world: World, name: str) -> str:
    return str(world.rows(OF_VERSIONS, [name])[0][1])


def _follow(world: World, cells: list[Cell], began: float) -> None:
    """Wait until each is decided, and note what became of it."""
    waiting = {cell.name: cell for cell in cells}

    def look() -> bool:
        for name, version, _, _, attempt, _ in world.rows(OF_VERSIONS, list(waiting)):
            if version in DECIDED:
                cell = waiting.pop(name)
                cell.end, cell.attempt = version, attempt or 0
                cell.seconds = time.monotonic() - began
        return not waiting

    try:
        world.wait(look, "", DECIDE_SECONDS, pause=0.3)
    except AssertionError as late:
        for name, cell in waiting.items():
            cell.end = _status(world, name)
            cell.wrong.append(f"stuck after {DECIDE_SECONDS} s\n{late}")
