"""Chooses the faults of this test run: a few of each kind, or with --all-faults every one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.cases import FAULTS, S3_FAULTS, S3_SLICE, S3_STAGES, SLICE
from tests.faults.deployment import Deployment, add_runners, deploy
from tests.faults.injection import STAGES
from tests.faults.invariants import Case
from tests.faults.parts import RABBITMQ

AT_THE_END = "test_at_the_end_each_is_listed_once_and_no_bytes_are_nobodys"
NEEDS = {"redis": Path("/usr/bin/redis-server"), "rabbitmq": RABBITMQ}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each broker and fault; one deployment for each broker."""
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
        metafunc.parametrize(
            ("deployment", "fault"), cases, indirect=["deployment"], scope="module"
        )
    elif metafunc.function.__name__ == AT_THE_END:
        metafunc.parametrize("deployment", list(SLICE), indirect=True, scope="module")


@pytest.fixture(scope="module")
def deployment(request: pytest.FixtureRequest) -> Iterator[Deployment]:
    """A hub on that broker, for all of its faults."""
    broker: str = request.param
    if not NEEDS[broker].exists():
        pytest.skip(f"{NEEDS[broker]} is not installed: `make setup-tests` installs it")
    with deploy(broker) as deployment:
        add_runners(deployment, [f"at-{stage}" for stage in STAGES])
        yield deployment


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[list[tuple[str, Case]]]:
    """The result of each case; printed at the end, and written to $FAULT_TABLE."""
    cases: list[tuple[str, Case]] = []
    yield cases
    head = "broker    part      fault      stage      attempts end       seconds  how it was seen"
    lines = [head] + [
        f"{broker:<9} {case.part:<9} {case.fault:<10} {case.stage:<10} {case.attempt:>8}"
        f" {case.end:<9}"
        f" {case.seconds:7.1f}  {case.seen}{' WRONG' if case.wrong else ''}"
        for broker, case in cases
    ]
    wrong = sum(bool(case.wrong) for _, case in cases)
    lines.append(f"{len(lines) - 1} cases, {wrong} wrong")
    text = "\n".join(lines)
    if file := os.environ.get("FAULT_TABLE"):
        Path(file).write_text(text + "\n")
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(f"\n{text}")  # noqa: T201  (it is what the test is for)
