"""How a run ended and whose fault that was: a pure function of what was seen from outside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from envyard.contract.codes import Finding, finding
from envyard.contract.report import Outcome, text
from envyard_runner.collect import Story
from envyard_runner.sandbox import Exit

REASONS = {
    "wall_clock": "run.wall_clock",
    "memory": "run.memory",
    "cpu": "run.cpu",
    "events_flood": "run.flooded",
}
STAGES = {"import": "run.import_failed", "load": "run.load_failed"}
NAMED = 10


@dataclass(frozen=True, slots=True)
class Ending:
    """What the hub is told last."""

    outcome: Outcome
    findings: list[Finding] = field(default_factory=list)


def platform(code: str, message: str) -> Ending:
    """The run could not be judged, and not through the environment."""
    return Ending("errored", [finding(code, message)])


def judge(story: Story, end: Exit, *, model_down: bool = False) -> Ending:
    """The ending of a run whose sandbox is gone. The model's faults come first: they excuse all."""
    if model_down and not story.model_faults:
        return platform("run.model_unreachable", "the model server failed three calls in a row")
    if story.model_faults:
        rollout, fault = next(iter(story.model_faults.items()))
        return platform("run.model_unreachable", f"{fault} (first seen in rollout {rollout})")
    if end.reason == "killed":
        return platform("run.runner_error", "the sandbox was killed from outside")
    if end.reason in REASONS:
        seconds, peak = round(end.seconds), end.peak_memory_bytes
        code = REASONS[end.reason]
        return Ending("failed", [finding(code, seconds=seconds, peak_memory_bytes=peak)])
    if story.fatal is not None:
        return _fatal(story)
    if not story.done or end.code != 0:
        how = f"signal {end.signal}" if end.signal else f"exit code {end.code}"
        return Ending("failed", [finding("run.crashed", f"The process ended early: {how}.")])
    if not story.tasks:
        return Ending("failed", [finding("run.no_tasks")])
    if missing := story.missing:
        message = f"{len(missing)} planned rollouts have no result: {_some(missing)}"
        return Ending("failed", [finding("run.rollouts_missing", message)])
    return Ending("succeeded", _warnings(story))


def _fatal(story: Story) -> Ending:
    event = story.fatal or {}
    told = event.get("error")
    error: dict[str, Any] = told if isinstance(told, dict) else {}
    kind, message = text(error.get("type"), 200), text(error.get("message"), 2000)
    said = f"{kind}: {message}" if message else kind
    if error.get("fault") == "platform":
        return platform("run.runner_error", said)
    code = STAGES.get(str(event.get("stage")), "run.crashed")
    traceback = text(error.get("traceback"), 8000)
    return Ending("failed", [finding(code, said, traceback=traceback)])


def _warnings(story: Story) -> list[Finding]:
    silent = story.without_call
    if not silent:
        return []
    message = f"{len(silent)} rollouts were scored without asking the policy: {_some(silent)}"
    return [finding("run.no_model_call", message, severity="warning")]


def _some(rollouts: list[str]) -> str:
    more = f" and {len(rollouts) - NAMED} more" if len(rollouts) > NAMED else ""
    return ", ".join(rollouts[:NAMED]) + more
