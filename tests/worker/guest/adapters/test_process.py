"""The whole program as the sandbox starts it, and an ending whatever happens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.worker.guest.adapters.conftest import drive_one, job
from tests.worker.guest.adapters.stub_gateway import StubGateway

pytestmark = [pytest.mark.adapter, pytest.mark.flow, pytest.mark.timeout(300)]


def test_every_start_loads_the_same_tasks_of_a_steady_environment(
    gateway: StubGateway, tmp_path: Path
) -> None:
    hashes = []
    for _ in range(2):
        status, played = drive_one(job("v1", "words_v1", gateway, policies=("silent",)), tmp_path)
        kinds = [event["event"] for event in played.events]
        assert (status, kinds[:2], kinds[-1]) == (0, ["environment_began", "loaded"], "done")
        assert len(played.rollouts) == 12
        hashes.append([task["hash"] for task in played.tasks])
    assert hashes[0] == hashes[1]


def test_an_order_that_hangs_on_hashes_shows_in_another_start(
    gateway: StubGateway, tmp_path: Path
) -> None:
    hashes = []
    for _ in range(2):
        status, played = drive_one(
            job("v1", "unsteady_v1", gateway, policies=("silent",)), tmp_path
        )
        assert status == 0
        hashes.append([task["hash"] for task in played.tasks])
    assert hashes[0] != hashes[1]


def test_a_process_that_ends_itself_leaves_a_sentence(gateway: StubGateway, tmp_path: Path) -> None:
    gateway.model = lambda messages, rollout: "end it"
    status, played = drive_one(job("v1", "unsteady_v1", gateway, policies=("model",)), tmp_path)
    assert status == 7
    fatal = played.events[-1]
    assert (fatal["event"], fatal["stage"]) == ("fatal", "run")
    message = played.plan.reveal(fatal["error"]["message"])
    assert message.startswith("the environment's process ended with status 7 while model/")


def test_a_module_that_cannot_be_imported_is_fatal(gateway: StubGateway, tmp_path: Path) -> None:
    status, played = drive_one(job("v1", "broken_v1", gateway), tmp_path)
    assert status == 1
    began, fatal = played.events
    assert began["event"] == "environment_began"
    assert (fatal["event"], fatal["stage"]) == ("fatal", "import")
    assert (fatal["error"]["type"], fatal["error"]["message"]) == ("SystemExit", "no such library")


def test_a_classic_environment_runs_the_same_way(gateway: StubGateway, tmp_path: Path) -> None:
    status, played = drive_one(job("v0", "words_v0", gateway, policies=("oracle",)), tmp_path)
    assert status == 0
    references = {name: r for name, r in played.rewards().items() if name.startswith("oracle/")}
    assert references == {"oracle/0/0": 2.0, "oracle/1/0": 2.0, "oracle/2/0": 2.0}


def test_a_framework_that_cannot_be_imported_ends_before_the_environment_begins(
    gateway: StubGateway, tmp_path: Path
) -> None:
    driver_job = job("v1", "words_v1", gateway)
    driver_job.guest_job = replace(
        driver_job.guest_job, framework="none_of_ours", adapter="none_of_ours:Adapter"
    )
    status, played = drive_one(driver_job, tmp_path)
    assert status == 1
    (fatal,) = played.events
    assert (fatal["event"], fatal["stage"]) == ("fatal", "framework")
