"""Deliveries: make them from news, send what is due, try again, give up.

The row is the truth: a task that claims a delivery leases it for LEASE, and where its worker dies
the delivery is due again after that. A receiver may get a message twice, always with the same id.
"""

from __future__ import annotations

import json
import logging
import random
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.core.cache import cache
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from registry import events
from registry.events import Event
from registry.notifications import sentences
from registry.notifications.kinds import Kind
from registry.webhooks import signing
from registry.webhooks.models import MAX_LOG, Webhook, WebhookDelivery
from registry.webhooks.sending import Outcome, send

log = logging.getLogger(__name__)
PENDING, SUCCEEDED, FAILED = WebhookDelivery.State

PAUSES = tuple(timedelta(seconds=s) for s in (10, 60, 300, 1800, 7200, 28800, 86400))
GIVE_UP = timedelta(days=3)  # of failures without a success, then the webhook is disabled
LEASE = timedelta(minutes=3)
KEPT = timedelta(days=30)
LOST = "no outcome: the attempt was not finished"
BATCH, THREADS, OF_ONE = 40, 16, 4  # deliveries of a pass, at once, and of one webhook
PASS = 120  # seconds after which another pass may begin though one has not ended
Send = Callable[[str, Mapping[str, str], str], Outcome]


def create(event: Event, kind: Kind) -> int:
    """A delivery for each webhook that wants the event; call it once, where `deliver` does."""
    environment = event.environment
    if not kind.webhook or environment is None or environment.deleted_at is not None:
        return 0
    owned = Q(environment=None) | Q(environment=environment)
    webhooks = Webhook.objects.filter(owned, owner_id=environment.owner_id, disabled_at=None)
    rows = [row for row in webhooks if kind.name in row.kinds]
    body = _body(event, kind) if rows else ""
    created = WebhookDelivery.objects.bulk_create(
        [_delivery(row, _type(event, kind), body, event) for row in rows], ignore_conflicts=True
    )
    return len(created)


def create_test(webhook: Webhook) -> WebhookDelivery:
    """A delivery of type `webhook.test`."""
    data = {"environment": str(webhook), "title": "A test of the webhook"}
    row = _delivery(webhook, "webhook.test", _json("webhook.test", timezone.now(), data), None)
    row.save(force_insert=True)
    return row


def _delivery(webhook: Webhook, type_: str, body: str, event: Event | None) -> WebhookDelivery:
    return WebhookDelivery(
        webhook=webhook,
        event=event,
        message_id=f"msg_{uuid.uuid4().hex}",
        type=type_,
        body=body,
        next_at=timezone.now(),
    )


def _type(event: Event, kind: Kind) -> str:
    return f"{'version' if event.version_id else 'environment'}.{kind.name}"


def _body(event: Event, kind: Kind) -> str:
    news = sentences.news(event, kind)
    version, run = event.version, event.run
    data = {
        "environment": str(event.environment),
        "version": version.version if version else None,
        "sha256": version.sha256 if version else None,
        "title": news.title,
        "reason": str(event.data.get("reason") or ""),
        "url": news.url,
        "run": str(run.pk) if run else None,
        "model": run.model if run and kind.purpose else None,
    }
    return _json(_type(event, kind), event.at, data)


def _json(type_: str, at: datetime, data: Mapping[str, object]) -> str:
    return json.dumps({"type": type_, "timestamp": at.isoformat(), "data": data})


def send_due(*, now: datetime, send: Send = send) -> int:
    """Send the due deliveries, several at once; returns how many. A pass that begins during another
    one does nothing, so that slow receivers occupy one worker."""
    if not cache.add("webhooks.pass", 1, timeout=PASS):
        return 0
    try:
        claimed = [row for row in _due(now) if _claim(row, now)]
        with ThreadPoolExecutor(THREADS) as threads:
            outcomes = threads.map(lambda row: _attempt(row, send), claimed)
            for row, outcome in zip(claimed, outcomes, strict=True):
                conclude(row, outcome, now=timezone.now())
        return len(claimed)
    finally:
        cache.delete("webhooks.pass")


