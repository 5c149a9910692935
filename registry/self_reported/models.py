"""Evaluations that users ran themselves and pushed: claims, never evidence of the hub."""

from __future__ import annotations

import uuid
from typing import Self

from django.db import models
from django.db.models import Q, QuerySet

from envyard.contract.values import finite
from registry.accounts import permissions
from registry.accounts.models import Owner, Token, User
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment, Version

MEANS = ("reward", "avg_reward", "mean_reward", "average_reward")  # names of metrics
ROUNDING = 0.001
REPORTED = "Reported by the uploader, not measured by this hub."


LISTED = (
    *("environment", "version__version", "owner__name", "is_public", "status", "name"),
    *("model_name", "metrics", "sample_count", "created_at"),
)


class EvaluationQuerySet(QuerySet["Evaluation"]):
    """Evaluations."""

    def visible_to(self, actor: Actor, token: Token | None = None) -> Self:
        """Those for which `can(actor, "evaluation.see", ...)` holds."""
        return self.filter(permissions.where("evaluation.see", actor, token))

    def for_summary(self) -> Self:
        """With all that a summary shows."""
        return self.select_related("environment__owner", "version", "owner", "created_by")

    def for_list(self) -> Self:
        """With the columns alone that a list on the page of their environment shows."""
        return self.select_related("version", "owner").only(*LISTED)


class Evaluation(models.Model):
    """An evaluation of an environment with a model that a user ran on their own machine.

    It belongs to `owner`, a person or an organisation, whose members see it; with `is_public`
    everybody who sees the environment does. It never affects a card or a score. `rewarded` samples
    have a finite `reward`, whose sum is `reward_sum`.
    """

    class Status(models.TextChoices):
        RUNNING = "running"
        COMPLETED = "completed"
        FAILED = "failed"
        CANCELLED = "cancelled"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    environment = models.ForeignKey(
        Environment, on_delete=models.PROTECT, related_name="evaluations"
    )
    version = models.ForeignKey(
        Version, null=True, blank=True, on_delete=models.SET_NULL, related_name="evaluations"
    )
    owner = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="evaluations")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    is_public = models.BooleanField(default=False)
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.RUNNING)
    error_message = models.TextField(blank=True)
    name = models.CharField(max_length=200)
    model_name = models.CharField(max_length=200, blank=True)
    dataset = models.CharField(max_length=200, blank=True)
    framework = models.CharField(max_length=80, blank=True)
    task_type = models.CharField(max_length=80, blank=True)
    description = models.TextField(blank=True)
    tags = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    metrics = models.JSONField(default=dict)
    sample_count = models.PositiveIntegerField(default=0)
    sample_bytes = models.PositiveBigIntegerField(default=0)
    rewarded = models.PositiveIntegerField(default=0)
    reward_sum = models.FloatField(default=0.0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = EvaluationQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(status="running", ended_at__isnull=True)
                | Q(status__in=("completed", "failed", "cancelled"), ended_at__isnull=False),
                name="ended_evaluations_have_an_end",
            ),
        )
        indexes = (
            models.Index(fields=("environment", "-created_at"), name="evaluation_by_environment"),
            models.Index(fields=("owner", "-created_at"), name="evaluation_by_owner"),
        )

    def __str__(self) -> str:
        return f"{self.name} of {self.environment}"

    @property
    def sample_mean(self) -> float | None:
        """The mean reward of the pushed samples, computed by the hub; None where none has one."""
        return self.reward_sum / self.rewarded if self.rewarded else None

    @property
    def stated_mean(self) -> float | None:
        """The mean reward that the uploader states; None without one."""
        stated = (finite(self.figures.get(name)) for name in MEANS)
        return next((value for value in stated if value is not None), None)

    @property
    def disagrees(self) -> bool:
        """Whether the stated mean is not that of the samples, beyond its rounding."""
        computed, stated = self.sample_mean, self.stated_mean
        if computed is None or stated is None:
            return False
        return abs(computed - stated) > ROUNDING * max(1.0, abs(computed))

    @property
    def figures(self) -> dict[str, int | float]:
        """The metrics that are numbers."""
        return {
            name: value
            for name, value in self.metrics.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }


class SampleBatch(models.Model):
    """Samples `first` to `first + count` of an evaluation: packed JSON lines in the storage.

    `results` is a row of each sample that names its task and has a reward: index of the task,
    reward, and the task's hash or ""; null in batches from before it was kept.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="batches")
    first = models.PositiveIntegerField()
    count = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    results = models.JSONField(null=True)

    class Meta:
        ordering = ("first",)
        constraints = (
            models.UniqueConstraint(
                fields=("evaluation", "first"), name="sample_batches_do_not_overlap"
            ),
            models.UniqueConstraint(
                fields=("evaluation", "sha256"), name="sample_batches_arrive_once"
            ),
            models.CheckConstraint(condition=Q(count__gt=0), name="sample_batches_have_samples"),
            models.CheckConstraint(
                condition=Q(sha256__regex=r"^[0-9a-f]{64}$"), name="sample_batch_digest_is_sha256"
            ),
        )
        indexes = (models.Index(fields=("sha256",), name="sample_batch_by_sha256"),)

    def __str__(self) -> str:
        return f"{self.evaluation_id} {self.first}+{self.count}"
