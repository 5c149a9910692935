"""Source archives beside wheels, and the uploads that were announced but have not ended."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from registry.accounts.models import User
from registry.catalog.models import Environment, Version

SHA256 = r"^[0-9a-f]{64}$"


class Delivery(models.Model):
    """A wheel or source archive that a user announced and then sends to a signed address.

    The address contains the signed `id` and is the only credential: it allows to send exactly the
    announced bytes, once. They stay staged until the user finishes the upload.
    """

    class Kind(models.TextChoices):
        WHEEL = "wheel"
        SOURCE = "source"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=6, choices=Kind.choices)
    filename = models.CharField(max_length=255)
    version = models.CharField(max_length=80)
    sha256 = models.CharField(max_length=64)
    content_hash = models.CharField(max_length=64)
    announced_at = models.DateTimeField(auto_now_add=True)
    arrived_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(sha256__regex=SHA256) & Q(content_hash__regex=SHA256),
                name="delivery_digests_are_sha256",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=("wheel", "source")), name="delivery_kind_is_known"
            ),
        )
        indexes = (models.Index(fields=("announced_at",), name="delivery_by_time"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.filename}"


class Source(models.Model):
    """The source archive of a version, as its publisher sent it: never unpacked, and not
    verified to be what the wheel was built from.

    `content_hash` is the client's own digest of the files in it, by which `prime` names versions.
    """

    version = models.OneToOneField(Version, on_delete=models.CASCADE, related_name="source")
    filename = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    content_hash = models.CharField(max_length=64, db_index=True)
    uploaded_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    uploaded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(sha256__regex=SHA256) & Q(content_hash__regex=SHA256),
                name="source_digests_are_sha256",
            ),
        )
        indexes = (models.Index(fields=("sha256",), name="source_by_sha256"),)

    def __str__(self) -> str:
        return self.filename
