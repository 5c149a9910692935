"""The log of a run: where it gets too long, its middle is deleted."""

from __future__ import annotations

from django.db.models import Sum
from django.db.models.functions import Length

from registry.runs import limits
from registry.runs.log_models import LogChunk
from registry.runs.models import Run


def append(*, run: Run, seq: int, text: str) -> None:
    """Append the text of a batch; the caller holds the run's lock."""
    if not text:
        return
    LogChunk.objects.create(run=run, attempt=run.attempt, seq=seq, text=text)
    if (run.log.aggregate(all=Sum(Length("text")))["all"] or 0) > limits.LOG_CHARACTERS:
        _drop_middle(list(run.log.order_by("pk").values_list("pk", Length("text"), "left_out")))


def tail(*, run: Run, characters: int) -> str:
    """The last characters of the log, without reading all of it."""
    pieces, length = [], 0
    for chunk in run.log.order_by("-pk").iterator(chunk_size=50):
        pieces.append(chunk.shown)
        length += len(pieces[-1])
        if length >= characters:
            break
    return "".join(reversed(pieces))[-characters:]


def whole(*, run: Run) -> str:
    """The whole log, at most LOG_CHARACTERS."""
    return "".join(chunk.shown for chunk in run.log.order_by("pk"))


def _drop_middle(pieces: list[tuple[int, int, int]]) -> None:
    """Delete the oldest pieces after the first half, some more than needed, to have room for the
    next ones. The following piece stores how many characters were deleted."""
    head = 0
    while pieces and head < limits.LOG_CHARACTERS // 2:
        head += pieces.pop(0)[1]
    excess = head + sum(length for _, length, _ in pieces) - limits.LOG_CHARACTERS * 7 // 8
    deleted: list[int] = []
    left_out = 0
    while excess > 0 and len(pieces) > 1:
        pk, length, before = pieces.pop(0)
        deleted.append(pk)
        left_out += length + before
        excess -= length
    if deleted:
        LogChunk.objects.filter(pk__in=deleted).delete()
        LogChunk.objects.filter(pk=pieces[0][0]).update(left_out=pieces[0][2] + left_out)
