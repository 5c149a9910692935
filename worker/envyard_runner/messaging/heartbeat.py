"""What a runner and the hub tell each other of the runner itself, busy or not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from envyard_runner.config import Config
from envyard_runner.frameworks import FRAMEWORKS
from envyard_runner.messaging.hub_client import Hub, HubLost, HubRefused
from envyard_runner.sandbox import SandboxError, interpreter
from envyard_runner.state.process_state import drains
from envyard_runner.state.service import Examine, Out, keep_examining, out_of_service, run_doctor

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
TELL_SECONDS = 15.0
DRAINED_SECONDS = 5.0  # who waits for its staff asks more often whether that is over
AWAY_SECONDS = 10.0
GOODBYE_SECONDS = 1.0


def capabilities(
    models: Collection[str],
    *,
    pythons: Collection[str] = (),
    draining: bool = False,
    out: Out | None = None,
) -> dict[str, Any]:
    """What decides which runs this runner is given, whether it is about to end, and why it is out
    of service where it is."""
    known = {
        "frameworks": sorted(FRAMEWORKS),
        "models": sorted(models),
        "pythons": list(pythons),
        "draining": draining,
    }
    return known if out is None else known | {"out_of_service": out.report()}


def pythons(config: Config) -> list[str]:
    """The versions of the Pythons that runs may have here, the newest first; empty without any."""
    try:
        return [base.release for base in interpreter.offered(config)]
    except SandboxError:
        return []


def farewell(out: Out | None = None) -> dict[str, Any]:
    """The last report of a runner that ends: it gets no run, and stays out of service if it is."""
    return capabilities([], draining=True, out=out) | {"away": True}


@dataclass(frozen=True, slots=True)
class Standing:
    """The models that are ready here, whether the hub's staff have drained this runner, and why
    it is out of service by its own decision."""

    models: frozenset[str] = frozenset()
    drained: bool = False
    out: Out | None = None

    @property
    def takes_runs(self) -> bool:
        """Neither drained nor out of service."""
        return not self.drained and self.out is None


def _nothing(_: Standing) -> None:
    """Nobody wants to know."""


@asynccontextmanager
async def announcing(
    config: Config,
    hub: Hub,
    changed: Callable[[Standing], None] = _nothing,
    *,
    examine: Examine = run_doctor,
) -> AsyncIterator[None]:
    """Tell the hub while this is held that the runner lives, and at last that it is gone; have a
    runner that is out of service examined.

    `changed` gets what stands then, at first and whenever it is another.
    """
    tasks = (
        asyncio.create_task(_announce(config, hub, changed)),
        asyncio.create_task(keep_examining(config.home, examine)),
    )
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        with suppress(HubLost, HubRefused, TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await hub.present(farewell(out_of_service(config.home)))


async def _announce(config: Config, hub: Hub, changed: Callable[[Standing], None]) -> None:
    models, loop = config.models(), asyncio.get_running_loop()
    told: Standing | None = None
    tell_at, refusal = loop.time(), ""
    while True:
        ready, out = frozenset(await models.ready()), out_of_service(config.home)
        changed_here = told is None or (ready, out) != (told.models, told.out)
        if changed_here or loop.time() >= tell_at:
            drained = told is not None and told.drained
            try:
                draining = drains(config.home)
                said = capabilities(ready, pythons=pythons(config), draining=draining, out=out)
                drained = (await hub.present(said)).drained
                tell_at, refusal = loop.time() + (DRAINED_SECONDS if drained else TELL_SECONDS), ""
            except (HubLost, HubRefused) as error:
                tell_at = loop.time() + AWAY_SECONDS
                if isinstance(error, HubRefused) and str(error) != refusal:
                    refusal = str(error)
                    log.warning("the hub gives this runner nothing: %s", refusal)
            now = Standing(ready, drained, out)
            if now != told:
                _say(now, told or Standing())
                changed(now)
                told = now
        await asyncio.sleep(LOOK_SECONDS)


def _say(now: Standing, before: Standing) -> None:
    if now.models != before.models:
        log.info("models ready: %s", ", ".join(sorted(now.models)) or "none")
    if now.drained != before.drained:
        given = "no new runs until its staff resume it" if now.drained else "runs again"
        log.info("the hub gives this runner %s", given)
