"""Further measurements of listed versions."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Q, QuerySet

from registry.accounts.models import User
from registry.catalog.models import Version
from registry.runs.models import Run


class RemeasurementQuerySet(QuerySet["Remeasurement"]):
    """Further measurements."""

    def decisive(self) -> Self:
        """Those that say whether the version still passes, the newest first."""
        return self.filter(outcome__in=("passed", "failed")).order_by("-concluded_at", "-pk")


class Remeasurement(models.Model):
    """One further measurement of a listed version, by a run that changes no status.

    A first failure is `unconfirmed`, and the version is measured once more: only a second one in
    succession is a failure. `undecided` is the outcome of platform faults. `summary` says what
    failed. `rules` and `release` are the rules of the card and the newest known release of the
    version's framework at the time.
    """

    class Reason(models.TextChoices):
        AGE = "age"
        RULES = "rules"
        FRAMEWORK = "framework"
        MODEL = "model"
        CONFIRMATION = "confirmation"
        REQUESTED = "requested"

    class Outcome(models.TextChoices):
        PENDING = "pending"
        PASSED = "passed"
        UNCONFIRMED = "unconfirmed"
        FAILED = "failed"
        UNDECIDED = "undecided"

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="remeasurements")
    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="remeasurement")
    reason = models.CharField(max_length=12, choices=Reason.choices)
    requested_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_at = models.DateTimeField(auto_now_add=True)
    outcome = models.CharField(max_length=11, choices=Outcome.choices, default=Outcome.PENDING)
    summary = models.CharField(max_length=1000, blank=True)
    concluded_at = models.DateTimeField(null=True)
    rules = models.PositiveIntegerField()
    release = models.CharField(max_length=80, blank=True)

    objects = RemeasurementQuerySet.as_manager()

    class Meta:
        ordering = ("-requested_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("version",),
                condition=Q(outcome="pending"),
                name="one_pending_remeasurement_a_version",
            ),
            models.CheckConstraint(
                condition=Q(
                    outcome__in=("failed", "passed", "pending", "unconfirmed", "undecided")
                ),
                name="remeasurement_outcome_is_known",
            ),
            models.CheckConstraint(
                condition=Q(
                    reason__in=("age", "confirmation", "framework", "model", "requested", "rules")
                ),
                name="remeasurement_reason_is_known",
            ),
            models.CheckConstraint(
                condition=Q(outcome="pending", concluded_at__isnull=True)
                | ~Q(outcome="pending") & Q(concluded_at__isnull=False),
                name="concluded_remeasurements_have_an_end",
            ),
        )

    def __str__(self) -> str:
        return f"{self.outcome} remeasurement of {self.version_id}"
