"""Rows about environments and versions: former names, used file names, findings, needs, stars."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Q, QuerySet

from envyard.contract.needs.kinds import KINDS, MAX_NAME
from registry import constraints
from registry.accounts.models import Owner, User
from registry.catalog.models import Environment, Version


class FormerName(models.Model):
    """owner/name of an environment before a transfer: it redirects to the new name, and no other
    environment can get it."""

    owner = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=100)
    environment = models.ForeignKey(
        Environment, on_delete=models.CASCADE, related_name="former_names"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("owner", "name"), name="one_environment_a_former_name"),
            models.CheckConstraint(
                condition=Q(name__regex=constraints.NAME), name="former_name_normalised"
            ),
        )

    def __str__(self) -> str:
        return f"{self.owner.name}/{self.name}"


class UsedFilename(models.Model):
    """A wheel's file name under one owner, taken for ever (PyPI's file registry)."""

    owner = models.ForeignKey(Owner, on_delete=models.PROTECT, related_name="+")
    filename = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("owner", "filename"), name="file_names_never_return"),
            models.CheckConstraint(
                condition=constraints.sha256("sha256"), name="used_file_digest_is_sha256"
            ),
        )

    def __str__(self) -> str:
        return self.filename


class FindingQuerySet(QuerySet["VersionFinding"]):
    """Findings about versions."""

    def deciding(self) -> Self:
        """Those of the checks, of runs by which versions are listed, and of the card."""
        return self.exclude(run__purpose__in=("evaluation", "remeasured"))


class VersionFinding(models.Model):
    """One finding about a version: from the upload's checks, a run, or the card."""

    class Stage(models.TextChoices):
        CHECK = "check"
        RUN = "run"
        CARD = "card"

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="findings")
    run = models.ForeignKey(
        "registry.Run", null=True, on_delete=models.CASCADE, related_name="findings"
    )
    stage = models.CharField(max_length=8, choices=Stage.choices)
    code = models.CharField(max_length=80)
    severity = models.CharField(max_length=8)
    message = models.TextField()
    hint = models.TextField(blank=True)
    where = models.CharField(max_length=300, blank=True)
    details = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    objects = FindingQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(stage__in=("check", "run", "card")), name="finding_stage_is_known"
            ),
            models.CheckConstraint(
                condition=Q(severity__in=("error", "warning", "info")),
                name="finding_severity_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(stage="run") | Q(run__isnull=False), name="findings_of_a_run_name_it"
            ),
        )

    def __str__(self) -> str:
        return self.code


class VersionNeed(models.Model):
    """What a version needs from outside, as its wheel declares or its code shows; the columns are
    those of the contract's Need."""

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="needs")
    kind = models.CharField(max_length=10)
    names = models.JSONField(default=list)
    declared = models.BooleanField(default=False)
    where = models.CharField(max_length=MAX_NAME, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("version", "kind"), name="one_need_a_kind"),
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="need_kind_is_known"),
        )

    def __str__(self) -> str:
        return f"{self.kind} of {self.version}"


class Star(models.Model):
    """A star of a user on an environment."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="stars")
    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="stars")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "environment"), name="one_star_a_person"),
        )

    def __str__(self) -> str:
        return f"{self.user} * {self.environment}"
