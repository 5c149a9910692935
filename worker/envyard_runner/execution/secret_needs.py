"""The secrets that a run lacked, by the errors that ended its load or its rollouts.

An environment that forges such an error has only its own version held.
"""

from __future__ import annotations

from envyard.contract.failures import facts_of
from envyard.contract.failures.needs import missing_keys
from envyard.contract.findings import Finding, finding
from envyard.contract.job import JobSpec
from envyard.contract.needs.kinds import JUDGE_KEYS, variable_fault
from envyard_runner.execution.collector import EventCollector

MAX_NAMED = 20
NEED = "It read keys that were not set: {names}."


def missing_secrets(job: JobSpec, collector: EventCollector) -> list[str]:
    """The names of keys that errors name as not set, and that an owner could set."""
    fatal = collector.fatal.get("error") if collector.fatal else None
    errors = [*([fatal] if isinstance(fatal, dict) else []), *collector.errors]
    present = {*JUDGE_KEYS, *job.variables, *(secret.name for secret in job.secrets)}
    names = {
        name: None
        for error in errors
        for raised in facts_of(error).members
        for name in missing_keys(raised)
        if name not in present and not variable_fault(name)
    }
    return list(names)[:MAX_NAMED]


def secret_needs(names: list[str]) -> list[Finding]:
    """The secrets as one finding."""
    if not names:
        return []
    return [finding("needs.secret", NEED.format(names=", ".join(names)), names=names)]
