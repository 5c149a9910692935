"""Sends an event collector the events that a sandbox would print."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from envyard.contract.facts import Facts
from envyard.contract.runner_events import RolloutResult
from envyard_runner.execution.collector import EventCollector
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.plan import Plan
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record, RolloutRecords
from envyard_runner.sandbox import Exit
from tests.worker.stub_hub import job

EXITED = Exit(
    code=0, signal=None, reason="exited", seconds=3.0, peak_memory_bytes=1, limited_by="cgroup2"
)
CALL = Call([{"role": "user", "content": "hi"}], [], False, False, {})
SPEC = job(policies=("silent", "model"), tasks=2, attempts=1)


class Clock:
    """A clock that the test sets, in seconds."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class EventFeed:
    """An event collector with its records and plan; call it with an event."""

    def __init__(self, spec: Any = SPEC) -> None:
        self.spec = spec
        self.records, self.clock = RolloutRecords(spec), Clock()
        self.plan = Plan(spec, self.records.judge)
        self.collector = EventCollector(spec, self.records, self.plan, self.clock)

    def __call__(self, event: str, **fields: Any) -> Facts | RolloutResult | None:
        """Add one event; a planned rollout gets the alias that the sandbox uses."""
        with contextlib.suppress(KeyError):
            fields["rollout"] = self.plan.alias(fields["rollout"])
        return self.collector.add_line(json.dumps({"event": event, **fields}).encode())

    def add_loaded(self, *answers: str | bool, compares: bool = False) -> None:
        """Load tasks with these answers; True stands for a reference without one."""
        tasks: list[dict[str, Any]] = [
            {"index": i, "hash": f"{i}", "prompt": "p", "reference": bool(answer)}
            for i, answer in enumerate(answers)
        ]
        for task, answer in zip(tasks, answers, strict=True):
            if isinstance(answer, str):
                task["answer"] = answer
        details = {"seconds": 1.0, "framework_version": "0.4.0", "compares": compares}
        self.add_began()
        self("loaded", tasks=tasks, **details)

    def add_began(self) -> None:
        """The driver's report before the environment's module is imported."""
        if not self.collector.began:
            self("environment_began")

    def add_reply(self, rollout: str, *, seconds: float = 0.0) -> Record:
        record = self.records.open(rollout)
        record.prompt_shown = True
        record.add(CALL, Reply(content=["hello"], finish_reason="length"), seconds)
        return record

    def rollout(self, rollout: str, **fields: Any) -> RolloutResult:
        report = self("rollout", rollout=rollout, **fields)
        assert isinstance(report, RolloutResult)
        return report

    def add_complete_run(self) -> None:
        """Add a complete run: two tasks by two policies, every rollout ok."""
        self.add_loaded(True, True)
        for name in ("silent/0/0", "silent/1/0", "model/0/0", "model/1/0"):
            self.add_reply(name)
            self.rollout(name, ok=True, reward=0.0)
        self("done")
