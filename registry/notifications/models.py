"""Who watches what, what they were notified of, and what they want by email."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet

from registry.accounts.models import User
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment, Version
from registry.events import Event


class Watch(models.Model):
    """A person who wants to know what happens to an environment."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="watches")
    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="watches")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "environment"), name="one_watch_a_person"),
        )

    def __str__(self) -> str:
        return f"{self.user} watches {self.environment}"


class NotificationQuerySet(QuerySet["Notification"]):
    """Notifications."""

    def unread(self) -> Self:
        """Those that their person has not marked as read."""
        return self.filter(read_at=None)

    def visible_to(self, actor: Actor) -> Self:
        """Those whose environment and version the person may still see."""
        environments = Environment.objects.visible_to(actor)
        versions = Version.objects.visible_to(actor)
        # An EXISTS for each notification: for an IN, SQLite reads all environments first.
        return self.filter(
            Q(event__environment=None)
            | Exists(environments.filter(pk=OuterRef("event__environment"))),
            Q(event__version=None) | Exists(versions.filter(pk=OuterRef("event__version"))),
        )


class Notification(models.Model):
    """One event that one person is notified of; `mail_due` until its email is sent."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notifications")
    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=30)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)
    mail_due = models.BooleanField(default=False)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "event"), name="one_notification_an_event"),
        )
        indexes = (
            models.Index(fields=("user", "-id"), name="notification_by_user"),
            models.Index(fields=("user",), condition=Q(read_at=None), name="unread_notification"),
            models.Index(fields=("id",), condition=Q(mail_due=True), name="notification_to_mail"),
            models.Index(fields=("created_at",), name="notification_by_age"),
        )

    def __str__(self) -> str:
        return f"{self.kind} for {self.user}"


class MailChoice(models.Model):
    """The kinds of notifications that a person also wants by email; without a row none."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="mail_choice")
    kinds = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"mail for {self.user}"
