"""The samples of an evaluation: packed JSON lines in the storage, one object a batch."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import F, Sum

from envyard.contract.values import MAX_NUMBER, finite, record, text
from registry import storage
from registry.errors import HubError, NotFound
from registry.quotas import services as quotas
from registry.self_reported.models import Evaluation, SampleBatch

BATCH_BYTES = 26 << 20  # of JSON; clients cut at 25 MiB, without the JSON around the samples
MAX_SAMPLES = 100_000
MAX_BYTES = 256 << 20  # packed, of one evaluation
MAX_BYTES_OF_USER = 10 << 30  # packed, of all that one person pushed
PAGE_BYTES = 32 << 20


def add(*, evaluation: Evaluation, samples: list[dict[str, Any]]) -> int:
    """Store a batch and return the number of samples.

    A repeated batch changes nothing: clients send it again where a response was lost.
    """
    packed = _pack(samples)
    rewards = _rewards(samples)
    sha256 = hashlib.sha256(packed).hexdigest()
    _check_room(evaluation, len(samples), len(packed))
    if not evaluation.batches.filter(sha256=sha256).exists():
        quotas.check_storage(owner=evaluation.owner, more=len(packed))
    key = storage.key("samples", sha256)
    storage.get().put(key, io.BytesIO(packed), sha256)
    with transaction.atomic():
        quotas.lock(evaluation.owner)
        # Batches arrive simultaneously and are numbered one after the other.
        row = Evaluation.objects.select_for_update().filter(pk=evaluation.pk).first()
        if row is None:
            raise NotFound
        if not row.batches.filter(sha256=sha256).exists():
            _check_room(row, len(samples), len(packed))
            quotas.check_storage(owner=evaluation.owner, more=len(packed))
            SampleBatch.objects.create(
                evaluation=row,
                first=row.sample_count,
                count=len(samples),
                sha256=sha256,
                size=len(packed),
                results=_results(samples),
            )
            if not storage.get().exists(key):  # it was deleted with another evaluation meanwhile
                storage.get().put(key, io.BytesIO(packed), sha256)
            Evaluation.objects.filter(pk=row.pk).update(
                sample_count=F("sample_count") + len(samples),
                sample_bytes=F("sample_bytes") + len(packed),
                rewarded=F("rewarded") + len(rewards),
                reward_sum=F("reward_sum") + math.fsum(rewards),
            )
    evaluation.refresh_from_db(fields=("sample_count", "sample_bytes", "rewarded", "reward_sum"))
    return evaluation.sample_count


@dataclass(frozen=True, slots=True)
class SampleResult:
    """The reward of a sample at the task with that index; `hash` is empty where it names none."""

    task: int
    reward: float
    hash: str


def results_of(*, evaluation: Evaluation) -> list[SampleResult]:
    """The results of the samples that name their task, in the order they arrived; empty where a
    batch is from before results were kept."""
    batches = list(evaluation.batches.order_by("first").values_list("results", flat=True))
    if None in batches:
        return []
    return [SampleResult(*row) for batch in batches for row in batch or ()]


def read(*, evaluation: Evaluation, start: int, count: int) -> list[dict[str, Any]]:
    """Samples `start` to `start + count` in the order they arrived; raises 413 where they are
    more bytes than one answer holds."""
    samples: list[dict[str, Any]] = []
    bytes_left = PAGE_BYTES
    for line in _between(evaluation, start, start + count):
        bytes_left -= len(line)
        if bytes_left < 0 and samples:
            raise HubError(
                "request.too_large",
                f"{count} samples from number {start} are more than {PAGE_BYTES} bytes",
                "Ask for fewer at a time.",
                413,
            )
        samples.append(json.loads(line))
    return samples


def lines(*, evaluation: Evaluation, count: int, start: int = 0) -> list[bytes]:
    """`count` samples from number `start` on as lines of JSON, as many as one answer holds."""
    result: list[bytes] = []
    bytes_left = PAGE_BYTES
    for line in _between(evaluation, start, start + count):
        bytes_left -= len(line)
        if bytes_left < 0 and result:
            break
        result.append(line)
    return result


def of_task(*, evaluation: Evaluation, task: int, count: int) -> list[tuple[int, bytes]]:
    """The first `count` samples that name the task, each with its number and line of JSON. Only
    batches that have one are read."""
    rows: list[tuple[int, bytes]] = []
    for batch in evaluation.batches.order_by("first"):
        if batch.results is not None and all(row[0] != task for row in batch.results):
            continue
        for number, line in enumerate(_lines(batch), batch.first):
            if b"example_id" in line and json.loads(line).get("example_id") == task:
                rows.append((number, line))
                if len(rows) == count:
                    return rows
    return rows


def _between(evaluation: Evaluation, start: int, stop: int) -> Iterator[bytes]:
    """The lines of samples `start` to `stop`."""
    batches = evaluation.batches.filter(first__lt=stop, first__gt=start - F("count"))
    for batch in batches.order_by("first"):
        yield from islice(_lines(batch), max(start - batch.first, 0), stop - batch.first)


def _pack(samples: list[dict[str, Any]]) -> bytes:
    """Equal samples give equal bytes, so that a batch is known again."""
    try:
        lines = [json.dumps(sample, allow_nan=False, separators=(",", ":")) for sample in samples]
    except (ValueError, RecursionError) as error:
        raise HubError("request.invalid", f"a sample is no JSON: {error}") from None
    return gzip.compress("\n".join(lines).encode(), compresslevel=6, mtime=0)


def _rewards(samples: list[dict[str, Any]]) -> list[float]:
    """The rewards of the samples that have a finite one, within what a sum can hold."""
    rewards = (finite(sample.get("reward")) for sample in samples)
    return [reward for reward in rewards if reward is not None and abs(reward) <= MAX_NUMBER]


def _results(samples: list[dict[str, Any]]) -> list[list[Any]]:
    """The rows of `SampleBatch.results`."""
    rows = []
    for sample in samples:
        reward, task = finite(sample.get("reward")), sample.get("example_id")
        if reward is None or abs(reward) > MAX_NUMBER or not _is_index(task):
            continue
        rows.append([task, reward, text(record(sample.get("info")).get("task_hash"), 64)])
    return rows


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31


def _lines(batch: SampleBatch) -> Iterator[bytes]:
    with storage.get().open(storage.key("samples", batch.sha256)) as reader:
        packed = reader.read()
    with gzip.open(io.BytesIO(packed)) as lines:
        yield from lines


def _check_room(evaluation: Evaluation, count: int, size: int) -> None:
    if evaluation.sample_count + count > MAX_SAMPLES:
        raise HubError(
            "request.too_large",
            f"an evaluation has at most {MAX_SAMPLES} samples; "
            f"this one has {evaluation.sample_count}, and {count} more came",
            status=413,
        )
    if evaluation.sample_bytes + size > MAX_BYTES:
        raise HubError(
            "request.too_large",
            f"an evaluation's samples have at most {MAX_BYTES} bytes when packed; "
            f"this one has {evaluation.sample_bytes}, and {size} more came",
            status=413,
        )
    pushed = Evaluation.objects.filter(created_by=evaluation.created_by)
    total = pushed.aggregate(total=Sum("sample_bytes", default=0))["total"]
    if evaluation.created_by_id is not None and total + size > MAX_BYTES_OF_USER:
        raise HubError(
            "request.too_large",
            f"{evaluation.created_by} has pushed {total} bytes of samples, and {size} more came; "
            f"the limit is {MAX_BYTES_OF_USER}",
            "Delete some evaluations first.",
            413,
        )
