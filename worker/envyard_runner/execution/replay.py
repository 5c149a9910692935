"""What the second sandbox of a run says: whether its tasks and its rewards come out the same.

docs/decisions/0025 says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from envyard.contract.job import JobSpec
from envyard.contract.replay import Replay
from envyard.contract.values import record, text
from envyard_runner.execution.collector import TIMEOUT, Story, loaded, read
from envyard_runner.execution.host_effects import starved
from envyard_runner.gateway.replays import TOO_LONG
from envyard_runner.sandbox import Exit

LEAST_SECONDS = 30.0  # where the run's time is over its tasks are loaded again all the same
MOST_SECONDS = 240.0
LOG_TAIL = 20_000


class Again:
    """The same program once more, told by its event lines, after a run that was `story`.

    It may take `seconds`: what is left of the run's `wall_seconds` since `began`, within bounds.
    `output` is the end of what it printed, and why it failed if it did; `environment_began` that
    its driver reported to import the environment, and `fatal` the event that ended it, if one did.
    """

    def __init__(
        self,
        job: JobSpec,
        story: Story,
        *,
        began: float,
        wall_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._job, self._story, self._clock = job, story, clock
        self._replays, self._reveal = story.plan.replays, story.plan.reveal
        self._deadline, self._needed = began + wall_seconds, wall_seconds / 10
        self._running: dict[str, None] = {}
        self.seconds = min(MOST_SECONDS, max(LEAST_SECONDS, self._deadline - clock()))
        self.environment_began = False
        self.loaded = False
        self.fatal: dict[str, Any] | None = None
        self.output = b""

    def log(self, chunk: bytes) -> None:
        """Take in what it printed."""
        self.output = (self.output + chunk)[-LOG_TAIL:]

    def take(self, line: bytes) -> list[str] | None:
        """Take in one line; the hashes of the tasks, where it tells those."""
        event = read(line)
        match event.get("event"):
            case "environment_began" if not self.environment_began:
                self.environment_began = True
            case "loaded" if not self.loaded:
                return self._loaded(event)
            case "rollout_started" if self._replays.record(word := _word(event)):
                self._running[word] = None
            case "rollout":
                self._running.pop(_word(event), None)
                self._ended(_word(event), event)
            case "fatal":
                self.fatal = self.fatal or event
                self._log_error(record(event.get("error")))
            case "done":
                pass
            case other:
                self._story.refuse(text(other, 40))
        return None

    def _loaded(self, event: dict[str, Any]) -> list[str]:
        self.loaded = True
        first = {(task.index, task.hash) for task in self._story.tasks or ()}
        tasks = loaded(event, self._job)
        self._story.compare_prompts(tasks)
        self._replays.start(
            alike={task.index for task in tasks if (task.index, task.hash) in first},
            late=self._deadline - self._clock() <= self._needed,
        )
        return [task.hash for task in tasks]

    def end(self, end: Exit) -> None:
        """Fail the replays that were under way when the process ended; where the machine ended it,
        they are left out."""
        if self.fatal is not None and not starved(end, self.fatal):
            while self._running:
                self._ended(self._running.popitem()[0], {"error": self.fatal.get("error")})

    def _log_error(self, error: dict[str, Any]) -> None:
        kind, message = text(error.get("type"), 200), text(error.get("message"), 2000)
        self.log(f"{text(error.get('traceback'), 8000)}\n{kind}: {message}".encode())

    def _ended(self, word: str, event: dict[str, Any]) -> None:
        if not self._replays.ended(word, _replay(event, self._reveal)):
            self._story.refuse(word)


def _word(event: dict[str, Any]) -> str:
    return text(event.get("rollout"), 100)


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
