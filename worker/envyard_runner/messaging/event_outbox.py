"""Events to the hub while a run is active: batched, numbered, sent until acknowledged."""

from __future__ import annotations

import asyncio
import codecs
import time
from collections import deque
from dataclasses import replace
from typing import Any

from envyard.contract.findings import Finding
from envyard.contract.job import JobSpec
from envyard.contract.replay import Replayed
from envyard.contract.runner_events import Events, Facts, Finish, Outcome, Phase, RolloutResult
from envyard_runner.messaging.hub_client import HubLost, Link

PAUSE_SECONDS = 0.5  # who watches sees news within 2 s, page and network included
SILENT_AT_MOST = 5.0
LOG_IN_A_BATCH = 100_000  # characters
LATE_LOG_IN_A_BATCH = 4_000  # once the job's bound is reached
LOG_WAITING = 1 << 20  # of a hub that does not answer
TRANSCRIPTS_IN_A_BATCH = 1 << 19
BEGAN = ("environment_began", "load_seconds", "tasks")  # facts that only environment code yields
PRINTED = 8192  # bytes
MOST_ROLLOUTS = 200  # in a batch: each may bring 30 KB of errors, and the hub takes 32 MiB


class Cancelled(Exception):
    """Somebody asked the hub to cancel this run."""


class Reports:
    """The outbox of one attempt. Fill it from anywhere in the loop; `keep_sending` empties it.

    A batch is built once and sent again, unchanged, until the hub has acknowledged it. `printed` is
    the end of the sandbox's output, `failed` counts the finished rollouts without a result.
    """

    def __init__(self, hub: Link, job: JobSpec) -> None:
        self.phase: Phase = "preparing"
        self.total = 0
        self.printed = b""
        self._hub, self._job = hub, job
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._log = ""
        self._logged = 0
        self._rollouts: deque[RolloutResult] = deque()
        self._replays: list[Replayed] = []
        self._facts = Facts()
        self._done = 0
        self.failed = 0
        self._began = False
        self._seq = 0
        self._unacknowledged: Events | None = None
        self._news = asyncio.Event()
        self._heard_at = time.monotonic()

    @property
    def done(self) -> int:
        """How many rollouts have finished."""
        return self._done

    @property
    def began(self) -> bool:
        """Whether environment code has begun to run: its driver, load time or tasks prove it."""
        return self._began or self._done > 0

    def log(self, chunk: bytes) -> None:
        """Add bytes of the sandbox's output; they may end inside a character."""
        self.printed = (self.printed + chunk)[-PRINTED:]
        self._add(self._decoder.decode(chunk))

    def say(self, line: str) -> None:
        """Add the runner's own line."""
        self._add(f"[runner] {line}\n")

    def rollout(self, report: RolloutResult) -> None:
        """Add one finished rollout."""
        self._rollouts.append(report)
        self._done += 1
        self.failed += not report.ok
        self._news.set()

    def replays(self, replays: list[Replayed]) -> None:
        """Add what came of playing rollouts again; it is sent after all that finished before."""
        self._replays += replays
        self._news.set()

    def fact(self, **known: Any) -> None:
        """Add what was measured; names are Facts' fields, and each is sent once."""
        self._facts = replace(self._facts, **known)
        self._began |= any(known.get(name) not in (None, False) for name in BEGAN)
        self._news.set()

    async def keep_sending(self) -> None:
        """Send twice a second while there is news, else as a heartbeat; ends only by raising.

        Cancelled, Superseded, or HubLost when the hub was silent for two leases: by then the run
        is certainly somebody else's.
        """
        while True:
            await self._send_one()
            await asyncio.sleep(PAUSE_SECONDS)
            try:
                async with asyncio.timeout(self._beat - PAUSE_SECONDS):
                    await self._news.wait()
            except TimeoutError:
                continue

    async def finish(self, outcome: Outcome, findings: list[Finding]) -> None:
        """Send what is left, then the ending; raises Superseded or HubLost."""
        while self._news.is_set() or self._unacknowledged is not None:
            await self._send_one(ending=True)
        ending = Finish(self._job.attempt, outcome, findings).to_dict()
        await self._call("finish", ending, patience=2 * self._job.lease_seconds)

    @property
    def _beat(self) -> float:
        return min(SILENT_AT_MOST, max(1.5 * PAUSE_SECONDS, self._job.lease_seconds / 3))

    async def _send_one(self, *, ending: bool = False) -> None:
        batch = self._unacknowledged = self._unacknowledged or self._next_batch()
        patience = self._heard_at + 2 * self._job.lease_seconds - time.monotonic()
        answer = await self._call("events", batch.to_dict(), patience=max(0.0, patience))
        self._unacknowledged = None
        self._heard_at = time.monotonic()
        if answer.get("cancel") is True and not ending:
            raise Cancelled

    async def _call(self, what: str, body: dict[str, Any], *, patience: float) -> dict[str, Any]:
        path = f"api/v1/runner/runs/{self._job.run}/{what}/"
        return await self._hub.call(
            "POST", path, body, token=self._job.run_token, patience=patience
        )

    def _add(self, log: str) -> None:
        self._log += log
        if len(self._log) > LOG_WAITING:
            self._log = _end_of(self._log, LOG_WAITING // 2)
        self._news.set()

    def _next_log(self) -> str:
        """All of the log up to the job's bound; beyond it the last lines of each batch, so that
        the end of a flood is known too."""
        room = min(LOG_IN_A_BATCH, self._job.limits.log_bytes - self._logged)
        if room > 0:
            log, self._log = self._log[:room], self._log[room:]
        else:
            log, self._log = _end_of(self._log, LATE_LOG_IN_A_BATCH), ""
        self._logged += len(log)
        return log

    def _next_batch(self) -> Events:
        self._seq += 1
        log = self._next_log()
        facts, self._facts = self._facts, Facts()
        rollouts: list[RolloutResult] = []
        size = 0
        while self._rollouts and size < TRANSCRIPTS_IN_A_BATCH and len(rollouts) < MOST_ROLLOUTS:
            rollouts.append(self._rollouts.popleft())
            size += rollouts[-1].transcript.characters
        replays: list[Replayed] = []
        if not self._rollouts:
            replays, self._replays = self._replays, []
        if not self._log and not self._rollouts:
            self._news.clear()
        return Events(
            attempt=self._job.attempt,
            seq=self._seq,
            phase=self.phase,
            log=log,
            done=self._done - len(self._rollouts),
            total=self.total,
            rollouts=rollouts,
            facts=facts,
            replays=replays,
        )


def _end_of(log: str, most: int) -> str:
    """The log's last characters after a line that says how many are missing before them."""
    missing = len(log) - most
    if missing <= 0:
        return log
    return f"\n[runner] {missing} characters are left out here\n{log[missing:]}"


__all__ = ["Cancelled", "HubLost", "Reports"]
