"""Play the rollouts of a run in its first sandbox, and decide what they alone can decide."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

from envyard.contract.facts import Facts
from envyard.contract.job import JobSpec
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.host_access import harmed_by_network, with_refused_hosts
from envyard_runner.execution.judge_access import judge_facts, note_slow_judge
from envyard_runner.execution.judge_keys import (
    PLACEHOLDERS,
    REPEATED,
    key_variables,
    lacks_judge_key,
)
from envyard_runner.execution.load_failures import low_limit_ending, with_causes
from envyard_runner.execution.reference_run import ReferenceRun
from envyard_runner.execution.replay import MIN_SECONDS
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
from envyard_runner.execution.survey import surveys
from envyard_runner.execution.verdict import Ending, decide_ending
from envyard_runner.gateway import Gateway
from envyard_runner.hub_api.event_outbox import EventOutbox
from envyard_runner.proxy.usage import HostUsage
from envyard_runner.sandbox import Exit


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


async def play_rollouts(
    job: JobSpec,
    access: RunAccess,
    factory: SandboxFactory,
    outbox: EventOutbox,
    references: ReferenceRun,
    *,
    ends: float,
) -> FirstSandbox:
    """Play the run's rollouts, once more with placeholders of keys where the lack of a judge's key
    ended the first try."""
    first = await _play_first(job, access, factory, outbox, references, keys=key_variables(job))
    if first.keys or not lacks_judge_key(first.collector):
        return first
    outbox.log_line(REPEATED)
    access.data.renew_endpoint()
    await references.end()
    lasting = factory.lasting(max(MIN_SECONDS, ends - time.monotonic()))
    return await _play_first(job, access, lasting, outbox, references, keys=PLACEHOLDERS)


def first_ending(
    job: JobSpec, access: RunAccess, first: FirstSandbox, outbox: EventOutbox
) -> Ending:
    """The ending of the run as far as its first sandbox decides it; queues that one's facts."""
    ending, judge = first.ending, first.endpoints.gateway.judge.usage
    outbox.add_facts(sandbox=first.exit.limited_by, peak_memory_bytes=first.exit.peak_memory_bytes)
    send_connections(access.hosts.usage, outbox)
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


async def _play_first(
    job: JobSpec,
    access: RunAccess,
    factory: SandboxFactory,
    outbox: EventOutbox,
    references: ReferenceRun,
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
        constants=access.constants,
    )
    collector = EventCollector(
        job, gateway.records, gateway.plan, sent_outside=lambda: usage.last_sent
    )
    endpoints = Endpoints(gateway, access.data.endpoint, access.hosts.endpoint(gateway.judge))
    refused_before = usage.attempts
    keep = surveys(job)
    async with references.computing(gateway, collector.make_plan, factory, keys, keep=keep):
        end = await _run_rollouts(collector, factory, keys, endpoints, outbox, may_repeat=not keys)
    end = end.beside(references.exit) if references.exit else end
    end = with_refused_hosts(end, usage, refused_before)
    return FirstSandbox(endpoints, collector, end, keys, outbox.output_tail)


async def _run_rollouts(
    collector: EventCollector,
    factory: SandboxFactory,
    keys: Mapping[str, str],
    endpoints: Endpoints,
    outbox: EventOutbox,
    *,
    may_repeat: bool,
) -> Exit:
    """Drive the environment in the first sandbox to its end and queue its results for the hub.

    If the run `may_repeat`, it ends at the first rollout that lacks a judge's key.
    """
    program = factory.worker
    async with factory.make(program, keys) as sandbox:

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
                async for line in factory.drive(sandbox, gateway).lines():
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


def send_connections(usage: HostUsage, outbox: EventOutbox) -> None:
    """Queue what the proxy recorded, of all sandboxes so far."""
    if usage.connections:
        outbox.add_facts(connections=usage.connections)
