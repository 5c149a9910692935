"""What time does to runs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from registry.accounts.models import User
from registry.errors import HubError
from registry.runs import limits, runner_events, services
from registry.runs.log_models import LogChunk
from registry.runs.models import Run
from registry.runs.sweep import SweepResult, sweep
from tests.registry.conftest import Queues
from tests.registry.run_factories import (
    honest_rollouts,
    make_events,
    make_leased_run,
    make_run,
    make_runner,
    make_version,
)


@pytest.fixture
def run(alice: User) -> Run:
    """In the hands of a runner."""
    return make_leased_run(make_version(alice.owner))


def later() -> timedelta:
    return limits.lease() + timedelta(seconds=1)


def test_a_live_lease_is_left_alone(run: Run) -> None:
    assert sweep(now=timezone.now()) == SweepResult(expired=0, abandoned=0)
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("leased", 1)


def test_a_lost_lease_moves_the_run_to_its_next_attempt_and_rings(run: Run, queues: Queues) -> None:
    runner_events.record(
        run_id=run.pk,
        events=make_events(log="one\n", rollouts=honest_rollouts()[:3]),
    )
    with queues.committed():
        assert sweep(now=timezone.now() + later()) == SweepResult(expired=1, abandoned=0)
    run.refresh_from_db()
    assert (run.status, run.attempt, run.done) == ("queued", 2, 0)
    assert not run.rollouts.exists()
    assert "stopped reporting" in run.log.latest("pk").text
    assert run.events.get(verb="run.requeued").data["attempt"] == 2
    assert queues.read("runs") == [("envyard.run", {})]
    with pytest.raises(HubError, match="may not report"):
        runner_events.record(run_id=run.pk, events=make_events(2))


def test_run_is_errored_with_the_reason_after_the_last_attempt(run: Run, queues: Queues) -> None:
    now = timezone.now()
    for attempt in (1, 2, 3):
        runner_events.record(run_id=run.pk, events=make_events(attempt=attempt))
        sweep(now=now + later())
        run.refresh_from_db()
        if attempt < 3:
            assert services.lease(runner=make_runner(f"r{attempt}")) == run
    assert (run.status, run.attempt) == ("errored", 3)
    assert run.ended_at is not None
    assert {f.code for f in run.findings.all()} == {
        "run.lease_expired",
        "run.attempts_exhausted",
    }
    assert run.log.count() == 3


def test_a_cancelled_run_whose_runner_is_silent_ends_as_cancelled(run: Run, alice: User) -> None:
    services.cancel(run=run, by=alice)
    sweep(now=timezone.now() + later())
    run.refresh_from_db()
    assert run.status == "cancelled"


def test_a_run_that_nobody_takes_does_not_wait_for_ever(alice: User) -> None:
    run = make_run(make_version(alice.owner))
    Run.objects.update(created_at=timezone.now() - limits.MAX_QUEUED - timedelta(minutes=1))
    assert sweep(now=timezone.now()) == SweepResult(expired=0, abandoned=1)
    run.refresh_from_db()
    assert run.status == "errored"
    assert run.findings.get().code == "run.never_taken"
    assert "No runner took this run within 24 hours" in run.log.get().text


def test_a_next_attempt_waits_its_own_day(run: Run) -> None:
    Run.objects.update(created_at=timezone.now() - limits.MAX_QUEUED - timedelta(minutes=1))
    now = timezone.now() + later()
    assert sweep(now=now) == SweepResult(expired=1, abandoned=0)
    assert sweep(now=now) == SweepResult(expired=0, abandoned=0)
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("queued", 2)


def test_sweeping_twice_moves_once(run: Run) -> None:
    now = timezone.now() + later()
    sweep(now=now)
    assert sweep(now=now) == SweepResult(expired=0, abandoned=0)
    run.refresh_from_db()
    assert run.attempt == 2


def test_a_run_that_cannot_be_moved_keeps_no_other_waiting(run: Run, alice: User) -> None:
    other = make_leased_run(
        make_version(alice.owner, version="2.0"),
        runner=make_runner("gpu-2"),
    )
    LogChunk.objects.create(run=run, attempt=1, seq=run.last_seq + 1, text="in the way")
    assert sweep(now=timezone.now() + later()) == SweepResult(expired=1, abandoned=0)
    other.refresh_from_db()
    run.refresh_from_db()
    assert (other.attempt, run.attempt) == (2, 1)
