"""Limit one run's concurrent calls to its model server to what the server can take.

The server's load is read every second. If it is saturated, by whatever caused it, the limit falls
by a quarter; if it is not and a call of this run had to wait, the limit rises by a quarter. So
several runs and runners share a server without communicating. No run falls below the number that
the hub set: its rollouts would wait until their time is over.
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
    """Slots for concurrent calls: `limit` now, from `minimum` to `maximum`; `peak` is the highest
    number in use so far."""

    def __init__(self, *, minimum: int, maximum: int) -> None:
        self.limit = self.minimum = minimum
        self.maximum = maximum
        self.busy = self.peak = 0
        self._waiting = 0
        self._wanted = False
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A slot for one call, waited for while all are in use."""
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
        """Adapt to the server's load until cancelled."""
        while True:
            with suppress(EndpointError):  # the calls themselves fail when the server is away
                await self.adapt(await endpoint.load())
            await asyncio.sleep(CHECK_SECONDS)

    async def adapt(self, load: Load | None) -> None:
        """Adapt to one reading of the server's load."""
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
