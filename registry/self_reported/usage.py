"""What the samples of self-reported evaluations count against the storage quota of an owner."""

from __future__ import annotations

from django.db.models import Sum

from registry.quotas.usage import UsageSource, register
from registry.self_reported.models import Evaluation

register(UsageSource("storage_bytes", Evaluation.objects.all, Sum("sample_bytes"), holder="owner"))
