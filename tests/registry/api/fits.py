"""What operations need besides a row of everything, so that each success can be reached.

By operation and status; where only one status is given, it serves the others too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.utils import timezone

from registry.accounts import devices
from registry.models import Run, User, Webhook
from tests.data_locks import locked
from tests.factories import make_environment, make_run, make_version
from tests.registry.api.hub import PLATFORM
from tests.registry.publishers.conftest import publisher
from tests.registry.publishers.issuer import Issuer
from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel


@dataclass(frozen=True, slots=True)
class Fit:
    """Values for places in the path, a body in place of the usual one, headers, a last touch to the
    rows, and the query."""

    place: dict[str, str] = field(default_factory=dict)
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    before: Callable[[], object] | None = None
    query: dict[str, str] = field(default_factory=dict)


def build(alice: User, issuer: Issuer, audience: str) -> dict[tuple[str, int], Fit]:
    """The rows, and what leads to them; `issuer` is one that the hub trusts."""
    held = make_version(alice, "held-env", status="held", framework="verifiers")
    cancelled = make_run(held, status="cancelled")
    make_version(alice, "rejected-env", status="rejected")
    gone = {"quarantined_at": timezone.now(), "quarantine_reason": "spam"}
    make_version(alice, version="0.0.8", **gone)
    make_environment(alice, "quarantined-env", **gone)
    publisher(held.environment, alice)
    approved = devices.begin(device_name="laptop")
    devices.approve(user_code=approved.user_code, user=alice)
    wheel = make_wheel("sent-env", "0.1.0")
    form = form_of(wheel) | {
        "content": SimpleUploadedFile(filename("sent-env", "0.1.0"), wheel, "application/zip")
    }
    return {
        ("checkUpload", 200): Fit(body={"name": "new-env", "version": "0.1.0", "owner": "alice"}),
        ("createEnvironment", 200): Fit(body={"name": "demo-env", "owner": "alice"}),
        ("createSuite", 201): Fit(body={"name": "hard", "tasks": 10, "attempts": 2}),
        ("requestEvaluation", 201): Fit(body={"model": "tiny-2"}),
        ("compareSides", 200): Fit(
            query={"first": "alice/demo-env==0.1.0", "second": "alice/demo-env==0.1.0"}
        ),
        ("deprecateEnvironment", 200): Fit({"name": "new-run"}),
        ("unyankVersion", 200): Fit({"number": "0.0.9"}),
        ("retryVersion", 200): Fit({"name": "held-env"}),
        ("rejudgeVersion", 200): Fit({"name": "rejected-env"}),
        ("releaseVersion", 200): Fit({"number": "0.0.8"}),
        ("releaseEnvironment", 200): Fit({"name": "quarantined-env"}),
        ("pollLogin", 200): Fit(body={"device_code": approved.device_code}),
        ("pollForRun", 204): Fit(before=Run.objects.filter(status="queued").delete),
        ("downloadFile", 206): Fit(headers={"Range": "bytes=0-9"}),
        ("reportLeaks", 200): Fit(
            body=[{"token": "hub_x", "type": "hub", "url": "", "source": ""}]
        ),
        ("retryRun", 201): Fit({"id": str(cancelled.pk)}),
        ("agreeOnLock", 200): Fit(body={"attempt": 1, "platform": PLATFORM, "lock": None}),
        ("agreeOnDataLock", 200): Fit(
            body={"attempt": 1, "lock": locked("test.parquet").to_dict()}
        ),
        ("uploadWheel", 200): Fit(
            body=encode_multipart(BOUNDARY, form), headers={"Content-Type": MULTIPART_CONTENT}
        ),
        ("addWebhook", 201): Fit(body={"url": "https://example.org/y"}),
        ("addOwnerWebhook", 201): Fit(body={"url": "https://example.org/y"}),
        ("enableWebhook", 200): Fit(
            before=lambda: Webhook.objects.update(disabled_at=timezone.now())
        ),
        ("mintToken", 200): Fit(body={"token": issuer.token(audience)}),
    }
