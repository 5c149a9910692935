"""Watch environments; like stars, watches are not in the journal."""

from __future__ import annotations

from registry.accounts.models import User
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment
from registry.errors import HubError
from registry.notifications.models import Watch

MAX_WATCHED = 1000  # of one person


def watch(*, environment: Environment, by: User) -> None:
    """Watch it; a second call changes nothing."""
    rows = Watch.objects.filter(user=by)
    if rows.filter(environment=environment).exists():
        return
    if (count := rows.count()) >= MAX_WATCHED:
        raise HubError(
            "request.too_large",
            f"you watch {count} environments; the limit is {MAX_WATCHED}",
            "End the watch of some of them first, under Settings, Notifications.",
            413,
        )
    Watch.objects.get_or_create(user=by, environment=environment)


def unwatch(*, environment: Environment, by: User) -> None:
    """End the watch, if there is one."""
    Watch.objects.filter(user=by, environment=environment).delete()


def watched(*, environment: Environment, actor: Actor) -> bool:
    """Does this user watch it?"""
    return (
        isinstance(actor, User)
        and Watch.objects.filter(environment=environment, user=actor).exists()
    )
