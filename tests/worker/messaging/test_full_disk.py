"""A full disk costs a runner its caches, and then its runs, but no run an attempt."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext
from envyard_runner.hub_api.client import HubClient
from envyard_runner.messaging.poll import DiskTooFull, poll_once
from envyard_runner.venvs import uv
from tests.ports import free_port
from tests.worker.stub_hub import TOKEN, StubHub, job, serving

PORT = free_port()


def test_without_disk_space_it_leases_no_run(tmp_path: Path) -> None:
    config = replace(
        Config.from_environment({"RUNNER_HOME": str(tmp_path)}), free_bytes=_free(tmp_path) * 2
    )
    stub = StubHub(job=job())

    async def scenario() -> None:
        async with serving(stub.application(), PORT) as url, aiohttp.ClientSession() as session:
            hub = HubClient(session, url=url, token=TOKEN)
            with pytest.raises(
                DiskTooFull, match=r"No space left for runs in .*\d MiB more must be free"
            ):
                await poll_once(RunnerContext(config), hub, asyncio.Event())

    asyncio.run(scenario())
    assert stub.polled == []


@pytest.fixture
def quiet_disk() -> Iterator[Path]:
    """A folder where nobody else writes much meanwhile."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


def test_what_nobody_uses_goes_before_runs_do(quiet_disk: Path) -> None:
    config = Config.from_environment({"RUNNER_HOME": str(quiet_disk)})
    uv.make_writable(config)
    old = uv.cache_folder(config) / "archive-v0/old"
    old.mkdir(parents=True)
    (old / "data").write_bytes(bytes(16 << 20))
    tight = replace(config, free_bytes=_free(quiet_disk) + (4 << 20))
    stub = StubHub()

    async def scenario() -> None:
        async with serving(stub.application(), PORT) as url, aiohttp.ClientSession() as session:
            hub = HubClient(session, url=url, token=TOKEN)
            assert await poll_once(RunnerContext(tight), hub, asyncio.Event()) is None

    asyncio.run(scenario())
    assert not old.exists()
    assert len(stub.polled) == 1


def _free(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
