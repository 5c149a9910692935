"""Celery tasks: each takes ids, calls one service and may run twice."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task
from django.core.management import call_command
from django.utils import timezone

from registry import pipeline, recovery
from registry.catalog.search import facets
from registry.index import writer
from registry.notifications import services as notifications
from registry.read_models import hub_counts
from registry.remeasurements import schedule
from registry.remeasurements import services as remeasurements
from registry.runs import services as runs
from registry.runs import shards, transcripts
from registry.sources import services as sources
from registry.storage import probe
from registry.upkeep import deleted
from registry.uploads import readmes, staging
from registry.webhooks import deliveries


@shared_task(name="registry.check_version")
def check_version(version_id: int) -> None:
    """Check an uploaded version and have it evaluated."""
    pipeline.check(version_id)


@shared_task(name="registry.judge")
def judge(run_id: str) -> None:
    """Decide on the version of a run that has ended."""
    pipeline.judge(run_id)
    remeasurements.conclude(run_id)


@shared_task(name="registry.conclude_run")
def conclude_run(run_id: str) -> None:
    """Bring a sharded run up to date with its shards."""
    shards.conclude(UUID(run_id))


@shared_task(name="registry.ring")
def notify_again() -> None:
    """Send messages again for queued runs that no runner took (beat)."""
    runs.notify_again()


@shared_task(name="registry.sweep")
def sweep() -> None:
    """Recover expired leases, lost messages and failed steps (beat)."""
    recovery.sweep(now=timezone.now())


@shared_task(name="registry.publish_index")
def publish_index() -> None:
    """Write the index pages that changed (after the change, and beat)."""
    writer.update_pages()


@shared_task(name="registry.notify")
def notify() -> None:
    """Make notifications and deliveries of webhooks from the journal, and send emails (beat)."""
    notifications.deliver(deliveries.create)
    notifications.send_mails()


@shared_task(name="registry.send_webhooks")
def send_webhooks() -> None:
    """Send the deliveries of webhooks that are due (beat)."""
    deliveries.send_due(now=timezone.now())


@shared_task(name="registry.remeasure")
def remeasure() -> None:
    """Measure listed versions again that are due (beat)."""
    schedule.schedule(now=timezone.now())


@shared_task(name="registry.recount")
def recount() -> None:
    """Count the catalogue by its facets, and what the hub holds (beat)."""
    facets.recount()
    hub_counts.recount()


@shared_task(name="registry.prune")
def prune() -> None:
    """Delete expired sessions, objects and rows (beat)."""
    call_command("clearsessions")
    staging.discard_old(now=timezone.now())
    probe.discard_old(now=timezone.now())
    sources.delete_expired(now=timezone.now())
    deleted.empty_deleted(now=timezone.now())
    transcripts.delete_expired(now=timezone.now())
    readmes.delete_expired(now=timezone.now())
    notifications.delete_old(now=timezone.now())
    deliveries.delete_old(now=timezone.now())
