"""Whether a watched server lives: it answers, and what it works on moves."""

from __future__ import annotations

import time
from collections.abc import Callable

from envyard_runner.model.endpoint import Endpoint, EndpointError
from envyard_runner.model.metrics import Load

MISSES_UNTIL_HUNG = 3
STALLED_SECONDS = 120.0


class Health:
    """Checks one server at intervals and keeps the last readings.

    A front end may answer while its engine makes no progress: requests that make no token for two
    minutes show that.
    """

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint, self._clock = endpoint, clock
        self._misses = 0
        self._tokens = -1.0
        self._moved_at = clock()

    async def look(self) -> str:
        """Why the server must be taken for hung, or nothing."""
        try:
            await self._endpoint.get(f"{self._endpoint.root}/health")
            load = await self._endpoint.load()
        except EndpointError as error:
            self._misses += 1
            return str(error) if self._misses >= MISSES_UNTIL_HUNG else ""
        self._misses = 0
        return self._stalled(load) if load else ""

    def _stalled(self, load: Load) -> str:
        now = self._clock()
        if load.tokens != self._tokens or not load.running + load.waiting:
            self._tokens, self._moved_at = load.tokens, now
        seconds = now - self._moved_at
        if seconds < STALLED_SECONDS:
            return ""
        busy = f"{load.running + load.waiting:.0f} requests"
        return f"{busy} have made no token for {seconds:.0f} s"
