"""Work without a broker: lease the next queued run from the hub, perform it, repeat."""

from __future__ import annotations

import asyncio
import logging
import random
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import aiohttp

from envyard_runner.config import Config
from envyard_runner.data.store import Store
from envyard_runner.execution.run import RunnerContext, perform
from envyard_runner.execution.verdict import Ending
from envyard_runner.hub_api.client import HubClient, HubUnreachable
from envyard_runner.messaging.heartbeat import (
    RunnerStatus,
    capabilities,
    provides,
    pythons,
    sending_heartbeats,
)
from envyard_runner.sandbox import reap_orphans
from envyard_runner.sandbox.cgroup import limit_mechanism
from envyard_runner.state.process_state import is_draining, runner_process
from envyard_runner.state.service import NotInService, out_of_service
from envyard_runner.venvs import disk_space
from envyard_runner.venvs.uv import cache_folder

log = logging.getLogger(__name__)

IDLE_SECONDS = 2.0
RETRY_SECONDS = 10.0


class DiskTooFull(Exception):
    """The disk is too full to take a run, which would only lose one of its attempts here."""


@asynccontextmanager
async def hub_session(config: Config) -> AsyncIterator[tuple[HubClient, asyncio.Event]]:
    """A client for the hub, and the event that SIGTERM or SIGINT sets.

    The first SIGTERM of `hub-runner drain` does not set it: loops check `is_draining`. Leftovers of
    runs of killed processes are removed first.
    """
    if reaped := reap_orphans(config):
        log.info("removed the leftovers of %d killed runs", reaped)
    stopping, signals = asyncio.Event(), []
    loop = asyncio.get_running_loop()

    def stop() -> None:
        signals.append(True)
        if len(signals) > 1 or not is_draining(config.home):
            stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    async with aiohttp.ClientSession() as session:
        yield HubClient(session, url=config.hub_url, token=config.token or ""), stopping


async def poll(machine: RunnerContext) -> None:
    """Perform runs one after the other until stopped; raises HubRefused for an unknown token."""
    with runner_process(machine.config.home, "poll", limit_mechanism(machine.config.cgroup)):
        await _poll(machine)


async def _poll(machine: RunnerContext) -> None:
    config = machine.config
    status = RunnerStatus()

    def on_change(new_status: RunnerStatus) -> None:
        nonlocal status
        status = new_status

    async with (
        hub_session(config) as (hub, stopping),
        sending_heartbeats(config, hub, on_change, self_check=machine.self_check),
    ):
        log.info("polling %s", config.hub_url)
        while not stopping.is_set() and not is_draining(config.home):
            pause = 0.0
            try:
                idle = status.drained or out_of_service(config.home) is not None
                if idle or await poll_once(machine, hub, stopping) is None:
                    pause = IDLE_SECONDS
            except (HubUnreachable, DiskTooFull) as error:
                log.warning("%s", error)
                pause = RETRY_SECONDS
            with suppress(TimeoutError):
                # Many runners that saw one hub come back must not all poll it at once.
                async with asyncio.timeout(pause * random.uniform(0.5, 1.5)):  # noqa: S311
                    await stopping.wait()


async def poll_once(
    machine: RunnerContext, hub: HubClient, stopping: asyncio.Event, *, patience: float | None = 0.0
) -> Ending | str | None:
    """Perform the next queued run and return its ending; "given up" if lost, None without a run.

    Raises DiskTooFull, and leases no run, while clearing the caches does not free enough of the
    disk; NotInService while this machine's runner is out of service.
    """
    if out := out_of_service(machine.config.home):
        raise NotInService(out.sentence())
    await asyncio.to_thread(_require_disk_space, machine.config)
    config = machine.config
    models = await config.models().ready()
    offer = capabilities(models, pythons=pythons(config), provides=provides(config))
    job = await hub.poll(offer, patience=patience)
    if job is None:
        return None
    ending = await perform(job, hub=hub, machine=machine, stopping=stopping)
    return ending or "given up"


def _require_disk_space(config: Config) -> None:
    if disk_space.missing_bytes(config) and cache_folder(config).exists():
        disk_space.free_space(config)
    if missing := disk_space.missing_bytes(config):
        Store(config.data, config.data_bytes).free(missing)
    if missing := disk_space.missing_bytes(config):
        raise DiskTooFull(
            f"No space left for runs in {config.home}: {-(-missing >> 20)} MiB more must be free "
            "there (RUNNER_FREE_MB)"
        )
