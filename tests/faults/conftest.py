"""Which faults this pytest plays: a few of each kind, or with --all-faults every one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.aftermath import Cell
from tests.faults.cells import FAULTS, S3_FAULTS, S3_SLICE, S3_STAGES, SLICE
from tests.faults.parts import RABBITMQ
from tests.faults.volley import STAGES
from tests.faults.world import World, lend, running

AT_THE_END = "test_at_the_end_each_is_listed_once_and_no_bytes_are_nobodys"
NEEDS = {"redis": Path("/usr/bin/redis-server"), "rabbitmq": RABBITMQ}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a broker and fault; the world changes with the broker."""
    complete = metafunc.config.getoption("--all-faults")
    if "of_store" in metafunc.fixturenames:
        pairs = (
            [(stage, name) for name in S3_FAULTS for stage in S3_STAGES] if complete else S3_SLICE
        )
        metafunc.parametrize("of_store", pairs, ids=["-".join(pair) for pair in pairs])
    elif "fault" in metafunc.fixturenames:
        cases = [
            pytest.param(broker, fault, id=f"{broker}-{fault.part}-{fault.name}")
            for broker in SLICE
            for fault in (FAULTS if complete else SLICE[broker])
        ]
        metafunc.parametrize(("world", "fault"), cases, indirect=["world"], scope="module")
    elif metafunc.function.__name__ == AT_THE_END:
        metafunc.parametrize("world", list(SLICE), indirect=True, scope="module")


@pytest.fixture(scope="module")
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """A hub on that broker, for all of its faults."""
    broker: str = request.param
    if not NEEDS[broker].exists():
        pytest.skip(f"{NEEDS[broker]} is not installed: `make setup-tests` installs it")
    with running(broker) as world:
        lend(world, [f"at-{stage}" for stage in STAGES])
        yield world


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[list[tuple[str, Cell]]]:
    """What became of each cell; printed at the end, and written to $FAULT_TABLE."""
    cells: list[tuple[str, Cell]] = []
    yield cells
    head = "broker    part      fault      stage      attempts end       seconds  how it was seen"
    lines = [head] + [
        f"{broker:<9} {cell.part:<9} {cell.fault:<10} {cell.stage:<10} {cell.attempt:>8}"
        f" {cell.end:<9}"
        f" {cell.seconds:7.1f}  {cell.seen}{' WRONG' if cell.wrong else ''}"
        for broker, cell in cells
    ]
    wrong = sum(bool(cell.wrong) for _, cell in cells)
    lines.append(f"{len(lines) - 1} cells, {wrong} wrong")
    text = "\n".join(lines)
    if file := os.environ.get("FAULT_TABLE"):
        Path(file).write_text(text + "\n")
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(f"\n{text}")  # noqa: T201  (it is what the test is for)
