"""Trusted publishers: workflows elsewhere that may publish here without a stored token."""

from __future__ import annotations

from typing import cast

from django.db import models
from django.db.models import Q

from registry import constraints
from registry.accounts.models import Owner, Token, User
from registry.catalog.models import Environment


class TrustedPublisher(models.Model):
    """An identity at an OIDC issuer, and the one environment that it may publish.

    A pending one names an environment that does not exist yet: `owner` and `name` are set until the
    first use creates it. `subject` is the repository in lower case, or `sub`; `claims` is all that
    must match, and `key` the lookup key (`matching.py`). Its uploads count as those of the user who
    added it. `added_with` is the token that added it over the
    API: a publisher added with a token that leaked goes with it (`publishers.leaked`).
    """

    class Kind(models.TextChoices):
        GITHUB = "github"
        GITLAB = "gitlab"
        OTHER = "other"

    environment = models.ForeignKey(
        Environment, null=True, on_delete=models.CASCADE, related_name="publishers"
    )
    owner = models.ForeignKey(
        Owner, null=True, on_delete=models.CASCADE, related_name="pending_publishers"
    )
    name = models.CharField(max_length=100, blank=True)
    kind = models.CharField(max_length=6, choices=Kind.choices)
    issuer = models.CharField(max_length=200)
    subject = models.CharField(max_length=300)
    claims = models.JSONField()
    key = models.CharField(max_length=64)
    added_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    added_with = models.ForeignKey(
        Token, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    added_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(environment__isnull=False, owner__isnull=True, name="")
                | (Q(environment__isnull=True, owner__isnull=False) & ~Q(name="")),
                name="publisher_has_environment_or_is_pending",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=("github", "gitlab", "other")), name="publisher_kind_is_known"
            ),
            models.CheckConstraint(
                condition=constraints.sha256("key"), name="publisher_key_is_sha256"
            ),
            models.UniqueConstraint(
                fields=("environment", "issuer", "claims"),
                condition=Q(environment__isnull=False),
                name="one_publisher_an_identity",
            ),
            models.UniqueConstraint(
                fields=("owner", "name", "issuer", "claims"),
                condition=Q(owner__isnull=False),
                name="one_pending_publisher_an_identity",
            ),
        )
        indexes = (models.Index(fields=("issuer", "key", "id"), name="publisher_by_key"),)

    def __str__(self) -> str:
        if self.environment_id:
            return str(self.environment)
        return f"{self.owner}/{self.name}" if self.name else str(self.owner)

    @property
    def under(self) -> Owner:
        """The owner whose environment it is, pending or not."""
        return self.environment.owner if self.environment else cast("Owner", self.owner)


class UsedJti(models.Model):
    """The id of an identity token that was exchanged; it may never be exchanged again.

    The row must outlive the token, leeway included, or the token could be exchanged again.
    """

    issuer = models.CharField(max_length=200)
    jti = models.CharField(max_length=255)
    kept_until = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("issuer", "jti"), name="identity_tokens_are_used_once"),
        )

    def __str__(self) -> str:
        return self.jti
