"""Who is notified of an event: publishers of the environment, watchers, requester, invited user."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q

from registry.accounts import owner_notices
from registry.accounts.models import Owner, User
from registry.accounts.permissions import PUBLISHERS, can
from registry.catalog.models import Environment
from registry.events import Event
from registry.notifications.kinds import INVITED, OWNERS, REQUESTER, WATCHERS, Kind
from registry.notifications.models import Watch


@dataclass(frozen=True, slots=True)
class Recipient:
    """A person; `mailed_already` where another part of the hub sends an email about it."""

    user_id: int
    mailed_already: bool = False


def recipients(event: Event, kind: Kind) -> list[Recipient]:
    """Each person once, without the one who did it."""
    mailed = set()
    if kind.owners_are_mailed and event.environment is not None:
        mailed = {user.pk for user in owner_notices.owners(event.environment.owner)}
    users = dict.fromkeys(_users(event, kind))
    users.pop(event.actor_id or 0, None)
    return [Recipient(pk, pk in mailed) for pk in users]


def _users(event: Event, kind: Kind) -> Iterator[int]:
    environment = event.environment
    if INVITED in kind.audience:
        name = str(event.data.get("to", ""))
        yield from User.objects.filter(username=name, is_active=True).values_list("pk", flat=True)
    owner = environment.owner if environment else event.owner
    if OWNERS in kind.audience and owner is not None:
        yield from _publishers(owner)
    if environment is None:
        return
    if REQUESTER in kind.audience and event.run and event.run.requested_by_id:
        yield event.run.requested_by_id
    if WATCHERS in kind.audience:
        yield from _watchers(environment)


def _publishers(owner: Owner) -> Iterator[int]:
    """The person, or the owners and maintainers of the organisation."""
    people = User.objects.filter(
        Q(owner=owner)
        | Q(memberships__organisation__owner=owner, memberships__role__in=PUBLISHERS),
        is_active=True,
    )
    yield from people.distinct().order_by("pk").values_list("pk", flat=True)


def _watchers(environment: Environment) -> Iterator[int]:
    """Those who may see it: all of a public one, else members."""
    rows = Watch.objects.filter(environment=environment, user__is_active=True)
    if environment.visibility == "public" and environment.was_listed:
        yield from rows.values_list("user", flat=True)
        return
    for row in rows.select_related("user"):
        if can(row.user, "environment.see", environment):
            yield row.user_id
