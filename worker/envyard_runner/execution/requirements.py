"""Endings of runs that lacked something outside the sandbox, by what its endpoints counted.

What the environment made of a refusal does not matter: many catch the error and pay no reward.
"""

from __future__ import annotations

from envyard_runner.data.usage import DataUsage
from envyard_runner.execution.data_access import data_fault, data_needs, data_refused
from envyard_runner.execution.judge_access import judge_fault, judge_needs
from envyard_runner.execution.verdict import Ending
from envyard_runner.gateway.judge.usage import JudgeUsage


def endpoint_ending(data: DataUsage, judge: JudgeUsage, *, succeeded: bool) -> Ending | None:
    """The ending of a run whose endpoints could not serve it, None where they could.

    Faults of the platform come first, since another attempt may not meet them; then all
    requirements together; then what the environment may not request. `succeeded` is whether the run
    was completed in spite of it.
    """
    if faults := [*data_fault(data), *judge_fault(judge)]:
        return Ending("errored", faults)
    if needs := [*data_needs(data, succeeded=succeeded), *judge_needs(judge)]:
        return Ending("errored", needs)
    if refused := data_refused(data):
        return Ending("failed", refused)
    return None
