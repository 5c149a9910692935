"""Rows of runs' logs."""

from __future__ import annotations

from django.db import models

from registry.runs.models import Run


class LogChunk(models.Model):
    """A piece of a run's log, in the order of its batches; `left_out` characters before it were
    deleted because the log was too long."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="log")
    attempt = models.PositiveSmallIntegerField()
    seq = models.PositiveIntegerField()
    text = models.TextField()
    left_out = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ("attempt", "seq")
        constraints = (
            models.UniqueConstraint(fields=("run", "attempt", "seq"), name="one_chunk_a_batch"),
        )

    def __str__(self) -> str:
        return f"{self.run_id} {self.attempt}.{self.seq}"

    @property
    def shown(self) -> str:
        """Its text, after a line about the characters that were deleted before it."""
        mark = f"\n[hub] {self.left_out} characters are left out here\n" if self.left_out else ""
        return mark + self.text