def _due(now: datetime) -> list[WebhookDelivery]:
    """The oldest due deliveries, up to OF_ONE of a webhook."""
    due = WebhookDelivery.objects.filter(state=PENDING, next_at__lte=now).order_by("next_at", "pk")
    rows: list[WebhookDelivery] = []
    counts: dict[object, int] = {}
    for row in due.select_related("webhook__owner", "webhook__environment__owner")[: 10 * BATCH]:
        counts[row.webhook_id] = counts.get(row.webhook_id, 0) + 1
        if counts[row.webhook_id] <= OF_ONE and len(rows) < BATCH:
            rows.append(row)
    return rows


def _claim(row: WebhookDelivery, now: datetime) -> bool:
    """Lease the delivery for one attempt; False where another worker has, or it is disabled."""
    same = WebhookDelivery.objects.filter(pk=row.pk, state=PENDING, attempts=row.attempts)
    if row.webhook.disabled_at is not None:
        same.update(state=FAILED, next_at=None, error="the webhook is disabled")
        return False
    row.attempts += 1
    # Stays where the worker dies; `conclude` writes the outcome over it.
    row.log = [*row.log, _logged(Outcome(None, 0, error=LOST), now)][-MAX_LOG:]
    claimed = same.update(
        attempts=F("attempts") + 1, next_at=now + LEASE, attempted_at=now, log=row.log
    )
    return bool(claimed)


def _logged(outcome: Outcome, at: datetime) -> dict[str, object]:
    return {
        "at": at.isoformat(),
        "status": outcome.status,
        "milliseconds": outcome.milliseconds,
        "excerpt": outcome.excerpt,
        "error": outcome.error,
    }


def _attempt(row: WebhookDelivery, send: Send) -> Outcome:
    """Send it once; runs in a thread and reads no database."""
    try:
        headers = signing.headers(
            row.webhook, message_id=row.message_id, timestamp=int(time.time()), body=row.body
        )
        return send(row.webhook.url, headers, row.body)
    except Exception as problem:
        log.exception("the delivery %s could not be sent", row.pk)
        return Outcome(None, 0, error=f"the hub failed: {type(problem).__name__}")


def conclude(row: WebhookDelivery, outcome: Outcome, *, now: datetime) -> None:
    """Store the outcome of the claimed attempt: the end, or when the next attempt is due."""
    last = row.attempts > len(PAUSES)
    state = SUCCEEDED if outcome.succeeded else FAILED if last else PENDING
    pause = PAUSES[min(row.attempts, len(PAUSES)) - 1]
    next_at = now + pause * random.uniform(1, 1.2) if state == PENDING else None  # noqa: S311
    begun = datetime.fromisoformat(str(row.log[-1]["at"])) if row.log else now
    with transaction.atomic():
        stored = WebhookDelivery.objects.filter(
            pk=row.pk, state=PENDING, attempts=row.attempts
        ).update(
            state=state,
            next_at=next_at,
            status=outcome.status,
            milliseconds=outcome.milliseconds,
            excerpt=outcome.excerpt,
            error=outcome.error,
            log=[*row.log[:-1], _logged(outcome, begun)],
        )
        if stored:
            _count(row.webhook, succeeded=outcome.succeeded, now=now)


def _count(webhook: Webhook, *, succeeded: bool, now: datetime) -> None:
    """Note success or failure at the webhook, and disable it after GIVE_UP of failures."""
    rows = Webhook.objects.filter(pk=webhook.pk)
    if succeeded:
        rows.exclude(failing_since=None).update(failing_since=None)
        return
    rows.filter(failing_since=None).update(failing_since=now)
    failing = rows.filter(failing_since__lte=now - GIVE_UP, disabled_at=None)
    if failing.update(disabled_at=now):
        events.record(
            "webhook.disabled",
            owner=webhook.owner,
            environment=webhook.environment,
            host=str(urlsplit(webhook.url).hostname),
        )


def send_again(row: WebhookDelivery) -> bool:
    """Make an ended delivery due now, with all its attempts before it; False where it is due."""
    ended = WebhookDelivery.objects.filter(pk=row.pk).exclude(state=PENDING)
    changed = ended.update(state=PENDING, attempts=0, next_at=timezone.now())
    row.refresh_from_db()
    return bool(changed)


def delete_old(*, now: datetime) -> None:
    """Delete ended deliveries older than KEPT."""
    old = WebhookDelivery.objects.filter(created_at__lt=now - KEPT)
    old.exclude(state=PENDING).delete()
