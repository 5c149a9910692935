"""Heartbeats between runner and hub: the runner's capabilities and status, busy or not."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import astuple, dataclass
from typing import Any

from envyard.contract.frameworks.adapters import FRAMEWORKS
from envyard_runner.config import Config
from envyard_runner.hub_api.client import HubClient, HubRefused, HubUnreachable
from envyard_runner.sandbox import SandboxError, interpreter
from envyard_runner.state.process_state import is_draining
from envyard_runner.state.service import (
    OutOfService,
    SelfCheck,
    out_of_service,
    repeat_self_checks,
    run_doctor,
)

log = logging.getLogger(__name__)

CHECK_SECONDS = 2.0
HEARTBEAT_SECONDS = 15.0
DRAINED_SECONDS = 5.0  # a drained runner checks more often whether it is resumed
RETRY_SECONDS = 10.0
FINAL_SECONDS = 1.0


def capabilities(
    models: Collection[str],
    *,
    pythons: Collection[str] = (),
    provides: dict[str, str] | None = None,
    draining: bool = False,
    out: OutOfService | None = None,
) -> dict[str, Any]:
    """What decides which runs this runner is leased, whether it is about to end, and why it is out
    of service if it is."""
    fields = {
        "frameworks": sorted(FRAMEWORKS),
        "models": sorted(models),
        "pythons": list(pythons),
        "provides": provides or {},
        "draining": draining,
    }
    return fields if out is None else fields | {"out_of_service": out.fields_for_hub()}


def pythons(config: Config) -> list[str]:
    """The versions of the Pythons that runs may have here, the newest first; empty without any."""
    try:
        return [base.release for base in interpreter.available(config)]
    except SandboxError:
        return []


def provides(config: Config) -> dict[str, str]:
    """What runs may have here from outside the sandbox: each kind with a fingerprint of its
    settings.

    The hub repeats a held version once a fingerprint changes. The token of the runner is the key,
    so that it reveals no other token.
    """
    settings = {
        "data": config.data_source and astuple(config.data_source),
        "judge": config.judge_url and (config.judge_url, config.judge_key),
        "host": config.hosts_allowed,
    }
    key = (config.token or "").encode()
    return {
        kind: hmac.new(key, repr(value).encode(), "sha256").hexdigest()[:16]
        for kind, value in settings.items()
        if value
    }


def final_capabilities(out: OutOfService | None = None) -> dict[str, Any]:
    """The last heartbeat of a runner that ends: it gets no run, and stays out of service if it
    is."""
    return capabilities([], draining=True, out=out) | {"away": True}


@dataclass(frozen=True, slots=True)
class RunnerStatus:
    """The models that are ready here, whether the hub's staff have drained this runner, and why it
    is out of service by its own decision."""

    models: frozenset[str] = frozenset()
    drained: bool = False
    out: OutOfService | None = None

    @property
    def takes_runs(self) -> bool:
        """Neither drained nor out of service."""
        return not self.drained and self.out is None


def _ignore(_: RunnerStatus) -> None:
    """The default callback: do nothing."""


@asynccontextmanager
async def sending_heartbeats(
    config: Config,
    hub: HubClient,
    on_change: Callable[[RunnerStatus], None] = _ignore,
    *,
    self_check: SelfCheck = run_doctor,
) -> AsyncIterator[None]:
    """Send heartbeats in the block and a final one at its end; run self-checks while out of
    service.

    `on_change` gets the status at first and whenever it changes.
    """
    tasks = (
        asyncio.create_task(_send_heartbeats(config, hub, on_change)),
        asyncio.create_task(repeat_self_checks(config.home, self_check)),
    )
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        with suppress(HubUnreachable, HubRefused, TimeoutError):
            async with asyncio.timeout(FINAL_SECONDS):
                await hub.send_heartbeat(final_capabilities(out_of_service(config.home)))


async def _send_heartbeats(
    config: Config, hub: HubClient, on_change: Callable[[RunnerStatus], None]
) -> None:
    models, loop = config.models(), asyncio.get_running_loop()
    reported: RunnerStatus | None = None
    send_at, refusal = loop.time(), ""
    while True:
        ready, out = frozenset(await models.ready()), out_of_service(config.home)
        has_changed = reported is None or (ready, out) != (reported.models, reported.out)
        if has_changed or loop.time() >= send_at:
            drained = reported is not None and reported.drained
            try:
                draining = is_draining(config.home)
                payload = capabilities(
                    ready,
                    pythons=pythons(config),
                    provides=provides(config),
                    draining=draining,
                    out=out,
                )
                drained = (await hub.send_heartbeat(payload)).drained
                send_at, refusal = (
                    loop.time() + (DRAINED_SECONDS if drained else HEARTBEAT_SECONDS),
                    "",
                )
            except (HubUnreachable, HubRefused) as error:
                send_at = loop.time() + RETRY_SECONDS
                if isinstance(error, HubRefused) and str(error) != refusal:
                    refusal = str(error)
                    log.warning("the hub gives this runner nothing: %s", refusal)
            status = RunnerStatus(ready, drained, out)
            if status != reported:
                _log_changes(status, reported or RunnerStatus())
                on_change(status)
                reported = status
        await asyncio.sleep(CHECK_SECONDS)


def _log_changes(now: RunnerStatus, before: RunnerStatus) -> None:
    if now.models != before.models:
        log.info("models ready: %s", ", ".join(sorted(now.models)) or "none")
    if now.drained != before.drained:
        answer = "no new runs until its staff resume it" if now.drained else "runs again"
        log.info("the hub gives this runner %s", answer)
