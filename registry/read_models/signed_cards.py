"""Signed cards as the pages and the API show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from registry.catalog.models import Version
from registry.read_models import links
from registry.read_models.annotations import Moment, Sha256, Spec, Uri


@dataclass(frozen=True, slots=True)
class CardSignature:
    """The newest signed statement about one run of a version."""

    sha256: Annotated[Sha256, Spec(description="Of the statement; a lock contains it.")]
    keyid: Annotated[Sha256, Spec(description="The key, one of `/integrity/keys`.")]
    signed_at: Moment
    url: Annotated[Uri, Spec(description="The statement in a DSSE envelope.")]
    evidence: Annotated[Uri, Spec(description="What the card is recomputed from.")]


def newest(version: Version, run: UUID) -> CardSignature | None:
    """The newest one about this run of the version; costs a query."""
    row = version.signed_cards.filter(run=run).defer("evidence", "payload").first()
    if row is None:
        return None
    environment = version.environment
    wheel = (environment.owner.name, environment.name, version.version, version.filename)
    return CardSignature(
        sha256=row.sha256,
        keyid=row.keyid,
        signed_at=row.signed_at,
        url=links.to("signed-card-by-digest", *wheel, row.sha256),
        evidence=links.to("card-evidence", *wheel, row.evidence_sha256),
    )
