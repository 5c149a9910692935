"""Suites as rows: a definition never changes, so that results with the same digest compare."""

from __future__ import annotations

from functools import cached_property

from django.db import models
from django.db.models import Q

from envyard.contract.suite import SuiteDefinition
from registry.accounts.models import User
from registry.catalog.models import Environment


class Suite(models.Model):
    """A frozen choice of tasks, attempts, seed, sampling, limits and judge, of one environment or,
    without one, of the hub for all.

    `definition` is the contract's SuiteDefinition in JSON. A built-in suite whose settings changed
    is another row of the same name, and the newest applies.
    """

    environment = models.ForeignKey(
        Environment, null=True, on_delete=models.CASCADE, related_name="suites"
    )
    name = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    definition = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ("name", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("environment", "name"),
                condition=Q(environment__isnull=False),
                name="one_suite_a_name",
            ),
            models.UniqueConstraint(
                fields=("name", "digest"),
                condition=Q(environment__isnull=True),
                name="one_built_in_suite_a_definition",
            ),
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="suite_digest_is_sha256"
            ),
        )

    def __str__(self) -> str:
        return self.name

    @cached_property
    def frozen(self) -> SuiteDefinition:
        """The definition."""
        return SuiteDefinition.from_dict(self.definition)
