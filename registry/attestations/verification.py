"""Verify attestations against a wheel and its publisher, with sigstore's own library.

Importing it takes most of a second: `services` does so at the first attestation.
Source: PEP 740, and the implementation of PyPI.
"""

from __future__ import annotations

import json
import struct
from typing import Any

from cryptography import x509
from pydantic import TypeAdapter, ValidationError
from pypi_attestations import (
    Attestation,
    AttestationBundle,
    AttestationType,
    GitHubPublisher,
    GitLabPublisher,
    Provenance,
)
from sigstore.errors import Error as SigstoreError
from sigstore.errors import VerificationError
from sigstore.verify import policy

from registry.attestations import trust
from registry.errors import HubError

TYPES = tuple(str(kind.value) for kind in AttestationType)
STATEMENT = "https://in-toto.io/Statement/v1"
PAYLOAD = "application/vnd.in-toto+json"
LIST = TypeAdapter(list[Attestation])
# Extensions of Fulcio's certificates: the commit and the ref that the workflow ran at.
SHA, REF = "1.3.6.1.4.1.57264.1.13", "1.3.6.1.4.1.57264.1.14"
# Errors of invalid certificates and log entries besides those of the library.
BROKEN = (SigstoreError, ValueError, TypeError, LookupError, struct.error, x509.ExtensionNotFound)


class OtherIdentity(VerificationError):
    """The certificate is valid and belongs to another identity."""


class _Publisher:
    """sigstore's policy for the workflow that has the token, at any commit.

    Like the library's own policies for publishers, but for any trusted issuer.
    """

    def __init__(self, attestation: Attestation, published_with: dict[str, str]) -> None:
        self._claims = attestation.certificate_claims
        self._identity = published_with

    def verify(self, cert: x509.Certificate) -> None:
        identity = self._identity
        repository = f"{identity['server']}/{identity['repository']}"
        folder = ".github/workflows/" if identity["kind"] == "github" else "/"
        refs = [self._claims[oid] for oid in (SHA, REF) if self._claims.get(oid)]
        builds: list[policy.VerificationPolicy] = [
            policy.OIDCBuildConfigURI(f"{repository}/{folder}{identity['workflow']}@{ref}")
            for ref in refs
        ]
        policies: list[policy.VerificationPolicy] = [
            policy.OIDCIssuerV2(identity["issuer"]),
            policy.OIDCSourceRepositoryURI(repository),
            policy.AnyOf(builds),
        ]
        try:
            policy.AllOf(policies).verify(cert)
        except VerificationError as error:
            raise OtherIdentity(str(error)) from None


def read(text: str) -> list[Attestation]:
    """The attestations in the form's field; raises where they do not follow PEP 740."""
    try:
        attestations = LIST.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        location = ".".join(str(part) for part in first["loc"])
        raise _refusal("unreadable", f"attestations.{location}: {first['msg']}") from None
    if not 1 <= len(attestations) <= len(TYPES):
        raise _refusal(
            "unreadable", f"attestations: 1 to {len(TYPES)} are taken, not {len(attestations)}"
        )
    for attestation in attestations:
        if len(attestation.verification_material.transparency_entries) != 1:
            # The library verifies only the first; the others would be served unverified.
            raise _refusal("unreadable", "attestations: each must have one transparency log entry")
    return attestations


def verify(
    attestations: list[Attestation], *, filename: str, sha256: str, published_with: dict[str, str]
) -> None:
    """Raise unless every one of them is that publisher's and about that file."""
    kinds = set()
    for number, attestation in enumerate(attestations, 1):
        kind = _about(_payload(attestation, published_with, number), filename, sha256, number)
        if kind in kinds:
            raise _refusal("unreadable", f"attestation {number} is a second one of type {kind}")
        kinds.add(kind)


def provenance(attestations: list[Attestation], published_with: dict[str, str]) -> dict[str, Any]:
    """The provenance object to serve (PEP 740)."""
    repository, workflow = published_with["repository"], published_with["workflow"]
    ci_environment = published_with["ci_environment"] or None
    publisher: GitHubPublisher | GitLabPublisher
    if published_with["kind"] == "github":
        publisher = GitHubPublisher(
            repository=repository, workflow=workflow, environment=ci_environment
        )
    else:
        publisher = GitLabPublisher(
            repository=repository, workflow_filepath=workflow, environment=ci_environment
        )
    bundle = AttestationBundle(publisher=publisher, attestations=attestations)
    document: dict[str, Any] = json.loads(
        Provenance(attestation_bundles=[bundle]).model_dump_json()
    )
    return document


def _payload(attestation: Attestation, published_with: dict[str, str], number: int) -> bytes:
    """The signed statement: certificate, its log, transparency log and signature verified."""
    try:
        signer = _Publisher(attestation, published_with)
        kind, payload = trust.verifier().verify_dsse(attestation.to_bundle(), signer)
    except OtherIdentity as error:
        publisher = f"{published_with['repository']}, workflow {published_with['workflow']}"
        raise _refusal(
            "other_identity", f"attestation {number} is not signed by {publisher}: {error!s:.300}"
        ) from None
    except BROKEN as error:
        raise _refusal("unverified", f"attestation {number}: {error!s:.300}") from None
    if kind != PAYLOAD:
        raise _refusal("unknown_type", f"attestation {number} holds {kind!r:.80}, not {PAYLOAD!r}")
    return payload


def _about(payload: bytes, filename: str, sha256: str, number: int) -> str:
    """The statement's type; raises unless its one subject is that file."""
    try:
        statement = json.loads(payload)
        kind, [subject] = statement["predicateType"], statement["subject"]
        form, name, digest = statement["_type"], subject["name"], subject["digest"]["sha256"]
    except (ValueError, TypeError, LookupError, RecursionError):
        raise _refusal(
            "unreadable", f"attestation {number} is no in-toto statement about one file"
        ) from None
    if form != STATEMENT or kind not in TYPES:
        raise _refusal("unknown_type", f"attestation {number} is of type {form!r:.80} {kind!r:.80}")
    for field, value, expected in (("name", name, filename), ("sha256", digest, sha256)):
        if value != expected:
            raise _refusal(
                "other_file",
                f"attestation {number}: its {field} is {value!r:.300}, the file's {expected!r}",
            )
    return str(kind)


def _refusal(code: str, message: str) -> HubError:
    return HubError(f"attestation.{code}", message, details={"field": "attestations"})
