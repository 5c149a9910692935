"""What versions count against the quotas of owners and users."""

from __future__ import annotations

from django.db.models import Count, QuerySet, Sum

from registry.catalog.models import Version
from registry.quotas.usage import UsageSource, register

UNDECIDED = ("uploaded", "checking", "evaluating")


def _stored() -> QuerySet[Version, Version]:
    """Wheels count until a deletion has emptied the version."""
    return Version.objects.filter(emptied_at=None)


def _queued() -> QuerySet[Version, Version]:
    return Version.objects.filter(status__in=UNDECIDED, deleted_at=None)


register(
    UsageSource(
        "storage_bytes",
        _stored,
        Sum("size"),
        holder="environment__owner",
        environment="environment",
    ),
    UsageSource(
        "queued_versions",
        _queued,
        Count("pk"),
        holder="environment__owner",
        environment="environment",
    ),
    UsageSource(
        "uploads_per_hour",
        Version.objects.all,
        Count("pk"),
        holder="uploaded_by",
        time="uploaded_at",
    ),
)
