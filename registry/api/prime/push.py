"""`prime env push`: announce a file, send it to the address of the answer, then finish."""

from __future__ import annotations

from tempfile import TemporaryFile
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.http import UnreadablePostError
from rest_framework.decorators import authentication_classes, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry import pipeline, rate_limits
from registry.api.auth import get_actor, person
from registry.api.permissions import requires
from registry.api.prime.endpoint import answer, endpoint
from registry.api.prime.inputs import Announcement
from registry.api.prime.lookup import environment_by_id
from registry.api.serializers.base import validated
from registry.errors import HubError, NotFound
from registry.read_models import links
from registry.sources import services
from registry.sources.models import Delivery
from registry.uploads import limits

CHUNK = 1 << 16
Publishes = requires(POST="environment.publish")


@endpoint("POST")
@permission_classes([Publishes])
def announce_wheel(request: Request, pk: str) -> Response:
    """Where to send a wheel; no address where the hub has these very bytes already."""
    return _announce(request, pk, services.WHEEL, "wheel_id")


@endpoint("POST")
@permission_classes([Publishes])
def announce_source(request: Request, pk: str) -> Response:
    """Where to send the source archive of a version."""
    return _announce(request, pk, services.SOURCE, "version_id")


def _announce(request: Request, pk: str, kind: str, id_field: str) -> Response:
    environment = environment_by_id(request, pk)
    fields = validated(Announcement, request)
    size = fields["size"]
    if size is not None and not 0 < size <= limits.wheels().packed:
        raise _too_large(size)
    announcement = services.Announcement(
        filename=fields["filename"],
        version=fields["semantic_version"],
        sha256=fields["sha256"],
        content_hash=fields["content_hash"],
        size=size or 0,
    )
    delivery = services.announce(
        environment=environment, by=person(request), kind=kind, announcement=announcement
    )
    if delivery is None:
        return answer({id_field: None, "upload_url": None})
    address = links.to("prime-upload", services.sign(delivery))
    return answer({id_field: str(delivery.pk), "upload_url": address})


@endpoint("PUT")
@authentication_classes([])  # the address itself is the credential
def upload(request: Request, signed: str) -> Response:
    """Receive the bytes that were announced, and no others. The answer has nothing about the
    wheel: prime shows no answer of this address."""
    delivery = services.open_delivery(signed)
    with TemporaryFile(prefix="delivery-") as file:
        _receive(request, file)
        services.receive(delivery=delivery, file=file)
    return Response(status=204)


def _receive(request: Request, file: BinaryIO) -> None:
    """Write the body, bounded whatever its Content-Length."""
    left = limits.wheels().packed
    try:
        while piece := request._request.read(CHUNK):  # noqa: SLF001 - DRF's parsers read all at once
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
@permission_classes([Publishes])
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
@permission_classes([Publishes])
def finish_source(request: Request, pk: str, delivery: UUID) -> Response:
    """Keep the source archive that was sent beside its version."""
    row = _delivery(request, pk, delivery, services.SOURCE)
    by = person(request)
    with rate_limits.counting_refused_uploads(by.pk):
        version = services.accept_source(delivery=row, by=by).version
    url = links.version(version)
    return answer({"success": True, "version_id": version.version, "url": url})


def _delivery(request: Request, pk: str, delivery: UUID, kind: str) -> Delivery:
    """What this very person announced for this environment."""
    environment = environment_by_id(request, pk)
    rows = Delivery.objects.select_related("environment__owner")
    row = rows.filter(pk=delivery, environment=environment, by=person(request), kind=kind).first()
    if row is None:
        raise NotFound(f"there is no such {kind} upload of yours")
    return row
