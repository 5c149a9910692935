"""The runner as a process: notified by a real broker, polling without one, and stopped."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from kombu import Exchange, Queue

from envyard.contract.job import RUNS, queue_for
from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext
from envyard_runner.messaging.celery_app import TASK, make_app
from envyard_runner.model import state
from tests.ports import free_port
from tests.wheels import make_wheel
from tests.worker.stub_hub import TOKEN, StubHub, job, serving

pytestmark = pytest.mark.sandbox

PORT = free_port()
WHEEL = make_wheel()
QUICK = job(WHEEL, policies=("silent",), tasks=1, attempts=1, seed=2)
ENDLESS = job(WHEEL, policies=("silent",), tasks=1, attempts=1, seed=1)


@pytest.fixture
def home() -> Iterator[Path]:
    """HUB_HOME and RUNNER_HOME of one test, open to every uid."""
    home = Path(tempfile.mkdtemp(prefix="envyard-app-", dir="/var/tmp"))
    home.chmod(0o755)
    yield home
    shutil.rmtree(home)


@asynccontextmanager
async def runner(
    home: Path, how: str, hub: StubHub, broker: str = ""
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A hub, and a runner process that is configured for it and ends afterwards."""
    log = (home / "log").open("wb")
    environment = {
        **os.environ,
        "HUB_URL": f"http://127.0.0.1:{PORT}",
        "HUB_RUNNER_TOKEN": TOKEN,
        "HUB_HOME": str(home),
        "HUB_BROKER_URL": broker,
        "RUNNER_HOME": str(home),
    }
    async with serving(hub.application(), PORT):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.worker.runner_process", how,
            env=environment, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
            log.close()
            sys.stderr.write((home / "log").read_text())


def notify(home: Path, queue: str = RUNS, broker: str = "") -> None:
    """Ring as the hub does: by name, on that broker or the shared folder."""
    sender = Celery(broker=broker or "filesystem://", set_as_current=False)
    sender.conf.task_queues = [Queue(queue, Exchange(queue, type="direct"), routing_key=queue)]
    if not broker:
        sender.conf.broker_transport_options = _shared_folder(home / "broker")
    with sender.connection_for_write() as connection:
        sender.send_task(TASK, queue=queue, connection=connection)


def _shared_folder(folder: Path) -> dict[str, str]:
    for part in ("messages", "control"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
    }


def asked_with(hub: StubHub) -> list[list[str]]:
    """The ready models that the runner sent with each poll."""
    return [text["models"] for text in hub.polled]


def ended(hub: StubHub, count: int) -> bool:
    return len(hub.endings) == count


