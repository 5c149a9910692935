"""An in-memory substitute for the hub's side of one run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from envyard.contract.data_lock import DataLock
from envyard.contract.job import JobSpec, WheelRef

LOG_TAIL = 20_000  # characters


class LocalHub:
    """Serves the bytes of one wheel and keeps the events of one run.

    `log` is the end of the run's log, `facts` those of all batches together; `rollouts` are without
    their transcripts, unless those are kept. `secrets` are the values of the job's secrets.
    `on_progress` gets the phase and how many rollouts are finished and planned.
    """

    def __init__(
        self,
        wheel: bytes,
        secrets: Mapping[str, str] | None = None,
        *,
        keeps_transcripts: bool = False,
        on_progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self._wheel, self._secrets = wheel, dict(secrets or {})
        self._keeps_transcripts, self._on_progress = keeps_transcripts, on_progress
        self.log = ""
        self.facts: dict[str, Any] = {}
        self.rollouts: list[dict[str, Any]] = []
        self.replays: list[dict[str, Any]] = []

    async def download(self, wheel: WheelRef, token: str, target: Path) -> None:
        """Write the wheel to `target`, or the archive whose URL is a path of this machine."""
        data = await asyncio.to_thread(Path(wheel.url).read_bytes) if wheel.url else self._wheel
        await asyncio.to_thread(target.write_bytes, data)

    async def lock(self, job: JobSpec, platform: str, offered: str | None) -> str | None:
        """The lock that was resolved just now: none is kept from one run to the next."""
        return offered

    async def data_lock(self, job: JobSpec, offered: DataLock) -> DataLock:
        """The data lock as the run extended it: none is kept from one run to the next."""
        return offered

    async def secret_values(self, job: JobSpec) -> dict[str, str]:
        """The values that it was made with."""
        return dict(self._secrets)

    async def call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        token: str = "",
        patience: float | None = None,
    ) -> dict[str, Any]:
        """Keep a batch of events; the ending is the return value of `perform` and `attempt`."""
        if path.endswith("/events/") and body is not None:
            self.log = (self.log + body["log"])[-LOG_TAIL:]
            self.facts |= body["facts"]
            rollouts = body["rollouts"]
            self.rollouts += rollouts if self._keeps_transcripts else map(_bare, rollouts)
            self.replays += body["replays"]
            if self._on_progress is not None:
                self._on_progress(body["phase"], body["done"], body["total"])
        return {}


def _bare(rollout: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rollout.items() if key != "transcript"}
