"""Add, test, enable and remove webhooks. Callers have checked permissions."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from registry import events
from registry.accounts.models import Owner, User
from registry.catalog.models import Environment
from registry.errors import HubError, NotFound, Stale
from registry.notifications.kinds import KINDS
from registry.webhooks import deliveries, signing
from registry.webhooks.models import Webhook, WebhookDelivery
from registry.webhooks.sending import checked_url

MAX_WEBHOOKS = 20  # of one owner
OFFERED = tuple(kind.name for kind in KINDS.values() if kind.webhook)


def of_environment(environment: Environment) -> QuerySet[Webhook]:
    """Those of the environment alone, under its present owner."""
    return Webhook.objects.filter(environment=environment, owner_id=environment.owner_id).order_by(
        "created_at"
    )


def of_owner(owner: Owner) -> QuerySet[Webhook]:
    """Those of all environments of the owner."""
    return Webhook.objects.filter(owner=owner, environment=None).order_by("created_at")


def find(pk: UUID) -> Webhook:
    """The webhook with owner and environment; raises NotFound where it is of a former owner."""
    row = Webhook.objects.select_related("owner", "environment__owner").filter(pk=pk).first()
    if row is None or (row.environment and row.environment.owner_id != row.owner_id):
        raise NotFound("there is no such webhook")
    return row


def add(
    *, to: Environment | Owner, url: str, kinds: Collection[str], by: User
) -> tuple[Webhook, str]:
    """A new webhook and its secret, which is never shown again; no kinds mean all."""
    owner = to if isinstance(to, Owner) else to.owner
    environment = to if isinstance(to, Environment) else None
    url, kinds = checked_url(url), _checked_kinds(kinds)
    with transaction.atomic():
        Owner.objects.select_for_update().get(pk=owner.pk)
        if (count := Webhook.objects.filter(owner=owner).count()) >= MAX_WEBHOOKS:
            raise HubError(
                "request.too_large",
                f"{owner} has {count} webhooks; the limit is {MAX_WEBHOOKS}",
                "Remove one of them first.",
                413,
            )
        row = Webhook.objects.create(
            owner=owner,
            environment=environment,
            url=url,
            kinds=kinds,
            salt=signing.new_salt(),
            created_by=by,
        )
        _record("added", row, by)
    return row, signing.secret(row)


def _checked_kinds(kinds: Collection[str]) -> list[str]:
    if unknown := sorted(set(kinds) - set(OFFERED)):
        raise HubError(
            "request.invalid",
            f"kinds {unknown[0][:40]!r} must be of {', '.join(OFFERED)}",
            details={"field": "kinds"},
        )
    return [name for name in OFFERED if name in kinds or not kinds]


def remove(*, webhook: Webhook, by: User) -> None:
    """Delete it with the log of its deliveries."""
    with transaction.atomic():
        _record("removed", webhook, by)
        webhook.delete()


def renew_secret(*, webhook: Webhook, by: User) -> str:
    """A new secret, never shown again; the old one signs nothing from now on."""
    with transaction.atomic():
        webhook.salt = signing.new_salt()
        webhook.save(update_fields=["salt"])
        _record("renewed", webhook, by)
    return signing.secret(webhook)


def enable(*, webhook: Webhook, by: User) -> None:
    """Send to it again; raises Stale where it is not disabled."""
    with transaction.atomic():
        rows = Webhook.objects.filter(pk=webhook.pk, disabled_at__isnull=False)
        if not rows.update(disabled_at=None, failing_since=None):
            raise Stale("the webhook is enabled already")
        _record("enabled", webhook, by)
    webhook.refresh_from_db()


def test(*, webhook: Webhook) -> WebhookDelivery:
    """Send a message of type `webhook.test`; raises Stale where it is disabled."""
    _refuse_disabled(webhook)
    return deliveries.create_test(webhook)


def redeliver(*, webhook: Webhook, pk: int) -> WebhookDelivery:
    """Send a delivery that has ended again, with the same id and body."""
    _refuse_disabled(webhook)
    row = webhook.deliveries.filter(pk=pk).first()
    if row is None:
        raise NotFound("there is no such delivery")
    if not deliveries.send_again(row):
        raise Stale("the delivery is due already")
    return row


def _refuse_disabled(webhook: Webhook) -> None:
    if webhook.disabled_at is not None:
        raise Stale("the webhook is disabled", "Enable it first.")


def _record(change: str, webhook: Webhook, by: User) -> None:
    """With the host alone: the path of an address may be a secret."""
    events.record(
        f"webhook.{change}",
        by=by,
        owner=webhook.owner,
        environment=webhook.environment,
        host=str(urlsplit(webhook.url).hostname),
    )
