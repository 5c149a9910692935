"""Whether this machine's runner is in service: after several runs that failed early and alike it
takes no more, and returns once `hub-runner doctor` passes.

The state is a file under RUNNER_HOME, shared by all processes of this machine's runner and kept
through restarts. docs/decisions/0029 has the reasons.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from envyard.contract.findings import Finding
from envyard.contract.job import JobSpec
from envyard.contract.runner_events import Outcome
from envyard.contract.values import finite, record, records, text

log = logging.getLogger(__name__)

FAILURES = 3  # in a row, each of another version, with one code
MIN_PAUSE, MAX_PAUSE = 30.0, 600.0  # seconds between self-checks
CHECK_SECONDS = 2.0
DOCTOR_SECONDS = 600.0
MAX_EXCUSED = 300  # versions that took the runner out of service once and do not count again
# Endings that are no sign of a broken machine: another runner may have what the version needs.
IGNORED_CODES = {
    *("run.handed_back", "run.no_python", "env.framework_undriven", "run.data_unreachable"),
}
OUTSIDE = ("data sets",)  # checks of what few runs need, and no repair of this machine changes

SelfCheck = Callable[[], Awaitable[str]]


class NotInService(Exception):
    """The runner took itself out of service and leases no run."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One run that ended as the platform's fault before environment code began."""

    version: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class OutOfService:
    """Since when and why the runner is out of service; when the next self-check is, how many have
    failed, and what failed last."""

    since: str
    reason: str
    check_at: float
    checks: int = 0
    check: str = ""

    @property
    def wait_seconds(self) -> float:
        """Until the next self-check; 0 where it is due, or was planned before the clock was set
        back: no check is planned further ahead than LONGEST_PAUSE."""
        wait = self.check_at - time.time()
        return wait if 0 < wait <= MAX_PAUSE else 0.0

    def fields_for_hub(self) -> dict[str, str]:
        """What the hub shows to its staff."""
        return {"since": self.since, "reason": self.reason, "check": self.check}

    def sentence(self) -> str:
        """The same for the operator of this machine."""
        last = f" The last check failed: {self.check}." if self.check else ""
        return (
            f"out of service since {self.since}: {self.reason}.{last} `hub-runner doctor` runs by "
            f"itself in {self.wait_seconds:.0f} s and ends this when it passes; so does "
            "`hub-runner resume`."
        )


@dataclass(slots=True)
class _State:
    """What the file holds; `trips` counts how often in a row the runner went out of service."""

    failures: list[Failure] = field(default_factory=list)
    excused: list[str] = field(default_factory=list)
    trips: int = 0
    out: OutOfService | None = None


def out_of_service(home: Path) -> OutOfService | None:
    """Why this machine's runner takes no runs; None where it takes them."""
    return _read(home).out


def record_ending(
    home: Path, job: JobSpec, outcome: Outcome, findings: Sequence[Finding], *, began: bool
) -> None:
    """Record how a run ended; `began` where environment code was reached.

    A version counts once. Endings that are the environment's fault before its code began, and runs
    that were handed back, cancelled, or need what this machine need not have, prove nothing.
    """
    first = findings[0] if findings else None
    early = outcome == "errored" and not began
    if not began and (not early or first is None or first.code in IGNORED_CODES):
        return
    with _updating(home) as state:
        if began:
            state.failures, state.trips = [], 0
        elif first is not None:
            name = f"{job.environment} {job.version}"
            _add_failure(state, Failure(name, first.code, text(first.message, 400)))


def _add_failure(state: _State, failure: Failure) -> None:
    counted = {*state.excused, *(failed.version for failed in state.failures)}
    if state.out is not None or failure.version in counted:
        return
    if state.failures and state.failures[-1].code != failure.code:
        state.failures = []
    state.failures.append(failure)
    if len(state.failures) < FAILURES:
        return
    names = ", ".join(failed.version for failed in state.failures)
    reason = (
        f"{FAILURES} runs in a row ended with {failure.code} before their environment's code "
        f"began ({names}); the last: {failure.message.rstrip('.')}"
    )
    wait = 0.0 if state.trips == 0 else _pause(state.trips)
    since = datetime.now(UTC).isoformat(timespec="seconds")
    state.out = OutOfService(since, reason, check_at=time.time() + wait)
    state.excused = [*state.excused, *(failed.version for failed in state.failures)][-MAX_EXCUSED:]
    state.failures, state.trips = [], state.trips + 1
    log.error("out of service: %s", reason)


