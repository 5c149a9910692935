"""Further measurements of a listed version as the pages and the API show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from registry.card import remeasurement_models as rows
from registry.catalog.models import Version
from registry.read_models import signed_cards
from registry.read_models.annotations import Moment, Spec
from registry.read_models.signed_cards import CardSignature

OUTCOMES = rows.Remeasurement.Outcome.values


@dataclass(frozen=True, slots=True)
class Remeasurement:
    """One further measurement of a listed version."""

    reason: Annotated[str, Spec(enum=rows.Remeasurement.Reason.values)]
    outcome: Annotated[
        str,
        Spec(
            enum=OUTCOMES,
            description="A first failure is `unconfirmed` and measured once more; `undecided` is a "
            "fault of the platform.",
        ),
    ]
    requested_at: Moment
    concluded_at: Moment | None
    rules: int
    run: str
    summary: Annotated[str, Spec(description="What failed.")]
    signature: Annotated[
        CardSignature | None,
        Spec(description="Its signed statement; null for a first failure, and without a result."),
    ]


def newest(version: Version) -> Remeasurement | None:
    """The newest one, whatever its outcome; costs two queries."""
    return _shown(version, version.remeasurements.first())


def failure(version: Version) -> Remeasurement | None:
    """The last one that decided, where the version failed it; costs a query, or two."""
    last = version.remeasurements.decisive().first()
    failed = last is not None and last.outcome == rows.Remeasurement.Outcome.FAILED
    return _shown(version, last) if failed else None


def _shown(version: Version, row: rows.Remeasurement | None) -> Remeasurement | None:
    if row is None:
        return None
    return Remeasurement(
        reason=row.reason,
        outcome=row.outcome,
        requested_at=row.requested_at,
        concluded_at=row.concluded_at,
        rules=row.rules,
        run=str(row.run_id),
        summary=row.summary,
        signature=signed_cards.newest(version, row.run_id),
    )
