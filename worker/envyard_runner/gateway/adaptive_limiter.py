"""How many calls one run has at its model server at once: as many as the server takes, no more.

Every second the server's own figures are looked at. Where it is crowded, by whatever caused it,
a quarter of the places goes; where it is not and somebody here had to wait, a quarter is added.
So several runs and runners on one server share it without knowing of each other. No run falls
below the number that the hub asked for: its rollouts would wait until their time is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from envyard_runner.model.endpoint import Endpoint, EndpointError
from envyard_runner.model.metrics import Load

CHECK_SECONDS = 1.0
STEP_DIVISOR = 4


class AdaptiveLimiter:
    """Places for calls under way: `limit` now, from `least` to `most`; `peak` were ever taken."""

    def __init__(self, *, minimum: int, maximum: int) -> None:
        self.limit = self.minimum = minimum
        self.maximum = maximum
        self.busy = self.peak = 0
        self._waiting = 0
        self._wanted = False
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A place for one call, waited for where all are taken."""
        if self._waiting or self.busy >= self.limit:
            await self._wait()
        self.busy += 1
        self.peak = max(self.peak, self.busy)
        try:
            yield
        finally:
            self.busy -= 1
            if self._waiting:
                async with self._changed:
                    self._changed.notify()

    async def _wait(self) -> None:
        async with self._changed:
            self._wanted = self._wanted or self.busy >= self.limit
            self._waiting += 1
            try:
                await self._changed.wait_for(lambda: self.busy < self.limit)
            finally:
                self._waiting -= 1

    async def follow(self, endpoint: Endpoint) -> None:
        """Adapt to the server's figures until cancelled."""
        while True:
            with suppress(EndpointError):  # the calls themselves tell of a server that is away
                await self.adapt(await endpoint.load())
            await asyncio.sleep(CHECK_SECONDS)

    async def adapt(self, load: Load | None) -> None:
        """Take in one look at the server."""
        if load is None:
            return
        step = max(1, self.limit // STEP_DIVISOR)
        if load.saturated:
            self.limit = max(self.minimum, self.limit - step)
        elif self._wanted:
            self.limit = min(self.maximum, self.limit + step)
        self._wanted = self._waiting > self.limit - self.busy
        async with self._changed:
            self._changed.notify_all()
