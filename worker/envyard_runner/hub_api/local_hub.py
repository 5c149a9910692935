"""An in-memory substitute for the hub's side of one run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envyard.contract.data_lock import DataLock
from envyard.contract.job import JobSpec, WheelRef

LOG_TAIL = 20_000  # characters


class LocalHub:
    """Serves the bytes of one wheel and keeps the events of one run.

    `log` is the end of the run's log, `facts` those of all batches together; `rollouts` are without
    their transcripts. `secrets` are the values of the job's secrets.
    """

    def __init__(self, wheel: bytes, secrets: Mapping[str, str] | None = None) -> None:
        self._wheel, self._secrets = wheel, dict(secrets or {})
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
            self.rollouts += [_without_transcript(rollout) for rollout in body["rollouts"]]
            self.replays += body["replays"]
        return {}


def _without_transcript(rollout: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rollout.items() if key != "transcript"}
