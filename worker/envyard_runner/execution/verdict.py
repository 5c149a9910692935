"""How a run ended and whose fault that was: a pure function of what was seen from outside."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.codes import CODES
from envyard.contract.findings import Finding, finding
from envyard.contract.runner_events import Outcome
from envyard.contract.values import text
from envyard_runner.execution.collector import Story
from envyard_runner.execution.host_effects import few_tasks, starved, stood_still
from envyard_runner.execution.replay import Again
from envyard_runner.execution.startup import not_begun
from envyard_runner.execution.uncounted import some, uncounted
from envyard_runner.sandbox import Exit

REASONS = {
    "wall_clock": "run.wall_clock",
    "memory": "run.memory",
    "cpu": "run.cpu",
    "files": "run.files",
    "descriptors": "run.descriptors",
    "events_flood": "run.flooded",
}
# What honest libraries try and do without: event loops, allocators, browsers, databases.
USUAL = {
    "clone of a namespace",
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create", "unshare"),
    *("personality", "process_madvise", "name_to_handle_at", "sysfs", "ustat", "io_setup"),
    *("shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop"),
    *("msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink"),
}
STAGES = {"import": "run.import_failed", "load": "run.load_failed"}
KILLED = "the sandbox was killed from outside"
STARVED = "the machine ran out of memory and processes were killed; the run was within its limit"
FEW_TASKS = (
    "a limit around the runner refused processes or threads: raise TasksMax= of its service, or "
    "--pids-limit of its container"
)
UNREPORTED = (
    "tasks were reported before the driver's report that it imports the environment, which its "
    "own code never does; nothing that followed is believed"
)


@dataclass(frozen=True, slots=True)
class Ending:
    """What the hub is told last."""

    outcome: Outcome
    findings: list[Finding] = field(default_factory=list)


def platform(code: str, message: str) -> Ending:
    """The run could not be judged, and not through the environment."""
    return Ending("errored", [finding(code, message)])


def judge(story: Story, end: Exit, *, model_down: bool = False, silence: str = "") -> Ending:
    """The ending of a run whose sandbox is gone. The model's faults come first: they excuse all.

    `silence` says that its server did not answer, for how long and how many calls.
    """
    if story.model_faults:
        rollout, fault = next(iter(story.model_faults.items()))
        why = f"; {silence}" if silence else ""
        return platform("run.model_unreachable", f"{fault} (first seen in rollout {rollout}){why}")
    if model_down or (silence and end.reason == "wall_clock"):
        why = silence or "the model server failed three calls in a row"
        return platform("run.model_unreachable", why)
    if end.reason == "killed":
        return platform("run.runner_error", end.lacking or KILLED)
    failure = _failure(story, end)
    harmed = failure is not None or story.failed > 0 or end.reason == "machine_memory"
    if harmed and starved(end, story.fatal):
        return platform("run.runner_error", STARVED)
    if harmed and few_tasks(end):
        return platform("run.runner_error", FEW_TASKS)
    if pause := _paused(story, end):
        return platform("run.runner_error", pause)
    if not story.began and story.tasks is not None:
        return platform("run.runner_error", UNREPORTED)
    if not story.began:
        return Ending("errored", [not_begun(story.fatal, end, story.output)])
    findings = [*([failure] if failure else uncounted(story)), *_misbehaviour(story, end)]
    return Ending("failed" if failure else "succeeded", findings)


def unjudged(again: Again, second: Exit) -> Ending | None:
    """The ending of a run whose second sandbox could not show what it loads, and not through the
    environment; None where it could. Whatever ends it later, while it plays, fails no run.

    A SIGKILL of the environment's own gains it nothing: after three of those nothing is listed.
    """
    if again.loaded:
        return None
    shot = second.reason == "exited" and second.signal == signal.SIGKILL
    if shot or second.reason == "killed":
        return platform("run.runner_error", second.lacking or KILLED)
    if starved(second, again.fatal):
        return platform("run.runner_error", STARVED)
    if few_tasks(second):
        return platform("run.runner_error", FEW_TASKS)
    if not again.environment_began:
        return Ending("errored", [not_begun(again.fatal, second, again.output)])
    return None


def _paused(story: Story, end: Exit) -> str:
    """A sentence where a time limit was reached because the runner stood still, else empty."""
    if end.reason == "wall_clock":
        return stood_still(end, end.seconds)
    return stood_still(end, story.rollout_seconds) if story.timeouts else ""


def _failure(story: Story, end: Exit) -> Finding | None:
    """Why the environment did not come through its run; None where it did."""
    if end.reason in REASONS:
        seconds, peak = round(end.seconds), end.peak_memory_bytes
        return finding(REASONS[end.reason], seconds=seconds, peak_memory_bytes=peak)
    if story.fatal is not None:
        return _fatal(story.fatal, story.plan.reveal)
    if end.signal == signal.SIGKILL:
        return finding("run.killed", "Its processes ended by SIGKILL and no limit was reached.")
    if not story.done or end.code != 0:
        how = f"signal {end.signal}" if end.signal else f"exit code {end.code}"
        return finding("run.crashed", f"The process ended early: {how}.")
    if not story.tasks:
        return finding("run.no_tasks")
    if missing := story.missing:
        message = f"{len(missing)} planned rollouts have no result: {some(missing)}"
        return finding("run.rollouts_missing", message)
    return None


def _fatal(event: dict[str, Any], reveal: Callable[[str], str]) -> Finding:
    """What the sandbox said last. Whose fault it claims to be is not believed: anybody inside can
    write such a line, and what really is the platform's fault shows outside."""
    told = event.get("error")
    error: dict[str, Any] = told if isinstance(told, dict) else {}
    kind, message = text(error.get("type"), 200), reveal(text(error.get("message"), 2000))
    code = STAGES.get(str(event.get("stage")), "run.crashed")
    traceback = text(error.get("traceback"), 8000)
    return finding(code, f"{kind}: {message}" if message else kind, traceback=traceback)


def _misbehaviour(story: Story, end: Exit) -> list[Finding]:
    """What the environment tried and could not do; it did no harm, so it only warns."""
    found = []
    if count := story.refusals:
        names = ", ".join(story.refused)
        message = f"{count} reports that the run did not ask for were refused, such as: {names}"
        found.append(finding("run.unplanned_rollouts", message))
    if end.network_attempts or end.targets:
        found.append(_network(end))
    refused = end.refused_calls or {}
    if tried := set(refused) - USUAL:
        found.append(_refused("isolation.refused_calls", refused, tried))
    if tried := set(refused) & USUAL:
        found.append(_refused("isolation.unusual_calls", refused, tried))
    if end.reached:
        message = f"The environment used up {', '.join(end.reached)}."
        found.append(finding("isolation.limits_reached", message))
    return found


def _refused(code: str, counts: Mapping[str, int], tried: Collection[str]) -> Finding:
    calls = {call: counts[call] for call in sorted(tried)}
    named = some([f"{call} ({count})" for call, count in calls.items()])
    return finding(code, f"{CODES[code].message[:-1]}: {named}.", calls=calls)


def _network(end: Exit) -> Finding:
    targets = list(end.targets)
    tried = end.network_attempts or len(targets)
    named = f": {some(targets)}" if targets else ""
    return finding(
        "run.network",
        f"{tried} connections or datagrams to addresses outside the sandbox were refused{named}.",
        attempts=tried,
        targets=targets,
    )
