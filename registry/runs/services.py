"""Operations on runs: request, notify, lease, renew, cancel. `runner_events` stores results."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import IntegrityError, transaction
from django.utils import timezone

from envyard.contract.findings import finding
from envyard.contract.job import MODEL, queue_for
from envyard.contract.suite import SMOKE
from registry import dispatch, events
from registry.accounts import runners
from registry.accounts.models import Runner, User
from registry.catalog.models import Version
from registry.errors import Forbidden, Stale
from registry.runs import endings, limits, provided, pythons, queue, stopping, suites
from registry.runs.models import Run
from registry.runs.sweep import requeue_runs_of

# Messages in a queue at first; then each run that ends sends the next one.
MAX_NOTIFICATIONS = 32


def request(
    *,
    version: Version,
    policies: Sequence[str],
    model: str = "",
    by: User | None = None,
    purpose: str = Run.Purpose.LISTING,
) -> Run:
    """Queue the run of the smoke suite that decides on the version, or measures it again, and
    notify a runner after commit; returns the active one where there is one."""
    suite = suites.built_in(SMOKE)
    try:
        with transaction.atomic():
            turn, priority = queue.assign(version)
            if purpose == Run.Purpose.REMEASUREMENT:
                priority += queue.REMEASUREMENT_DELAY
            run = Run(
                version=version,
                environment=version.environment,
                purpose=purpose,
                owner=version.environment.owner,
                turn=turn,
                priority=priority,
                policies=list(policies),
                model=model if MODEL in policies else "",
                pythons=pythons.tag_of(version),
                needs=provided.needs_of(version),
                requested_by=by,
                last_notified_at=timezone.now(),
            )
            suites.assign(run, suite)
            run.save(force_insert=True)
            events.record(
                "run.requested", by=by, environment=version.environment, version=version, run=run
            )
            announce(run)
    except IntegrityError:
        return Run.objects.get(version=version, purpose=purpose, status__in=Run.ACTIVE)
    return run


def announce(run: Run, count: int = 1) -> None:
    """Notify runners of a new run, or of its `count` shards, after commit; of fewer or none where
    many messages wait in its queue."""
    waiting = Run.with_shards.filter(status=Run.Status.QUEUED, model=run.model).order_by()
    earlier = waiting[: MAX_NOTIFICATIONS + count].count() - count
    for _ in range(min(count, MAX_NOTIFICATIONS - earlier)):
        endings.notify_after_commit(run.model)


def notify_again() -> int:
    """Send messages for runs at the head of the queue, at growing intervals; returns the count.

    Runs are notified about as far as runners are idle, and one more for a runner that the hub has
    no record of yet. The wait of a run that lost an attempt is counted from the start of that
    attempt, or from the end of its pause; all idle runners are notified about it, because the
    runner that lost the attempt does not get it again at once.
    """
    now = timezone.now()
    idle = runners.alive().exclude(runs__status__in=Run.LEASED_STATES).count()
    sent = 0
    queued = Run.with_shards.filter(queue.ready(now), status=Run.Status.QUEUED)
    for model in queued.order_by().values_list("model", flat=True).distinct():
        waiting = queued.filter(model=model)
        for run in waiting.order_by("priority", "created_at")[: min(idle + 1, MAX_NOTIFICATIONS)]:
            since = run.started_at or run.created_at
            last = run.last_notified_at or since
            paused = run.not_before is not None and last < run.not_before
            if paused or now - last >= max(limits.notification_interval(), (last - since) / 2):
                Run.with_shards.filter(pk=run.pk, status=Run.Status.QUEUED).update(
                    last_notified_at=now
                )
                for _ in range(idle + 1 if run.attempt > 1 else 1):
                    sent += dispatch.enqueue(dispatch.RUN, queue=queue_for(run.model))
    return sent


def lease(*, runner: Runner, models: Collection[str] = ()) -> Run | None:
    """Lease the next queued run that this runner can execute; None where there is none.

    `models` are those that the runner serves now; runs without a model need none of them. Exactly
    one of several runners gets a run, and a draining one none. Raises Forbidden for a disabled
    runner.
    """
    if not runner.enabled:
        raise Forbidden(f"runner {runner.name!r} is disabled", "Ask the hub's staff to enable it.")
    if runner.draining_since is not None or runners.out_of_service(runner) is not None:
        return None
    busy, now = queue.busy_owners(), timezone.now()
    others = list(runners.alive().exclude(pk=runner.pk).only("capabilities"))
    while True:
        with transaction.atomic():
            run = queue.head(runner=runner, models=models, without=busy, others=others, now=now)
            if run is None:
                return None
            if queue.is_busy(run.owner_id):
                busy.add(run.owner_id)
            elif (leased := _take(run, runner)) is not None:
                return leased


def _take(run: Run, runner: Runner) -> Run | None:
    """The queued run, leased; None, and the run cancelled, where its version needs no evaluation
    any more."""
    run = Run.with_shards.select_related("version__environment__owner", "suite").get(pk=run.pk)
    version = run.version
    decides = run.purpose == Run.Purpose.LISTING
    expected = Version.Status.EVALUATING if decides else Version.Status.LISTED
    gone = stopping.state_of(version) if run.is_evaluation else ""
    if version.status != expected or version.deleted_at is not None or gone:
        message = f"{version} is {gone or version.status}, there is nothing left to evaluate."
        obsolete = finding("run.cancelled", message)
        endings.end(run=run, status=Run.Status.CANCELLED, findings=[obsolete])
        return None
    now = timezone.now()
    run.status, run.runner = Run.Status.LEASED, runner
    run.lease_expires_at, run.started_at = now + limits.lease(), now
    run.provided = provided.provisions(version, runner, requested=run.requested_by).to_dict()
    if not run.is_evaluation:  # the operator may have changed the settings since it was queued
        suites.assign(run, suites.built_in(SMOKE))
    run.save()
    events.record(
        f"{run.kind}.leased",
        environment=version.environment,
        version=version,
        run=run,
        runner=runner.name,
        attempt=run.attempt,
    )
    return run


def renew(*, runner: Runner) -> str:
    """A new token for the runner, which ends the old one; its runs continue.

    Runs of a disabled runner go to other runners: a thief who has the old token may have received
    their run tokens.
    """
    with transaction.atomic():
        if not runner.enabled:
            requeue_runs_of(runner=runner, reason="was disabled")
        return runners.renew(runner=runner)


def cancel(*, run: Run, by: User) -> None:
    """End a queued run at once; request its runner to stop a leased one, or let the lease expire.

    Those of a sharded one follow after commit (`runs.shards`). Raises Stale for a shard.
    """
    if run.parent_id is not None:
        raise Stale("a shard is not cancelled alone", f"Cancel its run: hub cancel {run.parent_id}")
    stopping.stop(run_id=run.pk, message=f"Cancelled by {by.username}.", by=by)
