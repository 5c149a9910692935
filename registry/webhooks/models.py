"""Webhooks and their deliveries."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from registry.accounts.models import Owner, User
from registry.catalog.models import Environment
from registry.events import Event

MAX_URL = 500
MAX_EXCERPT = 500  # characters of a response
MAX_LOG = 40  # attempts of a delivery that are kept


class Webhook(models.Model):
    """An address that gets news of one environment, or of all of its owner (`environment` null).

    `salt` makes the signing secret, which is not stored (`webhooks.signing`). `failing_since` is
    the time of the first failure after the last success. A disabled one gets nothing.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(Owner, on_delete=models.CASCADE, related_name="webhooks")
    environment = models.ForeignKey(
        Environment, null=True, on_delete=models.CASCADE, related_name="webhooks"
    )
    url = models.CharField(max_length=MAX_URL)
    kinds = models.JSONField(default=list)
    salt = models.CharField(max_length=64)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    failing_since = models.DateTimeField(null=True)
    disabled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(url__startswith="https://"), name="webhooks_are_https"
            ),
        )

    def __str__(self) -> str:
        return str(self.environment or self.owner)


class WebhookDelivery(models.Model):
    """One message to one webhook; the row is the truth, and a task sends what is due.

    `next_at` is when the next attempt is due, and the end of its lease while one runs; null once
    the delivery has ended. The other columns tell of the last attempt: `status` of the response,
    `milliseconds` until it came, its first characters, or the `error` without one. `log` has an
    object with the same keys, and `at`, for each of the last MAX_LOG attempts, the oldest first,
    those before a redelivery included.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(Event, null=True, on_delete=models.CASCADE, related_name="+")
    message_id = models.CharField(max_length=40, unique=True)
    type = models.CharField(max_length=60)
    body = models.TextField()
    state = models.CharField(max_length=9, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    attempted_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    milliseconds = models.PositiveIntegerField(null=True)
    excerpt = models.CharField(max_length=MAX_EXCERPT, blank=True)
    error = models.CharField(max_length=200, blank=True)
    log = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("webhook", "event"), name="one_delivery_an_event"),
            models.CheckConstraint(
                condition=Q(state__in=("pending", "succeeded", "failed")),
                name="delivery_state_is_known",
            ),
            models.CheckConstraint(
                condition=Q(state="pending", next_at__isnull=False)
                | (~Q(state="pending") & Q(next_at=None)),
                name="only_pending_deliveries_are_due",
            ),
        )
        indexes = (
            models.Index(fields=("next_at",), condition=Q(state="pending"), name="due_delivery"),
            models.Index(fields=("webhook", "-id"), name="delivery_by_webhook"),
            models.Index(fields=("created_at",), name="delivery_by_age"),
        )

    def __str__(self) -> str:
        return f"{self.type} to {self.webhook_id}"
