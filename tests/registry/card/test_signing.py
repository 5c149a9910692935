"""Signed cards: the statement, its signature, what is served, and what is recomputed."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.test import Client, override_settings

from envyard.card import document, dsse, statement
from hub import env
from registry import pipeline
from registry.accounts.models import User
from registry.card import keys, signing
from registry.card.models import SignedCard
from registry.card.services import evidence_of
from registry.models import Run
from tests.factories import bearer
from tests.registry.run_factories import (
    honest_rollouts,
    make_leased_run,
    make_version,
    record_attempt,
)

FIRST, SECOND = keys.new_key(), keys.new_key()


@pytest.fixture
def run(alice: User) -> Run:
    """The judged run of a listed version."""
    run = make_leased_run(make_version(alice.owner))
    record_attempt(run, honest_rollouts())
    pipeline.judge(str(run.pk))
    return Run.objects.select_related("version__environment__owner").get(pk=run.pk)


def address(run: Run, rest: str) -> str:
    version = run.version
    return f"/integrity/{version.environment}/{version.version}/{version.filename}/{rest}"


def served(client: Client, run: Run) -> dsse.Envelope:
    answer = client.get(address(run, "card"))
    assert answer.status_code == 200, answer.content
    return dsse.read(answer.content)


def verify(client: Client, envelope: dsse.Envelope) -> None:
    """Raises InvalidSignature unless a served key made the signature of its id."""
    published = client.get("/integrity/keys").json()["keys"]
    [(keyid, signature)] = envelope.signatures.items()
    [pem] = [key["public"] for key in published if key["keyid"] == keyid]
    public = load_pem_public_key(pem.encode())
    assert isinstance(public, Ed25519PublicKey)
    public.verify(signature, dsse.signed_bytes(envelope.payload_type, envelope.payload))


def test_pae_is_that_of_the_specification() -> None:
    # https://github.com/secure-systems-lab/dsse/blob/master/protocol.md, test vectors
    encoded = dsse.signed_bytes("http://example.com/HelloWorld", b"hello world")
    assert encoded == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


@pytest.mark.once
def test_a_judged_version_has_a_signed_card_about_its_wheel(client: Client, run: Run) -> None:
    envelope = served(client, run)
    verify(client, envelope)
    content = json.loads(envelope.payload)
    version = run.version
    assert content["subject"] == [{"name": version.filename, "digest": {"sha256": version.sha256}}]
    assert content["_type"] == "https://in-toto.io/Statement/v1"
    predicate = content["predicate"]
    assert predicate["version"] == str(version)
    assert predicate["measures"] == version.card.measures
    assert predicate["scores"] == version.card.scores
    assert predicate["rules"] == version.card.rules > 0


@pytest.mark.once
def test_the_card_is_recomputed_from_the_published_evidence(client: Client, run: Run) -> None:
    signed = statement.read(statement.PAYLOAD_TYPE, served(client, run).payload)
    answer = client.get(address(run, f"evidence/{signed.evidence_sha256}"))
    assert hashlib.sha256(answer.content).hexdigest() == signed.evidence_sha256
    evidence = document.read(answer.content)
    assert evidence == evidence_of(run)
    suite = signed.measurement.suite
    assert suite.startswith("smoke sha256:")
    results = statement.compute(evidence, signed.required_policies, signed.measurement)
    assert results == signed.results


@pytest.mark.once
def test_a_changed_statement_does_not_verify(client: Client, run: Run) -> None:
    envelope = served(client, run)
    changed = envelope.payload.replace(b'"fail"', b'"pass"').replace(b"0.1.0", b"0.1.1")
    assert changed != envelope.payload
    with pytest.raises(InvalidSignature):
        verify(client, dsse.Envelope(envelope.payload_type, changed, envelope.signatures))


@pytest.mark.once
def test_signing_the_same_evidence_again_keeps_one_statement(run: Run) -> None:
    signing.sign(run=run, required_policies=settings.HUB_REQUIRED_POLICIES)
    signing.sign(run=run, required_policies=settings.HUB_REQUIRED_POLICIES)
    assert SignedCard.objects.filter(version=run.version).count() == 1


@pytest.mark.once
def test_a_lock_finds_its_statement_after_a_newer_one(client: Client, run: Run) -> None:
    older = SignedCard.objects.get()
    newer = signing.sign(run=run, required_policies=())
    assert newer.sha256 != older.sha256
    for sha256 in (older.sha256, newer.sha256):
        answer = client.get(address(run, f"card/{sha256}"))
        assert document.digest(dsse.read(answer.content).payload) == sha256
    assert document.digest(served(client, run).payload) == newer.sha256
    assert client.get(address(run, f"card/{'0' * 64}")).status_code == 404
    assert client.get(address(run, f"evidence/{'0' * 64}")).status_code == 404


@pytest.mark.once
def test_an_older_key_verifies_until_it_is_removed(client: Client, run: Run) -> None:
    with override_settings(HUB_CARD_KEYS=(FIRST,)):
        signing.sign(run=run, required_policies=settings.HUB_REQUIRED_POLICIES)
        signing.sign_again()
    with override_settings(HUB_CARD_KEYS=(SECOND, FIRST)):
        first, second = (key["keyid"] for key in client.get("/integrity/keys").json()["keys"])
        assert list(served(client, run).signatures) == [second]
        verify(client, served(client, run))
        assert signing.sign_again() == 0
    with override_settings(HUB_CARD_KEYS=(SECOND,)):
        call_command("sign_cards")
        assert list(served(client, run).signatures) == [first]
        verify(client, served(client, run))


@pytest.mark.once
def test_cards_of_earlier_releases_are_signed_on_request(client: Client, run: Run) -> None:
    SignedCard.objects.all().delete()
    assert client.get(address(run, "card")).status_code == 404
    assert signing.sign_unsigned(required_policies=settings.HUB_REQUIRED_POLICIES) == 1
    verify(client, served(client, run))


@pytest.mark.once
def test_a_card_is_as_visible_as_its_wheel(client: Client, run: Run, carol: User) -> None:
    run.version.environment.visibility = "private"
    run.version.environment.save()
    digest = SignedCard.objects.get().evidence_sha256
    for rest in ("card", f"evidence/{digest}"):
        assert client.get(address(run, rest)).status_code == 404
        assert client.get(address(run, rest), headers=bearer(carol)).status_code == 404


@pytest.mark.once
def test_the_api_names_the_newest_statement(client: Client, run: Run) -> None:
    card = client.get(f"/api/v1/environments/{run.version.environment}/versions/0.1.0/").json()[
        "card"
    ]
    signature = card["signature"]
    assert signature["url"].endswith(address(run, f"card/{signature['sha256']}"))
    path = signature["evidence"].removeprefix("http://127.0.0.1:8000")
    assert client.get(path).status_code == 200
    assert card["rules"] > 0


def test_the_first_start_creates_one_key(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("HUB_CARD_KEYS", raising=False)
    file = tmp_path / "card_key"
    first = env.card_keys("HUB_CARD_KEYS", file)
    assert env.card_keys("HUB_CARD_KEYS", file) == first
    assert len(base64.urlsafe_b64decode(first[0])) == 32
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_bad_key_is_refused_without_showing_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("HUB_CARD_KEYS", f"{FIRST},secretive")
    with pytest.raises(ImproperlyConfigured, match="32 bytes") as refused:
        env.card_keys("HUB_CARD_KEYS", tmp_path / "card_key")
    assert "secretive" not in str(refused.value)


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"policies": []}'])
def test_a_document_with_other_fields_is_no_evidence(data: bytes) -> None:
    with pytest.raises(document.BadDocument):
        document.read(data)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"payload":"?","payloadType":"","signatures":[]}']
)
def test_other_json_is_no_envelope(data: bytes) -> None:
    with pytest.raises(dsse.BadEnvelope):
        dsse.read(data)
