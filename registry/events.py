"""The journal: who did what to which object, when. Rows are only ever added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models

from registry import constraints

if TYPE_CHECKING:
    from registry.accounts.models import Owner, User
    from registry.catalog.models import Environment, Version
    from registry.runs.models import Run


class Event(models.Model):
    """One thing that happened; `actor` is None where the hub itself acted."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    verb = models.CharField(max_length=60)
    owner = models.ForeignKey(
        "registry.Owner", null=True, on_delete=models.SET_NULL, related_name="events"
    )
    environment = models.ForeignKey(
        "registry.Environment", null=True, on_delete=models.SET_NULL, related_name="events"
    )
    version = models.ForeignKey(
        "registry.Version", null=True, on_delete=models.SET_NULL, related_name="events"
    )
    run = models.ForeignKey(
        "registry.Run", null=True, on_delete=models.SET_NULL, related_name="events"
    )
    data = models.JSONField(default=dict)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                condition=models.Q(verb__regex=constraints.VERB), name="verbs_are_dotted_words"
            ),
        )
        indexes = (
            models.Index(fields=("environment", "-id"), name="event_by_environment"),
            models.Index(fields=("owner", "-id"), name="event_by_owner"),
            models.Index(
                fields=("actor", "at"),
                condition=models.Q(verb="environment.created"),
                name="new_names_by_person",
            ),
        )

    def __str__(self) -> str:
        return f"{self.verb} #{self.pk}"


def record(
    verb: str,
    *,
    by: User | None = None,
    owner: Owner | None = None,
    environment: Environment | None = None,
    version: Version | None = None,
    run: Run | None = None,
    **data: Any,
) -> Event:
    """Add one row; call it inside the transaction of the change it tells of.

    The journal of an owner holds the events of their environments too: `owner` is needed only
    where there is no environment.
    """
    return Event.objects.create(
        verb=verb,
        actor=by,
        owner_id=environment.owner_id if environment else owner.pk if owner else None,
        environment=environment,
        version=version,
        run=run,
        data=data,
    )
