"""The bytes of an upload on their way into the storage.

    stage     wheel and METADATA are put under a name of this upload's own
    commit    the version's row is committed and says that name in `staged`
    promote   both move to the keys of their sha256, and `staged` is cleared

Killed before the commit, nothing names what was staged, and `discard_old` deletes it. Killed
after it, the row does, and the check promotes before it does anything else. So no object is ever
put under a version's sha256 before a committed row has that sha256: what lies there without a row
can be deleted for good (`registry.upkeep`) without a race against an upload of the same bytes.
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
GRACE = timedelta(hours=1)  # an upload is committed minutes after it was staged, or never


def stage(*, wheel: BinaryIO | Path, sha256: str, metadata: bytes, metadata_sha256: str) -> str:
    """Put both durably under a new name, which is returned."""
    name = uuid.uuid4().hex
    storage.get().put_all(
        (wheel_key(name), wheel, sha256),
        (metadata_key(name), io.BytesIO(metadata), metadata_sha256),
    )
    return name


def promote(version: Version) -> None:
    """Move what is staged to its place. Safe to repeat, and for two at once; raises Missing where
    the bytes are in neither place."""
    if not version.staged:
        return
    for staged, place in (
        (wheel_key(version.staged), storage.key("wheels", version.sha256)),
        (metadata_key(version.staged), storage.key("metadata", version.metadata_sha256)),
    ):
        _move(staged, place)
    Version.objects.filter(pk=version.pk, staged=version.staged).update(staged="")
    version.staged = ""


def discard(name: str) -> None:
    """Delete what was staged under the name: no row will ever say it."""
    for key in (wheel_key(name), metadata_key(name)):
        storage.get().delete(key)


def discard_old(*, now: datetime) -> int:
    """Delete what killed uploads left staged; how many objects that were."""
    store = storage.get()
    old = [one.key for one in store.list(f"{PREFIX}/") if one.modified < now - GRACE]
    named = set(named_keys()) if old else set()
    for key in old:
        if key not in named:
            store.delete(key)
    return len(set(old) - named)


def named_keys() -> Iterator[str]:
    """The keys that rows say are theirs; a promotion may just have emptied one."""
    for name in Version.objects.exclude(staged="").values_list("staged", flat=True):
        yield from (metadata_key(name), wheel_key(name))


def wheel_key(name: str) -> str:
    """Where the wheel of the upload waits."""
    return f"{PREFIX}/{name}.wheel"


def metadata_key(name: str) -> str:
    """Where its METADATA waits."""
    return f"{PREFIX}/{name}.metadata"


def _move(staged: str, place: str) -> None:
    try:
        storage.get().move(staged, place)
    except Missing:
        if not storage.get().exists(place):  # else somebody promoted it before
            raise
