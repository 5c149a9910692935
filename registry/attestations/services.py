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

MAX_CHARACTERS = 256 << 10  # characters of the form's field; one attestation has about 8,000


def check(*, text: str, filename: str, sha256: str, token: Token | None) -> dict[str, Any] | None:
    """The provenance object for the `attestations` field of an upload, None where there are none.

    Raises HubError unless every attestation is about exactly that file and signed by the trusted
    publisher whose token uploads it. Uses no network, unless HUB_SIGSTORE_TRUST is `tuf`.
    """
    if text in ("", "[]"):
        return None
    if len(text) > MAX_CHARACTERS:
        raise HubError(
            "request.too_large",
            f"attestations: {len(text)} characters, at most {MAX_CHARACTERS}",
            status=413,
        )
    published_with: dict[str, str] = token.published_with if token else {}
    if "repository" not in published_with:
        raise HubError("attestation.no_publisher", details={"field": "attestations"})
    from registry.attestations import verification  # takes most of a second

    attestations = verification.read(text)
    verification.verify(
        attestations, filename=filename, sha256=sha256, published_with=published_with
    )
    return verification.provenance(attestations, published_with)


def store(*, version: Version, document: dict[str, Any] | None) -> None:
    """Store the result of `check`, in the transaction that creates the version."""
    if document is not None:
        Provenance.objects.create(version=version, document=document)


def url(version: Version) -> str | None:
    """The address of the version's provenance; None where it has none. Costs a query, except for
    rows with `select_related("provenance")`."""
    if not hasattr(version, "provenance"):
        return None
    environment = version.environment
    arguments = (environment.owner.name, environment.name, version.version, version.filename)
    return f"{settings.HUB_URL}{reverse('provenance', args=arguments)}"
