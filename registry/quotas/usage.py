"""The rows that count against the limits: each slice registers its own in a `usage` module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Aggregate, QuerySet


@dataclass(frozen=True, slots=True)
class UsageSource:
    """Rows of one slice that count against the limit of that name.

    `holder` is the lookup of the owner, for `uploads_per_hour` of the user, and `time` the column
    that the hour is measured by. `environment` is the lookup of the environment with which the rows
    move to another owner, empty where they stay.
    """

    limit: str
    rows: Callable[[], QuerySet[Any, Any]]
    total: Aggregate
    holder: str
    environment: str = ""
    time: str = ""

    def of_holder(self, holder: int, *, since: datetime | None = None) -> QuerySet[Any, Any]:
        """A query for the total of one holder: one row, none where there are no rows."""
        rows = self.rows().filter(**{self.holder: holder}).order_by()
        if self.time:
            rows = rows.filter(**{f"{self.time}__gt": since})
        totals: QuerySet[Any, Any] = rows.values(self.holder).annotate(total=self.total)
        return totals.values("total")

    def of_environment(self, environment: int) -> int:
        """What moves with that environment."""
        if not self.environment:
            return 0
        rows = self.rows().filter(**{self.environment: environment}).order_by()
        return int(rows.aggregate(total=self.total)["total"] or 0)


SOURCES: list[UsageSource] = []


def register(*sources: UsageSource) -> None:
    """Count these rows as well."""
    SOURCES.extend(sources)


def of_limit(limit: str) -> list[UsageSource]:
    """The sources that count against that limit."""
    return [source for source in SOURCES if source.limit == limit]
