"""The driver: loads the tasks, plays the rollouts of the plan, and reports each outcome.

Two sandboxes run it, one after the other, and nothing in either reveals which it is: the first
plays the run's rollouts, the second plays some of them again.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
import math
import os
import sys
import time
from pathlib import Path
from typing import IO, Any

from . import aiohttp_sessions, containers
from .adapter import FrameworkAdapter, Outcome, Rollout, Task, load_adapter
from .answer_fields import infer_answers
from .events import PLAN_FD_VARIABLE, Events, error_of, failure
from .job import GuestJob, read_own
from .listing import list_tasks
from .loop_alarm import LoopAlarm, RolloutTimeout, run_to_end
from .rollout_context import name_requests, rollout

CANCEL_SECONDS = 10.0


def main() -> int:
    """Run the job; every ending is an event. 0 where all rollouts were played."""
    steps, started = StepReporter.inherited(), time.monotonic()
    try:
        steps.enter("framework", "driver_started")
        containers.report = lambda image: steps.events.emit("needs_machine", image=image)
        containers.watch_sandbox_clients()
        aiohttp_sessions.watch_imports()
        job = read_own()
        if ships_framework(job.framework):
            steps.begin()
        adapter = load_adapter(job)
        adapter.prepare()
        name_requests()
        steps.begin()
        adapter.import_environment()
        steps.enter("load", "imported")
        tasks = list_tasks(job, adapter, adapter.load(), steps.events)
        answer_field = infer_answers(adapter, tasks)
        seconds = time.monotonic() - started
        driver = Driver(job, adapter, steps.events)
        chosen = chosen_tasks(job, tasks)
        earlier = "\n".join(task.hash for task in chosen if task.index < job.first_task)
        steps.enter(
            "run",
            "loaded",
            seconds=seconds,
            framework_version=adapter.version,
            compares=adapter.compares,
            seed_entry=adapter.seed_entry,
            seed_options=adapter.seed_options,
            answer_field=answer_field,
            loaded_tasks=len(tasks),
            earlier_tasks=hashlib.sha256(earlier.encode()).hexdigest() if earlier else "",
            tasks=[task.event() for task in chosen if task.index >= job.first_task],
        )
        run_to_end(driver.run(read_plan(steps.plan, job, tasks)))
    except BaseException as error:
        steps.events.emit("fatal", stage=steps.stage, error=error_of(error))
        return 1
    steps.events.emit("done")
    return 0


class StepReporter:
    """How far the driver is: each step is an event before its first line of code runs."""

    def __init__(self, events: Events, plan: IO[bytes]) -> None:
        self.events, self.plan = events, plan
        self.stage = "start"

    @classmethod
    def inherited(cls) -> StepReporter:
        """With the pipes this process was started with; its children do not get them."""
        plan = int(os.environ.pop(PLAN_FD_VARIABLE))
        os.set_inheritable(plan, False)
        return cls(Events.inherited(), os.fdopen(plan, "rb"))

    def enter(self, stage: str, event: str, **fields: Any) -> None:
        """Report the step."""
        self.stage = stage
        self.events.emit(event, **fields)

    def begin(self) -> None:
        """Report that the environment's module is imported next, and wait until the supervisor has
        passed that on: whatever the module does from then on, the report is out of its reach."""
        if self.stage != "import":
            self.enter("import", "environment_began")
            self.plan.readline()


def chosen_tasks(job: GuestJob, tasks: list[Task]) -> list[Task]:
    """The tasks that the job names, all where it names none."""
    named = frozenset(job.indexes)
    return [task for task in tasks if task.index in named] if named else tasks


def ships_framework(framework: str) -> bool:
    """Whether the wheel holds a module of the framework's name, which is imported in its place."""
    spec = importlib.util.find_spec(framework)
    origin = spec.origin if spec is not None else None
    return origin is not None and Path(origin).is_relative_to(Path(sys.prefix, "environment"))


