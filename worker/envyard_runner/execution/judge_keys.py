"""Placeholders for the keys of judges: set where they are declared, or where the lack of one
ended the load or a rollout.

Some environments behave differently when a key is set, so no other run gets one. No value is a
credential: the gateway ignores keys.
"""

from __future__ import annotations

from envyard.contract.failures import facts_of
from envyard.contract.failures.needs import missing_keys
from envyard.contract.job import JobSpec
from envyard.contract.needs.kinds import JUDGE_KEYS
from envyard_runner.execution.collector import EventCollector

PLACEHOLDERS = dict.fromkeys(sorted(JUDGE_KEYS), "none-needed")
REPEATED = "a judge's key is not set: the run begins again with placeholders for such keys"


def key_variables(job: JobSpec) -> dict[str, str]:
    """The variables of a run's first sandbox."""
    return PLACEHOLDERS if job.declares_judge else {}


def lacks_judge_key(collector: EventCollector) -> bool:
    """Whether the exception that ended the load, or a rollout, names a judge's key as not set."""
    fatal = collector.fatal.get("error") if collector.fatal else None
    errors = [*collector.errors, *([fatal] if isinstance(fatal, dict) else [])]
    raised = (exception for error in errors for exception in facts_of(error).members)
    return any(not JUDGE_KEYS.isdisjoint(missing_keys(exception)) for exception in raised)
