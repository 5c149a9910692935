"""What one run's judge calls came to: the evidence for `needs.judge` and for faults."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from envyard.contract.job import RunLimits
from envyard.contract.values import text
from envyard_runner.gateway.reply import Refusal

MAX_NAMED = 20  # paths or rollouts that a finding names
CHARACTERS_PER_TOKEN = 4


@dataclass(slots=True)
class JudgeUsage:
    """Counts of one run, by rollout where a call names one ("" where it names none).

    `refused` counts the calls that no judge could answer, `unsupported` the requests to other
    paths. `failed` is set at the first fault of the judge's server, which `fault` names: the
    platform must then repeat the run.
    """

    limits: RunLimits
    calls: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    refused: int = 0
    unsupported: Counter[str] = field(default_factory=Counter)
    over_budget: Counter[str] = field(default_factory=Counter)
    asked_models: Counter[str] = field(default_factory=Counter)
    fault: str = ""
    failed: asyncio.Event = field(default_factory=asyncio.Event)
    _waiting: list[tuple[str, float]] = field(default_factory=list)

    def continued(self) -> JudgeUsage:
        """A usage for further calls of the run, which the totals of this one count against."""
        return JudgeUsage(self.limits, Counter(self.calls), Counter(self.tokens))

    def spend(self, rollout: str) -> None:
        """Count one call before it is made; raises Refusal 400 when a budget is spent."""
        limits, calls, tokens = self.limits, self.calls, self.tokens
        if self.calls.total() >= limits.judge_calls:
            self._refuse(rollout, f"this run has used its {limits.judge_calls} judge calls")
        if self.tokens.total() >= limits.judge_tokens:
            self._refuse(rollout, f"this run has used its {limits.judge_tokens} judge tokens")
        if rollout and calls[rollout] >= limits.judge_calls_per_rollout:
            maximum = limits.judge_calls_per_rollout
            self._refuse(rollout, f"this rollout has used its {maximum} judge calls")
        if rollout and tokens[rollout] >= limits.judge_tokens_per_rollout:
            maximum = limits.judge_tokens_per_rollout
            self._refuse(rollout, f"this rollout has used its {maximum} judge tokens")
        calls[rollout] += 1

    def refuse(self, rollout: str) -> None:
        """Count a call of a run without a judge."""
        self.calls[rollout] += 1
        self.refused += 1

    def note_model(self, name: str) -> None:
        """Count the model that a call names."""
        if name in self.asked_models or len(self.asked_models) < MAX_NAMED:
            self.asked_models[name] += 1

    def refuse_path(self, path: str) -> None:
        """Count a request that is no judge call in any known shape."""
        if path in self.unsupported or len(self.unsupported) < MAX_NAMED:
            self.unsupported[text(path, 100)] += 1

    def fail(self, message: str) -> None:
        """Note a fault of the judge's server; the first one is reported."""
        self.fault = self.fault or message
        self.failed.set()

    @contextmanager
    def waiting(self, rollout: str) -> Iterator[None]:
        """Count the seconds of the block as the judge's."""
        call = (rollout, time.monotonic())
        self._waiting.append(call)
        try:
            yield
        finally:
            self._waiting.remove(call)
            seconds = time.monotonic() - call[1]
            self.seconds[rollout] = self.seconds.get(rollout, 0.0) + seconds

    def seconds_of(self, rollout: str) -> float:
        """The seconds for which a rollout has waited for the judge, now too."""
        now = time.monotonic()
        pending = (now - began for name, began in self._waiting if name == rollout)
        return self.seconds.get(rollout, 0.0) + sum(pending)

    def _refuse(self, rollout: str, message: str) -> None:
        if rollout in self.over_budget or len(self.over_budget) < MAX_NAMED:
            self.over_budget[rollout] += 1
        raise Refusal(400, "judge_budget_exhausted", message)
