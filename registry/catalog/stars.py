"""A person's marks on environments; `star_count` is their number, kept in the same transaction.

No journal tells of them: a mark is the person's own, and changes nothing that an owner answers for.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from registry.accounts.models import User
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment
from registry.catalog.related_models import Star
from registry.catalog.services import lock


def star(*, environment: Environment, by: User) -> None:
    """Mark it; a second time changes nothing."""
    with transaction.atomic():
        lock(environment)
        _, created = Star.objects.get_or_create(environment=environment, user=by)
        if created:
            _count(environment, 1)


def unstar(*, environment: Environment, by: User) -> None:
    """Take the mark away, where there is one."""
    with transaction.atomic():
        lock(environment)
        deleted, _ = Star.objects.filter(environment=environment, user=by).delete()
        if deleted:
            _count(environment, -1)


def starred(*, environment: Environment, who: Actor) -> bool:
    """Has this person marked it?"""
    return isinstance(who, User) and environment.stars.filter(user=who).exists()


def _count(environment: Environment, change: int) -> None:
    Environment.objects.filter(pk=environment.pk).update(star_count=F("star_count") + change)
    environment.refresh_from_db(fields=("star_count",))
