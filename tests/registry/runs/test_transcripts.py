"""Transcripts: packed by batch, read by range, fenced, bounded, kept as long as is set."""

import gzip
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from django.utils import timezone

from envyard.contract.runner_events import RolloutResult
from envyard.contract.transcript import Exchange, Node, Transcript
from registry import storage
from registry.accounts.models import User
from registry.card import services as cards
from registry.catalog.models import Version
from registry.errors import HubError
from registry.runs import limits, runner_events, services, transcripts
from registry.runs.models import Rollout, Run
from registry.runs.transcript_models import TranscriptPack
from registry.upkeep.verify import verify
from tests.registry.run_factories import (
    make_events,
    make_finish,
    make_leased_run,
    make_rollout,
    make_runner,
    make_transcript,
    make_version,
    skip_pause,
)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, settings: Any) -> None:
    """A storage of its own."""
    settings.HUB_STORAGE_PATH = tmp_path


@pytest.fixture
def run(alice: User) -> Run:
    """In the hands of a runner."""
    return make_leased_run(make_version(alice.owner), policies=("silent", "oracle", "model"))


def rollout_of(policy: str, task: int = 0, *, text: str = "") -> RolloutResult:
    """A rollout with a transcript of two messages."""
    return make_rollout(policy, task, transcript=make_transcript(text or f"{policy} {task}"))


def objects() -> list[str]:
    return [stored.key for stored in storage.get().list("transcripts/")]


def problems() -> list[str]:
    problems_found = verify(now=timezone.now()).problems
    return [problem.kind for problem in problems_found if problem.key.startswith("transcripts/")]


def record(run: Run, *rollouts: RolloutResult, seq: int = 1, attempt: int = 1) -> None:
    events = make_events(seq, attempt=attempt, rollouts=list(rollouts))
    runner_events.record(run_id=run.pk, events=events)


def test_a_batch_is_one_object_and_each_rollout_a_range_of_it(run: Run) -> None:
    sent = [
        rollout_of("silent"),
        make_rollout("silent", 1),
        rollout_of("oracle", 2, text="漢" * 500),
    ]
    record(run, *sent)
    pack = TranscriptPack.objects.get()
    assert objects() == [f"transcripts/{pack.sha256[:2]}/{pack.sha256}"]
    rows = list(run.rollouts.select_related("pack").order_by("pk"))
    assert [transcripts.read(row) for row in rows] == [
        sent[0].transcript, None, sent[2].transcript
    ]  # fmt: skip
    assert [row.pack for row in rows] == [pack, None, pack]
    assert list(transcripts.read_many(rows))[2] == (rows[2], sent[2].transcript)
    assert [row.conversations for row in rows] == [1, 0, 1]
    with storage.get().open(objects()[0]) as reader:
        lines = gzip.decompress(reader.read()).splitlines()
    assert json.loads(lines[0]) == {"run": str(run.pk), "attempt": 1, "seq": 1}
    assert len(lines) == 3


def test_a_batch_sent_twice_is_kept_once(run: Run) -> None:
    record(run, rollout_of("silent"))
    record(run, rollout_of("silent"))
    assert TranscriptPack.objects.count() == len(objects()) == 1


class Overtaken(Transcript):
    """A transcript that takes so long to store that something else happens meanwhile."""

    meanwhile: ClassVar[Callable[[], object]]

    def to_dict(self) -> dict[str, Any]:
        type(self).meanwhile()
        return make_transcript("late").to_dict()


def test_of_two_batches_of_one_number_the_later_leaves_nothing_in_the_storage(run: Run) -> None:
    Overtaken.meanwhile = lambda: record(run, rollout_of("silent", text="first"))
    late = Overtaken(calls=[Exchange()])
    record(run, make_rollout("oracle", 1, transcript=late))
    row = Rollout.objects.select_related("pack").get()
    assert transcripts.read(row) == make_transcript("first")
    assert len(objects()) == 1


