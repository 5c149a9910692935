"""Run the sandboxes of a run: one plays it, a fresh one checks what repeats, and a third what its
rewards make of a judge."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from envyard.contract.facts import Facts
from envyard.contract.job import JobSpec
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.host_access import harmed_by_network, with_refused_hosts
from envyard_runner.execution.judge_access import judge_facts, note_slow_judge
from envyard_runner.execution.judge_checks import JudgeCheckRun
from envyard_runner.execution.judge_keys import (
    PLACEHOLDERS,
    REPEATED,
    key_variables,
    lacks_judge_key,
)
from envyard_runner.execution.load_failures import low_limit_ending, with_causes
from envyard_runner.execution.replay import MIN_SECONDS, ReplayRun
from envyard_runner.execution.requirements import endpoint_ending
from envyard_runner.execution.sandboxes import (
    Endpoints,
    RunAccess,
    SandboxFactory,
    kill_on,
    own_failure,
    serving,
)
from envyard_runner.execution.secret_needs import missing_secrets, secret_needs
from envyard_runner.execution.survey import SurveyRun
from envyard_runner.execution.training_check import TrainingCheck
from envyard_runner.execution.verdict import Ending, decide_ending, replay_failure
from envyard_runner.gateway import Gateway
from envyard_runner.hub_api.event_outbox import EventOutbox
from envyard_runner.proxy.usage import HostUsage
from envyard_runner.sandbox import Exit, Sandbox


@dataclass(frozen=True, slots=True)
class FirstSandbox:
    """The sandbox that played the run: what it reported and printed last, how it ended, and the
    placeholders of keys that it had."""

    endpoints: Endpoints
    collector: EventCollector
    exit: Exit
    keys: Mapping[str, str]
    output_tail: bytes

    @property
    def ending(self) -> Ending:
        """The ending by its events and its exit alone."""
        proxy = self.endpoints.gateway.proxy
        return decide_ending(
            self.collector, self.exit, model_down=proxy.down.is_set(), stall=proxy.stalls.message()
        )

    def explain(self, ending: Ending, *, module: str) -> Ending:
        """The ending with the causes that its errors and output show."""
        return with_causes(
            ending,
            collector=self.collector,
            end=self.exit,
            output_tail=self.output_tail,
            module=module,
        )


async def play(
    job: JobSpec, access: RunAccess, factory: SandboxFactory, outbox: EventOutbox
) -> Ending:
    """Play a run to its end; if it succeeds, load its tasks again and repeat a sample of it."""
    ends = time.monotonic() + factory.limits.wall_seconds
    first = await _play_rollouts(job, access, factory, outbox, ends=ends)
    ending = _first_ending(job, access, first, outbox)
    if ending.outcome != "succeeded":
        return ending
    outbox.phase = "scoring"
    outbox.log_line("all rollouts are played; the tasks are loaded again in a fresh sandbox")
    ending = await _play_again(job, access, factory, outbox, first=first, ends=ends)
    if ending.outcome == "succeeded":
        checking = JudgeCheckRun(job, first.collector, access, first.endpoints.gateway)
        lasting = factory.lasting(ends - time.monotonic())
        wall = factory.limits.wall_seconds
        await checking.run(lasting, outbox, keys=first.keys, wall_seconds=wall)
        lasting = factory.lasting(ends - time.monotonic())
        check = TrainingCheck(job, factory.guest_job, first.collector, access)
        judge = first.endpoints.gateway.judge.usage
        aware = await check.run(lasting, outbox, judge=judge, keys=first.keys, wall_seconds=wall)
        ending = replace(ending, findings=[*ending.findings, *aware])
        if job.survey_tasks > job.tasks:
            surveying = SurveyRun(job, first.collector, judged=judge.calls.total() > 0)
            lasting = factory.lasting(ends - time.monotonic())
            await surveying.run(lasting, access, outbox, keys=first.keys, wall_seconds=wall)
    return ending


async def _play_rollouts(
    job: JobSpec, access: RunAccess, factory: SandboxFactory, outbox: EventOutbox, *, ends: float
) -> FirstSandbox:
    """Play the run's rollouts, once more with placeholders of keys where the lack of a judge's key
    ended the first try."""
    first = await _play_first(job, access, factory, outbox, keys=key_variables(job))
    if first.keys or not lacks_judge_key(first.collector):
        return first
    outbox.log_line(REPEATED)
    access.data.renew_endpoint()
    left = max(MIN_SECONDS, ends - time.monotonic())
    return await _play_first(job, access, factory.lasting(left), outbox, keys=PLACEHOLDERS)


def _first_ending(
    job: JobSpec, access: RunAccess, first: FirstSandbox, outbox: EventOutbox
) -> Ending:
    """The ending of the run as far as its first sandbox decides it; queues that one's facts."""
    ending, judge = first.ending, first.endpoints.gateway.judge.usage
    outbox.add_facts(sandbox=first.exit.limited_by, peak_memory_bytes=first.exit.peak_memory_bytes)
    _send_connections(access.hosts.usage, outbox)
    outbox.add_facts(judge=judge_facts(access.judge_model, judge))
    explained = first.explain(ending, module=job.module)
    failure = own_failure(first.endpoints) or endpoint_ending(
        access.data.usage,
        judge,
        access.hosts,
        explained,
        harmed=harmed_by_network(ending, first.collector, access.hosts.usage),
        images=first.collector.images,
        secrets=secret_needs(missing_secrets(job, first.collector)),
    )
    return failure or low_limit_ending(explained, first.collector) or explained


