"""Wheels and source archives that are announced, sent to a signed address, and then accepted.

A wheel is uploaded with `uploads.accept`; a source archive is stored beside the version of its
wheel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.core import signing
from django.db import IntegrityError, transaction
from django.utils import timezone

from envyard.contract import wheel as wheels
from envyard.contract.names import BadName, canonical_version
from envyard.contract.wheel import Unreadable, Wheel
from registry import storage
from registry.accounts.models import Token, User
from registry.catalog.models import Environment, Version
from registry.errors import HubError, NotFound, Stale
from registry.quotas import services as quotas
from registry.sources import archive
from registry.sources.models import Delivery, Source
from registry.uploads import limits, staging
from registry.uploads import services as uploads

SALT = "registry.sources.delivery"
TIME = timedelta(minutes=15)
RETENTION = 4 * TIME  # of an announced upload that is not finished
MAX_OPEN = 50  # announced by one user and not ended
WHEEL, SOURCE = Delivery.Kind
PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+!-]*")  # it is part of a header of the download
ENDS = {WHEEL: ".whl", SOURCE: ".tar.gz"}


@dataclass(frozen=True, slots=True)
class Announcement:
    """The announcement of a file: name, digest, its version, and its size where the client sends
    one."""

    filename: str
    version: str
    sha256: str
    content_hash: str
    size: int = 0


def announce(
    *, environment: Environment, by: User, kind: str, announcement: Announcement
) -> Delivery | None:
    """Prepare to receive the file; None where the hub has exactly this wheel already.

    Raises 409 where the version of that content hash is complete.
    """
    _check_filename(announcement.filename, Delivery.Kind(kind))
    sources = Source.objects.filter(
        version__environment=environment,
        version__deleted_at=None,
        content_hash=announcement.content_hash,
    )
    if source := sources.select_related("version__environment__owner").first():
        raise _exists(announcement.content_hash, source.version)
    rows = Version.objects.filter(environment=environment, deleted_at=None)
    if (
        kind == WHEEL
        and rows.filter(sha256=announcement.sha256, filename=announcement.filename).exists()
    ):
        return None
    if kind == WHEEL:
        quotas.check_upload(owner=environment.owner, by=by, size=announcement.size)
    else:
        quotas.check_storage(owner=environment.owner, more=announcement.size)
    with transaction.atomic():
        quotas.lock(getattr(by, "owner", None))
        _check_open(by)
        return Delivery.objects.create(
            environment=environment,
            by=by,
            kind=kind,
            filename=announcement.filename,
            version=announcement.version,
            sha256=announcement.sha256,
            content_hash=announcement.content_hash,
        )


def _check_filename(filename: str, kind: Delivery.Kind) -> None:
    if not PLAIN.fullmatch(filename):
        raise HubError(
            "upload.unsupported_file",
            f"filename {filename[:80]!r} may have letters, digits and . _ + ! - alone",
        )
    if not filename.endswith(ENDS[kind]):
        raise HubError(
            "upload.unsupported_file",
            f"filename {filename[:80]!r} does not end in {ENDS[kind]}",
        )


def _check_open(by: User) -> None:
    """Limit unfinished uploads: their bytes stay until `delete_expired` and count for no quota."""
    current = Delivery.objects.filter(announced_at__gt=timezone.now() - RETENTION)
    if current.filter(by=by, ended_at=None).count() >= MAX_OPEN:
        raise HubError(
            "request.throttled",
            f"you have {MAX_OPEN} uploads under way",
            "Finish them, or wait an hour.",
            429,
            {"retry_after": int(RETENTION.total_seconds())},
        )


def sign(delivery: Delivery) -> str:
    """The secret part of the address that the file is sent to; it is valid for TIME."""
    return signing.dumps(str(delivery.pk), salt=SALT, compress=False)


def open_delivery(signed: str) -> Delivery:
    """The delivery of the address; raises NotFound where it has expired or ended."""
    try:
        pk = UUID(signing.loads(signed, salt=SALT, max_age=TIME))
    except (signing.BadSignature, ValueError):
        raise NotFound("this upload address is not valid any more") from None
    delivery = Delivery.objects.filter(pk=pk, ended_at=None).first()
    if delivery is None:
        raise NotFound("this upload address is not valid any more")
    return delivery


def receive(*, delivery: Delivery, file: BinaryIO) -> None:
    """Stage the received bytes; raises HubError where they are not the announced ones."""
    try:
        storage.get().put(_staged(delivery), file, delivery.sha256)
    except storage.Corrupt:
        raise HubError(
            "request.invalid",
            f"the bytes that arrived do not have the announced sha256 {delivery.sha256}",
            "The file was cut off or changed on its way; push again.",
        ) from None
    Delivery.objects.filter(pk=delivery.pk, ended_at=None).update(arrived_at=timezone.now())


def accept_wheel(*, delivery: Delivery, by: User, token: Token | None) -> Version:
    """Publish the received wheel like any other upload; raises HubError where it is refused."""
    environment = delivery.environment
    with _received(delivery) as path:
        try:
            read = wheels.read(path, filename=delivery.filename, limits=limits.wheels())
        except Unreadable as error:
            raise HubError.of_findings([error.finding]) from None
        accepted = uploads.accept(
            wheel=path,
            filename=delivery.filename,
            form=_form(delivery, read),
            owner=environment.owner,
            by=by,
            token=token,
        )
    return accepted.version


def accept_source(*, delivery: Delivery, by: User) -> Source:
    """Store the received archive beside its version, once."""
    try:
        number = canonical_version(delivery.version)
    except BadName as error:
        raise HubError("request.invalid", f"semantic_version: {error}") from None
    rows = Version.objects.filter(environment=delivery.environment, deleted_at=None)
    version = rows.filter(version=number).select_related("environment__owner").first()
    if version is None:
        raise NotFound(f"{delivery.environment} has no version {number}; its wheel comes first")
    with _received(delivery) as path:
        archive.check(path)
        return _store_source(path, delivery, version, by)


def _store_source(path: Path, delivery: Delivery, version: Version, by: User) -> Source:
    key = storage.key("sources", delivery.sha256)
    owner, size = version.environment.owner, path.stat().st_size
    if not Source.objects.filter(version=version).exists():
        quotas.check_storage(owner=owner, more=size)
    storage.get().put(key, path, delivery.sha256)
    try:
        with transaction.atomic():
            quotas.lock(owner)
            if not Source.objects.filter(version=version).exists():
                quotas.check_storage(owner=owner, more=size)
            source = Source.objects.create(
                version=version,
                filename=delivery.filename,
                sha256=delivery.sha256,
                size=size,
                content_hash=delivery.content_hash,
                uploaded_by=by,
            )
            if not storage.get().exists(key):  # it was deleted with a version meanwhile
                storage.get().put(key, path, delivery.sha256)
    except IntegrityError:
        source = Source.objects.get(version=version)
        if source.sha256 != delivery.sha256:
            raise _exists(source.content_hash, version) from None
    return source


def delete_expired(*, now: datetime) -> int:
    """Delete old announcements; returns their count. `staging.discard_old` deletes their bytes."""
    return Delivery.objects.filter(announced_at__lt=now - RETENTION).delete()[0]


@contextmanager
def _received(delivery: Delivery) -> Iterator[Path]:
    """The received bytes as a local file; they are deleted once the upload is accepted or
    refused."""
    if delivery.ended_at is not None or delivery.arrived_at is None:
        state = "was taken in before" if delivery.ended_at else "has not arrived"
        raise Stale(f"{delivery} {state}")
    try:
        with storage.get().file(_staged(delivery)) as path:
            yield path
    except storage.Missing:
        raise Stale(f"{delivery} is not here any more; push again") from None
    except HubError:
        _end(delivery)
        raise
    _end(delivery)


def _end(delivery: Delivery) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(ended_at=timezone.now())
    storage.get().delete(_staged(delivery))


def _staged(delivery: Delivery) -> str:
    """The key of the received bytes, among staged uploads, so that `discard_old` deletes them."""
    return f"{staging.PREFIX}/{delivery.pk.hex}.delivery"


def _form(delivery: Delivery, read: Wheel) -> Mapping[str, list[str]]:
    """The form of an upload: announced name, version and digest, the other fields from METADATA,
    since announcements do not have them."""
    metadata = read.metadata
    return {
        ":action": ["file_upload"],
        "protocol_version": ["1"],
        "filetype": ["bdist_wheel"],
        "name": [delivery.environment.name],
        "version": [delivery.version],
        "sha256_digest": [delivery.sha256],
        "metadata_version": [metadata.metadata_version],
        "summary": [metadata.summary],
        "requires_python": [metadata.requires_python],
        "requires_dist": list(metadata.requires_dist),
    }


def _exists(content_hash: str, version: Version) -> HubError:
    return HubError(
        "upload.version_exists",
        f"content hash {content_hash} already exists: it is {version}",
        "Change a file and raise the version, then push again.",
        409,
    )
