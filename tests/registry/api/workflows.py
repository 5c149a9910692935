"""What a workflow does over HTTP: change its identity token for one of ours, and upload with it."""

from __future__ import annotations

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.registry.publishers.issuer import Issuer
from tests.registry.uploads.forms import form_of
from tests.wheels import filename

MINT = "/_/oidc/mint-token"


def mint(client: Client, issuer: Issuer, **claims: Any) -> Any:
    audience = client.get("/_/oidc/audience").json()["audience"]
    return client.generic("POST", MINT, json.dumps({"token": issuer.token(audience, **claims)}), "")


def upload(client: Client, token: str, data: bytes, **fields: str) -> Any:
    form = form_of(data) | {name: [value] for name, value in fields.items()}
    return client.post(
        "/legacy/alice/",
        {**form, "content": SimpleUploadedFile(filename(), data)},
        headers={"Authorization": f"Bearer {token}"},
    )
