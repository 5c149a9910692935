"""The journal: actor, verb, object and time of every change. Rows are never changed."""

from __future__ import annotations

from typing import Any, Protocol

from django.conf import settings
from django.db import models

from registry import constraints

# The verbs from which notifications are made (registry.notifications.kinds).
NEWS = frozenset(
    (
        *("version.listed", "version.rejected", "version.held", "version.remeasured"),
        *("version.yanked", "version.unyanked", "version.quarantined", "version.released"),
        *("environment.quarantined", "environment.released", "invitation.sent", "webhook.disabled"),
        *("run.succeeded", "run.failed", "run.errored"),
    )
)


class Row(Protocol):
    """A saved row of a slice above this module, as far as the journal needs it."""

    @property
    def pk(self) -> Any: ...


class EnvironmentRow(Row, Protocol):
    """An environment, whose owner's journal holds its events too."""

    owner_id: int


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


class PendingEvent(models.Model):
    """An event from which no notifications were made yet; deleted in the transaction of those."""

    event = models.OneToOneField(Event, primary_key=True, on_delete=models.CASCADE)

    def __str__(self) -> str:
        return f"pending {self.event_id}"


def record(
    verb: str,
    *,
    by: Row | None = None,
    owner: Row | None = None,
    environment: EnvironmentRow | None = None,
    version: Row | None = None,
    run: Row | None = None,
    **data: Any,
) -> Event:
    """Add one row; call it inside the transaction of the change.

    The journal of an owner holds the events of their environments too: `owner` is needed only
    where there is no environment.
    """
    event = Event.objects.create(
        verb=verb,
        actor_id=_pk(by),
        owner_id=environment.owner_id if environment else _pk(owner),
        environment_id=_pk(environment),
        version_id=_pk(version),
        run_id=_pk(run),
        data=data,
    )
    if verb in NEWS:
        PendingEvent.objects.create(event=event)
    return event


def newest() -> int:
    """The key of the newest event, 0 where there is none; one query."""
    return Event.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def _pk(row: Row | None) -> Any:
    return None if row is None else row.pk
