"""The origin of a version in the API, the index and the provenance object."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from registry.accounts import tokens
from registry.index import content
from registry.models import User, Version
from tests.factories import bearer, make_environment, make_version
from tests.registry.api.workflows import mint, upload
from tests.registry.attestations.sigstore_here import Signer, Sigstore, statement
from tests.registry.publishers.conftest import issuer, publisher
from tests.registry.publishers.issuer import Issuer
from tests.wheels import filename, make_wheel

__all__ = ["issuer"]

pytestmark = pytest.mark.once


@pytest.fixture
def published(
    client: Client, issuer: Issuer, alice: User, settings: Any, tmp_path: Path
) -> Version:
    """alice/demo-env==0.1.0 with an attestation, by a trusted publisher."""
    sigstore = Sigstore()
    settings.HUB_SIGSTORE_TRUST = str(sigstore.root(tmp_path))
    publisher(alice.owner, alice, name="demo-env")
    data = make_wheel()
    payload = statement(filename(), hashlib.sha256(data).hexdigest())
    attestation = sigstore.attest(payload, Signer(issuer.url, issuer.url))
    text = mint(client, issuer).json()["token"]
    answer = upload(client, text, data, attestations=json.dumps([attestation]))
    assert answer.status_code == 200, answer.content
    return Version.objects.select_related("environment__owner").get()


def provenance(version: Version) -> str:
    environment = version.environment
    place = f"{environment.owner}/{environment.name}/{version.version}/{version.filename}"
    return f"/integrity/{place}/provenance"


def test_a_version_shows_where_it_comes_from(
    client: Client, published: Version, alice: User, issuer: Issuer
) -> None:
    assert published.uploaded_by == alice
    assert published.published_with["workflow"] == "publish.yml"
    body = client.get(
        "/api/v1/environments/alice/demo-env/versions/0.1.0/", headers=bearer(alice)
    ).json()
    assert body["published_with"]["repository"] == "Lab/envs"
    assert body["provenance"] == f"http://127.0.0.1:8000{provenance(published)}"
    answer = client.get(provenance(published), headers=bearer(alice))
    assert answer["Content-Type"] == "application/vnd.pypi.integrity.v1+json"
    [bundle] = answer.json()["attestation_bundles"]
    assert bundle["publisher"]["repository"] == "Lab/envs"
    again = client.get(
        provenance(published), headers=bearer(alice) | {"If-None-Match": answer["ETag"]}
    )
    assert again.status_code == 304


def test_index_links_the_provenance(published: Version, alice: User) -> None:
    make_version(alice, version="0.2.0")
    Version.objects.update(status="listed", listed_at=published.uploaded_at)
    [first, second] = content.environment(published.environment)["files"]
    assert first["provenance"] == f"http://127.0.0.1:8000{provenance(published)}"
    assert "provenance" not in second


def test_provenance_is_negotiated_and_as_visible_as_the_file(
    client: Client, published: Version, alice: User, carol: User
) -> None:
    at = provenance(published)
    fields = {
        "application/vnd.pypi.integrity.v1+json": 200,
        "application/json": 200,
        "*/*": 200,
        "text/html": 406,
    }
    for accept, status in fields.items():
        headers = bearer(alice) | {"Accept": accept}
        answer = client.get(at, headers=headers)
        assert answer.status_code == status
        assert "public" not in answer["Cache-Control"]  # strangers may not see it yet
    assert client.get(at, headers=bearer(carol)).status_code == 404  # it is not listed yet
    assert client.get(at).status_code == 404
    assert client.get(at.replace("0.1.0/", "0.2.0/"), headers=bearer(alice)).status_code == 404
    Version.objects.update(status="listed", listed_at=published.uploaded_at)
    public = client.get(at)
    assert public.status_code == 200
    assert public["Cache-Control"].startswith("public")
    Version.objects.update(quarantined_at=published.uploaded_at)
    assert client.get(at, headers=bearer(alice)).status_code == 404


def test_a_version_without_attestations_has_no_provenance(client: Client, alice: User) -> None:
    version = make_version(alice)
    assert client.get(provenance(version)).status_code == 404
    body = client.get("/api/v1/environments/alice/demo-env/versions/0.1.0/").json()
    assert (body["provenance"], body["published_with"]) == (None, None)


def test_a_wheel_with_a_bad_attestation_is_refused_whole(
    client: Client, issuer: Issuer, alice: User
) -> None:
    publisher(make_environment(alice), alice)
    token = mint(client, issuer).json()["token"]
    answer = upload(client, token, make_wheel(), attestations='[{"version": 1}]')
    assert answer.status_code == 400
    assert b"attestation.unreadable" in answer.content
    own = tokens.mint(user=alice, name="own", scope="publish")[1]
    answer = upload(client, own, make_wheel(), attestations='[{"version": 1}]')
    assert b"attestation.no_publisher" in answer.content
    assert not Version.objects.exists()