def test_a_batch_whose_attempt_ends_meanwhile_leaves_nothing_in_the_storage(run: Run) -> None:
    Overtaken.meanwhile = lambda: Run.objects.update(attempt=2)
    late = Overtaken(calls=[Exchange()])
    with pytest.raises(HubError, match="attempt 1 may not report"):
        record(run, make_rollout("silent", 0, transcript=late))
    assert objects() == []


def test_a_superseded_attempt_leaves_no_transcript(run: Run) -> None:
    Run.objects.update(attempt=2)
    with pytest.raises(HubError, match="attempt 1 may not report"):
        record(run, rollout_of("silent"))
    assert (objects(), TranscriptPack.objects.count()) == ([], 0)


def test_unplanned_and_repeated_transcripts_take_no_storage(run: Run) -> None:
    record(
        run,
        rollout_of("babble"),
        rollout_of("silent", 999),
        rollout_of("silent"),
        rollout_of("silent", text="again"),
    )
    record(run, rollout_of("silent", text="and again"), seq=2)
    row = Rollout.objects.select_related("pack").get()
    assert transcripts.read(row) == make_transcript("silent 0")
    assert TranscriptPack.objects.get().size < 500


def test_a_transcript_over_its_bound_is_refused_whole(run: Run) -> None:
    message = {"role": "user", "content": "x" * 90_000}
    count = limits.TRANSCRIPT_BYTES // 90_000 + 1
    large = Transcript([Node(n - 1, message) for n in range(count)], [Exchange(asked=0)])
    with pytest.raises(HubError) as refused:
        record(run, rollout_of("silent"), make_rollout("silent", 1, transcript=large))
    assert (refused.value.code, refused.value.status) == ("request.too_large", 413)
    run.refresh_from_db()
    assert (objects(), run.last_seq, run.rollouts.count()) == ([], 0, 0)


def test_verify_lists_a_lost_object_and_hides_no_row(run: Run) -> None:
    record(run, rollout_of("silent"))
    assert problems() == []
    storage.get().delete(objects()[0])
    assert transcripts.read(Rollout.objects.select_related("pack").get()) is None
    assert problems() == ["missing"]


def test_scheduled_task_deletes_transcripts_of_a_lost_attempt(run: Run) -> None:
    record(run, rollout_of("silent"))
    runner_events.finish(run_id=run.pk, finish=make_finish("errored"))
    skip_pause()
    services.lease(runner=make_runner("gpu-2"))
    record(run, rollout_of("silent", text="second"), attempt=2)
    assert len(objects()) == 2
    assert transcripts.delete_expired(now=timezone.now()) == 1
    assert len(objects()) == 1
    kept = Rollout.objects.select_related("pack").get()
    assert transcripts.read(kept) == make_transcript("second")


def test_after_the_days_only_a_listed_versions_deciding_run_keeps_its_transcripts(
    run: Run, settings: Any
) -> None:
    settings.HUB_TRANSCRIPT_DAYS = 7
    record(run, rollout_of("silent"))
    runner_events.finish(run_id=run.pk, finish=make_finish("succeeded"))
    cards.compute(run=run)
    later = timezone.now() + timedelta(days=8)
    of_version = Version.objects.filter(pk=run.version_id)
    of_version.update(status="listed", listed_at=later)
    assert transcripts.delete_expired(now=later) == 0
    of_version.update(status="rejected", listed_at=None)
    assert transcripts.delete_expired(now=timezone.now() + timedelta(days=6)) == 0
    assert transcripts.delete_expired(now=later) == 1
    row = Rollout.objects.get()
    assert (row.pack, row.length, row.conversations, objects()) == (None, 0, 1, [])


def test_an_emptied_version_keeps_no_transcript(run: Run) -> None:
    record(run, rollout_of("silent"))
    runner_events.finish(run_id=run.pk, finish=make_finish("succeeded"))
    now = timezone.now()
    Version.objects.update(status="listed", listed_at=now, deleted_at=now, emptied_at=now)
    assert transcripts.delete_expired(now=now) == 1
    assert objects() == []
