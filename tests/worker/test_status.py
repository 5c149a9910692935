"""`hub-runner status` and `drain`, beside a real runner process and without one."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from envyard_runner import station
from tests.worker.stub_hub import StubHub, job
from tests.worker.test_app import ENDLESS, WHEEL, command, play, ring, runner, until

SLOW = job(WHEEL, policies=("silent",), tasks=1, attempts=1, seed=3)


@pytest.fixture
def home() -> Iterator[Path]:
    """HUB_HOME and RUNNER_HOME of one test, open to every uid."""
    home = Path(tempfile.mkdtemp(prefix="envyard-status-", dir="/var/tmp"))
    home.chmod(0o755)
    yield home
    shutil.rmtree(home)


def test_where_no_runner_runs_that_is_said(home: Path) -> None:
    async def scenario() -> None:
        code, out, error = await command(home, "status")
        assert code == 3
        assert "no runner runs here" in error
        assert "http://127.0.0.1" in out
        code, _, error = await command(home, "drain")
        assert code == 3
        assert str(home) in error

    play(scenario())


def test_the_note_of_a_killed_process_is_not_believed(home: Path) -> None:
    (home / "notes").mkdir()
    (home / "notes" / "runner-1.json").write_text('{"pid": 1}')
    (home / "notes" / "runner-1.lock").touch()
    assert station.notes(home, "runner") == []
    with station.at_station(home, "poll", "cgroup2"):
        [note] = station.notes(home, "runner")
        assert (note["pid"], note["mode"], note["held_by"]) == (os.getpid(), "poll", "cgroup2")
    assert station.notes(home, "runner") == []


@pytest.mark.sandbox
@pytest.mark.parametrize("how", ["start", "poll"])
def test_a_drained_runner_finishes_its_run_takes_no_other_and_ends_well(
    home: Path, how: str
) -> None:
    async def scenario() -> None:
        hub = StubHub(job=SLOW, wheel=WHEEL)
        async with runner(home, how, hub) as process:
            ring(home)
            await until(lambda: "loaded" in hub.log)
            await until(lambda: station.notes(home, "run"))
            code, out, _ = await command(home, "status", "--json")
            seen = json.loads(out)
            assert code == 0
            assert seen["hub"]["name"] == "box"
            assert [note["draining"] for note in seen["runners"]] == [False]
            assert seen["runs"][0]["environment"] == "alice/reverse-words"
            assert "alice/reverse-words 0.1.0, attempt 1" in (await command(home, "status"))[1]

            hub.job = SLOW
            code, out, _ = await command(home, "drain")
            assert (code, "still under way: 1" in out) == (0, True)
            assert hub.told[-1]["draining"] is True
            assert "draining" in (await command(home, "status"))[1]
            ring(home)
            async with asyncio.timeout(30):
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
            ring(home)
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
def test_a_cancelled_run_is_killed_within_seconds_and_the_runner_goes_on(home: Path) -> None:
    async def scenario() -> None:
        hub = StubHub(job=ENDLESS, wheel=WHEEL)
        async with runner(home, "poll", hub):
            await until(lambda: "loaded" in hub.log)
            hub.cancel = True
            await until(lambda: hub.endings, seconds=10)
            assert hub.endings[0]["outcome"] == "cancelled"
            await until(lambda: not list((home / "runs").iterdir()), seconds=5)
            hub.cancel, hub.job = False, SLOW
            await until(lambda: len(hub.endings) == 2)
            assert hub.endings[1]["outcome"] == "succeeded"

    play(scenario())
