"""Every part is killed, stopped, started again, cut off or out of disk at each stage of a run."""

from __future__ import annotations

import pytest

from tests.faults.aftermath import Cell
from tests.faults.cells import DISKLESS, FAULTS, MAY_BE_HELD, PARTS, SLICE, USUAL, WITHOUT
from tests.faults.faults import Fault, sandboxes
from tests.faults.volley import play
from tests.faults.world import World

pytestmark = [pytest.mark.faults, pytest.mark.timeout(400)]


def test_whatever_happens_each_version_is_decided_once(
    world: World, fault: Fault, table: list[tuple[str, Cell]]
) -> None:
    if fault.name in DISKLESS and not world.disks:
        pytest.skip("only root can mount the small disks of this test")
    cells = play(world, fault, may_end=MAY_BE_HELD.get((fault.part, fault.name), ("listed",)))
    table += [(world.broker_kind, cell) for cell in cells]
    wrong = [f"{cell.stage} ({cell.name}): {why}" for cell in cells for why in cell.wrong]
    assert not wrong, "\n".join(wrong)
    world.wait(lambda: not sandboxes(world), "every sandbox to be gone")
    world.wait(lambda: not left(world), "what the runs left on the runners to be gone")
    verified = world.manage("verify_storage")
    assert "missing" not in verified, verified
    assert "corrupt" not in verified, verified


def left(world: World) -> list[str]:
    """Folders of runs and of downloads that are over."""
    homes = [one.home / kind for one in world.runners for kind in ("runs", "builds")]
    return [str(path) for home in homes for path in home.glob("*")]


def test_the_table_has_every_part_and_every_fault() -> None:
    told = {(fault.part, fault.name) for fault in FAULTS} | set(WITHOUT)
    assert {(part, name) for part in PARTS for name in USUAL} <= told
    chosen = [fault for faults in SLICE.values() for fault in faults]
    assert {fault.part for fault in chosen} == set(PARTS)
    assert {fault.name for fault in chosen} >= set(USUAL)