async def until(condition: Callable[[], Any], seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  (other processes set no event)
            await asyncio.sleep(0.05)


def play(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scenario)


@pytest.mark.parametrize(("named", "used"), [("", "default"), ("filesystem://{}/own", "own")])
def test_messages_lie_in_the_folder_of_the_broker_url(
    tmp_path: Path, named: str, used: str
) -> None:
    config = Config.from_environment({"HUB_BROKER_URL": named.format(tmp_path)})
    app = make_app(RunnerContext(config), tmp_path / "default")
    folder = app.conf.broker_transport_options["data_folder_in"]
    assert folder == str(tmp_path / used / "messages")
    assert (
        app.connection_for_read().transport_cls
        == "envyard.messaging.filesystem_transport:Transport"
    )


def test_a_ring_has_the_next_run_done(home: Path) -> None:
    async def scenario() -> None:
        hub = StubHub(job=QUICK, wheel=WHEEL)
        async with runner(home, "start", hub):
            notify(home)
            await until(lambda: hub.endings)
            assert hub.endings[0]["outcome"] == "succeeded"
            notify(home)  # too late: there is no run any more
            await until(lambda: len(hub.polled) == 2)
            hub.job = QUICK
            notify(home)
            await until(lambda: len(hub.endings) == 2)

    play(scenario())


@pytest.mark.parametrize("how", ["start", "poll"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_runner_hands_its_run_back_and_leaves_nothing(
    home: Path, how: str, number: signal.Signals
) -> None:
    async def scenario() -> None:
        hub = StubHub(job=ENDLESS, wheel=WHEEL)
        async with runner(home, how, hub) as process:
            notify(home)
            await until(lambda: "loaded" in hub.log)
            process.send_signal(number)
            async with asyncio.timeout(30):
                await process.wait()
            (ending,) = hub.endings
            assert ending["outcome"] == "errored"
            assert "goes back to the queue" in hub.log
            assert not list((home / "runs").iterdir())

    play(scenario())


@pytest.mark.parametrize("how", ["start", "poll"])
def test_an_idle_runner_stops_at_once(home: Path, how: str) -> None:
    async def scenario() -> None:
        async with runner(home, how, StubHub()) as process:
            ready = b"ready" if how == "start" else b"polling"
            await until(lambda: ready in (home / "log").read_bytes())
            process.terminate()
            async with asyncio.timeout(30):
                assert await process.wait() == 0

    play(scenario())


def test_polling_does_one_run_after_the_other(home: Path) -> None:
    async def scenario() -> None:
        hub = StubHub(job=QUICK, wheel=WHEEL)
        async with runner(home, "poll", hub):
            for count in (1, 2):
                await until(partial(ended, hub, count))
                hub.job = QUICK

    play(scenario())


def test_a_killed_runner_takes_its_sandbox_with_it(home: Path) -> None:
    async def scenario() -> None:
        hub = StubHub(job=ENDLESS, wheel=WHEEL)
        async with runner(home, "start", hub) as process:
            notify(home)
            await until(lambda: "loaded" in hub.log)
            process.kill()
            await process.wait()
            await until(lambda: hub.endings)  # the child hands the run back
            await until(lambda: not list((home / "runs").iterdir()))

    play(scenario())


async def command(home: Path, *arguments: str, token: str = TOKEN) -> tuple[int | None, str, str]:
    """The real `hub-runner` against a hub on PORT, if there is one."""
    environment = {
        **os.environ,
        "HUB_URL": f"http://127.0.0.1:{PORT}",
        "HUB_RUNNER_TOKEN": token,
        "RUNNER_HOME": str(home),
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "envyard_runner", *arguments, env=environment,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, error = await process.communicate()
    return process.returncode, out.decode(), error.decode()


def test_run_once_reports_an_empty_queue_and_an_unreachable_hub(home: Path) -> None:
    async def scenario() -> None:
        async with serving(StubHub().application(), PORT):
            code, out, error = await command(home, "run-once")
        assert (code, out) == (3, "")
        assert "this is runner box" in error
        assert "no run is waiting" in error
        code, _, error = await command(home, "run-once")
        assert code == 1
        assert f"http://127.0.0.1:{PORT}" in error

    play(scenario())


def test_a_token_that_the_hub_does_not_know_is_refused_at_start(home: Path) -> None:
    async def scenario() -> None:
        async with serving(StubHub().application(), PORT):
            code, _, error = await command(home, "start", "--poll", token="hubr_other")
        assert code == 1
        assert "hub-runner does not start: the hub answered 401" in error

    play(scenario())


def test_run_once_prints_the_outcome(home: Path) -> None:
    """A wheel that is not the hub's: the whole way from lease to report, and nothing to install."""

    async def scenario() -> None:
        hub = StubHub(job=QUICK, wheel=WHEEL + b"!")
        async with serving(hub.application(), PORT):
            assert (await command(home, "run-once"))[:2] == (0, "errored\n")
        assert hub.endings[0]["findings"][0]["code"] == "run.wheel_changed"

    play(scenario())


def test_leftovers_of_a_killed_runner_are_removed_without_a_message(home: Path) -> None:
    async def scenario() -> None:
        left = [home / kind / "0123456789abcdef" for kind in ("runs", "builds")]
        for folder in left:
            folder.mkdir(parents=True)
        async with runner(home, "start", StubHub()):
            await until(lambda: not any(folder.exists() for folder in left))

    play(scenario())


def test_a_runner_listens_for_a_model_for_as_long_as_it_is_ready(home: Path) -> None:
    async def scenario() -> None:
        hub = StubHub()
        folder = state.folder_of(home / "models", "stub")
        served = state.State("stub", "starting", "http://127.0.0.1:1/v1")
        with state.locked(folder):
            state.write(folder, served)
            async with runner(home, "start", hub):
                notify(home, queue_for("stub"))
                await until(lambda: hub.heartbeats)
                assert hub.heartbeats[-1]["models"] == []
                notify(home)
                await until(lambda: asked_with(hub) == [[]])

                state.write(folder, replace(served, phase="ready"))
                await until(lambda: asked_with(hub) == [[], ["stub"]])
                assert hub.heartbeats[-1]["models"] == ["stub"]

                state.write(folder, replace(served, phase="restarting"))
                await until(lambda: hub.heartbeats[-1]["models"] == [])
                await asyncio.sleep(3)  # longer than the worker looks at its queues
                notify(home, queue_for("stub"))
                notify(home)
                await until(lambda: len(hub.polled) > 2)
                await asyncio.sleep(1)
                assert asked_with(hub) == [[], ["stub"], []]

    play(scenario())


def test_a_polling_runner_sends_its_ready_models(home: Path) -> None:
    async def scenario() -> None:
        hub = StubHub()
        folder = state.folder_of(home / "models", "stub")
        with state.locked(folder):
            state.write(folder, state.State("stub", "ready", "http://127.0.0.1:1/v1"))
            async with runner(home, "poll", hub):
                await until(lambda: hub.polled)
                assert hub.polled[-1]["models"] == ["stub"]
                await until(lambda: hub.heartbeats)  # sent whether busy or not

    play(scenario())