def schedule_self_check(home: Path) -> None:
    """Make the self-check of a runner that is out of service due now, as after its restart."""
    if out_of_service(home) is not None:
        with _updating(home) as state:
            if state.out is not None:
                state.out = OutOfService(**asdict(state.out) | {"check_at": time.time()})


def resume(home: Path) -> bool:
    """Put the runner back in service without a self-check; False where it was in service."""
    with _updating(home) as state:
        was, state.out, state.failures = state.out, None, []
    return was is not None


async def repeat_self_checks(home: Path, self_check: SelfCheck) -> None:
    """Run the self-check of a runner that is out of service whenever it is due; never ends by
    itself.

    One process of several runs it at a time.
    """
    while True:
        out = out_of_service(home)
        try:
            if out is not None and out.wait_seconds == 0:
                with _exclusive(home / "service.doctor.lock") as exclusive:
                    if exclusive:
                        _store_self_check(home, await self_check())
        except OSError as error:
            log.warning("the self-check cannot run: %s", error)
        await asyncio.sleep(CHECK_SECONDS)


def _store_self_check(home: Path, failed: str) -> None:
    with _updating(home) as state:
        if state.out is None:  # an operator has resumed it meanwhile
            return
        if not failed:
            state.out = None
            log.info("in service again: `hub-runner doctor` passes")
            return
        checks = state.out.checks + 1
        changes = {"checks": checks, "check": failed, "check_at": time.time() + _pause(checks)}
        state.out = OutOfService(**asdict(state.out) | changes)
    log.error("still out of service, the self-check failed: %s", failed)


def _pause(count: int) -> float:
    return float(min(MIN_PAUSE * 2 ** min(count - 1, 20), MAX_PAUSE))


async def run_doctor() -> str:
    """Run `hub-runner doctor` as its operator would; returns what failed, empty where it passes."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "envyard_runner", "doctor", "--json",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with asyncio.timeout(DOCTOR_SECONDS):
            output, _ = await process.communicate()
        checks = records(json.loads(output), 100)
    except TimeoutError:
        return f"hub-runner doctor did not end within {DOCTOR_SECONDS:.0f} s"
    except ValueError:
        return f"hub-runner doctor ended with exit code {process.returncode} and no result"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    failed = [
        check
        for check in checks
        if check.get("ok") is not True and check.get("name") not in OUTSIDE
    ]
    return text("; ".join(f"{check.get('name')}: {check.get('detail')}" for check in failed), 900)


def _read(home: Path) -> _State:
    """The state; an empty one where the file is missing or holds anything else."""
    try:
        data = record(json.loads((home / "service.json").read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return _State()
    names = ("version", "code", "message")
    failures = [
        Failure(*(text(row.get(name), 500) for name in names))
        for row in records(data.get("failures"), FAILURES)
    ]
    excused = data.get("excused")
    return _State(
        failures=failures,
        excused=[text(version, 500) for version in excused] if isinstance(excused, list) else [],
        trips=int(min(max(finite(data.get("trips")) or 0, 0), 1000)),
        out=_out(data.get("out")),
    )


def _out(data: Any) -> OutOfService | None:
    if not isinstance(data, dict):
        return None
    return OutOfService(
        since=text(data.get("since"), 40),
        reason=text(data.get("reason"), 2000),
        check_at=finite(data.get("check_at")) or 0.0,
        checks=int(min(max(finite(data.get("checks")) or 0, 0), 1000)),
        check=text(data.get("check"), 1000),
    )


@contextmanager
def _updating(home: Path) -> Iterator[_State]:
    """The state, written back afterwards; a failed write loses the change and no run."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        lock = (home / "service.lock").open("w")
    except OSError as error:
        log.warning("the service state is not kept: %s", error)
        yield _read(home)
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = _read(home)
        yield state
        part = home / "service.json.part"
        try:
            part.write_text(json.dumps(asdict(state)), encoding="utf-8")
            part.replace(home / "service.json")
        except OSError as error:
            log.warning("the service state is not kept: %s", error)


@contextmanager
def _exclusive(path: Path) -> Iterator[bool]:
    """Whether this process is the only one in the block, on this machine."""
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
