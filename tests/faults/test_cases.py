"""The table of faults is complete, and the daily selection covers every part and kind."""

from __future__ import annotations

from tests.faults.cases import FAULTS, PARTS, SLICE, USUAL, WITHOUT


def test_the_table_has_every_part_and_every_fault() -> None:
    documented = {(fault.part, fault.name) for fault in FAULTS} | set(WITHOUT)
    assert {(part, name) for part in PARTS for name in USUAL} <= documented
    chosen = [fault for faults in SLICE.values() for fault in faults]
    assert {fault.part for fault in chosen} == set(PARTS)
    assert {fault.name for fault in chosen} >= set(USUAL)
