"""Process the events of a run's second sandbox: do its tasks and its rewards come out the same?

docs/decisions/0025 gives the reasons.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from envyard.contract.job import JobSpec
from envyard.contract.replay import Replay
from envyard.contract.values import record, text
from envyard_runner.execution.collector import TIMEOUT, EventCollector
from envyard_runner.execution.event_lines import parse_event, read_tasks
from envyard_runner.execution.host_effects import killed_for_memory
from envyard_runner.gateway.replays import TOO_LONG
from envyard_runner.sandbox import Exit

MIN_SECONDS = 30.0  # where the run's time is over its tasks are loaded again all the same
MAX_SECONDS = 240.0
LOG_TAIL = 20_000
EXCUSED = ("model", "platform")  # faults of an error, as the worker names them


class ReplayRun:
    """The same program in a second sandbox, built from its event lines, after the run in
    `collector`.

    It may take `seconds`: what is left of the run's `wall_seconds` since `began`, within bounds.
    `output` is the end of what it printed, with its error if it failed; `environment_began` states
    that its worker reported to import the environment, and `fatal` is the event that ended it, if
    one did.
    """

    def __init__(
        self,
        job: JobSpec,
        collector: EventCollector,
        *,
        began: float,
        wall_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._job, self._collector, self._clock = job, collector, clock
        self._replays, self._reveal = collector.plan.replays, collector.plan.reveal
        self._deadline, self._needed = began + wall_seconds, wall_seconds / 10
        self._running: dict[str, None] = {}
        self.seconds = min(MAX_SECONDS, max(MIN_SECONDS, self._deadline - clock()))
        self.environment_began = False
        self.loaded = False
        self.fatal: dict[str, Any] | None = None
        self.output = b""

    def add_output(self, chunk: bytes) -> None:
        """Keep the end of what it printed."""
        self.output = (self.output + chunk)[-LOG_TAIL:]

    def add_line(self, line: bytes) -> list[str] | None:
        """Process one line; returns the hashes of the tasks for a `loaded` event."""
        event = parse_event(line)
        match event.get("event"):
            case "environment_began" if not self.environment_began:
                self.environment_began = True
            case "loaded" if not self.loaded:
                return self._loaded(event)
            case "rollout_started" if self._replays.record(alias := _alias(event)):
                self._running[alias] = None
            case "rollout":
                self._running.pop(_alias(event), None)
                self._ended(_alias(event), event)
            case "fatal":
                self.fatal = self.fatal or event
                self._log_error(record(event.get("error")))
            case "done" | "needs_machine":
                pass
            case other:
                self._collector.reject(text(other, 40))
        return None

    def _loaded(self, event: dict[str, Any]) -> list[str]:
        self.loaded = True
        first = {(task.index, task.hash) for task in self._collector.tasks or ()}
        tasks = read_tasks(event, self._job)
        self._collector.compare_prompts(tasks)
        self._replays.start(
            alike={task.index for task in tasks if (task.index, task.hash) in first},
            late=self._deadline - self._clock() <= self._needed,
        )
        return [task.hash for task in tasks]

    def finish(self, end: Exit) -> None:
        """Fail the replays that were under way when the process ended; leave them out if the
        machine ended it."""
        if self.fatal is not None and not killed_for_memory(end, self.fatal):
            while self._running:
                self._ended(self._running.popitem()[0], {"error": self.fatal.get("error")})

    def _log_error(self, error: dict[str, Any]) -> None:
        kind, message = text(error.get("type"), 200), text(error.get("message"), 2000)
        self.add_output(f"{text(error.get('traceback'), 8000)}\n{kind}: {message}".encode())

    def _ended(self, alias: str, event: dict[str, Any]) -> None:
        replay = read_replay(event, self._reveal)
        if not self._replays.ended(alias, replay, excused=is_excused(event)):
            self._collector.reject(alias)


def _alias(event: dict[str, Any]) -> str:
    return text(event.get("rollout"), 100)


def is_excused(event: dict[str, Any]) -> bool:
    """Whether a rollout failed by a fault that is not its environment's."""
    return event.get("ok") is not True and record(event.get("error")).get("fault") in EXCUSED


def read_replay(event: dict[str, Any], reveal: Callable[[str], str]) -> Replay:
    """The result of a replay, from the environment's own event."""
    error = record(event.get("error"))
    kind, message = text(error.get("type"), 200), reveal(text(error.get("message"), 500))
    if kind == TIMEOUT:
        return Replay(left_out=TOO_LONG)
    if event.get("ok") is not True:
        return Replay(error=f"{kind}: {message}" if message else kind or "it did not say why")
    replay = Replay.from_dict({key: event.get(key) for key in ("reward", "rewards")})
    return replay if replay.reward is not None else replace(replay, error="it gave no reward")
