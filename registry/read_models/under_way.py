"""What runners execute now, for those who wait for the same model."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from registry.accounts.permissions import Actor
from registry.read_models import links
from registry.read_models.annotations import Moment, Uri
from registry.runs.models import Run

SHOWN = 5


@dataclass(frozen=True, slots=True)
class ExecutedRun:
    """A run, or a shard of one, that a runner has leased."""

    id: UUID
    environment: str
    version: str
    status: str
    done: int
    total: int
    started_at: Moment | None
    url: Uri


def of_model(model: str, *, actor: Actor) -> list[ExecutedRun]:
    """The first SHOWN leased runs of the model (of none: "") whose versions the actor may see, the
    one that started first at the top; one query."""
    rows = Run.with_shards.filter(status__in=Run.LEASED_STATES, model=model)
    rows = rows.of_versions_visible_to(actor).select_related("version__environment__owner")
    return [
        ExecutedRun(
            id=row.pk,
            environment=str(row.version.environment),
            version=row.version.version,
            status=row.status,
            done=row.done,
            total=row.total,
            started_at=row.started_at,
            url=links.run(row),
        )
        for row in rows.order_by("started_at", "pk")[:SHOWN]
    ]
