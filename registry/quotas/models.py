"""The limits of one owner that staff set apart from the hub's defaults."""

from __future__ import annotations

from django.db import models

from registry.accounts.models import Owner, User


class Quota(models.Model):
    """What staff allow an owner; None where the hub's own setting holds.

    `uploads_per_hour` counts for the person who uploads, wherever to: it has no effect in the row
    of an organisation.
    """

    owner = models.OneToOneField(Owner, on_delete=models.CASCADE, related_name="quota")
    uploads_per_hour = models.PositiveIntegerField(null=True, blank=True)
    storage_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    queued_versions = models.PositiveIntegerField(null=True, blank=True)
    changed_at = models.DateTimeField(auto_now=True)
    changed_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    def __str__(self) -> str:
        return f"quota of {self.owner}"
