"""Permission rules for webhooks."""

from __future__ import annotations

from registry.accounts.permissions import ADMIN, Principal, Rule, Rules, register
from registry.webhooks.models import Webhook


def _manages_webhook(principal: Principal, webhook: Webhook) -> bool:
    return principal.publishes(webhook.owner_id)


register(
    "webhook",
    Rules[Webhook](
        (Webhook,),
        {"manage": Rule(ADMIN, _manages_webhook, "manage the webhooks of {obj}")},
        lambda webhook: webhook.environment_id,
    ),
)
