"""Reports of users to staff."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from registry.accounts.models import User
from registry.catalog.models import Environment, Version


class Report(models.Model):
    """A user's report about an environment, or about one version of it.

    Owners never see the reporter. It is open until staff resolve it, with a sentence about the
    action taken.
    """

    class Reason(models.TextChoices):
        MALWARE = "malware", "does harm to who runs it"
        SECRETS = "secrets", "holds passwords, keys or private data"
        COPYRIGHT = "copyright", "holds what its owner may not give away"
        BROKEN = "broken", "does not do what it says"
        SPAM = "spam", "is advertising, or there to mislead"
        OTHER = "other", "something else"

    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="reports")
    version = models.ForeignKey(
        Version, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    reporter = models.ForeignKey(User, on_delete=models.CASCADE, related_name="reports")
    reason = models.CharField(max_length=9, choices=Reason.choices)
    text = models.CharField(max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    resolution = models.CharField(max_length=400, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("reporter", "environment"),
                condition=Q(resolved_at=None),
                name="one_open_report_a_person",
            ),
            models.CheckConstraint(
                condition=Q(
                    reason__in=("malware", "secrets", "copyright", "broken", "spam", "other")
                ),
                name="report_reason_is_known",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="reports_say_something"),
            models.CheckConstraint(
                condition=Q(resolved_at=None, resolved_by=None, resolution="")
                | (Q(resolved_at__isnull=False) & ~Q(resolution="")),
                name="only_resolved_reports_say_how",
            ),
        )
        indexes = (
            models.Index(fields=("id",), condition=Q(resolved_at=None), name="open_reports"),
        )

    def __str__(self) -> str:
        return f"report {self.pk} of {self.version or self.environment}"
