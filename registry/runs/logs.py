"""A run's log: its beginning and its end are kept, the middle goes where it gets too long."""

from __future__ import annotations

from django.db.models import Sum
from django.db.models.functions import Length

from registry.runs import limits
from registry.runs.models import LogChunk, Run


def keep(*, run: Run, seq: int, text: str) -> None:
    """Add what a batch said; the caller holds the run's lock."""
    if not text:
        return
    LogChunk.objects.create(run=run, attempt=run.attempt, seq=seq, text=text)
    if (run.log.aggregate(all=Sum(Length("text")))["all"] or 0) > limits.LOG_CHARACTERS:
        _drop_middle(list(run.log.order_by("pk").values_list("pk", Length("text"), "left_out")))


def tail(*, run: Run, most: int) -> str:
    """The last characters of the log, without reading all of it."""
    found, length = [], 0
    for chunk in run.log.order_by("-pk").iterator(chunk_size=50):
        found.append(chunk.shown)
        length += len(found[-1])
        if length >= most:
            break
    return "".join(reversed(found))[-most:]


def _drop_middle(pieces: list[tuple[int, int, int]]) -> None:
    """Delete the oldest pieces behind the first half, some more than needed: the next ones then
    find room. The piece that follows says how many characters went."""
    head = 0
    while pieces and head < limits.LOG_CHARACTERS // 2:
        head += pieces.pop(0)[1]
    over = head + sum(length for _, length, _ in pieces) - limits.LOG_CHARACTERS * 7 // 8
    gone: list[int] = []
    left_out = 0
    while over > 0 and len(pieces) > 1:
        pk, length, before = pieces.pop(0)
        gone.append(pk)
        left_out += length + before
        over -= length
    if gone:
        LogChunk.objects.filter(pk__in=gone).delete()
        LogChunk.objects.filter(pk=pieces[0][0]).update(left_out=pieces[0][2] + left_out)
