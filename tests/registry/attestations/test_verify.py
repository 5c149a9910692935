"""Attestations, made by a sigstore of this test and verified by the real library."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from registry.accounts.models import Token
from registry.attestations import services
from registry.errors import HubError
from tests.registry.attestations.sigstore_here import (
    PUBLISH,
    SLSA,
    Signer,
    Sigstore,
    statement,
)

pytestmark = pytest.mark.once

FILENAME = "demo_env-0.1.0-py3-none-any.whl"
SHA256 = "ab" * 32
ISSUER = "https://token.actions.githubusercontent.com"
GITHUB = Signer(ISSUER)
PUBLISHED_WITH = {
    "kind": "github",
    "issuer": ISSUER,
    "server": "https://github.com",
    "repository": "Lab/envs",
    "workflow": "publish.yml",
    "ci_environment": "",
}


@pytest.fixture(scope="module")
def sigstore() -> Sigstore:
    return Sigstore()


@pytest.fixture(autouse=True)
def trust(settings: Any, sigstore: Sigstore, tmp_path: Path) -> None:
    settings.HUB_SIGSTORE_TRUST = str(sigstore.root(tmp_path))


def check(*attestations: Any, published_with: dict[str, str] = PUBLISHED_WITH) -> dict[str, Any]:
    provenance = services.check(
        text=json.dumps(attestations),
        filename=FILENAME,
        sha256=SHA256,
        token=Token(published_with=published_with),
    )
    assert provenance is not None
    return provenance


def refused(code: str, *attestations: Any, published_with: dict[str, str] = PUBLISHED_WITH) -> str:
    with pytest.raises(HubError) as caught:
        check(*attestations, published_with=published_with)
    assert caught.value.code == f"attestation.{code}", caught.value.message
    return caught.value.message


def good(sigstore: Sigstore, **changes: Any) -> dict[str, Any]:
    return sigstore.attest(statement(FILENAME, SHA256, **changes), GITHUB)


def test_what_the_publisher_signed_becomes_the_provenance(sigstore: Sigstore) -> None:
    publish, slsa = good(sigstore), good(sigstore, kind=SLSA, predicate={"builder": "x"})
    document = check(publish, slsa)
    [bundle] = document["attestation_bundles"]
    assert document["version"] == 1
    assert bundle["publisher"] == {
        "kind": "GitHub",
        "repository": "Lab/envs",
        "workflow": "publish.yml",
        "environment": None,
    }
    assert bundle["attestations"] == [publish, slsa]


def test_a_publisher_of_gitlab_signs_as_well(sigstore: Sigstore) -> None:
    fields = PUBLISHED_WITH | {
        "kind": "gitlab",
        "issuer": "https://gitlab.example.org",
        "server": "https://gitlab.example.org",
        "repository": "lab/deep/envs",
        "workflow": ".gitlab-ci.yml",
    }

    class Gitlab(Signer):
        def extensions(self) -> dict[str, str]:
            build = f"{fields['server']}/{fields['repository']}//.gitlab-ci.yml@refs/heads/main"
            return super().extensions() | {"1.3.6.1.4.1.57264.1.18": build}

    signer = Gitlab(fields["issuer"], fields["server"], fields["repository"])
    attestation = sigstore.attest(statement(FILENAME, SHA256), signer)
    [bundle] = check(attestation, published_with=fields)["attestation_bundles"]
    assert bundle["publisher"]["kind"] == "GitLab"
    refused("other_identity", attestation)


@pytest.mark.parametrize(
    ("signer", "word"),
    [
        (Signer(ISSUER, repository="Evil/envs"), "Evil/envs"),
        (Signer(ISSUER, repository="Lab/envs2"), "Lab/envs2"),
        (Signer(ISSUER, workflow="tests.yml"), "policies"),
        (Signer("https://issuer.example"), "issuer.example"),
        (Signer(ISSUER, server="https://github.example"), "github.example"),
    ],
)
def test_refusal_names_the_identity_that_signed(
    sigstore: Sigstore, signer: Signer, word: str
) -> None:
    message = refused("other_identity", sigstore.attest(statement(FILENAME, SHA256), signer))
    assert word in message
    assert "Lab/envs, workflow publish.yml" in message


@pytest.mark.parametrize(
    ("filename", "sha256", "word"),
    [
        ("demo_env-0.2.0-py3-none-any.whl", SHA256, "0.2.0"),
        (FILENAME, "cd" * 32, "cdcd"),
        (FILENAME, SHA256.upper(), "ABAB"),
    ],
)
def test_another_file_is_named(sigstore: Sigstore, filename: str, sha256: str, word: str) -> None:
    assert word in refused("other_file", sigstore.attest(statement(filename, sha256), GITHUB))


@pytest.mark.parametrize(
    "changes",
    [{"kind": "https://example.com/vouched"}, {"_type": "https://in-toto.io/Statement/v0.1"}],
)
def test_unknown_attestation_type_is_refused(sigstore: Sigstore, changes: dict[str, str]) -> None:
    refused("unknown_type", good(sigstore, **changes))


@pytest.mark.parametrize(
    "payload",
    [
        b"no json",
        b"[]",
        b"{}",
        statement(FILENAME, SHA256, subject=[]),
        statement(FILENAME, SHA256, subject=[{"name": FILENAME, "digest": {}}]),
        statement(FILENAME, SHA256, subject=[{"name": FILENAME, "digest": {"sha256": SHA256}}] * 2),
    ],
)
def test_a_statement_must_be_about_one_file(sigstore: Sigstore, payload: bytes) -> None:
    refused("unreadable", sigstore.attest(payload, GITHUB))


def change(where: str, to: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    """Replaces the value at that path."""

    def at(attestation: dict[str, Any]) -> None:
        *folders, last = where.split(".")
        inside: Any = attestation
        for name in folders:
            inside = inside[int(name)] if isinstance(inside, list) else inside[name]
        inside[last] = to(inside[last])

    return at


ENTRY = "verification_material.transparency_entries.0"


def flipped(text: str) -> str:
    """The same base64 with another letter in the middle."""
    middle = len(text) // 2
    letter = "A" if text[middle] != "A" else "B"
    return text[:middle] + letter + text[middle + 1 :]


@pytest.mark.parametrize(
    "tampering",
    [
        change("envelope.statement", flipped),
        change("envelope.signature", flipped),
        change("verification_material.certificate", flipped),
        change(f"{ENTRY}.canonicalizedBody", flipped),
        change(f"{ENTRY}.integratedTime", lambda at: str(int(at) + 1)),
        change(f"{ENTRY}.logIndex", lambda _: "0"),
        change(f"{ENTRY}.inclusionPromise.signedEntryTimestamp", flipped),
        change(f"{ENTRY}.inclusionProof.rootHash", flipped),
        change(f"{ENTRY}.inclusionProof.hashes", lambda _: []),
        change(f"{ENTRY}.inclusionProof.treeSize", lambda _: "3"),
        change(f"{ENTRY}.inclusionProof.checkpoint.envelope", lambda s: s.replace("2", "3", 1)),
        change(f"{ENTRY}.inclusionProof.checkpoint", lambda _: None),
        change(f"{ENTRY}.inclusionPromise", lambda _: None),
        change(f"{ENTRY}.kindVersion.version", lambda _: "0.0.2"),
        change(f"{ENTRY}.logId", lambda _: None),
    ],
)
def test_tampered_attestation_does_not_verify(
    sigstore: Sigstore, tampering: Callable[[dict[str, Any]], None]
) -> None:
    attestation = good(sigstore)
    tampering(attestation)
    refused("unverified", attestation)


def test_a_statement_of_one_attestation_does_not_fit_another(sigstore: Sigstore) -> None:
    attestation = good(sigstore)
    two = sigstore.attest(statement("other-0.1.0-py3-none-any.whl", SHA256), GITHUB)
    refused("unverified", two | {"envelope": attestation["envelope"]})
    refused("unverified", two | {"verification_material": attestation["verification_material"]})


def test_untrusted_keys_are_refused(sigstore: Sigstore) -> None:
    wrong = ec.generate_private_key(ec.SECP256R1())
    payload = statement(FILENAME, SHA256)
    refused("unverified", Sigstore().attest(payload, GITHUB))
    refused("unverified", sigstore.attest(payload, GITHUB, log=wrong))
    other_log = Sigstore(authority=sigstore.authority, log=sigstore.log)
    other_log.issuer = sigstore.issuer
    assert "SCT" in refused("unverified", other_log.attest(payload, GITHUB))


@pytest.mark.parametrize("minutes", [-1, 11])
def test_a_certificate_counts_only_for_its_ten_minutes(sigstore: Sigstore, minutes: int) -> None:
    payload = statement(FILENAME, SHA256)
    late = sigstore.attest(payload, GITHUB, logged_after=timedelta(minutes=minutes))
    assert "certificate" in refused("unverified", late)


def test_the_bundled_root_is_readable_and_trusts_no_stranger(
    sigstore: Sigstore, settings: Any
) -> None:
    settings.HUB_SIGSTORE_TRUST = "bundled"
    refused("unverified", good(sigstore))


def test_a_changed_root_counts_at_once(sigstore: Sigstore, tmp_path: Path, settings: Any) -> None:
    check(good(sigstore))
    settings.HUB_SIGSTORE_TRUST = str(Sigstore().root(tmp_path))
    refused("unverified", good(sigstore))


def test_each_type_comes_once_with_one_log_entry(sigstore: Sigstore) -> None:
    assert PUBLISH in refused("unreadable", good(sigstore), good(sigstore))
    refused("unreadable", *[good(sigstore)] * 3)
    twice = good(sigstore)
    twice["verification_material"]["transparency_entries"] *= 2
    assert "one transparency log entry" in refused("unreadable", twice)


@pytest.mark.parametrize("text", ["{", "{}", "7", "[{}]", "[7]", '[{"version": 2}]', "[" * 5000])
def test_a_field_that_is_no_list_of_attestations_is_refused(text: str) -> None:
    with pytest.raises(HubError) as caught:
        services.check(
            text=text, filename=FILENAME, sha256=SHA256, token=Token(published_with=PUBLISHED_WITH)
        )
    assert caught.value.code == "attestation.unreadable"
    assert "attestations" in caught.value.message


def test_only_a_trusted_publisher_with_a_repository_may_attest(sigstore: Sigstore) -> None:
    refused("no_publisher", good(sigstore), published_with={})
    refused(
        "no_publisher",
        good(sigstore),
        published_with={"kind": "other", "issuer": "x", "subject": "y"},
    )
    with pytest.raises(HubError, match="trusted publishers only"):
        services.check(text="[7]", filename=FILENAME, sha256=SHA256, token=None)


def test_a_field_has_its_limit() -> None:
    with pytest.raises(HubError) as caught:
        services.check(text=" " * (1 << 20), filename=FILENAME, sha256=SHA256, token=None)
    assert (caught.value.code, caught.value.status) == ("request.too_large", 413)
