"""One shape for every refusal."""

import logging
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIRequestFactory

from envyard.contract.codes import CODES
from envyard.contract.findings import finding
from registry.api.errors import handle
from registry.errors import HubError
from registry.models import User
from tests.factories import bearer

pytestmark = pytest.mark.once

JSON = "application/json"
SHAPE = {"code", "message", "hint", "details", "request_id"}


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "code"),
    [
        ("get", "/api/v1/nothing/", None, 404, "request.not_found"),
        ("get", "/api/v1/runs/5/", None, 404, "request.not_found"),
        ("get", "/api/v1/", None, 404, "request.not_found"),
        ("delete", "/api/v1/environments/", None, 405, "request.method"),
        ("post", "/api/v1/tokens/", "{", 400, "request.invalid"),
        ("post", "/api/v1/tokens/", '{"name": NaN}', 400, "request.invalid"),
        ("post", "/api/v1/tokens/", "[" * 100_000, 400, "request.invalid"),
        ("post", "/api/v1/tokens/", '"' + "x" * (1 << 20) + '"', 413, "request.too_large"),
    ],
)
def test_every_refusal_has_the_same_shape(
    client: Client, alice: User, method: str, path: str, sent: Any, status: int, code: str
) -> None:
    options = {"data": sent, "content_type": JSON} if sent else {}
    answer = getattr(client, method)(path, headers=bearer(alice, "admin"), **options)
    assert answer.status_code == status, answer.content
    error = answer.json()["error"]
    assert set(error) == SHAPE
    assert error["code"] == code
    assert error["request_id"] == answer["X-Request-ID"] != ""


@pytest.mark.parametrize(("path", "hinted"), [("/api/v1/me", True), ("/api/v1/me/", False)])
def test_unknown_path_without_a_slash_gets_a_hint_about_slashes(
    client: Client, path: str, hinted: bool
) -> None:
    message = client.get(path).json()["error"]["message"]
    assert ("paths end in a slash" in message) is hinted
    assert "/api/v1/schema" in message


def test_another_content_type_is_415(client: Client, alice: User) -> None:
    answer = client.post("/api/v1/tokens/", {"name": "x"}, headers=bearer(alice, "admin"))
    assert answer.status_code == 415
    assert set(answer.json()["error"]) == SHAPE


def test_bug_is_logged_and_answered_with_500_without_its_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    request = APIRequestFactory().get("/api/v1/x/")
    try:
        raise RuntimeError("secret inside")
    except RuntimeError as bug:
        with caplog.at_level(logging.ERROR):
            answer = handle(bug, {"request": request})
    assert answer.status_code == 500
    assert answer.data["error"]["code"] == "hub.error"
    assert "secret" not in str(answer.data)
    assert "secret inside" in caplog.text


def test_error_has_the_message_of_the_catalogue_by_default() -> None:
    plain = HubError("upload.version_exists")
    assert plain.message == CODES["upload.version_exists"].message
    assert plain.hint == CODES["upload.version_exists"].hint
    assert HubError("upload.version_exists", "said", "try").to_dict("id")["error"] == {
        "code": "upload.version_exists",
        "message": "said",
        "hint": "try",
        "details": {},
        "request_id": "id",
    }


def test_an_error_of_findings_names_the_first_and_keeps_all() -> None:
    findings = [finding("wheel.no_record", where="RECORD"), finding("metadata.no_readme")]
    error = HubError.of_findings(findings)
    assert (error.code, error.status) == ("wheel.no_record", 400)
    assert "(RECORD)" in error.message
    assert [f["code"] for f in error.details["findings"]] == [f.code for f in findings]
