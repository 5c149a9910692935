"""`hub-runner status` and `drain`, beside a real runner process and without one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import web

from envyard_runner import status
from envyard_runner.config import Config
from envyard_runner.hub_api.client import HubClient, HubRefused, RunnerIdentity
from envyard_runner.messaging.heartbeat import sending_heartbeats
from envyard_runner.model import state
from envyard_runner.state import process_state
from tests.faults import parts
from tests.faults.conftest import NEEDS
from tests.ports import free_port
from tests.worker.messaging.test_celery_app import (
    ENDLESS,
    PORT,
    QUICK,
    WHEEL,
    command,
    notify,
    play,
    runner,
    until,
)
from tests.worker.model.stub_vllm import METRICS
from tests.worker.runner_process import release
from tests.worker.stub_hub import StubHub, job, serving

pytestmark = pytest.mark.slow

MODEL_PORT = free_port()

HELD = job(WHEEL, policies=("silent",), tasks=1, attempts=1, seed=3, limits={"wall_seconds": 90.0})


@pytest.fixture
def home() -> Iterator[Path]:
    """HUB_HOME and RUNNER_HOME of one test, open to every uid."""
    home = Path(tempfile.mkdtemp(prefix="envyard-status-", dir="/var/tmp"))
    home.chmod(0o755)
    yield home
    shutil.rmtree(home)


@pytest.fixture
def redis(home: Path) -> Iterator[str]:
    """The URL of a real broker."""
    if not NEEDS["redis"].exists():
        pytest.skip(f"{NEEDS['redis']} is not installed: `make setup-tests` installs it")
    (home / "redis").mkdir()
    broker = parts.redis(home / "redis", home / "redis.log")
    broker.part.start()
    wait_for_listener(broker.target)
    yield broker.at(broker.target[1])
    broker.part.kill()


def wait_for_listener(target: tuple[str, int]) -> None:
    """Return once something listens at that address."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(target, 10):
            return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens at {target}")


def test_status_without_a_runner_reports_it(home: Path) -> None:
    async def scenario() -> None:
        code, out, error = await command(home, "status")
        assert code == 3
        assert "no runner runs here" in error
        assert "http://127.0.0.1" in out
        code, _, error = await command(home, "drain")
        assert code == 3
        assert str(home) in error

    play(scenario())


def test_status_without_the_runners_token_calls_no_hub_and_names_the_setting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = Config.from_environment({"RUNNER_HOME": str(tmp_path)})
    with process_state.runner_process(config.home, "poll", "nothing"):
        assert status.status(config, as_json=False) == status.TROUBLE
    out = capsys.readouterr().out
    assert "HUB_RUNNER_TOKEN_FILE is not set here" in out
    assert "\npython   3." in out


def test_a_runner_whose_token_is_no_longer_valid_logs_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Refusing:
        async def send_heartbeat(self, _: dict[str, Any]) -> RunnerIdentity:
            raise HubRefused(401, "token.invalid", "this is not the token of an enabled runner")

    async def scenario() -> None:
        config = Config.from_environment({"RUNNER_HOME": str(tmp_path)})
        async with sending_heartbeats(config, cast("HubClient", Refusing())):
            await until(lambda: caplog.messages)

    play(scenario())
    (message,) = caplog.messages
    assert message.endswith("gives this runner nothing: this is not the token of an enabled runner")


def test_the_state_file_of_a_killed_process_is_not_valid(home: Path) -> None:
    (home / "state").mkdir()
    (home / "state" / "runner-1.json").write_text('{"pid": 1}')
    (home / "state" / "runner-1.lock").touch()
    assert process_state.read_states(home, "runner") == []
    left = [home / "state" / f"run-4194305.{kind}" for kind in ("json", "lock", "part")]
    for file in left:  # the kernel numbers no process so
        file.touch()
    with process_state.runner_process(home, "poll", "cgroup2"):
        assert not any(file.exists() for file in left)
        [note] = process_state.read_states(home, "runner")
        assert (note["pid"], note["mode"], note["held_by"]) == (os.getpid(), "poll", "cgroup2")
    assert process_state.read_states(home, "runner") == []


@pytest.mark.sandbox
@pytest.mark.parametrize("how", ["start", "poll", "redis"])
def test_a_drained_runner_finishes_its_run_takes_no_other_and_ends_well(
    home: Path, how: str, request: pytest.FixtureRequest
) -> None:
    broker = request.getfixturevalue("redis") if how == "redis" else ""
    how = "start" if broker else how

    async def scenario() -> None:
        hub = StubHub(job=HELD, wheel=WHEEL)
        async with runner(home, how, hub, broker) as process:
            notify(home, broker=broker)
            await until(lambda: "loaded" in hub.log)
            await until(lambda: process_state.read_states(home, "run"))
            (code, out, _), (_, text, _) = await asyncio.gather(
                command(home, "status", "--json"), command(home, "status")
            )
            status_document = json.loads(out)
            assert code == 0
            assert status_document["hub"]["name"] == "box"
            assert [note["draining"] for note in status_document["runners"]] == [False]
            assert status_document["runs"][0]["environment"] == "alice/reverse-words"
            assert "alice/reverse-words 0.1.0, attempt 1" in text

            hub.job = HELD
            code, out, _ = await command(home, "drain")
            assert (code, "still under way: 1" in out) == (0, True)
            await until(lambda: hub.heartbeats[-1]["draining"])
            assert "draining" in (await command(home, "status"))[1]
            notify(home, broker=broker)
            assert not hub.endings
            release(home)
            async with asyncio.timeout(60):
                assert await process.wait() == 0
            (ending,) = hub.endings
            assert ending["outcome"] == "succeeded"
            assert hub.job is not None  # the second one waits for another runner
        assert (await command(home, "status"))[0] == 3

    play(scenario())


