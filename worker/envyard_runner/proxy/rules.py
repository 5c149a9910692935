"""Which hosts a run may reach, and how."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from envyard.contract.connections import Route
from envyard.contract.needs.kinds import JUDGE_HOSTS
from envyard_runner.proxy.names import among
from envyard_runner.proxy.refused import Reason, Refused


@dataclass(frozen=True, slots=True)
class Rules:
    """`hosts` are the approved ones and `secret_hosts` those to which a secret is bound, exact
    names or `*.` for one level. Hosts of known judges are answered by the run's own judge, also
    if they are approved. All others are refused for `refusal`."""

    hosts: Collection[str] = ()
    secret_hosts: Collection[str] = ()
    judge_hosts: Collection[str] = frozenset(JUDGE_HOSTS)
    refusal: Reason = "not_approved"

    def route(self, host: str, port: int) -> Route:
        """How connections to the host go; raises Refused."""
        if host in self.judge_hosts:
            return "judge"
        if not among(host, self.hosts):
            raise Refused(self.refusal, host, port)
        return "secrets" if among(host, self.secret_hosts) else "tunnel"

    @property
    def intercepted(self) -> list[str]:
        """The hosts whose TLS ends in the runner."""
        return sorted({*self.judge_hosts, *self.secret_hosts})
