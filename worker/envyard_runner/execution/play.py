"""The two sandboxes of a run: one plays it; a fresh one, once that is gone, shows what repeats."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from envyard.contract.job import JobSpec
from envyard.contract.runner_events import Facts
from envyard_runner.execution.collector import Story
from envyard_runner.execution.load_failures import explained
from envyard_runner.execution.replay import Again
from envyard_runner.execution.verdict import Ending, judge, platform, unjudged
from envyard_runner.gateway import Gateway, Model
from envyard_runner.limits import Limits
from envyard_runner.messaging.event_outbox import Reports
from envyard_runner.sandbox import Exit, Sandbox


@dataclass(frozen=True, slots=True)
class Stage:
    """How each sandbox of a run is made, and what is started in it."""

    prepare: Callable[..., Sandbox]
    limits: Limits
    program: list[str]

    def sandbox(self, wall_seconds: float) -> Sandbox:
        """One that lives that long at most."""
        return self.prepare(limits=replace(self.limits, wall_seconds=wall_seconds))


async def play(job: JobSpec, model: Model | None, stage: Stage, reports: Reports) -> Ending:
    """Play a run to its end; where it succeeds, load it again and repeat a sample of it."""
    began, wall = time.monotonic(), stage.limits.wall_seconds
    gateway = Gateway(job, model)
    story = Story(job, gateway.ledger, gateway.plan)
    end = await _first(story, stage.sandbox(wall), stage.program, gateway, reports)
    through = gateway.through
    ending = judge(story, end, model_down=through.down.is_set(), silence=through.silence.told())
    explain = partial(explained, story=story, end=end, printed=reports.printed, module=job.module)
    reports.fact(sandbox=end.held_by, peak_memory_bytes=end.peak_memory_bytes)
    if gateway.failure or ending.outcome != "succeeded":
        return _failed(gateway) or explain(ending)
    reports.phase = "scoring"
    reports.say("all rollouts are played; the tasks are loaded again in a fresh sandbox")
    again = Again(job, story, began=began, wall_seconds=wall)
    gateway = Gateway(job, None, again=story.plan.replays)
    second = await _again(again, stage.sandbox(again.seconds), stage.program, gateway, reports)
    again.end(second)
    _tell(again, story, second, reports)
    if story.not_counted:
        reports.fact(not_counted=story.not_counted)
    whole = end.beside(second)
    reports.fact(peak_memory_bytes=whole.peak_memory_bytes)
    return _failed(gateway) or unjudged(again, second) or explain(judge(story, whole))


async def _first(
    story: Story, made: Sandbox, program: list[str], gateway: Gateway, reports: Reports
) -> Exit:
    """Run the program to its end, telling the hub what its lines and the gateway have shown."""
    async with made as sandbox:

        def printed(chunk: bytes) -> None:
            story.log(chunk)
            reports.log(chunk)

        sandbox.on_log = printed
        async with _serving(sandbox, program, gateway):
            reports.phase = "running"
            down = asyncio.create_task(_kill_when(gateway.through.down, sandbox))
            try:
                async for line in sandbox.lines():
                    told = story.take(line)
                    if isinstance(told, Facts):
                        reports.fact(**{k: getattr(told, k) for k in told.to_dict()})
                    elif told is not None:
                        reports.rollout(told)
                    reports.total = len(gateway.plan.expected)
                return await sandbox.wait()
            finally:
                down.cancel()


async def _again(
    again: Again, made: Sandbox, program: list[str], gateway: Gateway, reports: Reports
) -> Exit:
    """The same for the second sandbox."""
    async with made as sandbox:
        sandbox.on_log = again.log
        async with _serving(sandbox, program, gateway):
            async for line in sandbox.lines():
                if (hashes := again.take(line)) is not None:
                    reports.fact(hashes_again=hashes)
            return await sandbox.wait()


@asynccontextmanager
async def _serving(sandbox: Sandbox, program: list[str], gateway: Gateway) -> AsyncIterator[None]:
    """Start the program, with the gateway behind its door."""
    await gateway.open(await sandbox.start(program))
    try:
        yield
    finally:
        await gateway.close()


def _tell(again: Again, story: Story, end: Exit, reports: Reports) -> None:
    """Tell the hub what came of the second sandbox."""
    found = story.plan.replays.results
    reports.replays(found)
    if found:
        played = sum(not one.replay.left_out for one in found)
        reports.say(f"{played} of {len(found)} chosen rollouts were played again from their record")
    if not again.loaded:
        reports.say("the second load of the tasks failed:")
        reports.log(again.output + b"\n")
        if end.reason != "wall_clock":
            reports.fact(hashes_again=[])
    if end.reason != "exited":
        reports.say(f"the second sandbox was ended: {end.reason}")


def _failed(gateway: Gateway) -> Ending | None:
    """What a failure of the gateway's own makes of the run."""
    if not gateway.failure:
        return None
    return platform("run.runner_error", f"the gateway failed: {gateway.failure}")


async def _kill_when(event: asyncio.Event, sandbox: Sandbox) -> None:
    await event.wait()
    sandbox.kill()
