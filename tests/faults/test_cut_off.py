"""Two runners in networks of their own: one is away in the middle of a run, and comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hub.supervisor import process
from tests.faults import volley
from tests.faults.aftermath import Cell, problems
from tests.faults.faults import Fault, sandboxes
from tests.faults.proxy import Hold
from tests.faults.world import Lent, World, lend, running

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

NAMES = ("near", "far")
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
OF_NAME = """
    JOIN registry_version v ON v.id = r.version_id
    JOIN registry_environment e ON e.id = v.environment_id WHERE e.name = %s
"""
Networks = dict[str, tuple[str, str]]


def ip(*words: str) -> None:
    """iproute2; raises where it is refused."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def networks() -> Iterator[Networks]:
    """By name a network namespace and the address of this machine there, linked by a cable."""
    if os.geteuid() != 0:
        pytest.skip("only root can make network namespaces")
    result: Networks = {}
    try:
        for number, name in enumerate(NAMES):
            space, here, there = (f"ey{os.getpid() % 100000}{kind}{number}" for kind in "nht")
            host_address, runner_address = (
                f"10.213.{os.getpid() % 250}.{4 * number + end}" for end in (1, 2)
            )
            try:
                ip("netns", "add", space)
            except (OSError, subprocess.CalledProcessError) as error:
                pytest.skip(f"this machine makes no network namespace: {error}")
            result[name] = (space, host_address)
            ip("link", "add", here, "type", "veth", "peer", "name", there)
            ip("link", "set", there, "netns", space)
            ip("addr", "add", f"{host_address}/30", "dev", here)
            ip("link", "set", here, "up")
            for words in (
                ("addr", "add", f"{runner_address}/30", "dev", there),
                ("link", "set", there, "up"),
                ("link", "set", "lo", "up"),
            ):
                ip("-n", space, *words)
        yield result
    finally:
        for space, _ in result.values():
            ip("netns", "del", space)


def cable(networks: Networks, name: str, state: str) -> None:
    """Pull it out on the runner's side (`down`), or plug it in again (`up`)."""
    space = networks[name][0]
    ip("-n", space, "link", "set", space.replace("n", "t"), state)


@pytest.fixture(scope="module")
def world(networks: Networks) -> Iterator[World]:
    """A hub with a runner in each network."""
    with running("redis") as world:
        for name, (space, address) in networks.items():
            lend(world, [name], host=address, within=["ip", "netns", "exec", space])
        yield world


def push(world: World, stage: str) -> Cell:
    """A version that meets a runner's fault."""
    return volley.push(world, Fault("runner", "cut"), stage)[0]


def of(world: World, cell: Cell) -> tuple[str, str, int, str]:
    """Status of the version, then status, attempt and runner of its run."""
    ((_, version, _, status, attempt, runner),) = world.rows(volley.OF_VERSIONS, [cell.name])
    return version, status, attempt, runner


@contextmanager
def unplugged(networks: Networks, _: World, lent: Lent) -> Iterator[None]:
    """Its cable is out."""
    cable(networks, lent.name, "down")
    try:
        yield
    finally:
        cable(networks, lent.name, "up")


@contextmanager
def frozen(_: Networks, world: World, lent: Lent) -> Iterator[None]:
    """It stands still with all that it has started, as a machine that is suspended."""
    everyone = [*lent.part.pids(), *(sandbox.pid for sandbox in sandboxes(world))]
    for pid in everyone:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
        still = [pid for pid in everyone if (entry := process(pid)) and entry.state in "Tt"]
        assert still == everyone
    finally:
        for pid in everyone:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("away", [unplugged, frozen])
def test_a_runner_that_was_away_is_fenced_by_its_attempt(
    world: World, networks: Networks, away: Callable[..., AbstractContextManager[None]]
) -> None:
    hold = volley.STAGES["running"][1]
    stops = {
        lent.name: lent.model.stop_at(Hold(hold.request, before=True, skip=hold.skip))
        for lent in world.runners
    }
    cell = push(world, "running")
    world.wait(lambda: any(stop.caught.is_set() for stop in stops.values()), "a run")
    first = next(lent for lent in world.runners if stops[lent.name].caught.is_set())
    other = next(lent for lent in world.runners if lent is not first)
    marks = world.marks()
    assert (at_work := sandboxes(world))

    with away(networks, world, first):
        for lent in world.runners:
            lent.model.release()
        expected = ("running", 2, other.name)
        world.wait(lambda: of(world, cell)[2:] == expected[1:], "the other runner to have it")
        assert [stop for stop in at_work if process(stop.pid)]
        world.wait(lambda: of(world, cell)[0] == "listed", "it to be listed")
        before = stored(world, cell)

    log = world.home / "logs" / f"{first.name}.log"
    refusal = b"attempt 1 may not report"
    world.wait(lambda: refusal in log.read_bytes()[marks[log] :], "the first to be told so")
    world.wait(lambda: not sandboxes(world), "the sandboxes to be gone")
    kinds = ("runs", "builds")
    left = lambda: [path for kind in kinds for path in (first.home / kind).glob("*")]  # noqa: E731
    world.wait(lambda: not left(), "the first to clean its folders")
    assert stored(world, cell) == before
    cell.end = "listed"
    assert list(problems(world, cell)) == []
    assert of(world, cell) == ("listed", "succeeded", 2, other.name)


def stored(world: World, cell: Cell) -> list[list[tuple[Any, ...]]]:
    """All that the database has of its run, and the objects of the storage."""
    ((run,),) = world.rows("SELECT r.id FROM registry_run r" + OF_NAME, cell.name)
    tables = ("rollout", "transcriptpack", "logchunk", "card", "versionfinding")
    return [
        world.rows("SELECT r.* FROM registry_run r" + OF_NAME, cell.name),
        *(
            world.rows(f"SELECT * FROM registry_{t} WHERE run_id = %s ORDER BY 1", run)
            for t in tables
        ),
        [(str(path),) for path in sorted(world.files.glob("transcripts/*/*"))],
    ]


def test_the_runners_that_came_back_work_on(world: World) -> None:
    cell = push(world, "afterwards")
    world.wait(lambda: of(world, cell)[0] == "listed", "another version")
    assert all(runner.part.popen and runner.part.popen.poll() is None for runner in world.runners)


@pytest.mark.parametrize("wrong", ["+1h", "-1h"])
def test_a_runner_whose_clock_is_wrong_does_its_run_as_others_do(world: World, wrong: str) -> None:
    if not FAKETIME.exists():
        pytest.skip("libfaketime is not installed: apt-get install libfaketime")
    others = list(world.runners)
    for lent in others:
        lent.part.end()
    more = {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME": wrong,
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "PYTHONPATH": str(Path(__file__).with_name("clock")),
        "PYTHONPYCACHEPREFIX": str(world.home / "pycache"),  # it sees other times of all sources
    }
    lend(world, [f"clock{wrong}"], **more)
    late = world.runners.pop()
    try:
        cell = push(world, "by a wrong clock")
        done = ("listed", "succeeded", 1, late.name)
        world.wait(lambda: of(world, cell) == done, "its run")
        logged = late.part.log.read_text().splitlines()[-1]
        logged_at = time.mktime(time.strptime(logged[:19], "%Y-%m-%d %H:%M:%S"))
        assert round((logged_at - time.time()) / 3600) == int(wrong[:2])
        cell.end = "listed"
        assert list(problems(world, cell)) == []
    finally:
        late.part.end()
        for lent in others:
            lent.part.start()
