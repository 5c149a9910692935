"""Webhooks and their deliveries as pages and API show them; the secret is in neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from registry.read_models import links
from registry.read_models.annotations import Moment, Spec, Uri
from registry.webhooks.models import MAX_LOG, Webhook, WebhookDelivery
from registry.webhooks.services import OFFERED


@dataclass(frozen=True, slots=True)
class WebhookSummary:
    """One webhook."""

    id: str
    url: Uri
    owner: str
    environment: Annotated[str | None, Spec(description="owner/name; null: all of the owner's.")]
    kinds: Annotated[list[str], Spec(items={"type": "string", "enum": list(OFFERED)})]
    created_by: str | None
    created_at: Moment
    failing_since: Moment | None
    disabled_at: Moment | None
    page: Uri


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """One attempt of a delivery; `status` is null where there was no response."""

    at: Annotated[str, Spec(format="date-time", description="ISO 8601, in UTC.")]
    status: int | None
    milliseconds: int | None
    excerpt: str
    error: str


@dataclass(frozen=True, slots=True)
class DeliverySummary:
    """One message to a webhook, with its last attempt and the log of all."""

    id: int
    message_id: str
    type: str
    state: Annotated[str, Spec(enum=WebhookDelivery.State.values)]
    attempts: int
    created_at: Moment
    attempted_at: Moment | None
    next_at: Annotated[Moment | None, Spec(description="When the next attempt is due.")]
    status: Annotated[int | None, Spec(description="HTTP status of the response.")]
    milliseconds: int | None
    excerpt: Annotated[str, Spec(description="The first characters of the response.")]
    error: str
    log: Annotated[
        list[DeliveryAttempt],
        Spec(description=f"The last {MAX_LOG} attempts, also those before a redelivery."),
    ]


def summaries(webhooks: Sequence[Webhook]) -> list[WebhookSummary]:
    """WebhookSummary of each; rows come with owner, environment and creator."""
    return [summary(webhook) for webhook in webhooks]


def summary(webhook: Webhook) -> WebhookSummary:
    """WebhookSummary."""
    return WebhookSummary(
        id=str(webhook.pk),
        url=webhook.url,
        owner=webhook.owner.name,
        environment=str(webhook.environment) if webhook.environment else None,
        kinds=webhook.kinds,
        created_by=webhook.created_by.username if webhook.created_by else None,
        created_at=webhook.created_at,
        failing_since=webhook.failing_since,
        disabled_at=webhook.disabled_at,
        page=links.to("webhook", webhook.pk),
    )


def deliveries(rows: Sequence[WebhookDelivery]) -> list[DeliverySummary]:
    """DeliverySummary of each."""
    return [delivery(row) for row in rows]


def delivery(row: WebhookDelivery) -> DeliverySummary:
    """DeliverySummary."""
    return DeliverySummary(
        id=row.pk,
        message_id=row.message_id,
        type=row.type,
        state=row.state,
        attempts=row.attempts,
        created_at=row.created_at,
        attempted_at=row.attempted_at,
        next_at=row.next_at,
        status=row.status,
        milliseconds=row.milliseconds,
        excerpt=row.excerpt,
        error=row.error,
        log=[DeliveryAttempt(**attempt) for attempt in row.log],
    )
