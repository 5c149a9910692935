"""One run from its job to its ending, in scripted sandboxes."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envyard.contract.findings import finding
from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext, perform
from envyard_runner.execution.verdict import Ending
from envyard_runner.hub_api.local_hub import LocalHub
from envyard_runner.sandbox import Sandbox, SandboxError
from envyard_runner.venvs import Venv, VenvError
from envyard_runner.venvs.locks import AgreeLock
from tests.worker.scripted_sandbox import (
    BEGAN,
    EXITED,
    SPEC,
    WHEEL,
    ScriptedSandbox,
    build_empty_venv,
    hang_after_load,
    loaded,
    perform_run,
    play_all,
)
from tests.worker.stub_hub import StubHub, contents
from tests.worker.stub_model import StubModel

pytestmark = pytest.mark.slow


def test_a_good_run_is_reported_whole() -> None:
    outcome = perform_run()
    assert outcome.result == ("succeeded", [])
    hub = outcome.hub
    rollouts = {(r["policy"], r["task"]): r for r in hub.rollouts}
    assert {of: r["reward"] for of, r in rollouts.items()} == {
        ("silent", 0): 0.25, ("silent", 1): 0.25, ("parrot", 0): 0.25, ("parrot", 1): 0.25,
    }  # fmt: skip
    messages = contents(rollouts["parrot", 1])
    assert messages == ["question 1", "question 1"]
    assert hub.facts["install_seconds"] == 1.5
    assert hub.facts["load_seconds"] == 0.5
    assert hub.facts["framework_version"] == "0.4.0"
    assert (hub.facts["packages"], hub.facts["sandbox"]) == (3, "cgroup2")
    assert len(hub.facts["tasks"]) == len(hub.facts["hashes_again"]) == 2
    assert "hello from inside\n" in hub.log
    assert (hub.batches[-1]["done"], hub.batches[-1]["total"]) == (4, 4)
    assert [replay["replay"]["reward"] for replay in hub.batches[-1]["replays"]] == [0.25] * 4
    assert hub.batches[0]["phase"] == "preparing"
    assert outcome.sandbox.started[-3:] == [
        "{package}.env_worker",
        "{folder}/config.json",
        "{channel}",
    ]
    assert outcome.sandbox.closed


def test_the_guest_job_names_no_hub_credential_or_policy() -> None:
    guest_job = json.dumps(perform_run().sandbox.job)
    for secret in ("hubrun_", "sha256", "alice", "silent", "parrot", "policies", "attempts"):
        assert secret not in guest_job


def test_a_model_plays_beside_the_probes() -> None:
    model = StubModel()
    spec = replace(SPEC, policies=("silent", "model"))
    outcome = perform_run(spec=replace(spec, attempts=1), model=model)
    assert outcome.result == ("succeeded", [])
    (played,) = (r for r in outcome.hub.rollouts if (r["policy"], r["task"]) == ("model", 0))
    assert contents(played) == ["question 0", "ok"]
    assert played["usage"]["prompt_tokens"] == 7
    assert len(model.requests) == 1 + 2  # the first is the runner's health check


def test_a_model_that_is_down_ends_the_run_at_once_and_blames_nobody() -> None:
    async def stubborn(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        yield BEGAN
        yield loaded()
        word = (await anext(sandbox.groups()))[0]["rollout"]
        for _ in range(50):
            await sandbox.complete(word)

    model = StubModel(failure="500")
    spec = replace(SPEC, policies=("model",))
    outcome = perform_run(stubborn, spec=spec, model=model)
    assert outcome.result == ("errored", ["run.model_unreachable"])
    assert len(model.requests) == 1 + 3


def test_a_run_whose_time_ends_while_the_model_hangs_reports_the_stall() -> None:
    model = StubModel(hanging=1.2)

    async def hangs(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        yield BEGAN
        yield loaded(1)
        model.failure = "hang"
        groups = sandbox.groups()
        words = [(await anext(groups))[0]["rollout"] for _ in range(2)]
        calls = [asyncio.create_task(sandbox.complete(word)) for word in words]
        await asyncio.sleep(1.0)
        for call in calls:
            call.cancel()
        await asyncio.sleep(0.5)

    spec = replace(SPEC, policies=("model",), tasks=1, attempts=2)
    spec = replace(spec, limits=replace(spec.limits, rollout_seconds=3.0))
    outcome = perform_run(hangs, spec=spec, model=model, end=replace(EXITED, reason="wall_clock"))
    assert outcome.result == ("errored", ["run.model_unreachable"])
    (first_finding,) = outcome.hub.endings[0]["findings"]
    assert first_finding["message"] == (
        "the model server did not answer: 2 calls in a row waited in vain, the longest 1 s"
    )


def test_a_run_for_a_model_that_this_runner_lacks_is_the_platforms_fault() -> None:
    outcome = perform_run(spec=replace(SPEC, policies=("model",)))
    assert outcome.result == ("errored", ["run.model_unreachable"])
    assert "HUB_MODEL_URL" in outcome.hub.log


def test_a_failed_import_is_explained_to_the_author() -> None:
    async def broken(_: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        yield BEGAN
        error = {"type": "ImportError", "message": "no numpy", "traceback": "", "fault": "x"}
        yield {"event": "fatal", "stage": "import", "error": error}

    outcome = perform_run(broken, end=replace(EXITED, code=1))
    assert outcome.result == ("failed", ["run.import_failed"])
    assert outcome.hub.endings[0]["findings"][0]["message"] == "ImportError: no numpy"
    assert "run.import_failed: ImportError: no numpy" in outcome.hub.log


def test_tasks_that_do_not_load_again_are_not_reproducible_and_the_log_has_the_reason() -> None:
    async def once(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        if sandbox.starts == 2:
            yield BEGAN
            sandbox.on_log(b"printed first\n")
            error = {"type": "KeyError", "message": "'x'", "traceback": "line 3", "fault": ""}
            yield {"event": "fatal", "stage": "load", "error": error}
            return
        async for event in play_all(sandbox):
            yield event

    outcome = perform_run(once)
    assert outcome.result == ("succeeded", [])
    assert outcome.hub.facts["hashes_again"] == []
    assert "the second load of the tasks failed:\nprinted first\nline 3\nKeyError: 'x'\n" in (
        outcome.hub.log
    )


def test_a_second_sandbox_that_ends_before_loading_is_reported_or_tried_again() -> None:
    async def silent_again(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        if sandbox.starts == 2:
            sandbox.end = replace(EXITED, code=None, reason=reasons.pop())
            if begins:
                yield BEGAN
            return
        async for event in play_all(sandbox):
            yield event

    reasons: list[Any] = ["wall_clock"]
    begins = True
    slow = perform_run(silent_again)
    assert slow.result == ("succeeded", [])
    assert "hashes_again" not in slow.hub.facts
    assert "the second sandbox was ended: wall_clock" in slow.hub.log
    reasons.append("machine_memory")
    assert perform_run(silent_again).result == ("errored", ["run.runner_error"])
    begins = False
    reasons.append("wall_clock")
    assert perform_run(silent_again).result == ("errored", ["run.runner_error"])


def test_a_supervisor_that_dies_before_the_environment_begins_is_the_platforms_fault() -> None:
    async def dies(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        sandbox.on_log(b"Traceback\nPermissionError: [Errno 13] Permission denied: '/dev/null'\n")
        for event in ():
            yield event

    outcome = perform_run(dies, end=replace(EXITED, code=1))
    assert outcome.result == ("errored", ["run.runner_error"])
    (first_finding,) = outcome.hub.endings[0]["findings"]
    assert "before the environment's code began to load" in first_finding["message"]
    assert "exit code 1" in first_finding["message"]
    assert "PermissionError: [Errno 13] Permission denied: '/dev/null'" in first_finding["message"]
    assert "environment_began" not in outcome.hub.facts


def test_the_start_of_the_environments_code_is_reported_to_the_hub() -> None:
    assert perform_run().hub.facts["environment_began"] is True


def test_results_without_the_event_that_the_environment_began_are_rejected() -> None:
    async def forged(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        async for event in play_all(sandbox):
            if event != BEGAN:
                yield event

    assert perform_run(forged).result == ("errored", ["run.runner_error"])


def test_dependencies_are_the_authors_fault_only_by_the_builders_finding() -> None:
    async def unsolvable(*_: Any, **__: Any) -> Venv:
        raise VenvError(finding("env.dependencies_unresolvable", "nothing provides x"))

    async def offline(*_: Any, **__: Any) -> Venv:
        raise VenvError(finding("run.install_failed", "the index is away"))

    assert perform_run(build=unsolvable).result == ("failed", ["env.dependencies_unresolvable"])
    assert perform_run(build=offline).result == ("errored", ["run.install_failed"])


def test_a_venv_is_built_by_the_lock_that_the_hub_keeps_as_of_the_upload() -> None:
    async def resolved(*arguments: Any, agree: AgreeLock, before: str, **more: Any) -> Venv:
        assert await agree("cpython-311", None) is None
        assert await agree("cpython-311", "mine") == "mine"
        assert await agree("cpython-311", "another") == "mine"
        assert before == "2026-11-20T00:00:00+00:00"
        return await build_empty_venv(*arguments, **more)

    spec = replace(SPEC, uploaded_at="2026-11-20T00:00:00+00:00")
    outcome = perform_run(build=resolved, spec=spec)
    assert outcome.result == ("succeeded", [])
    assert outcome.hub.locks == {"cpython-311": "mine"}


def test_a_run_that_waits_for_its_dependencies_logs_it() -> None:
    async def slow(*arguments: Any, **more: Any) -> Venv:
        await asyncio.sleep(3.2)
        return await build_empty_venv(*arguments, **more)

    log = perform_run(build=slow).hub.log
    assert log.count("dependencies are being fetched and installed, for 3 s by now") == 1
    assert "dependencies" not in perform_run().hub.log


def test_our_own_exceptions_are_errored_and_named() -> None:
    async def bug(*_: Any, **__: Any) -> Venv:
        raise KeyError("oops")

    def no_sandbox(**_: Any) -> Sandbox:
        raise SandboxError("install bubblewrap")

    outcome = perform_run(build=bug)
    assert outcome.result == ("errored", ["run.runner_error"])
    assert "KeyError: 'oops'" in outcome.hub.log
    assert "install bubblewrap" in perform_run(prepare=no_sandbox).hub.log
    assert perform_run(spec=replace(SPEC, framework="other")).result[0] == "errored"


def test_another_wheel_than_the_checked_one_is_never_run() -> None:
    outcome = perform_run(hub=StubHub(wheel=WHEEL + b"!"))
    assert outcome.result == ("errored", ["run.wheel_changed"])
    assert not outcome.sandbox.started


def test_cancelling_kills_the_sandbox_and_ends_the_run_cancelled() -> None:
    async def cancel(hub: StubHub, _: asyncio.Event) -> None:
        await asyncio.sleep(1.5)
        hub.cancel = True

    outcome = perform_run(hang_after_load, meanwhile=cancel)
    assert outcome.result == ("cancelled", [])
    assert outcome.sandbox.closed


def test_a_superseded_run_is_dropped_without_a_word() -> None:
    async def supersede(hub: StubHub, _: asyncio.Event) -> None:
        await asyncio.sleep(1.5)
        hub.superseded = True

    outcome = perform_run(hang_after_load, meanwhile=supersede)
    assert outcome.ending is None
    assert outcome.sandbox.closed
    assert not outcome.hub.endings


def test_a_stopped_runner_hands_its_run_back() -> None:
    async def stop(_: StubHub, stopping: asyncio.Event) -> None:
        await asyncio.sleep(0.7)
        stopping.set()

    outcome = perform_run(hang_after_load, meanwhile=stop)
    assert outcome.result == ("errored", ["run.handed_back"])
    assert "goes back to the queue" in outcome.hub.log
    assert outcome.sandbox.closed


def test_a_hub_that_is_away_for_less_than_the_lease_does_not_lose_the_run() -> None:
    async def away(hub: StubHub, _: asyncio.Event) -> None:
        hub.failing = 4

    async def slow(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        async for event in play_all(sandbox):
            await asyncio.sleep(0.2)
            yield event

    outcome = perform_run(slow, meanwhile=away)
    assert outcome.result == ("succeeded", [])
    assert len(outcome.hub.rollouts) == 4


def test_a_sandbox_that_never_ends_meets_the_runners_own_deadline() -> None:
    spec = replace(SPEC, limits=replace(SPEC.limits, install_seconds=1, wall_seconds=-90))
    outcome = perform_run(hang_after_load, spec=spec)
    assert outcome.result == ("errored", ["run.runner_error"])
    assert "gave up" in outcome.hub.log


def test_a_state_file_that_cannot_be_written_costs_no_run() -> None:
    async def blocked(config: Config, wheel: Path, extra: Any, **arguments: Any) -> Venv:
        folder = config.home / "state"
        shutil.move(folder, config.home / "state-before")
        folder.write_text("no folder", encoding="utf-8")
        await asyncio.sleep(1.5)
        return await build_empty_venv(config, wheel, extra, **arguments)

    assert perform_run(build=blocked).result == ("succeeded", [])


def test_a_home_without_room_for_a_state_file_is_reported_as_the_platforms_fault(
    tmp_path: Path,
) -> None:
    async def play() -> Ending | None:
        (tmp_path / "state").write_text("no folder", encoding="utf-8")
        config = Config.from_environment({"RUNNER_HOME": str(tmp_path)})
        hub = LocalHub(WHEEL)
        return await perform(SPEC, hub=hub, machine=RunnerContext(config), stopping=asyncio.Event())

    ending = asyncio.run(play())
    assert ending is not None
    assert [problem.code for problem in ending.findings] == ["run.runner_error"]
