"""Which hosts a run may reach: its proxy endpoints, what they counted, and its needs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from aiohttp import web

from envyard.contract.findings import Finding, finding
from envyard.contract.job import JobSpec
from envyard_runner.config import Config
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.verdict import Ending
from envyard_runner.gateway.judge.server import INTERCEPTED_HOST, Judge
from envyard_runner.hub_api.client import RunHub
from envyard_runner.proxy.authority import Authority, trusted_certificates
from envyard_runner.proxy.endpoint import ProxyEndpoint
from envyard_runner.proxy.forwarding import Forwarder
from envyard_runner.proxy.intercepted import InterceptedHosts
from envyard_runner.proxy.limits import ProxyLimits
from envyard_runner.proxy.names import among
from envyard_runner.proxy.outside import Outside
from envyard_runner.proxy.rules import Rules
from envyard_runner.proxy.secrets import Secrets
from envyard_runner.proxy.usage import HostUsage
from envyard_runner.sandbox import Exit

# Ends of a run that no refused host explains.
OTHER_CAUSES = {"run.memory", "run.cpu", "run.files", "run.descriptors", "run.flooded"}
NEED = "It contacted hosts that are not approved: {hosts}."
NEED_RUNNER = "It contacted hosts, and its runner allows none (RUNNER_HOSTS): {hosts}."


@dataclass(frozen=True, slots=True)
class HostAccess:
    """One run's access; all its sandboxes count in `usage`.

    `certificates` (PEM) are what clients in the sandbox trust: the public authorities and the
    run's own, which signs for intercepted hosts. `secrets` are those of the environment, `declared`
    the hosts that its wheel declares.
    """

    usage: HostUsage
    outside: Outside
    rules: Rules
    secrets: Secrets
    authority: Authority
    public_certificates: bytes
    declared: tuple[str, ...] = ()

    @property
    def certificates(self) -> bytes:
        """The file of the sandbox."""
        return self.public_certificates + b"\n" + self.authority.certificate

    @property
    def allowed(self) -> bool:
        """Whether the runner allows hosts."""
        return self.rules.refusal != "disabled"

    def endpoint(self, judge: Judge) -> ProxyEndpoint:
        """An endpoint for one sandbox of the run, whose judge is `judge`."""
        limits = ProxyLimits()
        forwarder = Forwarder(
            self.outside, self.secrets, self.usage, self.public_certificates, limits
        )

        async def answer(request: web.Request, host: str) -> web.StreamResponse:
            if host not in self.rules.judge_hosts:
                return await forwarder.forward(request, host)
            request[INTERCEPTED_HOST] = host
            return await judge.handle(request)

        intercepted = InterceptedHosts(self.authority, answer, limits, close=forwarder.close)
        return ProxyEndpoint(self.usage, self.outside, self.rules, intercepted, limits=limits)


@asynccontextmanager
async def open_hosts(
    job: JobSpec, config: Config, hub: RunHub, outside: Outside
) -> AsyncIterator[HostAccess]:
    """The run's access to the hosts that the hub approved, with the values of its secrets."""
    values = await hub.secret_values(job) if job.secrets else {}
    secrets = Secrets(job.secrets, values)
    if config.hosts_allowed or not job.hosts:
        rules = Rules(job.hosts, secrets.hosts)
    else:
        rules = Rules(refusal="disabled")
    public = trusted_certificates(config.index_environment.get("SSL_CERT_FILE"))
    authority = Authority(rules.intercepted)
    usage = HostUsage(config.hosts_bytes)
    try:
        yield HostAccess(usage, outside, rules, secrets, authority, public, job.declared_hosts)
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
    """The hosts that the run lacked, as one finding: all that were refused if the run was `harmed`
    by it, else those that the wheel declares. `reason` is why the run failed."""
    needed = hosts.usage.needed if harmed else []
    names = [host for host in hosts.usage.refused if host in needed or among(host, hosts.declared)]
    if not names:
        return []
    message = (NEED if hosts.allowed else NEED_RUNNER).format(hosts=", ".join(names))
    if reason:
        message += f" It failed with: {reason}"
    return [finding("needs.host", message, names=names)]
