"""Two runners in networks of their own: one is cut off in the middle of a run, and comes back."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.aftermath import problems
from tests.faults.faults import Fault, sandboxes
from tests.faults.proxy import Hold
from tests.faults.volley import OF_VERSIONS, STAGES, push
from tests.faults.world import World, lend, running

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

NAMES = ("near", "far")


def ip(*words: str) -> None:
    """iproute2; raises where it is refused."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def networks() -> Iterator[dict[str, tuple[str, str]]]:
    """By name a network namespace and the address of this machine there, linked by a cable."""
    if os.geteuid() != 0:
        pytest.skip("only root can make network namespaces")
    made: dict[str, tuple[str, str]] = {}
    try:
        for number, name in enumerate(NAMES):
            space, here, there = (f"ey{os.getpid() % 100000}{kind}{number}" for kind in "nht")
            ours, theirs = (f"10.213.{os.getpid() % 250}.{4 * number + end}" for end in (1, 2))
            try:
                ip("netns", "add", space)
            except (OSError, subprocess.CalledProcessError) as error:
                pytest.skip(f"this machine makes no network namespace: {error}")
            made[name] = (space, ours)
            ip("link", "add", here, "type", "veth", "peer", "name", there)
            ip("link", "set", there, "netns", space)
            ip("addr", "add", f"{ours}/30", "dev", here)
            ip("link", "set", here, "up")
            for words in (
                ("addr", "add", f"{theirs}/30", "dev", there),
                ("link", "set", there, "up"),
                ("link", "set", "lo", "up"),
            ):
                ip("-n", space, *words)
        yield made
    finally:
        for space, _ in made.values():
            ip("netns", "del", space)


def cable(networks: dict[str, tuple[str, str]], name: str, state: str) -> None:
    """Pull it out on the runner's side (`down`), or plug it in again (`up`)."""
    space = networks[name][0]
    ip("-n", space, "link", "set", space.replace("n", "t"), state)


@pytest.fixture(scope="module")
def world(networks: dict[str, tuple[str, str]]) -> Iterator[World]:
    """A hub with a runner in each network."""
    with running("redis") as world:
        for name, (space, address) in networks.items():
            lend(world, [name], host=address, within=["ip", "netns", "exec", space])
        yield world


def test_a_runner_that_was_cut_off_is_fenced_by_its_attempt(
    world: World, networks: dict[str, tuple[str, str]]
) -> None:
    hold = STAGES["running"][1]
    stops = {
        lent.name: lent.model.stop_at(Hold(hold.request, before=True, skip=hold.skip))
        for lent in world.runners
    }
    cell, _ = push(world, Fault("runner", "cut"), "running")
    world.wait(lambda: any(one.caught.is_set() for one in stops.values()), "a run")
    first = next(name for name, one in stops.items() if one.caught.is_set())
    other = next(name for name in NAMES if name != first)
    lent = {one.name: one for one in world.runners}
    assert (sandboxes_at_work := sandboxes(world))

    cable(networks, first, "down")
    for one in lent.values():
        one.model.release()
    row = world.wait(
        lambda: [r for r in world.rows(OF_VERSIONS, [cell.name]) if (r[4], r[5]) == (2, other)],
        "the other runner to have the second attempt",
    )
    assert row
    assert [pid for pid in sandboxes_at_work if Path(f"/proc/{pid}").exists()]
    cable(networks, first, "up")

    world.wait(lambda: world.rows(OF_VERSIONS, [cell.name])[0][1] == "listed", "it to be listed")
    log = world.home / "logs" / f"{first}.log"
    world.wait(lambda: "attempt 1 may not report" in log.read_text(), "the first to be told so")
    world.wait(lambda: not sandboxes(world), "the sandboxes to be gone")
    cell.end = "listed"
    assert list(problems(world, cell)) == []
    assert world.rows(OF_VERSIONS, [cell.name])[0][3:] == ("succeeded", 2, other)


def test_the_runner_that_came_back_works_on(world: World) -> None:
    cell, _ = push(world, Fault("runner", "cut"), "afterwards")
    world.wait(lambda: world.rows(OF_VERSIONS, [cell.name])[0][1] == "listed", "another version")
    assert all(one.part.popen and one.part.popen.poll() is None for one in world.runners)
