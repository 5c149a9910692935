"""The objects of an upload before they get their final keys in the storage.

    stage     wheel and METADATA are stored under a name unique to this upload
    commit    the version's row is committed, with that name in `staged`
    promote   both move to the keys of their sha256, and `staged` is cleared

After a crash before the commit no row refers to the staged objects, and `discard_old` deletes them.
After a crash later the row does, and the check promotes them first. So no object is ever put under
a version's sha256 before a committed row has that sha256: objects there without a row can be
deleted (`registry.upkeep`) without a race against an upload of the same bytes.
"""

from __future__ import annotations

import io
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from registry import storage
from registry.catalog.models import Version
from registry.storage import Missing

PREFIX = "staging"
GRACE = timedelta(hours=1)  # an upload is committed within minutes or never


def stage(*, wheel: BinaryIO | Path, sha256: str, metadata: bytes, metadata_sha256: str) -> str:
    """Store both durably under a new name, and return it."""
    name = uuid.uuid4().hex
    storage.get().put_all(
        (wheel_key(name), wheel, sha256),
        (metadata_key(name), io.BytesIO(metadata), metadata_sha256),
    )
    return name


def promote(version: Version) -> None:
    """Move the staged objects to their final keys. Safe to repeat and to run twice at once; raises
    Missing where an object is under neither key."""
    if not version.staged:
        return
    for staged, target in (
        (wheel_key(version.staged), storage.key("wheels", version.sha256)),
        (metadata_key(version.staged), storage.key("metadata", version.metadata_sha256)),
    ):
        _move(staged, target)
    Version.objects.filter(pk=version.pk, staged=version.staged).update(staged="")
    version.staged = ""


def discard(name: str) -> None:
    """Delete the objects staged under the name, to which no row will refer."""
    for key in (wheel_key(name), metadata_key(name)):
        storage.get().delete(key)


def discard_old(*, now: datetime) -> int:
    """Delete the staged objects of crashed uploads; returns their count."""
    store = storage.get()
    old = [stored.key for stored in store.list(f"{PREFIX}/") if stored.modified < now - GRACE]
    referenced = set(named_keys()) if old else set()
    for key in old:
        if key not in referenced:
            store.delete(key)
    return len(set(old) - referenced)


def named_keys() -> Iterator[str]:
    """The keys that rows refer to; a promotion may have moved an object meanwhile."""
    for name in Version.objects.exclude(staged="").values_list("staged", flat=True):
        yield from (metadata_key(name), wheel_key(name))


def wheel_key(name: str) -> str:
    """The key of the staged wheel."""
    return f"{PREFIX}/{name}.wheel"


def metadata_key(name: str) -> str:
    """The key of the staged METADATA."""
    return f"{PREFIX}/{name}.metadata"


def _move(staged: str, target: str) -> None:
    try:
        storage.get().move(staged, target)
    except Missing:
        if not storage.get().exists(target):  # otherwise it was promoted before
            raise
