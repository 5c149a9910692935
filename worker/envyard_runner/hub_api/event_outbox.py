"""Events to the hub while a run is active: batched, numbered, sent until acknowledged."""

from __future__ import annotations

import asyncio
import codecs
import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from envyard.contract.facts import Facts
from envyard.contract.findings import Finding
from envyard.contract.job import JobSpec
from envyard.contract.replay import Replayed
from envyard.contract.runner_events import Events, Finish, Outcome, Phase, RolloutResult
from envyard_runner.hub_api.client import RunHub

PAUSE_SECONDS = 0.5  # who watches sees news within 2 s, page and network included
MAX_HEARTBEAT_SECONDS = 5.0
BATCH_LOG_CHARACTERS = 100_000  # characters
LATE_BATCH_LOG_CHARACTERS = 4_000  # once the job's bound is reached
MAX_UNSENT_LOG = 1 << 20  # of a hub that does not answer
BATCH_TRANSCRIPT_CHARACTERS = 1 << 19
ENVIRONMENT_FACTS = (
    "environment_began",
    "load_seconds",
    "tasks",
)  # facts that only environment code yields
OUTPUT_BYTES = 8192  # bytes
MAX_BATCH_ROLLOUTS = 200  # in a batch: each may bring 30 KB of errors, and the hub takes 32 MiB


class Cancelled(Exception):
    """The hub requested the cancellation of this run."""


class EventOutbox:
    """The unsent events of one attempt. Add to it from anywhere in the loop; `keep_sending` sends.

    A batch is built once and sent again, unchanged, until the hub has acknowledged it.
    `output_tail` is the end of the sandbox's output, `failed` counts the finished rollouts without
    a result. `without_secrets` removes the values of the environment's secrets from a text, of
    which none is sent; None where it has none.
    """

    def __init__(self, hub: RunHub, job: JobSpec) -> None:
        self.phase: Phase = "preparing"
        self.total = 0
        self.output_tail = b""
        self.without_secrets: Callable[[str], str] | None = None
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
        self._pending = asyncio.Event()
        self._acknowledged_at = time.monotonic()

    @property
    def done(self) -> int:
        """How many rollouts have finished."""
        return self._done

    @property
    def began(self) -> bool:
        """Whether environment code has begun to run: its driver, load time or tasks prove it."""
        return self._began or self._done > 0

    def add_output(self, chunk: bytes) -> None:
        """Add bytes of the sandbox's output; they may end inside a character."""
        self.output_tail = (self.output_tail + chunk)[-OUTPUT_BYTES:]
        self._append_log(self._decoder.decode(chunk))

    def log_line(self, line: str) -> None:
        """Add a line of the runner's own."""
        self._append_log(f"[runner] {line}\n")

    def add_rollout(self, report: RolloutResult) -> None:
        """Add one finished rollout."""
        self._rollouts.append(report)
        self._done += 1
        self.failed += not report.ok
        self._pending.set()

    def add_replays(self, replays: list[Replayed]) -> None:
        """Add the results of replays; they are sent after all rollouts that finished before."""
        self._replays += replays
        self._pending.set()

    def add_facts(self, **facts: Any) -> None:
        """Add measurements; names are Facts' fields, and each is sent once."""
        self._facts = replace(self._facts, **facts)
        self._began |= any(facts.get(name) not in (None, False) for name in ENVIRONMENT_FACTS)
        self._pending.set()

    async def keep_sending(self) -> None:
        """Send twice a second while there are events, else as a heartbeat; ends only by raising.

        Cancelled, Superseded, or HubUnreachable when the hub did not answer for two leases: by then
        the run has certainly been leased to another runner.
        """
        while True:
            await self._send_batch()
            await asyncio.sleep(PAUSE_SECONDS)
            try:
                async with asyncio.timeout(self._heartbeat_seconds - PAUSE_SECONDS):
                    await self._pending.wait()
            except TimeoutError:
                continue

    async def finish(self, outcome: Outcome, findings: list[Finding]) -> None:
        """Send what is left, then the ending; raises Superseded or HubLost."""
        while self._pending.is_set() or self._unacknowledged is not None:
            await self._send_batch(ending=True)
        ending = Finish(self._job.attempt, outcome, findings).to_dict()
        await self._call("finish", ending, patience=2 * self._job.lease_seconds)

    @property
    def _heartbeat_seconds(self) -> float:
        return min(MAX_HEARTBEAT_SECONDS, max(1.5 * PAUSE_SECONDS, self._job.lease_seconds / 3))

    async def _send_batch(self, *, ending: bool = False) -> None:
        batch = self._unacknowledged = self._unacknowledged or self._next_batch()
        patience = self._acknowledged_at + 2 * self._job.lease_seconds - time.monotonic()
        answer = await self._call("events", batch.to_dict(), patience=max(0.0, patience))
        self._unacknowledged = None
        self._acknowledged_at = time.monotonic()
        if answer.get("cancel") is True and not ending:
            raise Cancelled

    async def _call(
        self, endpoint: str, body: dict[str, Any], *, patience: float
    ) -> dict[str, Any]:
        path = f"api/v1/runner/runs/{self._job.run}/{endpoint}/"
        body = await asyncio.to_thread(self._redacted, body) if self.without_secrets else body
        return await self._hub.call(
            "POST", path, body, token=self._job.run_token, patience=patience
        )

    def redacted_findings(self, findings: list[Finding]) -> list[Finding]:
        """The findings without the values of secrets."""
        return [Finding.from_dict(self._redacted(each.to_dict())) for each in findings]

    def _redacted(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.without_secrets is None:
            return body
        raw = json.dumps(body, ensure_ascii=False)
        redacted: dict[str, Any] = json.loads(self.without_secrets(raw))
        return redacted

    def _append_log(self, log: str) -> None:
        self._log += log
        if len(self._log) > MAX_UNSENT_LOG:
            self._log = _log_tail(self._log, MAX_UNSENT_LOG // 2)
        self._pending.set()

    def _next_log(self) -> str:
        """All of the log up to the job's bound; beyond it the last lines of each batch, so that
        the end of a flood is known too."""
        room = min(BATCH_LOG_CHARACTERS, self._job.limits.log_bytes - self._logged)
        if room > 0:
            log, self._log = self._log[:room], self._log[room:]
        else:
            log, self._log = _log_tail(self._log, LATE_BATCH_LOG_CHARACTERS), ""
        self._logged += len(log)
        return log

    def _next_batch(self) -> Events:
        self._seq += 1
        log = self._next_log()
        facts, self._facts = self._facts, Facts()
        rollouts: list[RolloutResult] = []
        size = 0
        while (
            self._rollouts
            and size < BATCH_TRANSCRIPT_CHARACTERS
            and len(rollouts) < MAX_BATCH_ROLLOUTS
        ):
            rollouts.append(self._rollouts.popleft())
            size += rollouts[-1].transcript.characters
        replays: list[Replayed] = []
        if not self._rollouts:
            replays, self._replays = self._replays, []
        if not self._log and not self._rollouts:
            self._pending.clear()
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


def _log_tail(log: str, maximum: int) -> str:
    """The log's last characters after a line with the number of characters left out."""
    missing = len(log) - maximum
    if missing <= 0:
        return log
    return f"\n[runner] {missing} characters are left out here\n{log[missing:]}"
