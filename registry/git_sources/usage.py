"""What archives of git dependencies count against the storage quota of an owner."""

from __future__ import annotations

from django.db.models import QuerySet, Sum

from registry.git_sources.models import GitSource
from registry.quotas.usage import UsageSource, register


def _stored() -> QuerySet[GitSource, GitSource]:
    """Archives count until a deletion has emptied their version."""
    return GitSource.objects.filter(version__emptied_at=None)


register(
    UsageSource(
        "storage_bytes",
        _stored,
        Sum("size"),
        holder="version__environment__owner",
        environment="version__environment",
    )
)
