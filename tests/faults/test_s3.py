"""The objects in an S3 store: its gateway is killed, stopped, started again or cut off while a
wheel, the second part of a long one, a transcript or a page of the index is on its way there."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.buckets import new_bucket
from tests.ceph import Ceph
from tests.faults.aftermath import Cell, problems, stuck
from tests.faults.cells import S3_STAGES
from tests.faults.faults import Fault, sandboxes
from tests.faults.proxy import Hold
from tests.faults.test_matrix import at_the_end, left
from tests.faults.upload import Upload
from tests.faults.volley import follow
from tests.faults.world import World, lend, running

pytestmark = [pytest.mark.faults, pytest.mark.s3, pytest.mark.timeout(900)]

ACCEPTED_SECONDS = 400


@pytest.fixture(scope="module")
def world(s3_server: Ceph) -> Iterator[World]:
    """A hub on a bucket, with one runner."""
    with running("redis", s3_server, new_bucket(s3_server)) as world:
        lend(world, ["one"])
        yield world


def test_whatever_happens_to_the_store_each_version_is_listed_once(
    world: World, table: list[tuple[str, Cell]], of_store: tuple[str, str]
) -> None:
    stage, name = of_store
    part, request, bulk = S3_STAGES[stage]
    fault = Fault("storage", name)
    wire = world.wires["storage"][("web", "worker").index(part)]
    hold = wire.stop_at(Hold(request, before=True))
    upload = Upload(world.url, world.token, f"s3-{next(world.pushed)}", bulk)
    upload.go_on()
    upload.start()
    world.wait(hold.caught.is_set, f"{stage} on its way")
    cell = Cell("S3", name, stage, upload.name, f"{request.decode()} on its way")
    began = time.monotonic()
    with fault.happens(world) as observed:
        wire.release()
        fault.lasts(world)
    assert upload.accepted(ACCEPTED_SECONDS), upload.answers
    follow(world, [cell], began)
    cell.seen = f"{cell.seen}; {observed.told}"
    cell.wrong += problems(world, cell)
    table.append((world.broker_kind, cell))
    assert not cell.wrong, "\n".join(cell.wrong)
    world.wait(lambda: not sandboxes(world) and not left(world), "the runner to be tidy")
    world.wait(lambda: not stuck(world), f"all that waits to go on: {stuck(world)}")


def test_no_bytes_of_the_bucket_are_nobodys(world: World, table: list[tuple[str, Cell]]) -> None:
    at_the_end(world, [cell for _, cell in table])
