"""Notifications as pages and API show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from django.db.models import QuerySet

from registry.accounts.models import User
from registry.catalog.models import Environment
from registry.notifications import sentences
from registry.notifications.kinds import KINDS
from registry.notifications.models import Notification, NotificationQuerySet, Watch
from registry.read_models.annotations import Moment, Spec, Uri


@dataclass(frozen=True, slots=True)
class NotificationSummary:
    """One notification."""

    id: int
    kind: Annotated[str, Spec(enum=list(KINDS))]
    title: Annotated[str, Spec(description="A sentence without its full stop.")]
    text: Annotated[str, Spec(description="The reason, or the summary of a listed version.")]
    url: Uri
    at: Moment
    read: bool


def rows(user: User, *, unread: bool = False) -> NotificationQuerySet:
    """The user's notifications whose subject they may still see."""
    own = Notification.objects.filter(user=user, kind__in=KINDS).visible_to(user)
    own = own.select_related(*sentences.RELATED).defer(*sentences.LARGE)
    return own.unread() if unread else own


def summaries(notifications: Sequence[Notification]) -> list[NotificationSummary]:
    """NotificationSummary of each; rows come from `rows`."""
    return [summary(row) for row in notifications]


def summary(row: Notification) -> NotificationSummary:
    """NotificationSummary."""
    news = sentences.news(row.event, KINDS[row.kind])
    return NotificationSummary(
        id=row.pk,
        kind=row.kind,
        title=news.title,
        text=news.text,
        url=news.url,
        at=row.event.at,
        read=row.read_at is not None,
    )


def watched(user: User) -> QuerySet[Watch]:
    """The user's watches of environments that they may see, with owner and environment."""
    visible = Environment.objects.visible_to(user)
    return Watch.objects.filter(user=user, environment__in=visible).select_related(
        "environment__owner"
    )
