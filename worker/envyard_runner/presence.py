"""What a runner tells the hub of itself, every minute and whenever it changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import Any

from envyard_runner.config import Config
from envyard_runner.frameworks import FRAMEWORKS
from envyard_runner.link import Hub, HubLost, HubRefused
from envyard_runner.station import drains

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
TELL_SECONDS = 60.0
AWAY_SECONDS = 10.0


def capabilities(models: Collection[str], *, draining: bool = False) -> dict[str, Any]:
    """What decides which runs this runner is given, and whether it is about to end."""
    return {"frameworks": sorted(FRAMEWORKS), "models": sorted(models), "draining": draining}


def _nothing(_: frozenset[str]) -> None:
    """Nobody wants to know."""


@asynccontextmanager
async def announcing(
    config: Config, hub: Hub, changed: Callable[[frozenset[str]], None] = _nothing
) -> AsyncIterator[None]:
    """Tell the hub while this is held, busy or not.

    `changed` gets the names of the models that are ready, at first and whenever they are others.
    """
    telling = asyncio.create_task(_announce(config, hub, changed))
    try:
        yield
    finally:
        telling.cancel()


async def _announce(config: Config, hub: Hub, changed: Callable[[frozenset[str]], None]) -> None:
    models, loop = config.models(), asyncio.get_running_loop()
    ready: frozenset[str] | None = None
    tell_at = loop.time()
    while True:
        now = frozenset(await models.ready())
        if now != ready:
            if now or ready:
                log.info("models ready: %s", ", ".join(sorted(now)) or "none")
            ready, tell_at = now, loop.time()
            changed(now)
        if loop.time() >= tell_at:
            tell_at = loop.time() + TELL_SECONDS
            try:
                await hub.present(capabilities(now, draining=drains(config.home)))
            except (HubLost, HubRefused) as error:
                tell_at = loop.time() + AWAY_SECONDS
                log.debug("not told: %s", error)
        await asyncio.sleep(LOOK_SECONDS)
