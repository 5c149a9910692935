"""Browsers in which a person is signed in."""

from __future__ import annotations

from django.contrib.sessions.models import Session
from django.db import models
from django.utils import timezone

from registry.accounts.models import User


class SignedInBrowser(models.Model):
    """A browser session of a person, with what tells it from others: family and address prefix.

    The row is deleted with its session. `id` names it on pages: the key of a session signs in.
    """

    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="browser")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="browsers")
    family = models.CharField(max_length=60)
    address_prefix = models.CharField(max_length=50, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-seen_at", "-pk")

    def __str__(self) -> str:
        return f"{self.family} of {self.user}"
