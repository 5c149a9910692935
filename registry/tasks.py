"""The Celery rim: each task takes ids, asks one service and may be run twice."""

from __future__ import annotations

from celery import shared_task
from django.core.management import call_command
from django.utils import timezone

from registry import pipeline, recovery
from registry.catalog.search import facets
from registry.index import writer
from registry.runs import services as runs
from registry.runs import transcripts
from registry.sources import services as sources
from registry.storage import probe
from registry.upkeep import deleted
from registry.uploads import readmes, staging


@shared_task(name="registry.check_version")
def check_version(version_id: int) -> None:
    """Check an uploaded version and have it evaluated."""
    pipeline.check(version_id)


@shared_task(name="registry.judge")
def judge(run_id: str) -> None:
    """Decide on the version of a run that has ended."""
    pipeline.judge(run_id)


@shared_task(name="registry.ring")
def ring() -> None:
    """Ring for queued runs that nobody took (beat)."""
    runs.notify_again()


@shared_task(name="registry.sweep")
def sweep() -> None:
    """Take up what got lost: leases, messages, broken steps (beat)."""
    recovery.sweep(now=timezone.now())


@shared_task(name="registry.publish_index")
def publish_index() -> None:
    """Write the index pages that changed (after the change, and beat)."""
    writer.publish()


@shared_task(name="registry.recount")
def recount() -> None:
    """Count the catalogue by its facets (beat)."""
    facets.recount()


@shared_task(name="registry.prune")
def prune() -> None:
    """Delete what has expired and nobody misses (beat)."""
    call_command("clearsessions")
    staging.discard_old(now=timezone.now())
    probe.discard_old(now=timezone.now())
    sources.forget(now=timezone.now())
    deleted.empty_deleted(now=timezone.now())
    transcripts.forget(now=timezone.now())
    readmes.forget(now=timezone.now())
