"""Rows of attempts that ended without a result."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from registry.accounts.models import Runner
from registry.runs.models import Run


class LostAttempt(models.Model):
    """An attempt that ended without a result: on which runner, why, and whether it counts.

    `counted` attempts use up HUB_LEASE_ATTEMPTS: environment code had begun, and the runner did
    not hand the run back in order. `runner_name` outlives the runner's row.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="lost_attempts")
    attempt = models.PositiveSmallIntegerField()
    runner = models.ForeignKey(Runner, null=True, on_delete=models.SET_NULL, related_name="+")
    runner_name = models.CharField(max_length=80)
    counted = models.BooleanField()
    handed_back = models.BooleanField()
    code = models.CharField(max_length=80)
    message = models.CharField(max_length=500)
    at = models.DateTimeField()

    class Meta:
        ordering = ("attempt",)
        constraints = (
            models.UniqueConstraint(fields=("run", "attempt"), name="one_loss_an_attempt"),
            models.CheckConstraint(
                condition=Q(counted=False) | Q(handed_back=False),
                name="handed_back_attempts_do_not_count",
            ),
        )

    def __str__(self) -> str:
        return f"attempt {self.attempt} of {self.run_id}"
