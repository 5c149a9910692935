"""Variables, secrets and hosts of environments."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from envyard.contract.needs.kinds import MAX_HOST, MAX_VARIABLE_NAME
from registry.accounts.models import User
from registry.catalog.models import Environment

NAME = r"^[A-Z][A-Z0-9_]*$"


class EnvironmentVariable(models.Model):
    """A public variable, which every run of the environment gets."""

    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="variables")
    name = models.CharField(max_length=MAX_VARIABLE_NAME)
    value = models.TextField()
    set_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    set_at = models.DateTimeField()

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(fields=("environment", "name"), name="one_variable_a_name"),
            models.CheckConstraint(
                condition=Q(name__regex=NAME), name="variable_name_is_written_so"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} of {self.environment}"


class EnvironmentSecret(models.Model):
    """A secret: `encrypted` by a key outside the database, for the `hosts` alone.

    No page, API or admin shows the value; a runner receives it for one attempt.
    """

    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="secrets")
    name = models.CharField(max_length=MAX_VARIABLE_NAME)
    encrypted = models.TextField()
    hosts = models.JSONField()
    set_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    set_at = models.DateTimeField()

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(fields=("environment", "name"), name="one_secret_a_name"),
            models.CheckConstraint(condition=Q(name__regex=NAME), name="secret_name_is_written_so"),
        )

    def __str__(self) -> str:
        return f"{self.name} of {self.environment}"

    @property
    def bound(self) -> list[object]:
        """What the value is encrypted with: it is valid for this environment, name and hosts."""
        return [self.environment_id, self.name, self.hosts]


class EnvironmentHost(models.Model):
    """A host that the environment declares, or `*.DOMAIN`; runs reach it once it is approved.

    It is `on_page` where an owner declared it there: it then holds for every version; else it holds
    for those versions whose wheels declare it.
    """

    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="hosts")
    host = models.CharField(max_length=MAX_HOST)
    on_page = models.BooleanField(default=False)
    declared_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    declared_at = models.DateTimeField()
    approved_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    approved_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("host",)
        constraints = (
            models.UniqueConstraint(fields=("environment", "host"), name="one_row_a_host"),
            models.CheckConstraint(condition=~Q(host=""), name="hosts_have_a_name"),
        )
        indexes = (
            models.Index(
                fields=("declared_at",),
                condition=Q(approved_at__isnull=True),
                name="host_to_approve",
            ),
        )

    def __str__(self) -> str:
        return f"{self.host} of {self.environment}"
