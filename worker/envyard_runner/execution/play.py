"""Run the sandboxes of a run: one plays it, fresh ones repeat a sample and survey the tasks.

Those are at work at once where the memory of one suffices for all, else one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from envyard.contract.job import JobSpec
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.first_sandbox import (
    FirstSandbox,
    first_ending,
    play_rollouts,
    send_connections,
)
from envyard_runner.execution.host_access import with_refused_hosts
from envyard_runner.execution.judge_checks import JudgeCheckRun
from envyard_runner.execution.reference_run import ReferenceRun
from envyard_runner.execution.replay import ReplayRun
from envyard_runner.execution.requirements import endpoint_ending
from envyard_runner.execution.sandboxes import (
    Endpoints,
    RunAccess,
    SandboxFactory,
    beside,
    own_failure,
    serving,
)
from envyard_runner.execution.survey import SurveyRun
from envyard_runner.execution.training_check import TrainingCheck
from envyard_runner.execution.verdict import Ending, decide_ending, replay_failure
from envyard_runner.gateway import Gateway
from envyard_runner.hub_api.event_outbox import EventOutbox
from envyard_runner.sandbox import Exit


async def play(
    job: JobSpec, access: RunAccess, factory: SandboxFactory, outbox: EventOutbox
) -> Ending:
    """Play a run to its end; if it succeeds, repeat a sample of it and survey its tasks."""
    async with ReferenceRun(access, outbox) as references:
        return await _play(job, access, factory, outbox, references)


async def _play(
    job: JobSpec,
    access: RunAccess,
    factory: SandboxFactory,
    outbox: EventOutbox,
    references: ReferenceRun,
) -> Ending:
    ends = time.monotonic() + factory.limits.wall_seconds
    first = await play_rollouts(job, access, factory, outbox, references, ends=ends)
    ending = first_ending(job, access, first, outbox)
    if ending.outcome != "succeeded":
        return ending
    outbox.phase = "scoring"
    outbox.log_line("all rollouts are played; the tasks are loaded again in a fresh sandbox")
    judged = first.endpoints.gateway.judge.usage.calls.total() > 0
    survey = SurveyRun(job, first.collector, judged=judged, constants=access.constants)
    check = TrainingCheck(job, factory.guest_job, first.collector, access, judged=judged)
    repeated = Repetition(job, access, outbox, first, check, ends)
    peak = first.exit.peak_memory_bytes
    half = factory.half(peak_bytes=peak)
    # A survey may have its references' sandbox beside it.
    shared = half.half(peak_bytes=peak) if half and survey.wanted else half
    # Refused hosts are counted for the run, and a slow rollout would be slower still.
    if not shared or first.collector.timeouts or access.hosts.usage.connections:
        ending = await repeated.one_after_the_other(factory)
        if ending.outcome == "succeeded":
            await survey.run(factory, access, outbox, references, keys=first.keys, ends=ends)
        return _with_survey(ending, survey)
    surveying = survey.run(shared, access, outbox, references, keys=first.keys, ends=ends)
    async with beside(surveying) as surveyed:
        ending = await repeated.at_once(shared)
        if ending.outcome == "succeeded":
            await surveyed
    return _with_survey(ending, survey)


def _with_survey(ending: Ending, survey: SurveyRun) -> Ending:
    if ending.outcome != "succeeded":
        return ending
    codes = {each.code for each in ending.findings}  # from fewer references
    more = [each for each in survey.findings if each.code not in codes]
    return replace(ending, findings=[*ending.findings, *more])


@dataclass(frozen=True, slots=True)
class Repetition:
    """Repeats a sample of a run in fresh sandboxes, and ends it; the run's time `ends` then."""

    job: JobSpec
    access: RunAccess
    outbox: EventOutbox
    first: FirstSandbox
    training: TrainingCheck
    ends: float

    async def one_after_the_other(self, factory: SandboxFactory) -> Ending:
        """Repeat it with one sandbox of the factory's at a time."""
        ending = await self._replay(factory)
        if ending.outcome != "succeeded":
            return ending
        await self._check_judge(factory)
        await self._train(factory)
        return await self._finish(factory, ending)

    async def at_once(self, factory: SandboxFactory) -> Ending:
        """Repeat it with two sandboxes of the factory's: the trainer's host is beside the
        others."""
        async with beside(self._train(factory)) as trained:
            ending = await self._replay(factory)
            if ending.outcome != "succeeded":
                return ending
            await self._check_judge(factory)
            await trained
        return await self._finish(factory, ending)

    def _lasting(self, factory: SandboxFactory) -> SandboxFactory:
        return factory.lasting(self.ends - time.monotonic())

    async def _check_judge(self, factory: SandboxFactory) -> None:
        gateway = self.first.endpoints.gateway
        checking = JudgeCheckRun(self.job, self.first.collector, self.access, gateway)
        wall = factory.limits.wall_seconds
        lasting = self._lasting(factory)
        await checking.run(lasting, self.outbox, keys=self.first.keys, wall_seconds=wall)

    async def _train(self, factory: SandboxFactory) -> None:
        wall = factory.limits.wall_seconds
        await self.training.play(self._lasting(factory), keys=self.first.keys, wall_seconds=wall)

    async def _finish(self, factory: SandboxFactory, ending: Ending) -> Ending:
        wall = factory.limits.wall_seconds
        lasting = self._lasting(factory)
        aware = await self.training.finish(
            lasting, self.outbox, keys=self.first.keys, wall_seconds=wall
        )
        return replace(ending, findings=[*ending.findings, *aware])

    async def _replay(self, factory: SandboxFactory) -> Ending:
        """Load the tasks in a fresh sandbox, replay a sample of the rollouts, and end the run."""
        job, access, outbox, first = self.job, self.access, self.outbox, self.first
        collector, usage = first.collector, access.hosts.usage
        wall = factory.limits.wall_seconds
        replay = ReplayRun(job, collector, began=self.ends - wall, wall_seconds=wall)
        gateway = Gateway(job, None, replays=collector.plan.replays)
        data = access.data.replay_endpoint()
        endpoints = Endpoints(gateway, data, access.hosts.endpoint(gateway.judge))
        refused_before = usage.attempts
        lasting = factory.lasting(replay.seconds)
        second = await _run_replays(replay, lasting, first.keys, endpoints, outbox)
        replay.finish(second)
        _send_replays(replay, collector, second, outbox)
        if collector.not_counted:
            outbox.add_facts(not_counted=collector.not_counted)
        if right := collector.right_replies.rollouts:
            outbox.add_facts(right_replies=right)
        send_connections(usage, outbox)
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


async def _run_replays(
    replay: ReplayRun,
    factory: SandboxFactory,
    keys: Mapping[str, str],
    endpoints: Endpoints,
    outbox: EventOutbox,
) -> Exit:
    """Drive the environment in the second sandbox to its end."""
    program = factory.worker
    async with factory.make(program, keys) as sandbox:
        sandbox.on_log = replay.add_output
        async with serving(sandbox, program, endpoints):
            async for line in factory.drive(sandbox, endpoints.gateway).lines():
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
