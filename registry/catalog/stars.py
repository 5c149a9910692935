"""Stars of users on environments; `star_count` is updated in the same transaction.

They are not in the journal: a star belongs to the user and changes nothing that the owner is
responsible for.
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
    """Add the star; a second call changes nothing."""
    with transaction.atomic():
        lock(environment)
        _, created = Star.objects.get_or_create(environment=environment, user=by)
        if created:
            _count(environment, 1)


def unstar(*, environment: Environment, by: User) -> None:
    """Remove the star, if there is one."""
    with transaction.atomic():
        lock(environment)
        deleted, _ = Star.objects.filter(environment=environment, user=by).delete()
        if deleted:
            _count(environment, -1)


def starred(*, environment: Environment, actor: Actor) -> bool:
    """Has this user starred it?"""
    return isinstance(actor, User) and environment.stars.filter(user=actor).exists()


def _count(environment: Environment, change: int) -> None:
    Environment.objects.filter(pk=environment.pk).update(star_count=F("star_count") + change)
    environment.refresh_from_db(fields=("star_count",))
