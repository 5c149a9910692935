"""`prime env push`: announce a file, send it to the address that comes back, then say so."""

from __future__ import annotations

import re
from tempfile import TemporaryFile
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from rest_framework.request import Request
from rest_framework.response import Response

from registry import pipeline, rate_limits
from registry.api.auth import get_actor, person
from registry.api.errors import full_disk_refused, headers, request_id
from registry.api.prime import body, find
from registry.api.prime.endpoint import answer, detail, endpoint, short
from registry.errors import HubError, NotFound
from registry.read_models import links
from registry.sources import services
from registry.sources.models import Delivery
from registry.uploads import limits

HEX = re.compile(r"[0-9a-f]{64}")
CHUNK = 1 << 16


@endpoint("POST")
def announce_wheel(request: Request, pk: str) -> Response:
    """Where to send a wheel; no address where the hub has these very bytes already."""
    return _announce(request, pk, services.WHEEL, "wheel_id")


@endpoint("POST")
def announce_source(request: Request, pk: str) -> Response:
    """Where to send the source archive of a version."""
    return _announce(request, pk, services.SOURCE, "version_id")


def _announce(request: Request, pk: str, kind: str, named: str) -> Response:
    environment = find.by_id(request, pk, "environment.publish")
    data = body.read(request)
    size = body.number(data, "size")
    if size is not None and not 0 < size <= limits.wheels().packed:
        raise _too_large(size)
    parcel = services.Announcement(
        filename=short(data, "filename", 255, default=None),
        version=short(data, "semantic_version", 80, default=None),
        sha256=_digest(data, "sha256"),
        content_hash=_digest(data, "content_hash"),
        size=size or 0,
    )
    delivery = services.announce(
        environment=environment, by=person(request), kind=kind, announcement=parcel
    )
    if delivery is None:
        return answer({named: None, "upload_url": None})
    address = links.to("prime-upload", services.sign(delivery))
    return answer({named: str(delivery.pk), "upload_url": address})


def _digest(data: dict[str, object], field: str) -> str:
    value = short(data, field, 80, default=None).lower()
    if not HEX.fullmatch(value):
        raise HubError(
            "request.invalid",
            f"{field} {value!r} must be 64 hex digits",
            details={"field": field},
        )
    return value


@csrf_exempt  # the address itself is the credential
def upload(request: HttpRequest, signed: str) -> HttpResponseBase:
    """PUT: the bytes that were announced, and no others. The answer has nothing about the
    wheel: prime shows no answer of this address."""
    try:
        if request.method != "PUT":
            raise HubError("request.method", f"{request.method} is not PUT", status=405)
        delivery = services.open_delivery(signed)
        with full_disk_refused(), TemporaryFile(prefix="delivery-") as file:
            _receive(request, file)
            services.receive(delivery=delivery, file=file)
    except HubError as error:
        shown = error.to_dict(request_id(request))
        refusal = {"detail": detail(shown["error"])} | shown
        return JsonResponse(refusal, status=error.status, headers=headers(error))
    return HttpResponse(status=204)


def _receive(request: HttpRequest, file: BinaryIO) -> None:
    """Write the body, bounded whatever its Content-Length."""
    left = limits.wheels().packed
    try:
        while piece := request.read(CHUNK):
            left -= len(piece)
            if left < 0:
                raise _too_large(None)
            file.write(piece)
    except UnreadablePostError:
        raise HubError("request.invalid", "the upload was cut off", "Push again.") from None


def _too_large(size: int | None) -> HubError:
    size_text = "has" if size is None else f"has {size} bytes:"
    return HubError(
        "wheel.too_large",
        f"the file {size_text} not between 1 and {settings.HUB_MAX_WHEEL_BYTES} bytes",
        "Ship data separately.",
        413,
    )


@endpoint("POST")
def finish_wheel(request: Request, pk: str, delivery: UUID) -> Response:
    """Publish the wheel that was sent; a refusal has its findings."""
    row = _delivery(request, pk, delivery, services.WHEEL)
    by, (_, token) = person(request), get_actor(request)
    with rate_limits.counting_refused_uploads(by.pk):
        version = services.accept_wheel(delivery=row, by=by, token=token)
    if version.status == version.Status.HELD:
        pipeline.retry_pushed(version=version, by=by)
    return answer({"success": True, "version_id": version.version, "status": version.status})


@endpoint("POST")
def finish_source(request: Request, pk: str, delivery: UUID) -> Response:
    """Keep the source archive that was sent beside its version."""
    row = _delivery(request, pk, delivery, services.SOURCE)
    by = person(request)
    with rate_limits.counting_refused_uploads(by.pk):
        source = services.accept_source(delivery=row, by=by)
    version = source.version
    shown = links.version(version)
    return answer({"success": True, "version_id": version.version, "url": shown})


def _delivery(request: Request, pk: str, delivery: UUID, kind: str) -> Delivery:
    """What this very person announced for this environment."""
    environment = find.by_id(request, pk, "environment.publish")
    rows = Delivery.objects.select_related("environment__owner")
    row = rows.filter(pk=delivery, environment=environment, by=person(request), kind=kind).first()
    if row is None:
        raise NotFound(f"there is no such {kind} upload of yours")
    return row
