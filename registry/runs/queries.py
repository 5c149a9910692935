"""Reads that need more than one filter: rollouts, runners, the log by position, a token's run."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from registry.accounts.models import Runner
from registry.catalog.models import Version
from registry.errors import HubError
from registry.runs.models import Rollout, Run
from registry.runs.tokens import read_run_token

LOG_PAGE = 200


@dataclass(frozen=True, slots=True)
class LogPage:
    """A piece of log; the next one begins at `next`, unless `ended`: then there is none."""

    text: str
    next: int
    ended: bool


def log_after(*, run: Run, position: int) -> LogPage:
    """The log after an opaque position, 0 being its start.

    `run` must be read before this is called: a run that had ended by then has its whole log.
    """
    chunks = list(run.log.filter(pk__gt=position).order_by("pk")[: LOG_PAGE + 1])
    page = chunks[:LOG_PAGE]
    return LogPage(
        text="".join(chunk.shown for chunk in page),
        next=page[-1].pk if page else position,
        ended=not run.is_active and len(chunks) <= LOG_PAGE,
    )


def rollouts(
    *,
    run: Run,
    policy: str = "",
    task: int | None = None,
    ok: bool | None = None,
    low: float | None = None,
    high: float | None = None,
) -> QuerySet[Rollout]:
    """The run's rollouts of that policy, task and outcome, rewarded from `low` to `high`."""
    filters: dict[str, object] = {"policy": policy or None, "task": task, "ok": ok}
    filters |= {"reward__gte": low, "reward__lte": high}
    return run.own_rollouts.filter(**{k: v for k, v in filters.items() if v is not None})


def leased_run(token: str) -> Run:
    """The run, with version and environment, whose current attempt this run token is for.

    Raises HubError token.invalid (401) for a forged token and for one of an ended attempt.
    """
    attempt = read_run_token(token)
    run = (
        Run.with_shards.select_related("version__environment__owner")
        .filter(
            pk=attempt.run,
            attempt=attempt.attempt,
            status__in=Run.LEASED_STATES,
            runner__enabled=True,
        )
        .first()
    )
    if run is None:
        raise HubError("token.invalid", "The attempt this run token was for is over.", status=401)
    return run


def runners_with_runs() -> QuerySet[Runner]:
    """Every runner with `held`, the number of its runs under way, by name."""
    leased = Count("runs", filter=Q(runs__status__in=Run.LEASED_STATES))
    return Runner.objects.annotate(held=leased).order_by("name")


def newest_deciding(version: Version) -> UUID | None:
    """The newest run by which the version is listed, rejected or held."""
    runs = version.runs.deciding().order_by("-created_at")
    return runs.values_list("pk", flat=True).first()
