"""How a run ended and whose fault that was: a pure function of what was seen from outside."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.codes import CODES
from envyard.contract.findings import Finding, finding
from envyard.contract.runner_events import Outcome
from envyard.contract.task_indexes import indexes_text
from envyard.contract.values import text
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.first_names import first_names
from envyard_runner.execution.host_effects import (
    hit_outer_process_limit,
    killed_for_memory,
    runner_stalled,
)
from envyard_runner.execution.interference import interference_findings
from envyard_runner.execution.replay import ReplayRun
from envyard_runner.execution.startup import startup_failure
from envyard_runner.execution.uncounted import uncounted_findings
from envyard_runner.sandbox import Exit

REASON_CODES = {
    "wall_clock": "run.wall_clock",
    "memory": "run.memory",
    "cpu": "run.cpu",
    "files": "run.files",
    "descriptors": "run.descriptors",
    "events_flood": "run.flooded",
}
# Calls that honest libraries attempt and do without: event loops, allocators, browsers, databases.
USUAL_CALLS = {
    "clone of a namespace",
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create", "unshare"),
    *("personality", "process_madvise", "name_to_handle_at", "sysfs", "ustat", "io_setup"),
    *("shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop"),
    *("msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink"),
}
STAGE_CODES = {"import": "run.import_failed", "load": "run.load_failed"}
ENDED, BY_SIGKILL = "ProcessEnded", "by signal 9"  # as execution/driver.py has it
KILLED = "the sandbox was killed from outside"
OUT_OF_MEMORY = (
    "the machine ran out of memory and processes were killed; the run was within its limit"
)
PROCESS_LIMIT = (
    "a limit around the runner refused processes or threads: raise TasksMax= of its service, or "
    "--pids-limit of its container"
)
UNREPORTED = (
    "tasks were reported before the report that the environment is imported, which the hub's own "
    "code never does; nothing that followed is believed"
)


@dataclass(frozen=True, slots=True)
class Ending:
    """The outcome and findings that the hub receives last."""

    outcome: Outcome
    findings: list[Finding] = field(default_factory=list)


def platform_ending(code: str, message: str) -> Ending:
    """An ending for a run that could not be judged, through no fault of the environment."""
    return Ending("errored", [finding(code, message)])


def decide_ending(
    collector: EventCollector, end: Exit, *, model_down: bool = False, stall: str = ""
) -> Ending:
    """The ending of a run whose sandbox is gone. Faults of the model come first, because they
    excuse all others.

    `stall` is the sentence of the gateway's StallDetector: how long and in how many calls the model
    server did not answer.
    """
    if collector.model_faults:
        rollout, fault = next(iter(collector.model_faults.items()))
        why = f"; {stall}" if stall else ""
        return platform_ending(
            "run.model_unreachable", f"{fault} (first seen in rollout {rollout}){why}"
        )
    if model_down or (stall and end.reason == "wall_clock"):
        why = stall or "the model server failed three calls in a row"
        return platform_ending("run.model_unreachable", why)
    if end.reason == "killed":
        return platform_ending("run.runner_error", end.lacking or KILLED)
    failure = _failure_finding(collector, end)
    harmed = failure is not None or collector.failed > 0 or end.reason == "machine_memory"
    if harmed and killed_for_memory(end, collector.fatal):
        return platform_ending("run.runner_error", OUT_OF_MEMORY)
    if harmed and hit_outer_process_limit(end):
        return platform_ending("run.runner_error", PROCESS_LIMIT)
    if pause := _stall_message(collector, end):
        return platform_ending("run.runner_error", pause)
    if not collector.began and collector.tasks is not None:
        return platform_ending("run.runner_error", UNREPORTED)
    if not collector.began:
        return Ending("errored", [startup_failure(collector.fatal, end, collector.output)])
    findings = [
        *([failure] if failure else uncounted_findings(collector)),
        *collector.conversations.findings(answers_known=not collector.plan.forms.is_unconfirmed),
        *interference_findings(collector.plan.replays.interference),
        *_refused_attempts(collector, end),
    ]
    return Ending("failed" if failure else "succeeded", findings)


def replay_failure(replay: ReplayRun, second: Exit) -> Ending | None:
    """The ending if the second sandbox could not load the tasks and the environment is not at
    fault; None where it loaded them. Nothing that ends it later, during replays, fails the run.

    A SIGKILL that the environment sends itself gains it nothing: after three of those nothing is
    listed.
    """
    if replay.loaded:
        return None
    shot = second.reason == "exited" and second.signal == signal.SIGKILL
    if shot or second.reason == "killed":
        return platform_ending("run.runner_error", second.lacking or KILLED)
    if killed_for_memory(second, replay.fatal):
        return platform_ending("run.runner_error", OUT_OF_MEMORY)
    if hit_outer_process_limit(second):
        return platform_ending("run.runner_error", PROCESS_LIMIT)
    if not replay.environment_began:
        return Ending("errored", [startup_failure(replay.fatal, second, replay.output)])
    return None


def _stall_message(collector: EventCollector, end: Exit) -> str:
    """A sentence if a time limit was reached because the runner process did not run, else empty."""
    if end.reason == "wall_clock":
        return runner_stalled(end, end.seconds)
    return runner_stalled(end, collector.rollout_seconds) if collector.timeouts else ""


def _failure_finding(collector: EventCollector, end: Exit) -> Finding | None:
    """Why the environment did not complete its run; None where it did."""
    if end.reason in REASON_CODES:
        seconds, peak = round(end.seconds), end.peak_memory_bytes
        return finding(REASON_CODES[end.reason], seconds=seconds, peak_memory_bytes=peak)
    if collector.fatal is not None:
        return _fatal_finding(collector.fatal, collector.plan.reveal)
    if not collector.done:
        how = f"signal {end.signal}" if end.signal else f"exit code {end.code}"
        return finding("run.crashed", f"The process ended early: {how}.")
    if lacking := collector.lacking_tasks:
        return finding("run.tasks_missing", _lacking_message(lacking, collector.loaded_tasks))
    if not collector.tasks and not collector.first_task:
        return finding("run.no_tasks")
    if missing := collector.missing:
        message = f"{len(missing)} planned rollouts have no result: {first_names(missing)}"
        return finding("run.rollouts_missing", message)
    return None


def _lacking_message(lacking: Sequence[int], loaded: int) -> str:
    return (
        f"The suite names {len(lacking)} tasks that the version does not have: "
        f"{indexes_text(lacking)}; it has {loaded}, from index 0 on."
    )


def _fatal_finding(event: dict[str, Any], reveal: Callable[[str], str]) -> Finding:
    """The finding of the sandbox's `fatal` event. Its claim about whose fault it was is ignored:
    any process inside can write such a line, and faults of the platform show outside."""
    raw = event.get("error")
    error: dict[str, Any] = raw if isinstance(raw, dict) else {}
    kind, message = text(error.get("type"), 200), reveal(text(error.get("message"), 2000))
    code = STAGE_CODES.get(str(event.get("stage")), "run.crashed")
    if kind == ENDED and BY_SIGKILL in message:
        code = "run.killed"
    traceback = text(error.get("traceback"), 8000)
    return finding(code, f"{kind}: {message}" if message else kind, traceback=traceback)


def _refused_attempts(collector: EventCollector, end: Exit) -> list[Finding]:
    """What the environment attempted and the sandbox or the collector refused."""
    findings = []
    if count := collector.rejections:
        names = ", ".join(collector.rejected)
        message = (
            f"{count} events contradict the run's plan, and none of them was believed: {names}. "
            "There is one result for each requested rollout."
        )
        findings.append(finding("run.inconsistent", message, n=count))
    if end.network_attempts or end.targets:
        findings.append(_network_finding(end))
    refused = end.refused_calls or {}
    if tried := set(refused) - USUAL_CALLS:
        findings.append(_refused_calls_finding("isolation.refused_calls", refused, tried))
    if tried := set(refused) & USUAL_CALLS:
        findings.append(_refused_calls_finding("isolation.unusual_calls", refused, tried))
    if end.reached:
        message = f"The environment used up {', '.join(end.reached)}."
        findings.append(finding("isolation.limits_reached", message))
    return findings


def _refused_calls_finding(code: str, counts: Mapping[str, int], tried: Collection[str]) -> Finding:
    calls = {call: counts[call] for call in sorted(tried)}
    named = first_names([f"{call} ({count})" for call, count in calls.items()])
    return finding(code, f"{CODES[code].message[:-1]}: {named}.", calls=calls)


def _network_finding(end: Exit) -> Finding:
    targets = list(end.targets)
    tried = end.network_attempts or len(targets)
    named = f": {first_names(targets)}" if targets else ""
    return finding(
        "run.network",
        f"{tried} connections or datagrams to addresses outside the sandbox were refused{named}.",
        attempts=tried,
        targets=targets,
    )
