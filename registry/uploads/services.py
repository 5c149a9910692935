"""Accept an upload: check the wheel, stage it, create the version, promote it, enqueue the
check."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from envyard.contract import checks
from envyard.contract import wheel as wheels
from envyard.contract.findings import Finding
from envyard.contract.names import canonical_version, normalise
from envyard.contract.wheel import Unreadable, Wheel
from registry import dispatch, events, prepared
from registry.accounts import permissions, second_factor
from registry.accounts.models import Owner, Token, User
from registry.attestations import services as attestations
from registry.catalog.models import Environment, Version
from registry.catalog.related_models import UsedFilename
from registry.catalog.services import get_or_create_environment, locked
from registry.catalog.sorting import sort_key
from registry.errors import HubError
from registry.publishers import leaked
from registry.quotas import services as quotas
from registry.uploads import authority, limits, readme, staging
from registry.uploads.form import FORM, Upload, form_repeats_metadata

log = logging.getLogger(__name__)


MAX_LEAKS = 100  # tokens of one wheel that are revoked
_ID, _NAME, _SORT_KEY = -1, "the environment's name", "the version's sort key"  # placeholders


@dataclass(frozen=True, slots=True)
class Accepted:
    """The version that the upload created, or that an earlier one did where `created` is False."""

    version: Version
    created: bool


def accept(
    *,
    wheel: BinaryIO | Path,
    form: Mapping[str, list[str]],
    owner: Owner,
    by: User,
    token: Token | None,
    filename: str = "",
) -> Accepted:
    """Publish a wheel under the owner; raises HubError, and then stores nothing.

    `filename` is needed where the file object has no name. The docstring of `staging` describes
    what a crash between any two steps leaves, and what cleans it up.
    """
    upload = Upload.of(wheel, filename or Path(getattr(wheel, "name", "")).name, form)
    _refuse(finding for check in FORM for finding in check(upload))
    environment = _authorise(upload, owner, by, token)
    before = _existing_version(upload, environment)
    if before is not None and _is_same(before, upload):
        return Accepted(before, created=False)
    read = _read(upload)
    _revoke_leaked(read)
    _refuse(
        [
            *checks.run(read, settings.HUB_GIT_REPOSITORIES),
            *readme.renders(read),
            *form_repeats_metadata(upload, read),
        ]
    )
    provenance = attestations.check(
        text=upload.field("attestations"),
        filename=upload.filename,
        sha256=upload.sha256,
        token=token,
    )
    if before is not None:  # before a refused wheel takes up storage
        raise _version_exists(before, read)
    try:
        quotas.check_upload(owner=owner, by=by, size=read.size)  # and again under the lock
    except HubError:
        if (earlier := _repeated(upload, owner)) is None:
            raise
        return earlier
    return _store(upload, read, owner, by, token, provenance)


def _refuse(findings: Iterable[Finding]) -> None:
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        raise HubError.of_findings(errors)


def _authorise(upload: Upload, owner: Owner, by: User, token: Token | None) -> Environment | None:
    """The environment, if there is one. The error is the same whether a private one of that name
    exists or not."""
    environment = _environment(upload, owner)
    if environment and permissions.can(by, "environment.publish", environment, token):
        return environment
    if second_factor.missing(by):
        raise second_factor.refusal(by)
    if not permissions.can(by, "owner.publish", owner):
        raise authority.refusal(owner=owner, by=by)
    permissions.require(by, "owner.publish", owner, token)
    return environment


def _environment(upload: Upload, owner: Owner) -> Environment | None:
    name = normalise(upload.field("name"))
    environment = next(iter(prepared.rows(_environments, {_ID: owner.pk, _NAME: name})), None)
    if environment is not None:
        environment.owner = owner
    return environment


def _environments() -> QuerySet[Environment, Environment]:
    return Environment.objects.filter(owner=_ID, name=_NAME).only("name", "deleted_at")


def _existing_version(upload: Upload, environment: Environment | None) -> Version | None:
    """The version with that number, in any spelling."""
    if environment is None:
        return None
    key = sort_key(canonical_version(upload.field("version")))
    version = next(iter(prepared.rows(_versions, {_ID: environment.pk, _SORT_KEY: key})), None)
    if version is not None:
        version.environment = environment
    return version


def _versions() -> QuerySet[Version, Version]:
    rows = Version.objects.filter(environment=_ID, sort_key=_SORT_KEY)
    return rows.only("version", "filename", "sha256", "deleted_at")


def _is_same(version: Version, upload: Upload) -> bool:
    """Was it uploaded with exactly these bytes and this file name?"""
    stored = (version.filename, version.sha256, version.deleted_at)
    return stored == (upload.filename, upload.sha256, None)


def _read(upload: Upload) -> Wheel:
    try:
        return wheels.read(upload.file, filename=upload.filename, limits=limits.wheels())
    except Unreadable as error:
        raise HubError.of_findings([error.finding]) from None


def _revoke_leaked(read: Wheel) -> None:
    """Revoke tokens in a wheel, accepted or not: other copies of the build may exist."""
    for leak in islice(read.leaks, MAX_LEAKS):
        leaked.revoke(leak.text, where=f"in an upload named {read.filename}")


def _stage(upload: Upload, read: Wheel) -> str:
    return staging.stage(
        wheel=upload.file,
        sha256=upload.sha256,
        metadata=read.metadata.raw,
        metadata_sha256=_metadata_sha256(read),
    )


def _store(
    upload: Upload,
    read: Wheel,
    owner: Owner,
    by: User,
    token: Token | None,
    provenance: dict[str, Any] | None,
) -> Accepted:
    """Stage the objects, create the version and promote them; an earlier upload of the same bytes
    takes precedence."""
    staged = _stage(upload, read)
    try:
        version = _publish(upload, read, owner, by, token, provenance, staged)
    except HubError:  # after other errors the commit may have succeeded
        staging.discard(staged)
        if (earlier := _repeated(upload, owner)) is None:
            raise
        return earlier
    except IntegrityError:  # the commit failed
        staging.discard(staged)
        if (earlier := _conflicting(upload, read, owner)) is None:
            raise
        return earlier
    _promote(version)
    return Accepted(version, created=True)


def _promote(version: Version) -> None:
    """Promote the staged objects; errors are only logged, because the check promotes again."""
    try:
        staging.promote(version)
    except Exception:  # errors differ by storage
        log.exception("%s stays staged until it is checked", version)


def _publish(
    upload: Upload,
    read: Wheel,
    owner: Owner,
    by: User,
    token: Token | None,
    provenance: dict[str, Any] | None,
    staged: str,
) -> Version:
    """The new version; raises IntegrityError where its number or file name is taken."""
    with transaction.atomic():
        quotas.lock(owner, getattr(by, "owner", None))
        quotas.check_upload(owner=owner, by=by, size=read.size)
        # Locked, so that uploads to one environment run one after the other.
        environment = locked(owner, read.name)
        if environment is None or environment.deleted_at is not None:
            environment, _ = get_or_create_environment(owner=owner, name=read.name, by=by)
        version = Version.objects.create(
            environment=environment,
            published_with=token.published_with if token else {},
            staged=staged,
            **_columns(upload, read, by),
        )
        attestations.store(version=version, document=provenance)
        UsedFilename.objects.create(owner=owner, filename=read.filename, sha256=upload.sha256)
        events.record(
            "version.uploaded",
            by=by,
            environment=environment,
            version=version,
            sha256=upload.sha256,
        )
        dispatch.enqueue_after_commit(dispatch.CHECK, version_id=version.pk)
    return version


def _repeated(upload: Upload, owner: Owner) -> Accepted | None:
    """The version that a simultaneous upload of the same bytes created: they count once."""
    before = _existing_version(upload, _environment(upload, owner))
    return Accepted(before, created=False) if before and _is_same(before, upload) else None


def _conflicting(upload: Upload, read: Wheel, owner: Owner) -> Accepted | None:
    """The earlier upload because of which a constraint refused; None where there is no such.

    Neither version nor file name can be used again, not even after a deletion.
    """
    before = _existing_version(upload, _environment(upload, owner))
    if before is not None and _is_same(before, upload):
        return Accepted(before, created=False)
    if before is not None:
        raise _version_exists(before, read)
    if UsedFilename.objects.filter(owner=owner, filename=read.filename).exists():
        raise HubError(
            "upload.filename_taken", f"File already exists: {read.filename!r} was used before"
        )
    return None


def _version_exists(before: Version, read: Wheel) -> HubError:
    if before.deleted_at is not None:
        message = f"{before} was deleted, and its number never returns"
    else:
        spelling = "" if before.version == read.version else f", the same version as {read.version}"
        message = f"File already exists: {before}{spelling} has other bytes"
    return HubError("upload.version_exists", message)


def _columns(upload: Upload, read: Wheel, by: User) -> dict[str, object]:
    metadata = read.metadata
    return {
        "version": read.version,
        "sort_key": sort_key(read.version),
        "filename": read.filename,
        "sha256": upload.sha256,
        "size": read.size,
        "metadata_sha256": _metadata_sha256(read),
        "summary": metadata.summary,
        "readme": metadata.description,
        "readme_type": metadata.description_content_type,
        "license": metadata.license,
        "requires_python": metadata.requires_python,
        "requires_dist": list(metadata.requires_dist),
        "keywords": list(metadata.keywords),
        "links": metadata.project_urls,
        "authors": metadata.authors,
        "uploaded_by": by,
    }


def _metadata_sha256(read: Wheel) -> str:
    return hashlib.sha256(read.metadata.raw).hexdigest()
