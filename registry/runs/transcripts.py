"""Transcripts in the storage: packed by batch, read by range, kept for HUB_TRANSCRIPT_DAYS."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from envyard.contract.runner_events import RolloutResult
from envyard.contract.transcript import Transcript
from registry import storage
from registry.errors import HubError
from registry.runs import limits
from registry.runs.models import Rollout, Run
from registry.runs.transcript_models import TranscriptPack
from registry.storage import Missing
from registry.storage.unnamed import delete_unnamed

log = logging.getLogger(__name__)

MAX_DELETED = 1000  # packs in one call: celery beat repeats it
RolloutKey = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class StoredPack:
    """An object in the storage, with offset and length of each rollout's transcript in it."""

    sha256: str
    size: int
    positions: dict[RolloutKey, tuple[int, int]]

    def position(self, result: RolloutResult) -> tuple[int, int]:
        """Offset and length; zeros for a rollout without a transcript."""
        return self.positions.get(rollout_key(result), (0, 0))


def rollout_key(result: RolloutResult) -> RolloutKey:
    """Policy, task and attempt, which identify a rollout within its run."""
    return result.policy, result.task, result.attempt


def put(*, run: Run, seq: int, rollouts: Iterable[RolloutResult]) -> StoredPack | None:
    """Store the transcripts of a batch as one object; None where it has none.

    The object begins with a line that names its batch, so that no two batches share one. Raises 413
    for a transcript over its bound.
    """
    buffer = io.BytesIO()
    buffer.write(_line({"run": str(run.pk), "attempt": run.attempt, "seq": seq}))
    positions: dict[RolloutKey, tuple[int, int]] = {}
    for result in rollouts:
        if result.transcript.calls and rollout_key(result) not in positions:
            line = _line(result.transcript.to_dict())
            positions[rollout_key(result)] = (buffer.tell(), len(line))
            buffer.write(line)
    if not positions:
        return None
    sha256 = hashlib.sha256(buffer.getbuffer()).hexdigest()
    storage.get().put(storage.key("transcripts", sha256), buffer, sha256)
    return StoredPack(sha256, len(buffer.getbuffer()), positions)


@contextmanager
def deleted_if_unused(packed: StoredPack | None) -> Iterator[None]:
    """Delete the object afterwards where no row refers to it: several batches of one number may
    arrive at once, of which one counts, and refused ones must not fill the storage."""
    try:
        yield
    finally:
        if packed is not None:
            rows = TranscriptPack.objects.filter(sha256=packed.sha256)
            if not rows.exists():
                delete_unnamed(storage.key("transcripts", packed.sha256), rows)


def row_of(*, run: Run, seq: int, packed: StoredPack) -> TranscriptPack:
    """The row that refers to the object, created in the batch's transaction; raises 503 where an
    equal batch was refused meanwhile, which deleted the object."""
    row = TranscriptPack.objects.create(
        run=run, attempt=run.attempt, seq=seq, sha256=packed.sha256, size=packed.size
    )
    if not storage.get().exists(storage.key("transcripts", packed.sha256)):
        raise HubError("hub.error", "the batch's transcripts are gone", "Send it again.", 503)
    return row


def read(rollout: Rollout) -> Transcript | None:
    """The rollout's transcript; None where none was recorded, or it was deleted."""
    return next(read_many((rollout,)))[1]


def read_many(rollouts: Iterable[Rollout]) -> Iterator[tuple[Rollout, Transcript | None]]:
    """Each rollout with its transcript; rows have their pack loaded, and one request to the storage
    reads consecutive transcripts of a pack."""
    for pack, rows in groupby(rollouts, key=lambda row: row.pack):
        pack_rows = list(rows)
        data = _range(pack, pack_rows) if pack else None
        for row in pack_rows:
            start = row.offset - min(r.offset for r in pack_rows)
            yield row, None if data is None else _read(data[start : start + row.length])


def delete_expired(*, now: datetime) -> int:
    """Delete packs that are not needed any more; returns the count.

    Those are the packs of superseded attempts and emptied versions, and after HUB_TRANSCRIPT_DAYS
    all except those of the run that decided on a listed version. After a crash at any point the
    next call continues; an object without a row is an orphan to `verify_storage`.
    """
    cutoff = now - timedelta(days=settings.HUB_TRANSCRIPT_DAYS)
    expired = TranscriptPack.objects.filter(
        Q(attempt__lt=F("run__attempt"))
        | Q(run__version__emptied_at__isnull=False)
        | Q(run__ended_at__lt=cutoff) & ~Q(run__cards__version__status="listed")
    )
    packs = list(expired.order_by("pk")[:MAX_DELETED])
    for pack in packs:
        with transaction.atomic():
            pack.rollouts.update(pack=None, offset=0, length=0)
            pack.delete()
        same_object = TranscriptPack.objects.filter(sha256=pack.sha256)
        delete_unnamed(storage.key("transcripts", pack.sha256), same_object)
    return len(packs)


def _line(value: object) -> bytes:
    """A gzip member; equal values give equal bytes."""
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    if len(raw) > limits.TRANSCRIPT_BYTES:
        raise HubError(
            "request.too_large",
            f"a transcript has {len(raw)} bytes, at most {limits.TRANSCRIPT_BYTES} are taken",
            "Install the hub's version of the runner.",
            413,
        )
    return gzip.compress(raw, compresslevel=6, mtime=0)


def _range(pack: TranscriptPack, rows: list[Rollout]) -> bytes | None:
    start, end = min(r.offset for r in rows), max(r.offset + r.length for r in rows)
    try:
        with storage.get().open(storage.key("transcripts", pack.sha256), start, end) as reader:
            return reader.read()
    except Missing:
        log.error("%s has lost its object", pack)
        return None


def _read(line: bytes) -> Transcript:
    return Transcript.from_dict(json.loads(gzip.decompress(line)))
