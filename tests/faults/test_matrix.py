"""Every part is killed, stopped, started again, cut off or out of disk at each stage of a run."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pytest
import requests
from amqp.exceptions import ChannelError
from kombu import Connection

from envyard.contract.job import queue_for
from tests.faults.aftermath import Cell, stuck
from tests.faults.cells import AS_ROOT, MAY_BE_HELD
from tests.faults.faults import Fault, sandboxes
from tests.faults.volley import play
from tests.faults.world import World

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1800)]

# A day later, as the clock sees it: what was half stored, or belonged to lost attempts, is gone.
LATER = """
import json
from datetime import timedelta
from django.utils import timezone
from registry.runs import transcripts
from registry.uploads import staging
from registry.upkeep.verify import verify
later = timezone.now() + timedelta(days=2)
staging.discard_old(now=later)
transcripts.delete_expired(now=timezone.now())
verify(now=later, delete_orphans=True)
found = verify(now=later)
print(json.dumps([found.young, [[one.what, one.key] for one in found.problems]]))
"""
MESSAGES_LEFT = 20


def test_whatever_happens_each_version_is_decided_once(
    world: World, fault: Fault, table: list[tuple[str, Cell]]
) -> None:
    if fault.name in AS_ROOT and not world.disks:
        pytest.skip("only root can mount small disks, and lose a connection without a word")
    cells = play(world, fault, may_end=MAY_BE_HELD.get((fault.part, fault.name), ("listed",)))
    table += [(world.broker_kind, cell) for cell in cells]
    wrong = [f"{cell.stage} ({cell.name}): {why}" for cell in cells for why in cell.wrong]
    assert not wrong, "\n".join(wrong)
    world.wait(lambda: not sandboxes(world), "every sandbox to be gone")
    world.wait(lambda: not left(world), f"what runs left on the runners to be gone: {left(world)}")
    world.wait(lambda: not stuck(world), f"all that waits to go on: {stuck(world)}")


def left(world: World) -> list[str]:
    """Folders of runs and of downloads that are over, and what parts left in /tmp.

    Python's `multiprocessing` has an empty folder there while it lives, and when it was killed.
    """
    homes = [runner.home / kind for runner in world.runners for kind in ("runs", "builds")]
    paths = [path for home in [*homes, world.home / "tmp"] for path in home.glob("*")]
    return [str(path) for path in paths if not path.name.startswith("pymp-") or any(path.iterdir())]


def test_at_the_end_each_is_listed_once_and_no_bytes_are_nobodys(
    world: World, table: list[tuple[str, Cell]]
) -> None:
    at_the_end(world, [cell for broker, cell in table if broker == world.broker_kind])


def at_the_end(world: World, cells: list[Cell]) -> None:
    """The index has each once, and storage and broker hold nothing that is nobody's."""
    assert cells
    for cell in (cell for cell in cells if cell.end == "listed"):
        files = world.wait(lambda name=cell.name: _listed(world, name), f"{cell.name} to be listed")  # type: ignore[misc]
        assert len(files) == 1
    assert world.manage("shell", "--no-imports", "-c", LATER) == "[0, []]"
    world.wait(lambda: waiting(world) <= MESSAGES_LEFT, f"{waiting(world)} messages to be taken")


def _listed(world: World, name: str) -> list[str]:
    answer = requests.get(
        f"{world.url}/alice/simple/{name}/",
        headers={"Accept": "application/vnd.pypi.simple.v1+json"},
        auth=("__token__", world.token),
        timeout=30,
    )
    return [file["filename"] for file in answer.json()["files"]] if answer.ok else []


def waiting(world: World) -> int:
    """How many messages lie in the hub's own queue and in the runners'."""
    server = world.servers["broker"]
    assert isinstance(server.target, tuple)
    with Connection(server.at(server.target[1])) as connection:
        return sum(map(partial(_length, connection), ("hub", queue_for(""), queue_for("stub"))))


def _length(connection: Connection, queue: str) -> int:
    with suppress(ChannelError):  # Redis has no empty queue
        return int(connection.channel().queue_declare(queue, passive=True).message_count)
    return 0