@pytest.mark.sandbox
@pytest.mark.parametrize("how", ["start", "poll"])
def test_a_draining_runner_that_is_stopped_hands_its_run_back(home: Path, how: str) -> None:
    async def scenario() -> None:
        hub = StubHub(job=ENDLESS, wheel=WHEEL)
        async with runner(home, how, hub) as process:
            notify(home)
            await until(lambda: "loaded" in hub.log)
            assert (await command(home, "drain"))[0] == 0
            await asyncio.sleep(1)
            assert not hub.endings
            process.terminate()
            async with asyncio.timeout(30):
                await process.wait()
            assert hub.endings[0]["outcome"] == "errored"

    play(scenario())


@pytest.mark.sandbox
@pytest.mark.parametrize("how", ["start", "poll"])
def test_a_runner_drained_by_the_hub_finishes_leases_nothing_and_continues_when_resumed(
    home: Path, how: str
) -> None:
    async def scenario() -> None:
        hub = StubHub(job=HELD, wheel=WHEEL)
        async with runner(home, how, hub) as process:
            notify(home)
            await until(lambda: "loaded" in hub.log)
            hub.drained = True
            status_document = json.loads((await command(home, "status", "--json"))[1])
            assert status_document["hub"]["drained"] is True
            assert "drained by the hub" in (await command(home, "status"))[1]
            served = state.folder_of(home / "models", "stub")
            with state.locked(served):  # a change is sent in a heartbeat at once
                state.write(served, state.State("stub", "ready", "http://127.0.0.1:1/v1"))
                await until(lambda: "stub" in hub.heartbeats[-1]["models"])
            log_line = b"Canceling queue runs" if how == "start" else b"no new runs until"
            await until(lambda: log_line in (home / "log").read_bytes())
            release(home)
            await until(lambda: hub.endings)
            assert hub.endings[0]["outcome"] == "succeeded"

            hub.job, before = QUICK, len(hub.polled)
            notify(home)
            await asyncio.sleep(3)
            assert len(hub.polled) == before

            hub.drained = False  # the subscription to the queue is still there
            await until(lambda: len(hub.endings) == 2)
            assert process.returncode is None
            process.terminate()
            await process.wait()
            assert hub.heartbeats[-1]["draining"] is True  # its last heartbeat

    play(scenario())


def test_status_shows_the_model_servers_and_their_load(home: Path) -> None:
    """A busy server, one that restarts, and none that answers."""

    async def scenario() -> None:
        written = 100.0

        async def metrics(_: web.Request) -> web.Response:
            nonlocal written
            written += 50
            page = METRICS.replace("1.2e+01", str(written))
            return web.Response(text=page % (3, 2, 0.25))

        application = web.Application()
        application.add_routes([web.get("/metrics", metrics)])
        busy, down = (
            state.folder_of(home / "models", "big"),
            state.folder_of(home / "models", "low"),
        )
        async with serving(application, MODEL_PORT) as url, serving(StubHub().application(), PORT):
            with state.locked(busy), state.locked(down):
                state.write(busy, state.State("big", "ready", f"{url}/v1", restarts=1))
                state.write(down, state.State("low", "restarting", f"{url}/v1", restarts=4))
                _, out, error = await command(home, "status", "--json")
                assert "Traceback" not in error, error
                _, text, _ = await command(home, "status")
        big, low = json.loads(out)["models"]
        assert 20 < big.pop("tokens_per_second") < 51
        assert (big["phase"], big["restarts"]) == ("ready", 1)
        assert (big["running"], big["waiting"], big["cache"]) == (3, 2, 0.25)
        assert (low["phase"], low["restarts"], low["running"]) == ("restarting", 4, None)
        assert "big: ready, 3 requests running, 2 waiting, cache 25% full" in text
        assert "low: restarting, restarted 4 times" in text

    play(scenario())


@pytest.mark.sandbox
def test_a_cancelled_run_is_killed_within_seconds_and_the_runner_goes_on(home: Path) -> None:
    async def scenario() -> None:
        hub = StubHub(job=ENDLESS, wheel=WHEEL)
        async with runner(home, "poll", hub):
            await until(lambda: "loaded" in hub.log)
            hub.cancel = True
            await until(lambda: hub.endings, seconds=10)
            assert hub.endings[0]["outcome"] == "cancelled"
            await until(lambda: not list((home / "runs").iterdir()), seconds=5)
            hub.cancel, hub.job = False, QUICK
            await until(lambda: len(hub.endings) == 2)
            assert hub.endings[1]["outcome"] == "succeeded"

    play(scenario())
