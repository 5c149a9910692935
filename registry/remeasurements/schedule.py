"""Which listed versions are measured again now, within the operator's budget."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from envyard.contract.frameworks.adapters import FRAMEWORKS
from envyard.contract.job import MODEL
from envyard.contract.rules import RULES
from registry.card import services as card
from registry.card.remeasurement_models import Remeasurement
from registry.catalog.models import Version
from registry.remeasurements import services
from registry.runs.models import Run

Outcome, Reason = Remeasurement.Outcome, Remeasurement.Reason
UNDECIDED_PAUSE = timedelta(days=1)  # after a measurement that decided nothing
DAY = timedelta(days=1)

log = logging.getLogger(__name__)


def schedule(*, now: datetime) -> int:
    """Conclude what lost its message, then request what is due; returns the number of requests.

    HUB_REMEASURE_RUNS_PER_DAY bounds the requests of any 24 hours; those of people do not count.
    """
    _conclude_ended()
    since_yesterday = Remeasurement.objects.filter(requested_at__gt=now - DAY)
    used = since_yesterday.exclude(reason=Reason.REQUESTED).count()
    requested = 0
    for version, reason in due(now=now, limit=settings.HUB_REMEASURE_RUNS_PER_DAY - used):
        try:
            services.request(version=version, reason=reason)
        except Exception:  # one that fails must not block the others
            log.exception("%s could not be measured again, the next round tries again", version)
        else:
            requested += 1
    return requested


def due(*, now: datetime, limit: int) -> Iterator[tuple[Version, str]]:
    """Versions with the reason, the most urgent first: to confirm a failure, after a change of the
    rules, of a framework or of the hub's model, then the oldest measurements."""
    if limit <= 0:
        return
    age = now - timedelta(days=settings.HUB_REMEASURE_DAYS)
    waiting = _measured(now)
    changed = Q(pk__in=[])
    for framework in FRAMEWORKS:
        newest = card.newest_release(framework)
        changed |= Q(framework=framework) & ~Q(last_release__in=("", newest))
    model = settings.HUB_MODEL if MODEL in settings.HUB_POLICIES else ""
    kinds = (
        (Reason.CONFIRMATION, waiting.filter(last_outcome=Outcome.UNCONFIRMED)),
        (Reason.RULES, waiting.exclude(last_rules=RULES)),
        (Reason.FRAMEWORK, waiting.filter(changed)),
        (Reason.MODEL, waiting.exclude(last_model=model) if model else waiting.none()),
        (Reason.AGE, waiting.filter(last_at__lt=age)),
    )
    chosen: set[int] = set()
    for reason, rows in kinds:
        for version in rows.order_by("last_at", "pk")[:limit]:
            if version.pk not in chosen and len(chosen) < limit:
                chosen.add(version.pk)
                yield version, reason


def _measured(now: datetime) -> QuerySet[Any]:
    """Listed versions that may be measured again, each with its last measurement that decided."""
    rows = Remeasurement.objects.filter(version=OuterRef("pk"))
    decided = rows.exclude(outcome__in=(Outcome.PENDING, Outcome.UNDECIDED))
    last = decided.order_by("-concluded_at", "-pk")
    blocked = rows.filter(
        Q(outcome=Outcome.PENDING)
        | Q(outcome=Outcome.UNDECIDED, concluded_at__gt=now - UNDECIDED_PAUSE)
    )
    return (
        Version.objects.filter(
            ~Exists(blocked),
            status=Version.Status.LISTED,
            card__isnull=False,
            deleted_at=None,
            yanked_at=None,
            quarantined_at=None,
            environment__quarantined_at=None,
        )
        .annotate(
            last_at=Coalesce(Subquery(last.values("concluded_at")[:1]), F("card__run__ended_at")),
            last_rules=Coalesce(Subquery(last.values("rules")[:1]), F("card__rules")),
            last_release=Coalesce(Subquery(last.values("release")[:1]), F("card__release")),
            last_model=Coalesce(Subquery(last.values("run__model")[:1]), F("card__run__model")),
            last_outcome=Subquery(last.values("outcome")[:1]),
        )
        .select_related("environment__owner")
    )


def _conclude_ended() -> None:
    ended = Run.objects.filter(
        purpose=Run.Purpose.REMEASUREMENT,
        ended_at__isnull=False,
        remeasurement__outcome=Outcome.PENDING,
    )
    for pk in ended.values_list("pk", flat=True):
        try:
            services.conclude(str(pk))
        except Exception:
            log.exception("run %s could not be concluded, the next round tries again", pk)
