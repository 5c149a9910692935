"""Stock uv and the PyPA's libraries, as in a job of GitHub Actions that holds no secret of ours."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from registry.models import Token, User, Version
from tests.registry.attestations.sigstore_here import Signer, Sigstore, statement
from tests.registry.publishers.conftest import publisher
from tests.registry.publishers.issuer import REQUEST_TOKEN, Issuer
from tests.registry.publishers.tls import relay
from tests.wheels import write_wheel

UV = Path(sys.executable).parent / "uv"


def job(issuer: Issuer, pem: Path, home: Path) -> dict[str, str]:
    """The variables of a job with `id-token: write`."""
    return {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "SSL_CERT_FILE": str(pem),
        "GITHUB_ACTIONS": "true",
        "ACTIONS_ID_TOKEN_REQUEST_URL": f"{issuer.url}/token?api-version=2.0",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": REQUEST_TOKEN,
    }


def uv(*arguments: str | Path, env: dict[str, str], expect: int = 0) -> str:
    command = [str(part) for part in (UV, "publish", "--trusted-publishing", "always", *arguments)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == expect, done.stderr
    return done.stdout + done.stderr


@pytest.mark.django_db(transaction=True)
def test_uv_publishes_without_a_stored_token(
    issuer: Issuer, alice: User, live_server: LiveServer, tmp_path: Path, settings: Any
) -> None:
    sigstore = Sigstore()
    settings.HUB_SIGSTORE_TRUST = str(sigstore.root(tmp_path))
    (dist := tmp_path / "dist").mkdir()
    wheel = write_wheel(dist)
    payload = statement(wheel.name, hashlib.sha256(wheel.read_bytes()).hexdigest())
    attestation = sigstore.attest(payload, Signer(issuer.url, issuer.url))
    Path(f"{wheel}.publish.attestation").write_text(json.dumps(attestation))
    with relay(int(live_server.url.rpartition(":")[2]), tmp_path) as (url, pem):
        settings.HUB_URL = url
        env = job(issuer, pem, tmp_path)
        to = ("--publish-url", f"{url}/legacy/alice/")
        output = uv(*to, dist / "*", env=env, expect=2)
        assert "publisher.no_match" in output

        publisher(alice.owner, alice, name="demo-env")
        uv(*to, dist / "*", env=env)
        uv(*to, dist / "*", env=env)  # the job is run again: the same file is no mistake
    version = Version.objects.select_related("provenance").get()
    assert str(version) == "alice/demo-env==0.1.0"
    assert version.published_with["repository"] == "Lab/envs"
    assert version.uploaded_by == alice
    assert not Token.objects.filter(published_with={}).exists()
    assert version.provenance.document["attestation_bundles"][0]["attestations"] == [attestation]
