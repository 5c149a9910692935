"""Attestations of an upload: verified before it is kept, served as the version's provenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.urls import reverse

from registry.attestations.models import Provenance
from registry.errors import HubError

if TYPE_CHECKING:
    from registry.accounts.models import Token
    from registry.catalog.models import Version

LONGEST = 256 << 10  # characters of the form's field; one attestation has about 8,000


def check(*, text: str, filename: str, sha256: str, token: Token | None) -> dict[str, Any] | None:
    """The provenance object for the `attestations` field of an upload, None where there are none.

    Raises HubError unless every attestation is about that very file and signed by the trusted
    publisher whose token uploads it. Asks no network, unless HUB_SIGSTORE_TRUST says so.
    """
    if text in ("", "[]"):
        return None
    if len(text) > LONGEST:
        raise HubError(
            "request.too_large",
            f"attestations: {len(text)} characters, at most {LONGEST}",
            status=413,
        )
    published_with: dict[str, str] = token.published_with if token else {}
    if "repository" not in published_with:
        raise HubError("attestation.no_publisher", details={"field": "attestations"})
    from registry.attestations import verification  # costs most of a second

    found = verification.read(text)
    verification.verify(found, filename=filename, sha256=sha256, published_with=published_with)
    return verification.provenance(found, published_with)


def keep(*, version: Version, document: dict[str, Any] | None) -> None:
    """Store what `check` gave, in the transaction that makes the version."""
    if document is not None:
        Provenance.objects.create(version=version, document=document)


def url(version: Version) -> str | None:
    """Where the version's provenance is served; None where it has none. Costs a query, but for
    rows that came with `select_related("provenance")`."""
    if not hasattr(version, "provenance"):
        return None
    environment = version.environment
    place = (environment.owner.name, environment.name, version.version, version.filename)
    return f"{settings.HUB_URL}{reverse('provenance', args=place)}"
