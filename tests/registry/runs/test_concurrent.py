"""Two at a time, on real connections: one wins, nobody corrupts."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.errors import HubError
from registry.runs import limits, runner_events, services
from registry.runs.models import Run
from registry.runs.sweep import SweepResult, sweep
from tests.registry.run_factories import (
    honest_rollouts,
    make_events,
    make_leased_run,
    make_run,
    make_runner,
    make_version,
)

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Call all from threads of their own, each with its own connection; results or errors."""
    start, results = threading.Barrier(len(calls)), [None] * len(calls)

    def work(place: int) -> None:
        start.wait()
        try:
            results[place] = calls[place]()
        except HubError as error:
            results[place] = error  # type: ignore[call-overload]
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_of_four_runners_one_gets_the_only_run(alice: User) -> None:
    run = make_run(make_version(alice.owner))
    runners = [make_runner(f"gpu-{n}") for n in range(4)]
    results = at_once(*(lambda r=r: services.lease(runner=r) for r in runners))
    [winner] = [row for row in results if row is not None]
    run.refresh_from_db()
    assert (winner, run.runner) == (run, winner.runner)


def test_polling_runners_share_the_queue_without_a_run_for_two(alice: User) -> None:
    runs = [make_run(make_version(alice.owner, version=f"{n}.0")) for n in range(4)]
    runners = [make_runner(f"gpu-{n}") for n in range(4)]
    results = at_once(*(lambda r=r: services.lease(runner=r) for r in runners))
    assert {run.pk for run in results} == {run.pk for run in runs}


def test_the_same_batch_from_two_threads_counts_once(alice: User) -> None:
    run = make_leased_run(make_version(alice.owner))
    batch = make_events(log="hello\n", rollouts=honest_rollouts()[:2])
    at_once(*(lambda: runner_events.record(run_id=run.pk, events=batch) for _ in range(3)))
    run.refresh_from_db()
    assert (run.last_seq, run.done, run.log.count()) == (1, 2, 1)


def test_a_report_and_the_sweep_never_both_win(alice: User) -> None:
    run = make_leased_run(make_version(alice.owner))
    now = timezone.now() + limits.lease() * 2
    results = at_once(
        lambda: runner_events.record(run_id=run.pk, events=make_events(log="alive\n")),
        lambda: sweep(now=now),
    )
    run.refresh_from_db()
    if isinstance(results[0], HubError):
        assert (run.attempt, results[0].code) == (2, "runner.superseded")
    elif run.attempt == 1:
        assert (run.last_seq, results[1].expired) == (1, 0)
    else:  # the batch came first, and by the sweep's clock its renewed lease is over as well
        assert (run.last_seq, run.status) == (0, "queued")


def test_requests_from_two_threads_make_one_run(alice: User) -> None:
    version = make_version(alice.owner)
    results = at_once(*(lambda: make_run(version) for _ in range(3)))
    assert len({run.pk for run in results}) == 1
    assert version.runs.count() == 1


def test_a_lease_renewed_while_the_sweep_looked_is_left_alone(alice: User) -> None:
    run = make_leased_run(make_version(alice.owner))
    now = timezone.now()
    Run.objects.update(lease_expires_at=now)
    reported = threading.Event()

    def report_slowly() -> None:
        with transaction.atomic():
            runner_events.record(run_id=run.pk, events=make_events(log="alive\n"))
            reported.set()
            time.sleep(0.5)  # the sweep has read the old lease by now and waits for the row

    def sweep_meanwhile() -> SweepResult:
        reported.wait(10)
        return sweep(now=now + timedelta(seconds=1))

    results = at_once(report_slowly, sweep_meanwhile)
    run.refresh_from_db()
    assert (results[1], run.attempt, run.last_seq) == (SweepResult(0, 0), 1, 1)
