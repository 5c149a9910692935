"""Evaluations that people request: a run of one model on a listed version, by a suite.

They decide on nothing: the version stays listed whatever they show.
"""

from __future__ import annotations

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from envyard.contract.job import MODEL
from envyard.contract.rules import RULES
from envyard.contract.survey import read_survey
from registry import events
from registry.accounts.models import User
from registry.catalog.models import Version
from registry.errors import HubError, Stale
from registry.runs import provided, pythons, queue, services, shards, stopping, suites
from registry.runs.models import Run
from registry.runs.suite_models import Suite

MAX_MODEL = 200


def request(
    *, version: Version, model: str, suite: Suite, by: User, repeated: Run | None = None
) -> Run:
    """Queue a run of the model and notify a runner after commit; returns the active run of the same
    model and suite where there is one. It takes over the shards of `repeated` that have a result.

    The run uses the person's own share of the queue. Raises Stale where the version is not listed
    or the suite cannot be repeated, request.invalid for a model without a name, quota.evaluations
    (429) where the person has too many active ones.
    """
    _check(version, model, suite)
    try:
        with transaction.atomic():
            _check_quota(by)
            owner = by.owner
            turn, priority = queue.assign(version, owner=owner.pk)
            run = Run(
                version=version,
                environment=version.environment,
                owner=owner,
                purpose=Run.Purpose.EVALUATION,
                turn=turn,
                priority=priority,
                policies=[MODEL],
                model=model,
                pythons=pythons.tag_of(version),
                needs=provided.needs_of(version),
                requested_by=by,
                last_notified_at=timezone.now(),
            )
            suites.assign(run, suite)
            leasable = shards.resume(run, repeated) if repeated else shards.split(run)
            events.record(
                "run.requested",
                by=by,
                environment=version.environment,
                version=version,
                run=run,
                model=model,
                suite=suite.name,
            )
            services.announce(run, leasable)
    except IntegrityError:
        return Run.objects.get(
            version=version,
            purpose=Run.Purpose.EVALUATION,
            model=model,
            suite=suite,
            status__in=Run.ACTIVE,
        )
    return run


def active_of(person: User) -> int:
    """The number of evaluations that the person requested and that wait or run."""
    return Run.objects.filter(
        requested_by=person, purpose=Run.Purpose.EVALUATION, status__in=Run.ACTIVE
    ).count()


def repeat(*, run: Run, by: User) -> Run:
    """Request an ended evaluation again, without the shards of it that have a result; raises Stale
    where it is active, has a result, or is a shard."""
    if run.parent_id is not None:
        raise Stale(
            "a shard is not repeated alone", f"Repeat its run: hub runs retry {run.parent_id}"
        )
    if run.is_active:
        raise Stale(f"run {run.pk} is {run.status}", f"Follow it: hub logs -f {run.pk}")
    if run.status == Run.Status.SUCCEEDED or run.suite is None:
        raise Stale(
            f"run {run.pk} has succeeded and is not repeated",
            "Its seeds are fixed: request another suite or model with `hub eval`.",
        )
    return request(version=run.version, model=run.model, suite=run.suite, by=by, repeated=run)


def _check(version: Version, model: str, suite: Suite) -> None:
    if not 1 <= len(model) <= MAX_MODEL or not model.isprintable() or model != model.strip():
        raise HubError(
            "request.invalid",
            f"model {model[:60]!r} must be the name of a model, 1 to {MAX_MODEL} characters",
            "Use the name under which a runner serves it.",
            details={"field": "model"},
        )
    if version.status != Version.Status.LISTED:
        raise Stale(
            f"{version} is {version.status}; only a listed version is evaluated on request",
            f"Its status: hub info {version}",
        )
    if state := stopping.state_of(version):
        raise Stale(f"{version} is {state} and is not evaluated", f"See: hub info {version}")
    frozen = suite.frozen
    _check_tasks(version, suite)
    if frozen.judge != settings.HUB_JUDGE_MODEL:
        raise Stale(
            f"suite {suite} has the judge {frozen.judge or 'none'}, this hub has "
            f"{settings.HUB_JUDGE_MODEL or 'none'}",
            "Define a suite with another name: a suite never changes.",
        )
    if frozen.rules != RULES:
        raise Stale(
            f"suite {suite} is of rules version {frozen.rules}, this hub has {RULES}",
            "Define a suite with another name: a suite never changes.",
        )


def _check_tasks(version: Version, suite: Suite) -> None:
    """Raise Stale where the suite names a task beyond those that the version is known to have."""
    if not suite.frozen.indexes:
        return
    runs = version.runs.filter(status=Run.Status.SUCCEEDED, facts__survey__isnull=False)
    survey = read_survey(runs.values_list("facts__survey", flat=True).first())
    last, train = suite.frozen.indexes[-1], survey.train if survey else None
    if train is not None and train.complete and last >= train.tasks:
        raise Stale(
            f"suite {suite} names task {last}, and {version} has {train.tasks} tasks, from index 0",
            "Use a suite whose tasks it has: `hub suites list` shows what each names.",
        )


def _check_quota(by: User) -> None:
    """Raise quota.evaluations where the person has as many active evaluations as are allowed."""
    maximum = settings.HUB_ACTIVE_EVALUATIONS
    if by.is_staff:
        return
    active = active_of(by)
    if active >= maximum:
        raise HubError(
            "quota.evaluations",
            f"{by.get_username()} has {active} active evaluations; the limit is {maximum}",
            "Wait until one has ended, or cancel one with `hub cancel`.",
            429,
            {"used": active, "limit": maximum, "retry_after": 60},
        )
