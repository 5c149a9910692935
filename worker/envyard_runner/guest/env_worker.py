"""Serve an environment to the runner: load it, report its tasks, play the rollouts it requests.

`python -m PACKAGE.env_worker CONFIG CHANNEL_FD`: events go out of the channel and requests come in,
one JSON line each. Which rollouts there are, in which order they are played, and when all are over
is decided outside the sandbox.
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
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from . import aiohttp_sessions, containers
from .adapter import FrameworkAdapter, Outcome, Rollout, Task, load_adapter
from .answer_fields import infer_answers
from .events import Events, error_of, failure
from .job import GuestJob, read
from .listing import list_tasks
from .loop_alarm import LoopAlarm, RolloutTimeout, run_to_end
from .rollout_context import name_requests, rollout

CANCEL_SECONDS = 10.0
CHUNK = 1 << 16


def main(path: str, channel_fd: int) -> int:
    """Load the environment of the configuration and serve it; 0 where the runner ended it."""
    channel, started = Channel(channel_fd), time.monotonic()
    del sys.argv[1:]
    try:
        channel.enter("framework", "started")
        containers.report = lambda image: channel.events.emit("needs_machine", image=image)
        containers.watch_sandbox_clients()
        aiohttp_sessions.watch_imports()
        job = read(path)
        if ships_framework(job.framework):
            channel.begin()
        adapter = load_adapter(job)
        adapter.prepare()
        name_requests()
        channel.begin()
        adapter.import_environment()
        channel.enter("load", "imported")
        tasks = list_tasks(job, adapter, adapter.load(), channel.events)
        report_tasks(channel, job, adapter, tasks, seconds=time.monotonic() - started)
        worker = EnvWorker(job, adapter, channel.events, tasks)
        run_to_end(worker.serve(channel.requests()))
    except BaseException as error:
        channel.events.emit("fatal", stage=channel.stage, error=error_of(error))
        return 1
    return 0


def report_tasks(
    channel: Channel,
    job: GuestJob,
    adapter: FrameworkAdapter,
    tasks: list[Task],
    *,
    seconds: float,
) -> None:
    """Report the tasks that the job names; they took these seconds to load."""
    answer_field = infer_answers(adapter, tasks)
    chosen = chosen_tasks(job, tasks)
    earlier = "\n".join(task.hash for task in chosen if task.index < job.first_task)
    channel.enter(
        "run",
        "loaded",
        seconds=seconds,
        framework_version=adapter.version,
        compares=adapter.compares,
        seed_entry=adapter.seed_entry,
        seed_options=[*adapter.seeds],
        seeds=sorted({*adapter.seeds.values()}),
        answer_field=answer_field,
        loaded_tasks=len(tasks),
        earlier_tasks=hashlib.sha256(earlier.encode()).hexdigest() if earlier else "",
        tasks=[task.event() for task in chosen if task.index >= job.first_task],
    )


class Channel:
    """The socket to the runner. Each step is an event before its first line of code runs."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.events = Events(fd)
        self.stage = "start"

    def enter(self, stage: str, event: str, **fields: Any) -> None:
        """Report the step."""
        self.stage = stage
        self.events.emit(event, **fields)

    def begin(self) -> None:
        """Report that the environment's module is imported next, and wait until the runner has that
        report: whatever the module does from then on, the report is out of its reach."""
        if self.stage != "import":
            self.enter("import", "environment_began")
            os.read(self._fd, 1)

    async def requests(self) -> AsyncIterator[list[dict[str, Any]]]:
        """The groups to be played, each as its rollouts' names and tasks, until the runner sends no
        more."""
        loop, lines, rest = asyncio.get_running_loop(), asyncio.Queue[bytes](), b""

        def receive() -> None:
            nonlocal rest
            chunk = os.read(self._fd, CHUNK)  # it is readable: this does not wait
            if not chunk:
                loop.remove_reader(self._fd)
                lines.put_nowait(b"")
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                lines.put_nowait(line)

        loop.add_reader(self._fd, receive)
        while line := await lines.get():
            yield json.loads(line)


def chosen_tasks(job: GuestJob, tasks: list[Task]) -> list[Task]:
    """The tasks that the job names, all where it names none."""
    named = frozenset(job.indexes)
    return [task for task in tasks if task.index in named] if named else tasks


def ships_framework(framework: str) -> bool:
    """Whether the wheel holds a module of the framework's name, which is imported in its place."""
    spec = importlib.util.find_spec(framework)
    origin = spec.origin if spec is not None else None
    return origin is not None and Path(origin).is_relative_to(Path(sys.prefix, "environment"))


class EnvWorker:
    """Plays rollouts of one loaded environment side by side."""

    def __init__(
        self, job: GuestJob, adapter: FrameworkAdapter, events: Events, tasks: list[Task]
    ) -> None:
        self.job, self.adapter, self.events = job, adapter, events
        self.alarm = LoopAlarm(job.rollout_timeout)
        self._tasks = {task.index: task for task in tasks}
        self._playing: set[asyncio.Task[None]] = set()

    async def serve(self, requests: AsyncIterator[list[dict[str, Any]]]) -> None:
        """Play every requested group as soon as it comes, until there are no more requests."""
        async with self.alarm.interrupting(), self.adapter.shared_resources():
            async for rows in requests:
                group = [(row["rollout"], self._tasks[row["task"]]) for row in rows]
                rollouts = [Rollout(self.job, name, task) for name, task in group]
                playing = asyncio.create_task(self.play_group(rollouts))
                self._playing.add(playing)
                playing.add_done_callback(self._playing.discard)

    async def play_group(self, group: list[Rollout]) -> None:
        """Play one group and report how each of its rollouts ended."""
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
