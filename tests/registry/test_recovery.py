"""What the sweep takes up: nothing may stay where it is for ever."""

from datetime import datetime, timedelta

from django.utils import timezone

from registry import pipeline, recovery, storage
from registry.accounts.models import User
from registry.catalog.lifecycle import move
from registry.catalog.models import Version
from registry.events import Event
from registry.runs.models import Run
from tests.registry.conftest import Queues
from tests.registry.run_factories import (
    honest_rollouts,
    make_leased_run,
    make_runner,
    make_version,
    record_attempt,
)

Status = Version.Status


def soon(seconds: float = 16) -> datetime:
    return timezone.now() + timedelta(seconds=seconds)


def test_a_lost_upload_message_is_sent_again(alice: User, queues: Queues) -> None:
    version = make_version(alice.owner, status=Status.UPLOADED)
    recovery.sweep(now=timezone.now())
    assert queues.work() == []
    recovery.sweep(now=soon())
    assert queues.work() == ["registry.check_version"]
    version.refresh_from_db()
    assert version.status == "evaluating"


def test_a_worker_killed_while_checking_is_made_good(alice: User, queues: Queues) -> None:
    version = make_version(alice.owner, status=Status.UPLOADED)
    move(version, Status.CHECKING)
    recovery.sweep(now=soon())
    queues.work()
    version.refresh_from_db()
    assert version.status == "evaluating"


def test_a_lost_judge_message_is_sent_again(alice: User, queues: Queues) -> None:
    version = make_version(alice.owner)
    run = make_leased_run(version)
    record_attempt(run, honest_rollouts())
    recovery.sweep(now=timezone.now())
    assert queues.work() == []
    recovery.sweep(now=soon())
    assert queues.work() == ["registry.judge"]
    version.refresh_from_db()
    assert version.status == "listed"


def test_an_evaluating_version_without_any_run_gets_one(alice: User, queues: Queues) -> None:
    version = make_version(alice.owner)
    recovery.sweep(now=soon())
    assert version.runs.get().status == "queued"


def test_a_check_that_breaks_every_time_is_retried_then_held(alice: User, queues: Queues) -> None:
    version = make_version(alice.owner, status=Status.UPLOADED)
    move(version, Status.CHECKING)
    storage.get().delete(storage.key("wheels", version.sha256))
    now, sent = timezone.now(), 0
    for _ in range(200):
        now += timedelta(seconds=15)
        recovery.sweep(now=now)
        if queues.read("hub"):
            sent += 1
            last = Event.objects.filter(verb="version.sent_again").latest("id")
            Event.objects.filter(pk=last.pk).update(at=now)
        version.refresh_from_db()
        if version.status == "held":
            break
    assert version.status == "held"
    assert sent == recovery.TRIES
    assert version.findings.get().code == "hub.error"
    assert "failed 7 times while the version was checking" in version.findings.get().message


def test_pauses_between_tries_grow(alice: User, queues: Queues) -> None:
    version = make_version(alice.owner, status=Status.UPLOADED)
    move(version, Status.CHECKING)
    recovery.sweep(now=soon(16))
    assert len(queues.read("hub")) == 1
    recovery.sweep(now=soon(25))
    assert queues.read("hub") == []
    recovery.sweep(now=soon(32))
    assert len(queues.read("hub")) == 1


def test_what_nobody_has_begun_is_never_held(alice: User, queues: Queues) -> None:
    version = make_version(alice.owner, status=Status.UPLOADED)
    for hours in range(1, 40):
        recovery.sweep(now=soon(hours * 3600))
    version.refresh_from_db()
    assert version.status == "uploaded"
    assert len(queues.read("hub")) > recovery.TRIES


def test_a_lease_lost_while_evaluating_ends_in_held_not_in_rejected(
    alice: User, queues: Queues
) -> None:
    version = make_version(alice.owner, status=Status.UPLOADED)
    pipeline.check(version.pk)
    for attempt in (1, 2, 3):
        run = version.runs.get()
        assert run.attempt == attempt
        Run.objects.update(
            status="running",
            runner=make_runner(f"gpu-{attempt}"),
            started_at=timezone.now(),
            lease_expires_at=timezone.now(),
        )
        with queues.committed():
            recovery.sweep(now=soon(1))
    queues.work()
    version.refresh_from_db()
    assert version.status == "held"


def test_a_deleted_version_is_not_taken_up(alice: User, queues: Queues) -> None:
    version = make_version(alice.owner, status=Status.UPLOADED)
    Version.objects.filter(pk=version.pk).update(deleted_at=timezone.now())
    recovery.sweep(now=soon())
    assert queues.read("hub") == []
