"""Transcripts in the storage: packed by batch, read by range, kept as long as the operator says."""

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
from registry.runs.models import Rollout, Run, TranscriptPack
from registry.storage import Missing
from registry.storage.unnamed import delete_unnamed

log = logging.getLogger(__name__)

MOST = 1000  # packs at a time: the clock comes back
Name = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Packed:
    """An object in the storage, and where in it each rollout's transcript lies: offset, length."""

    sha256: str
    size: int
    places: dict[Name, tuple[int, int]]

    def place(self, one: RolloutResult) -> tuple[int, int]:
        """Offset and length; zeros where it has no transcript."""
        return self.places.get(name_of(one), (0, 0))


def name_of(one: RolloutResult) -> Name:
    """What tells it from the others of its run."""
    return one.policy, one.task, one.attempt


def put(*, run: Run, seq: int, rollouts: Iterable[RolloutResult]) -> Packed | None:
    """Keep the transcripts of a batch as one object; None where it brought none.

    The object begins with a line that names its batch, so no two batches share one. Raises 413
    for a transcript over its bound.
    """
    whole = io.BytesIO()
    whole.write(_line({"run": str(run.pk), "attempt": run.attempt, "seq": seq}))
    places: dict[Name, tuple[int, int]] = {}
    for one in rollouts:
        if one.transcript.calls and name_of(one) not in places:
            line = _line(one.transcript.to_dict())
            places[name_of(one)] = (whole.tell(), len(line))
            whole.write(line)
    if not places:
        return None
    sha256 = hashlib.sha256(whole.getbuffer()).hexdigest()
    storage.get().put(storage.key("transcripts", sha256), whole, sha256)
    return Packed(sha256, len(whole.getbuffer()), places)


@contextmanager
def kept_or_gone(packed: Packed | None) -> Iterator[None]:
    """Delete the object afterwards where no row names it: many batches of one number may have come
    at once, of which one counts, and refusals must not fill the storage."""
    try:
        yield
    finally:
        if packed is not None:
            named = TranscriptPack.objects.filter(sha256=packed.sha256)
            if not named.exists():
                delete_unnamed(storage.key("transcripts", packed.sha256), named)


def row_of(*, run: Run, seq: int, packed: Packed) -> TranscriptPack:
    """The row that names the object, made in the batch's own transaction; raises 503 where the
    object went meanwhile, with an equal batch that was refused."""
    row = TranscriptPack.objects.create(
        run=run, attempt=run.attempt, seq=seq, sha256=packed.sha256, size=packed.size
    )
    if not storage.get().exists(storage.key("transcripts", packed.sha256)):
        raise HubError("hub.error", "the batch's transcripts are gone", "Send it again.", 503)
    return row


def read(rollout: Rollout) -> Transcript | None:
    """The rollout's transcript; None where none was recorded, or it is not kept any more."""
    return next(read_many((rollout,)))[1]


def read_many(rollouts: Iterable[Rollout]) -> Iterator[tuple[Rollout, Transcript | None]]:
    """Each rollout with its transcript; rows come with their pack, and one request to the storage
    reads those of a pack that follow each other."""
    for pack, rows in groupby(rollouts, key=lambda row: row.pack):
        same = list(rows)
        held = _range(pack, same) if pack else None
        for row in same:
            start = row.offset - min(r.offset for r in same)
            yield row, None if held is None else _read(held[start : start + row.length])


def forget(*, now: datetime) -> int:
    """Delete packs that nobody needs any more; how many.

    Those are a superseded attempt's, an emptied version's, and after HUB_TRANSCRIPT_DAYS all but
    those of the run that decided on a version which is listed. Killed anywhere, the next call goes
    on; an object that lost its row is an orphan to `verify_storage`.
    """
    late = now - timedelta(days=settings.HUB_TRANSCRIPT_DAYS)
    due = TranscriptPack.objects.filter(
        Q(attempt__lt=F("run__attempt"))
        | Q(run__version__emptied_at__isnull=False)
        | Q(run__ended_at__lt=late) & ~Q(run__cards__version__status="listed")
    )
    packs = list(due.order_by("pk")[:MOST])
    for pack in packs:
        with transaction.atomic():
            pack.rollouts.update(pack=None, offset=0, length=0)
            pack.delete()
        named = TranscriptPack.objects.filter(sha256=pack.sha256)
        delete_unnamed(storage.key("transcripts", pack.sha256), named)
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
