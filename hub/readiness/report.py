"""Run the checks in parallel threads, with a timeout."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from django.conf import settings
from django.db import connections

from hub.readiness.parts import PARTS, Fault, Part

Status = Literal["ok", "warning", "failing"]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """The status of a part; a `warning` is a failure of a part that is not required."""

    name: str
    status: Status
    message: str
    hint: str
    seconds: float

    def to_dict(self, *, details: bool) -> dict[str, Any]:
        """As JSON; only the status without `details`."""
        if not details:
            return {"status": self.status}
        fields = {"status": self.status, "message": self.message, "hint": self.hint}
        return fields | {"seconds": round(self.seconds, 3)}


@dataclass(frozen=True, slots=True)
class Report:
    """All results, in the order of PARTS."""

    results: tuple[Result, ...]

    @property
    def is_ready(self) -> bool:
        """Whether all required parts work."""
        return all(result.status != "failing" for result in self.results)

    def to_dict(self, *, details: bool) -> dict[str, Any]:
        """As JSON."""
        degraded = any(result.status != "ok" for result in self.results)
        status = "not ready" if not self.is_ready else "degraded" if degraded else "ready"
        checks = {result.name: result.to_dict(details=details) for result in self.results}
        return {"status": status, "checks": checks}


@dataclass(slots=True)
class _Try:
    """One run of a part's check, in a thread of its own."""

    part: Part
    began: float = field(default_factory=time.monotonic)
    ended: float = 0.0
    message: str = ""
    fault: Exception | None = None
    done: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        try:
            self.message = self.part.check()
        except Exception as error:  # noqa: BLE001 - each part raises its own exceptions
            self.fault = error
        finally:
            connections.close_all()  # this thread's own
            self.ended = time.monotonic()
            self.done.set()

    def result(self) -> Result:
        """The current result."""
        fault, name = self.fault, self.part.name
        failing: Status = "failing" if name in settings.HUB_READY_REQUIRED else "warning"
        if not self.done.is_set():
            waited = time.monotonic() - self.began
            return Result(name, failing, f"no result within {waited:.0f} s", self.part.hint, waited)
        seconds = self.ended - self.began
        if fault is None:
            return Result(name, "ok", self.message, "", seconds)
        if isinstance(fault, Fault):
            return Result(name, failing, fault.message, fault.hint, seconds)
        message = f"{type(fault).__name__}: {fault}"[:300]
        return Result(name, failing, message, self.part.hint, seconds)


class Readiness:
    """The cached report, renewed every HUB_READY_SECONDS by one thread at a time.

    A check that hangs is not started again before it ends.
    """

    def __init__(self, parts: tuple[Part, ...] = PARTS) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._tries: dict[str, _Try] = {}
        self._made = 0.0
        self._report: Report | None = None

    def report(self) -> Report:
        """The cached report, or a new one within HUB_READY_TIMEOUT_SECONDS.

        While another thread creates the next report, the last one is returned immediately.
        """
        last = self._report
        if not self._lock.acquire(blocking=last is None):
            return cast("Report", last)
        try:
            age = time.monotonic() - self._made
            if self._report is None or age >= settings.HUB_READY_SECONDS:
                before, self._report = self._report, self._new()
                self._made = time.monotonic()
                _log_changes(before, self._report)
            return self._report
        finally:
            self._lock.release()

    def _new(self) -> Report:
        deadline = time.monotonic() + settings.HUB_READY_TIMEOUT_SECONDS
        for part in self._parts:
            last = self._tries.get(part.name)
            if last is None or last.done.is_set():
                attempt = self._tries[part.name] = _Try(part)
                threading.Thread(target=attempt.run, name=f"ready-{part.name}", daemon=True).start()
        for part in self._parts:
            self._tries[part.name].done.wait(max(0.0, deadline - time.monotonic()))
        return Report(tuple(self._tries[part.name].result() for part in self._parts))


def _log_changes(before: Report | None, now: Report) -> None:
    """Log one line for each part whose status changed."""
    statuses = {result.name: result.status for result in before.results} if before else {}
    for result in now.results:
        if result.status == statuses.get(result.name, "ok"):
            continue
        if result.status == "ok":
            log.info("%s works again", result.name)
        else:
            log.error("%s: %s. %s", result.name, result.message, result.hint)


readiness = Readiness()
