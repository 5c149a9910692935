"""What the sandbox says, line by line, checked against the plan and the gateway's record.

Nothing in a line is believed but rewards, metrics and errors: who spoke, how often, how long and
what was said is what the gateway and the runner's own clock saw.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from envyard.contract.job import MODEL, JobSpec
from envyard.contract.replay import Replay
from envyard.contract.report import Facts, RolloutReport, TaskReport
from envyard.contract.values import count, finite, record, records, text
from envyard_runner.gateway.ledger import Ledger, Record
from envyard_runner.gateway.plan import Plan
from envyard_runner.gateway.replays import TOO_LONG

PROMPT_CHARACTERS = 1_000_000  # of all tasks together
REFUSED_NAMED = 10
REPLAY_SECONDS = 120.0
TIMEOUT = "RolloutTimeout"  # what our own driver calls it
NO_CALL = "no call to the policy"


class Story:
    """One run as told by its event lines.

    Repeated, unplanned and unreadable lines are dropped. Our own driver writes none: `refusals`
    counts what the environment wrote, and `refused` names the first of them. `wall_seconds` is what
    the sandbox lives at most, where that is less than the job says.
    """

    def __init__(
        self,
        job: JobSpec,
        ledger: Ledger,
        plan: Plan,
        clock: Callable[[], float] = time.monotonic,
        *,
        wall_seconds: float | None = None,
    ) -> None:
        self.tasks: list[TaskReport] | None = None
        self.fatal: dict[str, Any] | None = None
        self.done = False
        self.played = False
        self.without_call: list[str] = []
        self.scored = 0
        self.refused: list[str] = []
        self.refusals = 0
        self.model_faults: dict[str, str] = {}
        self.plan, self._job, self._ledger, self._clock = plan, job, ledger, clock
        self._began = clock()
        self._wall_seconds = wall_seconds or job.limits.wall_seconds
        self._started: dict[str, float] = {}
        self._reported: set[str] = set()
        self._again: list[str] | None = None

    def take(self, line: bytes) -> Facts | RolloutReport | None:
        """Take in one line; what it tells the hub, if anything."""
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict):
            event = {"event": "a line that is no event"}
        match event.get("event"):
            case "loaded" if self.tasks is None:
                return self._loaded(event)
            case "tasks_again" if self._again is None:
                facts = Facts.from_dict({"hashes_again": event.get("hashes")})
                self._again = facts.hashes_again
                return facts
            case "played" if not self.played:
                self.played = True
                self.plan.replays.start(alike=self._alike, seconds=self._spare)
            case "rollout_started":
                claim = text(event.get("rollout"), 100)
                if rollout := self.plan.name(claim):
                    self._started.setdefault(rollout, self._clock())
                elif not self.plan.replays.record(claim):
                    self._refuse(claim)
            case "rollout":
                return self._rollout(event)
            case "fatal" if self.fatal is None:
                self.fatal = event
            case "done":
                self.done = True
            case other:
                self._refuse(text(other, 40))
        return None

    @property
    def missing(self) -> list[str]:
        """Expected rollouts without a result, in order."""
        return sorted(self.plan.expected - self._reported)

    @property
    def settled(self) -> bool:
        """Whether all that the run is judged by was told; what follows are only replays."""
        return self.played and not self.missing and self._again is not None and bool(self.tasks)

    @property
    def _alike(self) -> set[int]:
        """The tasks that the second process loaded as the first one did."""
        pairs = enumerate(zip(self.tasks or (), self._again or (), strict=False))
        return {at for at, (task, again) in pairs if task.hash == again}

    @property
    def _spare(self) -> float:
        """The seconds that replays may take; 0 where too little of the run's time is left."""
        left = self._began + self._wall_seconds - self._clock()
        return min(REPLAY_SECONDS, left / 2) if left > self._wall_seconds / 10 else 0.0

    def _refuse(self, claim: str) -> None:
        self.refusals += 1
        if claim not in self.refused and len(self.refused) < REFUSED_NAMED:
            self.refused.append(claim)

    def _loaded(self, event: dict[str, Any]) -> Facts:
        facts = Facts.from_dict(
            {
                "load_seconds": event.get("seconds"),
                "framework_version": event.get("framework_version"),
                "tasks": event.get("tasks") if isinstance(event.get("tasks"), list) else [],
            }
        )
        kept = {t.index: t for t in reversed(facts.tasks or []) if 0 <= t.index < self._job.tasks}
        most = max(200, PROMPT_CHARACTERS // max(1, len(kept)))
        self.tasks = [replace(t, prompt=text(t.prompt, most)) for _, t in sorted(kept.items())]
        said = records(event.get("tasks"), 1000)
        swapped = {count(task.get("index")) for task in said if task.get("swapped") is True}
        self.plan.make(self.tasks, swapped=swapped, compares=event.get("compares") is True)
        return replace(facts, tasks=self.tasks)

    def _rollout(self, event: dict[str, Any]) -> RolloutReport | None:
        word = text(event.get("rollout"), 100)
        rollout = self.plan.name(word)
        if rollout is None or rollout in self._reported:
            if not self.plan.replays.ended(word, _replay(event, self.plan.reveal)):
                self._refuse(rollout or word)
            return None
        self._reported.add(rollout)
        record = self._ledger.take(rollout)
        rewarded = event.get("ok") is True and finite(event.get("reward")) is not None
        self.plan.replays.keep(record, rewarded=rewarded)
        if rollout not in self.plan.expected:
            return None
        began = self._started.get(rollout)
        policy, task, attempt = rollout.split("/")
        claim = RolloutReport.from_dict(
            event | {"policy": policy, "task": int(task), "attempt": int(attempt)}
        )
        seconds = claim.seconds if began is None else self._clock() - began
        return self._join(replace(claim, seconds=seconds), record)

    def _join(self, claim: RolloutReport, record: Record) -> RolloutReport:
        rollout = record.rollout
        self.scored += claim.ok
        if claim.ok and record.replies == 0:
            self.without_call.append(rollout)
        if not claim.ok and _models_fault(claim, record):
            fault = (
                record.model_fault or "the model was slow: most of the rollout's time was its own"
            )
            self.model_faults[rollout] = fault
        return replace(
            claim,
            reward=claim.reward if claim.ok else None,
            transcript=record.transcript,
            turns=record.replies,
            stop=claim.stop if record.replies or not claim.ok else NO_CALL,
            truncated=claim.truncated or record.finish_reason == "length",
            usage=record.usage,
            error=None if claim.ok else self._error(claim, rollout, record.reference_error),
        )

    def _error(self, claim: RolloutReport, rollout: str, oracle_error: str) -> dict[str, str]:
        error = claim.error or {"type": "Failed", "message": "it failed without saying why"}
        if oracle_error:
            error |= {"type": "OracleFailed", "message": oracle_error}
        if rollout in self.model_faults:
            return error | {"message": self.model_faults[rollout], "fault": "model"}
        return error | {"fault": "environment"}


def _replay(event: dict[str, Any], reveal: Callable[[str], str]) -> Replay:
    """What a replay is worth, in the environment's words."""
    error = record(event.get("error"))
    kind, message = text(error.get("type"), 200), reveal(text(error.get("message"), 500))
    if kind == TIMEOUT:
        return Replay(left_out=TOO_LONG)
    if event.get("ok") is not True:
        return Replay(error=f"{kind}: {message}" if message else kind or "it did not say why")
    told = Replay.from_dict({key: event.get(key) for key in ("reward", "rewards")})
    return told if told.reward is not None else replace(told, error="it gave no reward")


def _models_fault(claim: RolloutReport, record: Record) -> bool:
    """Whether the gateway bears out that the model failed this rollout."""
    claimed = claim.error is not None and claim.error.get("fault") == "model"
    slow = record.model_seconds > 0.5 * (finite(claim.seconds) or 0.0)
    late = claimed and record.policy == MODEL and slow and not record.refused
    return bool(record.model_fault) or late
