"""Observe a sandbox while it runs, and enforce its limits from outside."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from envyard_runner.limits import Limits
from envyard_runner.sandbox import watchdog
from envyard_runner.sandbox.exit import PROCESSES, Reason

log = logging.getLogger(__name__)

POLL_SECONDS = 0.05
# A look costs up to a second where many processes share pages: no run may use the pause after it.
MAX_PAUSE_SECONDS = 0.5
LATE_SECONDS = 0.5  # a look that is later than this counts as time in which the runner stalled
LOW_MEMORY = 0.1  # of the machine's memory: where earlyoom and its like begin to end processes
SPARE_PROCESSES = 4  # bubblewrap's, and what the kernel counts before or after we look


@dataclass(slots=True)
class Observation:
    """The most memory seen at once, the limits that were reached, and what the machine lacked."""

    peak: int = 0
    stalled_seconds: float = 0.0
    low_memory: bool = False
    lacking: str = ""
    reached: dict[str, None] = field(default_factory=dict)

    async def watch(self, init: int, limits: Limits, kill: Callable[[Reason], None]) -> None:
        """Look at the process tree of `init` until cancelled, and end it at a limit."""
        try:
            while True:
                began = time.process_time()
                self._look(init, limits, kill)
                cost = time.process_time() - began
                await self._pause(min(max(POLL_SECONDS, 10 * cost), MAX_PAUSE_SECONDS))
        except Exception:
            log.exception("the watchdog failed; its run is killed")
            kill("killed")
            raise

    def _look(self, init: int, limits: Limits, kill: Callable[[Reason], None]) -> None:
        try:
            os.close(os.open("/proc/self/stat", os.O_RDONLY | os.O_CLOEXEC))
        except OSError as error:  # then nothing below can be measured, and no call be answered
            self.lacking = f"the runner can open no file to watch the run: {error.strerror}"
            kill("killed")
            return
        usage = watchdog.measure(init)
        used = usage.resident_bytes
        if used > limits.memory_bytes:  # may be the same pages counted in many processes
            used = watchdog.proportional_bytes(usage.pids)
        self.peak = max(self.peak, used)
        if used > limits.memory_bytes:
            kill("memory")
        left = watchdog.available_bytes()
        if left is not None:
            self.low_memory = self.low_memory or left < LOW_MEMORY * watchdog.total_bytes()
            if left < limits.reserve_bytes:
                kill("machine_memory")
        if usage.cpu_seconds > limits.cpu_seconds:
            kill("cpu")
        if usage.descriptors > limits.files:
            kill("descriptors")
        if usage.tasks + SPARE_PROCESSES >= limits.pids:
            self.reached[PROCESSES] = None
        for storage in watchdog.storages(init):
            if storage.files > limits.inodes:
                kill("files")
            if storage.full:
                self.reached[f"its space on {storage.name}"] = None

    async def _pause(self, seconds: float) -> None:
        began = time.monotonic()
        await asyncio.sleep(seconds)
        late = time.monotonic() - began - seconds
        self.stalled_seconds += late if late > LATE_SECONDS else 0.0
