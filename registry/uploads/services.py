"""How a wheel becomes a version: checked, staged, written down, promoted; the worker is rung."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from django.db import transaction

from envyard.contract import checks
from envyard.contract import wheel as wheels
from envyard.contract.codes import Finding
from envyard.contract.names import normalise
from envyard.contract.wheel import Unreadable, Wheel
from registry import doorbell, events, limits
from registry.accounts import permissions, second_factor, tokens
from registry.accounts.models import Owner, Token, User
from registry.attestations import services as attestations
from registry.catalog.models import Environment, UsedFilename, Version
from registry.catalog.services import get_or_create_environment
from registry.catalog.sorting import sort_key
from registry.errors import Forbidden, HubError
from registry.uploads import readme, staging
from registry.uploads.form import FORM, Upload, form_repeats_metadata

log = logging.getLogger(__name__)


MOST_LEAKS = 100  # tokens of one wheel that are looked up


@dataclass(frozen=True, slots=True)
class Accepted:
    """The version that the upload made, or made before where `created` is False."""

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
    """Publish a wheel under the owner; raises HubError, and then nothing is kept.

    `filename` is needed where the wheel is a file without its own name. `staging` says what a
    crash between any two steps leaves, and who cleans it up.
    """
    upload = Upload.of(wheel, filename or Path(getattr(wheel, "name", "")).name, form)
    _refuse(found for check in FORM for found in check(upload))
    _authorise(upload, owner, by, token)
    if before := _same(upload, owner):
        return Accepted(before, created=False)
    read = _read(upload)
    _revoke_leaked(read)
    _refuse([*checks.run(read), *readme.renders(read), *form_repeats_metadata(upload, read)])
    proven = attestations.check(
        text=upload.field("attestations"),
        filename=upload.filename,
        sha256=upload.sha256,
        token=token,
    )
    # Before a refused wheel takes up room; the same bytes may just have come another way, and
    # `_publish` tells.
    _check_free(owner, read, but=upload.sha256)
    staged = _stage(upload, read)
    try:
        accepted = _publish(upload, read, owner, by, token, proven, staged)
    except HubError:  # after any other error the commit may yet have reached the database
        staging.discard(staged)
        raise
    if accepted.created:
        _promote(accepted.version)
    else:
        staging.discard(staged)
    return accepted


def _refuse(findings: Iterable[Finding]) -> None:
    errors = [found for found in findings if found.severity == "error"]
    if errors:
        raise HubError.of_findings(errors)


def _authorise(upload: Upload, owner: Owner, by: User, token: Token | None) -> None:
    """Answers alike whether a private environment of that name exists or not."""
    name = normalise(upload.field("name"))
    environment = Environment.objects.filter(owner=owner, name=name).first()
    if environment and permissions.can(by, "environment.publish", environment, token):
        return
    if second_factor.missing(by):
        raise second_factor.refusal(by)
    if not permissions.can(by, "owner.publish", owner):
        raise Forbidden(
            f"{by.get_username()} may not publish under {owner.name!r}",
            code="upload.owner_mismatch",
        )
    permissions.require(by, "owner.publish", owner, token)


def _same(upload: Upload, owner: Owner) -> Version | None:
    """The version that these very bytes made under this very name."""
    return Version.objects.filter(
        environment__owner=owner,
        environment__name=normalise(upload.field("name")),
        filename=upload.filename,
        sha256=upload.sha256,
        deleted_at=None,
    ).first()


def _read(upload: Upload) -> Wheel:
    try:
        return wheels.read(upload.file, filename=upload.filename, limits=limits.wheels())
    except Unreadable as error:
        raise HubError.of_findings([error.finding]) from None


def _revoke_leaked(read: Wheel) -> None:
    """Tokens in a wheel are lost, whether it is kept or not: it lay in a build, maybe elsewhere."""
    for leak in islice(read.leaks, MOST_LEAKS):
        tokens.revoke_leaked(leak.text, where=f"in an upload named {read.filename}")


def _stage(upload: Upload, read: Wheel) -> str:
    return staging.stage(
        wheel=upload.file,
        sha256=upload.sha256,
        metadata=read.metadata.raw,
        metadata_sha256=_metadata_sha256(read),
    )


def _promote(version: Version) -> None:
    """The version is published whatever happens here: its check promotes it otherwise."""
    try:
        staging.promote(version)
    except Exception:  # each storage has its own ways to be away
        log.exception("%s stays staged until it is checked", version)


def _publish(
    upload: Upload,
    read: Wheel,
    owner: Owner,
    by: User,
    token: Token | None,
    proven: dict[str, Any] | None,
    staged: str,
) -> Accepted:
    with transaction.atomic():
        # It comes locked: uploads to one environment take turns here, so that exactly one of two
        # wins and the other is told why; the constraints on the rows would only say that it lost.
        environment, _ = get_or_create_environment(owner=owner, name=read.name, by=by)
        if before := _same(upload, owner):
            return Accepted(before, created=False)
        _check_free(owner, read)
        published_with = token.published_with if token else {}
        version = Version.objects.create(
            environment=environment,
            published_with=published_with,
            staged=staged,
            **_columns(upload, read, by),
        )
        attestations.keep(version=version, document=proven)
        UsedFilename.objects.create(owner=owner, filename=read.filename, sha256=upload.sha256)
        events.record(
            "version.uploaded",
            by=by,
            environment=environment,
            version=version,
            sha256=upload.sha256,
        )
        doorbell.after_commit(doorbell.CHECK, version_id=version.pk)
    return Accepted(version, created=True)


def _check_free(owner: Owner, read: Wheel, *, but: str = "") -> None:
    """Neither version nor file name ever returns, not even after a deletion. `but` is the sha256
    of a wheel that does not count. The file name is asked first: whoever sees the name that another
    upload has just taken then sees its version too, and says the more useful of the two."""
    used = UsedFilename.objects.filter(owner=owner, filename=read.filename).exclude(sha256=but)
    name_taken = used.exists()
    versions = Version.objects.filter(environment__owner=owner, environment__name=read.name)
    taken = versions.filter(sort_key=sort_key(read.version)).exclude(sha256=but).first()
    if taken is not None and taken.deleted_at is not None:
        raise HubError(
            "upload.version_exists", f"{taken} was deleted, and its number never returns"
        )
    if taken is not None:
        same = "" if taken.version == read.version else f", the same version as {read.version}"
        raise HubError(
            "upload.version_exists",
            f"File already exists: {taken}{same} has other bytes",
        )
    if name_taken:
        raise HubError(
            "upload.filename_taken", f"File already exists: {read.filename!r} was used before"
        )


def _columns(upload: Upload, read: Wheel, by: User) -> dict[str, object]:
    said = read.metadata
    return {
        "version": read.version,
        "sort_key": sort_key(read.version),
        "filename": read.filename,
        "sha256": upload.sha256,
        "size": read.size,
        "metadata_sha256": _metadata_sha256(read),
        "summary": said.summary,
        "readme": said.description,
        "readme_type": said.description_content_type,
        "license": said.license,
        "requires_python": said.requires_python,
        "requires_dist": list(said.requires_dist),
        "keywords": list(said.keywords),
        "links": said.project_urls,
        "authors": said.authors,
        "uploaded_by": by,
    }


def _metadata_sha256(read: Wheel) -> str:
    return hashlib.sha256(read.metadata.raw).hexdigest()