class Driver:
    """One run of one loaded environment."""

    def __init__(self, job: GuestJob, adapter: FrameworkAdapter, events: Events) -> None:
        self.job, self.adapter, self.events = job, adapter, events
        self.gate = asyncio.Semaphore(max(1, job.concurrency))
        self.alarm = LoopAlarm(job.rollout_timeout)

    async def run(self, groups: list[list[Rollout]]) -> None:
        """Every rollout that the gateway has planned, side by side, in its order."""
        async with self.alarm.interrupting(), self.adapter.shared_resources():
            await asyncio.gather(*(self.play_group(group) for group in groups))

    async def play_group(self, group: list[Rollout]) -> None:
        """Play one group and report how each of its rollouts ended."""
        async with self.gate:
            for member in group:
                self.events.emit("rollout_started", rollout=member.id)
            name_requests()  # of clients that the environment imported meanwhile
            started = time.monotonic()
            with rollout(group[0].id if len(group) == 1 else ""):
                outcomes = await self.play_bounded(group)
            seconds = time.monotonic() - started
            for member, outcome in zip(group, outcomes, strict=True):
                self.events.emit("rollout", **rollout_fields(member, outcome, seconds))

    async def play_bounded(self, group: list[Rollout]) -> list[Outcome]:
        """The group's outcomes, whatever its code does: raise, exit or never return.

        Time in which another rollout blocked the loop is not counted against this one.
        """
        limit = self.job.rollout_timeout
        started, stalled = time.monotonic(), self.alarm.stalled
        work = asyncio.create_task(self.adapter.play(group))
        while not work.done():
            left = started + limit + self.alarm.stalled - stalled - time.monotonic()
            if left <= 0:
                work.cancel()
                await asyncio.wait({work}, timeout=CANCEL_SECONDS)
                return [timed_out(rollout, limit) for rollout in group]
            await asyncio.wait({work}, timeout=left)
        try:
            return work.result()
        except BaseException as error:  # SystemExit and CancelledError are the environment's too
            return [Outcome(error=error_of(error)) for _ in group]


def read_plan(plan: IO[bytes], job: GuestJob, tasks: list[Task]) -> list[list[Rollout]]:
    """Wait for the plan and read it: groups of rollouts, each for a loaded task."""
    by_index = {task.index: task for task in tasks}
    with plan:
        groups = json.loads(plan.readline())
    return [
        [Rollout(job, row["rollout"], by_index[row["task"]]) for row in group] for group in groups
    ]


def timed_out(rollout: Rollout, limit: float) -> Outcome:
    """The outcome of a rollout that did not end; the model's fault if that was waited for."""
    fault: Any = "model" if rollout.waits_for_model else "environment"
    waiting = "waiting for the model" if rollout.waits_for_model else "in the environment's code"
    message = f"the rollout took longer than {limit:g} seconds and was {waiting}"
    return Outcome(error=failure(RolloutTimeout.__name__, message, fault))


def rollout_fields(rollout: Rollout, outcome: Outcome, seconds: float) -> dict[str, Any]:
    """The fields of a `rollout` event. A failed rollout has no reward; it is never zero."""
    total = sum(score * weight for score, weight in outcome.rewards.values())
    finite = math.isfinite(total)
    error = outcome.error
    if error is None and not finite:
        parts = ", ".join(f"{name}={score}" for name, (score, _) in outcome.rewards.items())
        error = failure("RewardNotFinite", f"the reward is {total}: {parts}", "environment")
    return {
        "rollout": rollout.id,
        "ok": error is None,
        "reward": total if outcome.rewards and error is None else None,
        "reward_text": "" if finite else str(total),
        "rewards": {
            name: {"score": score, "weight": weight}
            for name, (score, weight) in outcome.rewards.items()
        },
        "metrics": outcome.metrics,
        "stop": outcome.stop,
        "truncated": outcome.truncated,
        "seconds": seconds,
        "scoring_seconds": outcome.scoring_seconds,
        "turns": outcome.turns,
        "messages": outcome.messages,
        "error": error,
    }
