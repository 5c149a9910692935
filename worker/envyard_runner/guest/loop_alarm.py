"""Keep an event loop going whatever the environment's code does in it: block, exit or raise."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import AsyncIterator, Coroutine
from typing import Any

ALARM_SECONDS = 1.0


class RolloutTimeout(BaseException):
    """A rollout took longer than its limit. Not an Exception, so that no environment handles it."""


class LoopAlarm:
    """Interrupts code that blocks the loop for longer than `limit` seconds.

    `stalled` is for how many seconds the loop was blocked so far.
    """

    def __init__(self, limit: float) -> None:
        self.stalled = 0.0
        self._limit = limit

    @contextlib.asynccontextmanager
    async def interrupting(self) -> AsyncIterator[None]:
        """Interrupt such code for the time of the block."""
        rewinding = asyncio.create_task(self._rewind())
        try:
            yield
        finally:
            rewinding.cancel()
            signal.setitimer(signal.ITIMER_REAL, 0)

    async def _rewind(self) -> None:
        """Set the alarm again and again, and count the time in which this could not run."""
        signal.signal(signal.SIGALRM, _interrupt)
        while True:
            signal.setitimer(signal.ITIMER_REAL, self._limit + ALARM_SECONDS)
            slept = time.monotonic()
            await asyncio.sleep(ALARM_SECONDS)
            self.stalled += time.monotonic() - slept - ALARM_SECONDS


def run_to_end(
    work: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop | None = None
) -> None:
    """Run to the end, by default in a new loop, although the environment's code may call exit().

    `SystemExit` in any task leaves the event loop, which is entered again.
    """
    loop = loop or asyncio.new_event_loop()
    task = loop.create_task(work)
    while not task.done():
        try:
            loop.run_until_complete(task)
        except (SystemExit, KeyboardInterrupt, RolloutTimeout):
            if task.done():
                raise
    task.result()


def _interrupt(_signal: int, _frame: object) -> None:
    raise RolloutTimeout("the environment's code blocked for longer than a rollout may take")
