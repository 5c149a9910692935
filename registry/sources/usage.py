"""What source archives count against the storage quota of an owner."""

from __future__ import annotations

from django.db.models import QuerySet, Sum

from registry.quotas.usage import UsageSource, register
from registry.sources.models import Source


def _stored() -> QuerySet[Source, Source]:
    """Archives count until a deletion has emptied their version."""
    return Source.objects.filter(version__emptied_at=None)


register(
    UsageSource(
        "storage_bytes",
        _stored,
        Sum("size"),
        holder="version__environment__owner",
        environment="version__environment",
    )
)
