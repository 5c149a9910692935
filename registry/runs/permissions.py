"""Permission rules for runs."""

from __future__ import annotations

from registry.accounts.permissions import PUBLISH, READ, Principal, Rule, Rules, register
from registry.catalog.permissions import installs_version, manages_environment, sees_version
from registry.runs.models import Run


def _sees_run(principal: Principal, run: Run) -> bool:
    """Output of the runs of a quarantined version is shown to its owners and to staff only."""
    if principal.is_member(run.version.environment.owner_id):
        return sees_version(principal, run.version)
    return installs_version(principal, run.version)


def _manages_run(principal: Principal, run: Run) -> bool:
    """Who manages the environment, and who requested an evaluation and still sees it."""
    if manages_environment(principal, run.version.environment):
        return True
    requested = principal.user is not None and run.requested_by_id == principal.user.pk
    return run.is_evaluation and requested and _sees_run(principal, run)


register(
    "run",
    Rules[Run](
        (Run,),
        {
            "see": Rule(READ, _sees_run),
            "cancel": Rule(PUBLISH, _manages_run, "cancel run {obj}"),
            "retry": Rule(PUBLISH, _manages_run, "retry run {obj}"),
        },
        lambda run: run.version.environment_id,
    ),
)