async def _play_again(
    job: JobSpec,
    access: RunAccess,
    factory: SandboxFactory,
    outbox: EventOutbox,
    *,
    first: FirstSandbox,
    ends: float,
) -> Ending:
    """Load the tasks in a fresh sandbox, replay a sample of the rollouts, and end the run."""
    collector, usage = first.collector, access.hosts.usage
    wall = factory.limits.wall_seconds
    replay = ReplayRun(job, collector, began=ends - wall, wall_seconds=wall)
    gateway = Gateway(job, None, replays=collector.plan.replays)
    data = access.data.replay_endpoint()
    endpoints = Endpoints(gateway, data, access.hosts.endpoint(gateway.judge))
    refused_before = usage.attempts
    sandbox = factory.lasting(replay.seconds).make(first.keys)
    second = await _run_replays(replay, sandbox, factory.program, endpoints, outbox)
    replay.finish(second)
    _send_replays(replay, collector, second, outbox)
    if collector.not_counted:
        outbox.add_facts(not_counted=collector.not_counted)
    if collector.right_replies:
        outbox.add_facts(right_replies=collector.right_replies)
    _send_connections(usage, outbox)
    second = with_refused_hosts(second, usage, refused_before)
    combined = first.exit.beside(second)
    outbox.add_facts(peak_memory_bytes=combined.peak_memory_bytes)
    judge, harmed = first.endpoints.gateway.judge.usage, not replay.loaded
    return (
        own_failure(endpoints)
        or endpoint_ending(data.usage, judge, access.hosts, first.ending, harmed=harmed)
        or replay_failure(replay, second)
        or first.explain(decide_ending(collector, combined), module=job.module)
    )


async def _play_first(
    job: JobSpec,
    access: RunAccess,
    factory: SandboxFactory,
    outbox: EventOutbox,
    *,
    keys: Mapping[str, str],
) -> FirstSandbox:
    """Play the run's rollouts in a sandbox with these placeholders of keys."""
    usage = access.hosts.usage
    gateway = Gateway(
        job,
        access.model,
        judge_model=access.judge_model,
        secrets=access.hosts.secrets.values,
    )
    collector = EventCollector(
        job, gateway.records, gateway.plan, sent_outside=lambda: usage.last_sent
    )
    endpoints = Endpoints(gateway, access.data.endpoint, access.hosts.endpoint(gateway.judge))
    refused_before = usage.attempts
    end = await _run_rollouts(
        collector, factory.make(keys), factory.program, endpoints, outbox, may_repeat=not keys
    )
    end = with_refused_hosts(end, usage, refused_before)
    return FirstSandbox(endpoints, collector, end, keys, outbox.output_tail)


async def _run_rollouts(
    collector: EventCollector,
    prepared: Sandbox,
    program: list[str],
    endpoints: Endpoints,
    outbox: EventOutbox,
    *,
    may_repeat: bool,
) -> Exit:
    """Run the program in the first sandbox to its end and queue its results for the hub.

    If the run `may_repeat`, it ends at the first rollout that lacks a judge's key.
    """
    async with prepared as sandbox:

        def printed(chunk: bytes) -> None:
            collector.add_output(chunk)
            outbox.add_output(chunk)

        sandbox.on_log = printed
        async with serving(sandbox, program, endpoints):
            outbox.phase = "running"
            gateway, data = endpoints.gateway, endpoints.data
            faults = (gateway.proxy.down, gateway.judge.usage.failed, data.usage.failed)
            reasons = (*faults, collector.machine_needed)
            killing = [asyncio.create_task(kill_on(reason, sandbox)) for reason in reasons]
            try:
                async for line in sandbox.lines():
                    result = collector.add_line(line)
                    if isinstance(result, Facts):
                        outbox.add_facts(**{k: getattr(result, k) for k in result.to_dict()})
                    elif (
                        may_repeat
                        and result is not None
                        and not result.ok
                        and lacks_judge_key(collector)
                    ):
                        sandbox.kill()
                    elif result is not None:
                        note_slow_judge(result, gateway.judge.usage)
                        outbox.add_rollout(result)
                    outbox.total = len(gateway.plan.expected)
                return await sandbox.wait()
            finally:
                for task in killing:
                    task.cancel()


async def _run_replays(
    replay: ReplayRun,
    prepared: Sandbox,
    program: list[str],
    endpoints: Endpoints,
    outbox: EventOutbox,
) -> Exit:
    """Run the program in the second sandbox to its end."""
    async with prepared as sandbox:
        sandbox.on_log = replay.add_output
        async with serving(sandbox, program, endpoints):
            async for line in sandbox.lines():
                if (hashes := replay.add_line(line)) is not None:
                    outbox.add_facts(hashes_again=hashes)
            return await sandbox.wait()


def _send_replays(
    replay: ReplayRun, collector: EventCollector, end: Exit, outbox: EventOutbox
) -> None:
    """Queue the results of the second sandbox for the hub."""
    results = collector.plan.replays.results
    outbox.add_replays(results)
    if mutants := collector.plan.replays.mutants.results:
        outbox.add_facts(mutants=mutants)
        outbox.log_line(f"{len(mutants)} changed replies were played")
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


def _send_connections(usage: HostUsage, outbox: EventOutbox) -> None:
    """Queue what the proxy recorded, of all sandboxes so far."""
    if usage.connections:
        outbox.add_facts(connections=usage.connections)
