"""Codes of trusted publishing and attestations."""

from __future__ import annotations

from envyard.contract.codes.code import platform_fault, request_fault

TRUSTED_PUBLISHING = (
    request_fault(
        "publisher.unknown_issuer",
        "The hub does not trust that issuer of identity tokens.",
        "Its operator can add it to HUB_OIDC_ISSUERS.",
    ),
    platform_fault(
        "publisher.issuer_unreachable", "The issuer's keys cannot be fetched.", "Try again."
    ),
    request_fault(
        "publisher.bad_token",
        "The identity token is not valid.",
        "Request a new one from your CI, for the hub's audience.",
    ),
    request_fault(
        "publisher.token_used",
        "The identity token was used before.",
        "Request a new one from your CI for each exchange.",
    ),
    request_fault(
        "publisher.no_match",
        "No trusted publisher matches the identity token.",
        "Compare it with those in the environment's settings, letter by letter.",
    ),
    request_fault(
        "attestation.unreadable",
        "The attestations are not a JSON list of attestation objects.",
        "Let uv, twine or the publishing action create them.",
    ),
    request_fault(
        "attestation.no_publisher",
        "The hub accepts attestations from trusted publishers only.",
        "Publish by trusted publishing, or leave the attestations out.",
    ),
    request_fault(
        "attestation.unverified",
        "An attestation's signature, certificate or log entry does not verify.",
        "Sign the wheel again, then upload exactly that file.",
    ),
    request_fault(
        "attestation.other_identity",
        "The signer of an attestation is not the publisher.",
        "Sign in the workflow that publishes.",
    ),
    request_fault(
        "attestation.other_file",
        "An attestation is about another file.",
        "Sign the wheel that you upload.",
    ),
    request_fault(
        "attestation.unknown_type",
        "The hub does not accept this type of attestation.",
        "Use PyPI's publish attestation or SLSA provenance.",
    ),
)
