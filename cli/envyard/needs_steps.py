"""What follows from a need that `hub check` shows: whether the hub provides it, else who does what.

A hub is not required: without one, the steps are shown and nothing is known of what it provides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from envyard.client import Hub, environment_path
from envyard.contract.local_access import OPTION_OF_NEED
from envyard.contract.names import Ref, normalise
from envyard.contract.needs.kinds import MAX_HOST, Need, approval_fault, covers, variable_fault
from envyard.contract.values import records, text
from envyard.errors import HubCliError
from envyard.hub_checks import About

MAX_HOSTS = 1000  # of the hub's answer


@dataclass(frozen=True, slots=True)
class Provided:
    """What one hub has for an environment: the kinds that it provides, and the hosts that its staff
    approved; None for either where the hub did not send it."""

    kinds: tuple[str, ...] | None = None
    hosts: tuple[str, ...] | None = None

    @classmethod
    def of(cls, hub: Hub, about: About, owner: str, name: str) -> Provided:
        """The kinds in the hub's answer, and the approved hosts of the environment."""
        try:
            answer = (
                hub.get(f"{environment_path(Ref(owner, normalise(name)))}hosts/") if owner else {}
            )
        except HubCliError:  # before the first push there is no such environment
            answer = {}
        if not isinstance(answer.get("results"), list):
            return cls(about.provides)
        rows = records(answer["results"], MAX_HOSTS)
        approved = (text(row.get("host"), MAX_HOST) for row in rows if row.get("approved_at"))
        return cls(about.provides, tuple(approved))

    def has(self, need: Need) -> bool | None:
        """Whether the hub provides it, None where that is not known. Owners see their secrets on
        the hub alone, and a name that the code computes is not known before a run."""
        if self.kinds is None or need.kind == "secret":
            return None
        if need.kind != "host":
            return need.kind in self.kinds
        if "host" not in self.kinds:
            return False
        if self.hosts is None or not need.names:
            return None
        return all(_among(name, self.hosts) for name in need.names)


def to_dict(need: Need, provided: Provided, ref: str) -> dict[str, Any]:
    """The need with what follows from it, for --json."""
    return {
        **need.to_dict(),
        "provided": provided.has(need),
        "next": next_step(need, provided, ref),
    }


def next_step(need: Need, provided: Provided, ref: str) -> str:
    """Sentences with whole commands; `ref` is the environment's owner/name."""
    if provided.has(need):
        return HAS[need.kind]
    return " ".join([*STEPS[need.kind](need, provided, ref), *_here(need)])


def _data(need: Need, provided: Provided, ref: str) -> Iterator[str]:
    yield "The operator of a runner sets RUNNER_DATA_URL."


def _judge(need: Need, provided: Provided, ref: str) -> Iterator[str]:
    yield "The hub's operator sets HUB_JUDGE_MODEL, the operator of a runner RUNNER_JUDGE_URL."


def _secret(need: Need, provided: Provided, ref: str) -> Iterator[str]:
    names = [name for name in need.names if not variable_fault(name)] or ["NAME"]
    commands = ", ".join(f"`hub secret set {ref} {name} --host HOST`" for name in names)
    yield f"An owner sets it for the host that receives it, after the first push: {commands}."


def _host(need: Need, provided: Provided, ref: str) -> Iterator[str]:
    if provided.kinds is not None and "host" not in provided.kinds:
        yield "The operator of a runner sets RUNNER_HOSTS=yes."
    names = [name for name in need.names if not approval_fault(name)]
    names = [name for name in names if not _among(name, provided.hosts or ())]
    if names or not need.names:
        commands = ", ".join(f"`hub host add {ref} {name}`" for name in names or ["HOST"])
        yield f"An owner declares it, in `[tool.envyard]` or after the first push: {commands}."
        yield "The hub's staff approve it."


def _machine(need: Need, provided: Provided, ref: str) -> Iterator[str]:
    yield "No runner starts container images yet: a version that needs one is held."


def _here(need: Need) -> Iterator[str]:
    """The command that provides it to a run on this machine."""
    if option := OPTION_OF_NEED.get(f"needs.{need.kind}"):
        name = need.names[0] if len(need.names) == 1 else ""
        if need.kind == "secret" and name and not variable_fault(name):
            option = option.replace("NAME", name)
        if need.kind == "host" and name and not approval_fault(name):
            option = option.replace("HOST", name)
        yield f"On this machine: `hub check --run {option}`."


def _among(host: str, patterns: Collection[str]) -> bool:
    return any(host == pattern or covers(pattern, host) for pattern in patterns)


HAS = {
    "data": "This hub's runners read data sets; gated ones need the access of their token.",
    "judge": "This hub has a judge.",
    "host": "This hub's staff approved it.",
    "machine": "A runner of this hub starts container images.",
}
STEPS = {
    "data": _data,
    "judge": _judge,
    "secret": _secret,
    "host": _host,
    "machine": _machine,
}
