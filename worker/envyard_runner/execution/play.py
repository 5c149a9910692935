"""Run the two sandboxes of a run: one plays it, a fresh one then checks what repeats."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from envyard.contract.job import JobSpec
from envyard.contract.runner_events import Facts
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.load_failures import with_causes
from envyard_runner.execution.replay import ReplayRun
from envyard_runner.execution.verdict import Ending, decide_ending, platform_ending, replay_failure
from envyard_runner.gateway import Gateway, Model
from envyard_runner.hub_api.event_outbox import EventOutbox
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Exit, Sandbox


@dataclass(frozen=True, slots=True)
class SandboxFactory:
    """Makes each sandbox of a run; `program` is what is started in it."""

    prepare: Callable[..., Sandbox]
    limits: Limits
    program: list[str]

    def make(self, wall_seconds: float) -> Sandbox:
        """Prepare a sandbox that is killed after `wall_seconds`."""
        return self.prepare(limits=replace(self.limits, wall_seconds=wall_seconds))


async def play(
    job: JobSpec, model: Model | None, factory: SandboxFactory, outbox: EventOutbox
) -> Ending:
    """Play a run to its end; if it succeeds, load its tasks again and repeat a sample of it."""
    began, wall = time.monotonic(), factory.limits.wall_seconds
    gateway = Gateway(job, model)
    collector = EventCollector(job, gateway.records, gateway.plan)
    end = await _run_rollouts(collector, factory.make(wall), factory.program, gateway, outbox)
    proxy = gateway.proxy
    ending = decide_ending(
        collector, end, model_down=proxy.down.is_set(), stall=proxy.stalls.message()
    )
    explain = partial(
        with_causes, collector=collector, end=end, output_tail=outbox.output_tail, module=job.module
    )
    outbox.add_facts(sandbox=end.limited_by, peak_memory_bytes=end.peak_memory_bytes)
    if gateway.failure or ending.outcome != "succeeded":
        return _gateway_failure(gateway) or explain(ending)
    outbox.phase = "scoring"
    outbox.log_line("all rollouts are played; the tasks are loaded again in a fresh sandbox")
    replay = ReplayRun(job, collector, began=began, wall_seconds=wall)
    gateway = Gateway(job, None, replays=collector.plan.replays)
    second = await _run_replays(
        replay, factory.make(replay.seconds), factory.program, gateway, outbox
    )
    replay.finish(second)
    _send_replays(replay, collector, second, outbox)
    if collector.not_counted:
        outbox.add_facts(not_counted=collector.not_counted)
    combined = end.beside(second)
    outbox.add_facts(peak_memory_bytes=combined.peak_memory_bytes)
    return (
        _gateway_failure(gateway)
        or replay_failure(replay, second)
        or explain(decide_ending(collector, combined))
    )


async def _run_rollouts(
    collector: EventCollector,
    prepared: Sandbox,
    program: list[str],
    gateway: Gateway,
    outbox: EventOutbox,
) -> Exit:
    """Run the program in the first sandbox to its end and queue its results for the hub."""
    async with prepared as sandbox:

        def printed(chunk: bytes) -> None:
            collector.add_output(chunk)
            outbox.add_output(chunk)

        sandbox.on_log = printed
        async with _serving_gateway(sandbox, program, gateway):
            outbox.phase = "running"
            down = asyncio.create_task(_kill_on(gateway.proxy.down, sandbox))
            try:
                async for line in sandbox.lines():
                    result = collector.add_line(line)
                    if isinstance(result, Facts):
                        outbox.add_facts(**{k: getattr(result, k) for k in result.to_dict()})
                    elif result is not None:
                        outbox.add_rollout(result)
                    outbox.total = len(gateway.plan.expected)
                return await sandbox.wait()
            finally:
                down.cancel()


async def _run_replays(
    replay: ReplayRun, prepared: Sandbox, program: list[str], gateway: Gateway, outbox: EventOutbox
) -> Exit:
    """Run the program in the second sandbox to its end."""
    async with prepared as sandbox:
        sandbox.on_log = replay.add_output
        async with _serving_gateway(sandbox, program, gateway):
            async for line in sandbox.lines():
                if (hashes := replay.add_line(line)) is not None:
                    outbox.add_facts(hashes_again=hashes)
            return await sandbox.wait()


@asynccontextmanager
async def _serving_gateway(
    sandbox: Sandbox, program: list[str], gateway: Gateway
) -> AsyncIterator[None]:
    """Start the program with the gateway listening on the sandbox's socket."""
    await gateway.open(await sandbox.start(program))
    try:
        yield
    finally:
        await gateway.close()


def _send_replays(
    replay: ReplayRun, collector: EventCollector, end: Exit, outbox: EventOutbox
) -> None:
    """Queue the results of the second sandbox for the hub."""
    results = collector.plan.replays.results
    outbox.add_replays(results)
    if results:
        played = sum(not result.replay.left_out for result in results)
        outbox.log_line(
            f"{played} of {len(results)} chosen rollouts were played again from their record"
        )
    if not replay.loaded:
        outbox.log_line("the second load of the tasks failed:")
        outbox.add_output(replay.output + b"\n")
        if end.reason != "wall_clock":
            outbox.add_facts(hashes_again=[])
    if end.reason != "exited":
        outbox.log_line(f"the second sandbox was ended: {end.reason}")


def _gateway_failure(gateway: Gateway) -> Ending | None:
    """The platform's ending if the gateway itself failed, else None."""
    if not gateway.failure:
        return None
    return platform_ending("run.runner_error", f"the gateway failed: {gateway.failure}")


async def _kill_on(event: asyncio.Event, sandbox: Sandbox) -> None:
    await event.wait()
    sandbox.kill()
