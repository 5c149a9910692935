"""Which hosts a run may reach: its proxy endpoints, what they counted, and its needs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from envyard.contract.findings import Finding, finding
from envyard.contract.job import JobSpec
from envyard_runner.config import Config
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.verdict import Ending
from envyard_runner.proxy.endpoint import ProxyEndpoint
from envyard_runner.proxy.outside import Outside
from envyard_runner.proxy.usage import HostUsage
from envyard_runner.sandbox import Exit

# Ends of a run that no refused host explains.
OTHER_CAUSES = {"run.memory", "run.cpu", "run.files", "run.descriptors", "run.flooded"}
NEED = (
    "It contacted hosts that are not approved: {hosts}. The author declares them "
    "([tool.envyard] hosts) or an owner adds them on the environment's page; the hub's operator "
    "approves them."
)
NEED_RUNNER = (
    "It contacts hosts, which its runner does not allow: {hosts}. The runner's operator sets "
    "RUNNER_HOSTS=yes."
)


@dataclass(frozen=True, slots=True)
class HostAccess:
    """One run's access; all its sandboxes count in `usage`."""

    job: JobSpec
    usage: HostUsage
    outside: Outside
    allowed: bool

    def endpoint(self) -> ProxyEndpoint:
        """An endpoint for one sandbox of the run."""
        if not self.allowed and self.job.hosts:
            return ProxyEndpoint(self.usage, self.outside, refusal="disabled")
        return ProxyEndpoint(self.usage, self.outside, self.job.hosts)


@asynccontextmanager
async def open_hosts(job: JobSpec, config: Config, outside: Outside) -> AsyncIterator[HostAccess]:
    """The run's access to the hosts that the hub approved."""
    try:
        yield HostAccess(job, HostUsage(config.hosts_bytes), outside, config.hosts_allowed)
    finally:
        outside.close()


def with_refused_hosts(end: Exit, usage: HostUsage, before: int) -> Exit:
    """The exit with what the proxy refused since `before` among its attempts to reach the
    network."""
    if usage.attempts == before:
        return end
    return replace(
        end,
        network_attempts=(end.network_attempts or 0) + usage.attempts - before,
        targets=tuple(dict.fromkeys((*usage.targets, *end.targets))),
    )


def harmed_by_network(ending: Ending, collector: EventCollector, usage: HostUsage) -> bool:
    """Whether the refused hosts may be why a run or its rollouts failed.

    A run that succeeded with all its rollouts did without them: version checks and telemetry.
    """
    if ending.outcome == "succeeded":
        return collector.failed > 0 and usage.last_refused >= collector.planned_at
    codes = {finding.code for finding in ending.findings}
    return ending.outcome == "failed" and not codes & OTHER_CAUSES


def host_fault(usage: HostUsage, *, harmed: bool) -> list[Finding]:
    """The platform's fault, if approved hosts did not answer and the run failed."""
    if not (harmed and usage.unreachable):
        return []
    names = list(usage.unreachable)
    message = f"Approved hosts did not answer the runner: {', '.join(names)}."
    return [finding("run.host_unreachable", message, names=names)]


def host_needs(hosts: HostAccess, *, harmed: bool, reason: str = "") -> list[Finding]:
    """The hosts that the run lacked, as one finding; `reason` is why the run failed."""
    names = hosts.usage.needed
    if not (harmed and names):
        return []
    message = (NEED if hosts.allowed else NEED_RUNNER).format(hosts=", ".join(names))
    if reason:
        message += f" It failed with: {reason}"
    return [finding("needs.host", message, names=names)]
