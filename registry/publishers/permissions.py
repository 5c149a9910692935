"""Permission rules for trusted publishers."""

from __future__ import annotations

from registry.accounts.permissions import ADMIN, Principal, Rule, Rules, register
from registry.publishers.models import TrustedPublisher


def _manages_publisher(principal: Principal, publisher: TrustedPublisher) -> bool:
    return principal.publishes(publisher.under.pk)


register(
    "publisher",
    Rules[TrustedPublisher](
        (TrustedPublisher,),
        {"manage": Rule(ADMIN, _manages_publisher, "manage trusted publishers of {obj}")},
        lambda publisher: publisher.environment_id,
    ),
)
