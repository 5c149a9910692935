"""Endings of runs that lacked something outside the sandbox, by what its endpoints counted.

What the environment made of a refusal does not matter: many catch the error and pay no reward.
"""

from __future__ import annotations

from collections.abc import Sequence

from envyard.contract.findings import Finding, finding
from envyard_runner.data.usage import DataUsage
from envyard_runner.execution.data_access import data_fault, data_needs, data_refused
from envyard_runner.execution.host_access import HostAccess, host_fault, host_needs
from envyard_runner.execution.judge_access import judge_fault, judge_needs
from envyard_runner.execution.verdict import Ending
from envyard_runner.gateway.judge.usage import JudgeUsage


def endpoint_ending(
    data: DataUsage,
    judge: JudgeUsage,
    hosts: HostAccess,
    ending: Ending,
    *,
    harmed: bool,
    images: Sequence[str] = (),
    secrets: Sequence[Finding] = (),
) -> Ending | None:
    """The ending of a run whose endpoints could not serve it, None where they could.

    Faults of the platform come first, since another attempt may not meet them; then all
    requirements together; then what the environment may not request. `ending` is the run's without
    them, `harmed` whether refused hosts may be why it or rollouts failed, `images` are the
    container images that it needs, `secrets` the finding of those that it lacks.
    """
    succeeded = ending.outcome == "succeeded"
    reason = "" if succeeded or not ending.findings else ending.findings[0].message
    if faults := [*data_fault(data), *judge_fault(judge), *host_fault(hosts.usage, harmed=harmed)]:
        return Ending("errored", faults)
    needs = [
        *data_needs(data, succeeded=succeeded),
        *judge_needs(judge),
        *secrets,
        *host_needs(hosts, harmed=harmed, reason=reason),
        *machine_needs(images),
    ]
    if needs:
        return Ending("errored", needs)
    if refused := data_refused(data):
        return Ending("failed", refused)
    return None


def machine_needs(images: Sequence[str]) -> list[Finding]:
    """The container images that the environment needs, as one finding."""
    if not images:
        return []
    message = (
        "It runs tasks in container images, and this hub's runners start none: "
        f"{', '.join(images)}."
    )
    return [finding("needs.machine", message, names=list(images))]
