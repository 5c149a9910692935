"""Notifications of people: make them from the journal, mark them as read, mail them.

`events.record` adds a PendingEvent in the transaction of each event that is news. `deliver` turns
every one into notifications and deletes it in one transaction: so none is lost, and none is made
twice, whatever worker is killed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from registry.accounts import mail
from registry.accounts.models import User
from registry.errors import HubError
from registry.events import Event, PendingEvent
from registry.notifications import sentences
from registry.notifications.audience import Recipient, recipients
from registry.notifications.kinds import KINDS, Kind, kind_of
from registry.notifications.models import MailChoice, Notification

log = logging.getLogger(__name__)

BATCH = 200  # pending events, and mails, of one call
KEPT = timedelta(days=180)
MAX_UNREAD = 100  # beyond it the count says so
TEXT = """{sentence}.
{reason}
{page}

You get this email because you chose it on {settings}
"""


def deliver(*also: Callable[[Event, Kind], object]) -> int:
    """Make the notifications of pending events, and call each of `also` in the same transaction;
    returns how many events it read."""
    read = 0
    for pk in list(PendingEvent.objects.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        try:
            read += _deliver(pk, also)
        except Exception:
            log.exception("event %s made no notifications, the next call tries again", pk)
    return read


def _deliver(pk: int, also: Iterable[Callable[[Event, Kind], object]]) -> bool:
    with transaction.atomic():
        if not PendingEvent.objects.filter(pk=pk).delete()[0]:
            return False  # another worker has made them
        event = Event.objects.select_related(
            "environment__owner", "version__environment__owner", "run", "owner", "actor"
        ).get(pk=pk)
        kind = kind_of(event)
        if kind is not None:
            notify(event, kind, recipients(event, kind))
            for act in also:
                act(event, kind)
    return True


def notify(event: Event, kind: Kind, people: Iterable[Recipient]) -> None:
    """Add a notification for each person, with an email for those who want one."""
    rows = list(people)
    mailed = _mailed(kind, [row.user_id for row in rows if not row.mailed_already])
    Notification.objects.bulk_create(
        (
            Notification(
                user_id=row.user_id,
                event=event,
                kind=kind.name,
                mail_due=row.user_id in mailed,
            )
            for row in rows
        ),
        batch_size=500,
        ignore_conflicts=True,
    )


def _mailed(kind: Kind, users: Collection[int]) -> set[int]:
    """Those who chose email for the kind and whose address is confirmed."""
    choices = MailChoice.objects.filter(user__in=users, user__is_active=True)
    if settings.HUB_EMAIL_VERIFICATION != "none":
        confirmed = EmailAddress.objects.filter(
            user=OuterRef("user"), email__iexact=OuterRef("user__email"), verified=True
        )
        choices = choices.filter(Exists(confirmed))
    return {pk for pk, kinds in choices.values_list("user", "kinds") if kind.name in kinds}


def send_mails() -> int:
    """Send the due emails, each at most once; returns how many."""
    due = Notification.objects.filter(mail_due=True).order_by("pk")
    due = due.select_related("user", *sentences.RELATED).defer(*sentences.LARGE)
    rows = list(due[:BATCH])
    visible = _still_visible(rows)
    for row in rows:
        claimed = Notification.objects.filter(pk=row.pk, mail_due=True).update(mail_due=False)
        if claimed and row.pk in visible:
            _send(row)
    return len(rows)


def _still_visible(rows: Iterable[Notification]) -> set[int]:
    """Of those rows, the ones whose person may still see what they are about."""
    visible: set[int] = set()
    by_user: dict[User, list[int]] = {}
    for row in rows:
        by_user.setdefault(row.user, []).append(row.pk)
    for user, keys in by_user.items():
        own = Notification.objects.filter(pk__in=keys).visible_to(user)
        visible.update(own.values_list("pk", flat=True))
    return visible


def _send(row: Notification) -> None:
    news = sentences.news(row.event, KINDS[row.kind])
    page = f"{settings.HUB_URL}/settings/notifications/"
    text = TEXT.format(
        sentence=news.title,
        reason=f"\n{news.text}\n" if news.text else "",
        page=news.url,
        settings=page,
    )
    mail.send(to=row.user.email, subject=news.title, text=text)


def unread_count(user: User) -> int:
    """How many notifications are unread, counted up to MAX_UNREAD."""
    return Notification.objects.filter(user=user).unread().order_by()[:MAX_UNREAD].count()


def mark_read(*, user: User, pk: int | None = None) -> int:
    """Mark one of the user's notifications as read, or all; returns how many were unread."""
    rows = Notification.objects.filter(user=user).unread()
    if pk is not None:
        rows = rows.filter(pk=pk)
    return rows.update(read_at=timezone.now())


def may_mail(user: User) -> bool:
    """Whether notifications are sent to the user's address: it is confirmed where the hub can."""
    if settings.HUB_EMAIL_VERIFICATION == "none":
        return bool(user.email)
    addresses = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    return bool(addresses.exists())


def mail_kinds(user: User) -> list[str]:
    """The kinds that the user wants by email."""
    row = MailChoice.objects.filter(user=user).first()
    return [name for name in row.kinds if name in KINDS] if row else []


def choose_mail(*, user: User, kinds: Collection[str]) -> None:
    """Set the kinds that the user wants by email."""
    offered = [kind.name for kind in KINDS.values() if kind.offers_mail]
    if unknown := sorted(set(kinds) - set(offered)):
        raise HubError(
            "request.invalid",
            f"mail {unknown[0][:40]!r} must be one of {', '.join(offered)}",
            details={"field": "mail"},
        )
    MailChoice.objects.update_or_create(
        user=user, defaults={"kinds": [name for name in offered if name in kinds]}
    )


def delete_old(*, now: datetime) -> None:
    """Delete notifications older than KEPT."""
    Notification.objects.filter(created_at__lt=now - KEPT).delete()
