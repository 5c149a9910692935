"""A runner that fails several runs early and alike takes itself out of service, and comes back."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from envyard.contract.findings import finding
from envyard.contract.job import JobSpec
from envyard_runner.config import Config
from envyard_runner.execution.verdict import Ending, platform_ending
from envyard_runner.hub_api.client import HubClient, RunnerIdentity
from envyard_runner.messaging.heartbeat import sending_heartbeats
from envyard_runner.state import service
from envyard_runner.state.service import out_of_service, record_ending
from tests.worker.messaging.test_celery_app import ended, notify, runner, until
from tests.worker.stub_hub import StubHub, job
from tests.worker.test_status import QUICK, WHEEL, command, home, play  # noqa: F401  (a fixture)

pytestmark = pytest.mark.slow

CACHE = platform_ending("run.install_failed", "uv cache /var/cache/uv: permission denied")


def version(number: int) -> JobSpec:
    return job(version=f"{number}.0")


def fail(folder: Path, *numbers: int, ending: Ending = CACHE, began: bool = False) -> None:
    for number in numbers:
        record_ending(folder, version(number), ending.outcome, ending.findings, began=began)


def test_three_versions_that_fail_early_with_one_code_take_the_runner_out(tmp_path: Path) -> None:
    fail(tmp_path, 1, 2)
    assert out_of_service(tmp_path) is None
    fail(tmp_path, 3)
    out = out_of_service(tmp_path)
    assert out is not None
    assert "run.install_failed" in out.reason
    assert "alice/reverse-words 3.0" in out.reason
    assert "permission denied" in out.reason


def test_one_version_that_fails_on_every_attempt_takes_no_runner_out(tmp_path: Path) -> None:
    fail(tmp_path, *[1] * 20)
    fail(tmp_path, 2, 1, 2, 1)
    assert out_of_service(tmp_path) is None


@pytest.mark.parametrize(
    "between",
    [
        {"ending": Ending("succeeded"), "began": True},
        {"ending": platform_ending("run.model_unreachable", "gone"), "began": True},
        {"ending": platform_ending("run.runner_error", "no sandbox")},
    ],
)
def test_a_run_that_got_further_or_failed_otherwise_resets_the_failure_count(
    tmp_path: Path, between: dict[str, Any]
) -> None:
    fail(tmp_path, 1, 2)
    fail(tmp_path, 3, **between)
    fail(tmp_path, 4, 5)
    assert out_of_service(tmp_path) is None


@pytest.mark.parametrize(
    "ending",
    [
        Ending("failed", [finding("env.dependencies_unresolvable")]),
        platform_ending("run.handed_back", "stopped"),
        platform_ending("run.no_python", "3.12"),
        Ending("cancelled"),
    ],
)
def test_endings_without_a_platform_fault_change_no_failure_count(
    tmp_path: Path, ending: Ending
) -> None:
    fail(tmp_path, 1, 2, 3, 4, ending=ending)
    assert out_of_service(tmp_path) is None
    fail(tmp_path, 5, 6)
    fail(tmp_path, 7, ending=ending)
    fail(tmp_path, 8)
    assert out_of_service(tmp_path) is not None


def examined(folder: Path, *answers: str) -> list[float]:
    """Have it examined with those answers, each when it is due; the pauses before each."""
    pauses: list[float] = []

    async def scenario() -> None:
        for answer in answers:
            out = out_of_service(folder)
            assert out is not None
            pauses.append(out.check_at - time.time())
            service.schedule_self_check(folder)
            done = asyncio.Event()

            async def examine(answer: str = answer, done: asyncio.Event = done) -> str:
                done.set()
                return answer

            task = asyncio.create_task(service.repeat_self_checks(folder, examine))
            await asyncio.wait_for(done.wait(), 5)
            await asyncio.sleep(0.05)
            task.cancel()

    asyncio.run(scenario())
    return pauses


def test_a_runner_out_of_service_is_checked_with_growing_pauses_until_a_check_passes(
    tmp_path: Path,
) -> None:
    fail(tmp_path, 1, 2, 3)
    pauses = examined(tmp_path, "uv: permission denied", "uv: permission denied", "uv: no", "")
    assert [round(pause, -1) for pause in pauses] == [0, 30, 60, 120]
    assert out_of_service(tmp_path) is None


def test_the_report_of_a_runner_out_of_service_names_the_failed_check(tmp_path: Path) -> None:
    fail(tmp_path, 1, 2, 3)
    examined(tmp_path, "uv: the cache cannot be written")
    out = out_of_service(tmp_path)
    assert out is not None
    assert out.fields_for_hub()["check"] == "uv: the cache cannot be written"
    assert "the cache cannot be written" in out.sentence()


def test_repeated_faults_that_pass_the_doctor_keep_the_runner_out_longer_each_time(
    tmp_path: Path,
) -> None:
    fail(tmp_path, 1, 2, 3)
    examined(tmp_path, "")
    fail(tmp_path, 4, 5, 6)
    [pause] = examined(tmp_path, "")
    assert round(pause) == 30
    fail(tmp_path, 7, ending=Ending("succeeded"), began=True)
    fail(tmp_path, 8, 9, 10)
    [pause] = examined(tmp_path, "")
    assert round(pause) == 0


def test_a_version_takes_the_runner_out_of_service_at_most_once(tmp_path: Path) -> None:
    fail(tmp_path, 1, 2, 3)
    examined(tmp_path, "")
    fail(tmp_path, *[1, 2, 3] * 5)
    assert out_of_service(tmp_path) is None


def test_an_operator_puts_the_runner_back_in_service(tmp_path: Path) -> None:
    fail(tmp_path, 1, 2, 3)
    assert service.resume(tmp_path)
    assert out_of_service(tmp_path) is None
    assert not service.resume(tmp_path)


@pytest.mark.parametrize("held", ["", "[]", "{", '{"out": 3}', '{"failures": {"a": 1}}', "\0"])
def test_a_state_file_that_cannot_be_read_is_no_reason_to_stop(tmp_path: Path, held: str) -> None:
    (tmp_path / "service.json").write_text(held)
    assert out_of_service(tmp_path) is None
    fail(tmp_path, 1, 2, 3)
    assert out_of_service(tmp_path) is not None


def test_a_runner_that_ends_while_out_of_service_stays_so_at_the_hub(tmp_path: Path) -> None:
    sent: list[dict[str, Any]] = []

    class Recording:
        async def send_heartbeat(self, capabilities: dict[str, Any]) -> RunnerIdentity:
            sent.append(capabilities)
            return RunnerIdentity("box", drained=False)

    async def nothing() -> str:
        await asyncio.sleep(60)
        return ""

    async def scenario() -> None:
        config = Config.from_environment({"RUNNER_HOME": str(tmp_path)})
        async with sending_heartbeats(config, cast("HubClient", Recording()), self_check=nothing):
            await until(lambda: sent)

    fail(tmp_path, 1, 2, 3)
    play(scenario())
    assert sent[-1]["away"] is True
    assert "run.install_failed" in sent[-1]["out_of_service"]["reason"]


@pytest.mark.sandbox
@pytest.mark.parametrize("how", ["start", "poll"])
def test_a_broken_runner_reports_it_takes_no_run_and_works_again_once_mended(
    home: Path,  # noqa: F811
    how: str,
) -> None:
    async def scenario() -> None:
        hub = StubHub(wheel=WHEEL)
        (home / "broken").touch()
        async with runner(home, how, hub):
            for number in (1, 2, 3):
                hub.job = replace(QUICK, version=f"{number}.0", run=f"run-{number}")
                notify(home)
                await until(lambda n=number: ended(hub, n))  # type: ignore[misc]
            assert {ending["outcome"] for ending in hub.endings} == {"errored"}
            await until(lambda: "check" in hub.heartbeats[-1].get("out_of_service", {}))
            await until(lambda: hub.heartbeats[-1]["out_of_service"]["check"])
            assert hub.heartbeats[-1]["out_of_service"]["check"] == "uv: its cache is broken"
            code, out, _ = await command(home, "status", "--json")
            assert code == 1
            assert "run.install_failed" in json.loads(out)["out_of_service"]["reason"]
            code, text, _ = await command(home, "status")
            assert "out of service since" in text
            assert "taking no runs" in text

            hub.job, before = QUICK, len(hub.polled)
            notify(home)
            await asyncio.sleep(3)
            assert len(hub.polled) == before

            (home / "broken").unlink()
            assert (await command(home, "resume"))[1] == "in service again\n"
            await until(lambda: len(hub.endings) == 4)
            assert hub.endings[-1]["outcome"] == "succeeded"
            await until(lambda: "out_of_service" not in hub.heartbeats[-1])

    play(scenario())


def test_a_clock_that_was_set_back_delays_no_self_check(tmp_path: Path) -> None:
    """The next check was planned while the clock was a year ahead."""

    async def examined() -> None:
        async with asyncio.timeout(10):
            await service.repeat_self_checks(tmp_path, examine)

    async def examine() -> str:
        checked.append(True)
        return ""

    checked: list[bool] = []
    fail(tmp_path, 1, 2, 3)
    state = json.loads((tmp_path / "service.json").read_text(encoding="utf-8"))
    state["out"]["check_at"] = time.time() + 365 * 86400
    (tmp_path / "service.json").write_text(json.dumps(state), encoding="utf-8")
    with pytest.raises(TimeoutError):
        asyncio.run(examined())
    assert checked
    assert out_of_service(tmp_path) is None
