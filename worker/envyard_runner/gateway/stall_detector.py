"""Detect a model server that does not answer at all, as the cause of a run that ran out of time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from envyard_runner.gateway.reply import Refusal

MIN_SHARE = 0.25  # of a rollout's time; who waited for less did not wait for long


class StallDetector:
    """The calls since the server's last answer that waited in vain, or still wait.

    `rollout_seconds` is the time limit of a rollout. A refusal or an error is an answer too.
    """

    def __init__(self, rollout_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._minimum, self._clock = MIN_SHARE * rollout_seconds, clock
        self._waiting: dict[object, float] = {}
        self._calls = 0
        self._longest = 0.0

    @contextmanager
    def waiting(self) -> Iterator[Callable[[], None]]:
        """Hold this for as long as a call waits; what it gives is called at the first answer."""
        call = object()
        self._waiting[call] = self._clock()
        try:
            yield lambda: self._answered(call)
        except Refusal as refusal:
            if refusal.code != "model_timeout":
                self._answered(call)
            raise
        finally:
            if (began := self._waiting.pop(call, None)) is not None:
                self._calls += 1
                self._longest = max(self._longest, self._clock() - began)

    def message(self) -> str:
        """A sentence, empty where the server answered or no call waited for long."""
        waited = [self._clock() - began for began in self._waiting.values()]
        longest, calls = max([self._longest, *waited]), self._calls + len(waited)
        if longest < self._minimum:
            return ""
        named = "1 call" if calls == 1 else f"{calls} calls in a row"
        return (
            f"the model server did not answer: {named} waited in vain, the longest {longest:.0f} s"
        )

    def _answered(self, call: object) -> None:
        """Forget who waited before: those calls are behind others at a server that works."""
        self._waiting.pop(call, None)
        self._calls, self._longest = 0, 0.0
