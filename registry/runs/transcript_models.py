"""Rows of transcripts: the objects in the storage that hold them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from registry.runs.models import Run


class TranscriptPack(models.Model):
    """The transcripts of one batch: an object in the storage, a gzip file of JSON lines.

    Each line is a gzip member of its own, so that the transcript of one rollout is read by its
    range.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="packs")
    attempt = models.PositiveSmallIntegerField()
    seq = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()

    class Meta:
        ordering = ("attempt", "seq")
        constraints = (
            models.UniqueConstraint(fields=("run", "attempt", "seq"), name="one_pack_a_batch"),
            models.CheckConstraint(
                condition=Q(sha256__regex=r"^[0-9a-f]{64}$"), name="pack_digest_is_sha256"
            ),
            models.CheckConstraint(condition=Q(size__gt=0), name="packs_hold_something"),
        )
        indexes = (models.Index(fields=("sha256",), name="pack_by_sha256"),)

    def __str__(self) -> str:
        return f"transcripts {self.run_id} {self.attempt}.{self.seq}"
