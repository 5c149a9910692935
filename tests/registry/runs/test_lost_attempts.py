"""Attempts that ended early: which count, who gets the next one and when, and how it ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from envyard.contract.facts import Facts
from envyard.contract.findings import Finding, finding
from envyard.contract.runner_events import Finish
from registry.accounts import runners
from registry.accounts.models import Runner, User
from registry.runs import limits, runner_events, services
from registry.runs.lost_attempt_models import LostAttempt
from registry.runs.models import Run
from registry.runs.sweep import sweep
from tests.registry.conftest import Queues
from tests.registry.run_factories import (
    honest_rollouts,
    make_events,
    make_facts,
    make_run,
    make_runner,
    make_version,
    record_attempt,
)

CACHE = finding("run.install_failed", "uv cache /var/cache/uv: permission denied")
STOPPED = finding("run.handed_back", "The runner was stopped.")
BEGAN = Facts(environment_began=True)


@pytest.fixture
def run(alice: User) -> Run:
    return make_run(make_version(alice.owner))


@pytest.fixture
def gpus(db: None) -> list[Runner]:
    """Two runners with a recent heartbeat."""
    runners = [make_runner("gpu-1"), make_runner("gpu-2")]
    Runner.objects.update(last_seen_at=timezone.now())
    return runners


def lose(runner: Runner, finding: Finding = CACHE, *, facts: Facts | None = None) -> Run:
    """The next run, taken by that runner and ended by it as errored."""
    run = services.lease(runner=runner)
    assert run is not None
    if facts is not None:
        events = make_events(attempt=run.attempt, facts=facts)
        runner_events.record(run_id=run.pk, events=events)
    runner_events.finish(run_id=run.pk, finish=Finish(run.attempt, "errored", [finding]))
    run.refresh_from_db()
    return run


def after(**some: float) -> None:
    """Let that much time pass for the queue, by moving its times back."""
    ago = timedelta(**some)
    for run in Run.objects.filter(not_before__isnull=False):
        moved = {
            "not_before": run.not_before - ago,
            "last_notified_at": (run.last_notified_at or run.created_at) - ago,
        }
        Run.objects.filter(pk=run.pk).update(**moved)


def test_attempts_that_never_reached_environment_code_do_not_count_against_the_limit(
    run: Run, gpus: list[Runner]
) -> None:
    for _ in range(6):
        assert lose(gpus[0]).status == "queued"
        after(hours=2)
    run.refresh_from_db()
    assert (run.status, run.attempt) == ("queued", 7)
    assert not LostAttempt.objects.filter(counted=True).exists()


def test_the_third_attempt_that_reached_environment_code_holds_the_version(
    run: Run, gpus: list[Runner]
) -> None:
    lose(gpus[0])
    for attempt in (2, 3, 4):
        after(hours=2)
        assert lose(gpus[1], facts=BEGAN).status == ("queued" if attempt < 4 else "errored")
    spent = run.findings.get(code="run.attempts_exhausted")
    assert "3 attempts" in spent.message
    assert "gpu-2 (attempts 2, 3, 4)" in spent.message
    assert "by itself" not in spent.hint
    assert "hub retry" in spent.hint


@pytest.mark.parametrize("facts", [Facts(load_seconds=1.0), make_facts(2), BEGAN])
def test_what_only_environment_code_can_yield_proves_that_it_began(
    run: Run, gpus: list[Runner], facts: Facts
) -> None:
    lose(gpus[0], facts=facts)
    assert LostAttempt.objects.get().counted


@pytest.mark.parametrize(("phase", "counted"), [("preparing", False), ("running", True)])
def test_a_runner_that_fell_silent_after_its_sandbox_started_used_up_an_attempt(
    run: Run, gpus: list[Runner], phase: Any, counted: bool
) -> None:
    taken = services.lease(runner=gpus[0])
    assert taken is not None
    runner_events.record(run_id=run.pk, events=make_events(phase=phase))
    sweep(now=timezone.now() + limits.lease() + timedelta(seconds=1))
    assert LostAttempt.objects.get().counted is counted


def test_the_next_attempt_waits_and_each_pause_is_twice_the_last(
    run: Run, gpus: list[Runner]
) -> None:
    waits = []
    for _ in range(12):
        lost = lose(gpus[0])
        assert lost.not_before is not None
        assert lost.started_at is not None
        waits.append((lost.not_before - lost.started_at).total_seconds())
        assert services.lease(runner=gpus[1]) is None
        after(hours=2)
    assert waits[:4] == [10, 20, 40, 80]
    assert waits[-1] == limits.MAX_PAUSE.total_seconds()


def test_an_attempt_that_lasted_longer_than_the_pause_is_followed_at_once(
    run: Run, gpus: list[Runner], queues: Queues
) -> None:
    services.lease(runner=gpus[0])
    Run.objects.update(started_at=timezone.now() - timedelta(minutes=5))
    queues.read("runs")
    with queues.committed():
        runner_events.finish(run_id=run.pk, finish=Finish(1, "errored", [CACHE]))
    assert queues.read("runs") == [("envyard.run", {})]
    assert services.lease(runner=gpus[1]) == run


def test_another_runner_gets_the_next_attempt_while_one_is_present(
    run: Run, gpus: list[Runner]
) -> None:
    lose(gpus[0])
    after(minutes=1)
    assert services.lease(runner=gpus[0]) is None
    assert services.lease(runner=gpus[1]) == run


@pytest.mark.parametrize("gone", ["unseen", "draining", "out of service", "without the model"])
def test_the_same_runner_gets_it_where_no_other_can_take_it(
    alice: User, gpus: list[Runner], gone: str
) -> None:
    model = "m" if gone == "without the model" else ""
    run = make_run(make_version(alice.owner))
    Run.objects.update(model=model)
    taken = services.lease(runner=gpus[0], models=["m"])
    assert taken == run
    runner_events.finish(run_id=run.pk, finish=Finish(1, "errored", [CACHE]))
    after(minutes=1)
    assert services.lease(runner=gpus[0], models=["m"]) == (run if model else None)
    if gone == "unseen":
        Runner.objects.filter(pk=gpus[1].pk).update(
            last_seen_at=timezone.now() - timedelta(hours=1)
        )
    elif gone == "draining":
        runners.drain(runner=gpus[1])
    elif gone == "out of service":
        capabilities = {"out_of_service": {"reason": "run.install_failed", "since": 1.0}}
        runners.describe(runner=gpus[1], capabilities=capabilities)
    if not model:
        assert services.lease(runner=gpus[0]) == run


def test_the_same_runner_gets_it_where_all_others_lost_an_attempt_too(
    alice: User, gpus: list[Runner]
) -> None:
    make_run(make_version(alice.owner))
    run = lose(gpus[0])
    after(minutes=1)
    assert lose(gpus[1]) == run
    after(minutes=1)
    third = make_runner("gpu-3")
    Runner.objects.filter(pk=third.pk).update(last_seen_at=timezone.now())
    assert services.lease(runner=gpus[0]) is None
    runners.drain(runner=third)
    assert services.lease(runner=gpus[0]) == run


def test_a_runner_without_the_runs_model_is_not_waited_for(alice: User, gpus: list[Runner]) -> None:
    for runner in gpus:
        runners.describe(runner=runner, capabilities={"models": ["m"]})
    third = make_runner("gpu-3")
    Runner.objects.update(last_seen_at=timezone.now())
    runners.describe(runner=third, capabilities={"models": ["other"]})
    run = make_run(make_version(alice.owner))
    Run.objects.update(model="m")
    for runner in gpus:
        assert services.lease(runner=runner, models=["m"]) == run
        run.refresh_from_db()
        runner_events.finish(run_id=run.pk, finish=Finish(run.attempt, "errored", [CACHE]))
        after(minutes=1)
    assert services.lease(runner=gpus[0], models=["m"]) == run


def test_the_same_runner_gets_it_after_a_longer_pause(run: Run, gpus: list[Runner]) -> None:
    lose(gpus[0])
    after(minutes=4)
    assert services.lease(runner=gpus[0]) is None
    after(minutes=2)
    assert services.lease(runner=gpus[0]) == run


def test_the_same_runner_gets_it_after_the_pause_where_the_lost_attempt_lasted_longer_than_one(
    run: Run, gpus: list[Runner]
) -> None:
    services.lease(runner=gpus[0])
    Run.objects.update(started_at=timezone.now() - timedelta(minutes=20))
    runner_events.finish(run_id=run.pk, finish=Finish(1, "errored", [CACHE]))
    assert services.lease(runner=gpus[0]) is None
    LostAttempt.objects.update(at=timezone.now() - timedelta(minutes=6))
    assert services.lease(runner=gpus[0]) == run


def test_a_run_that_waits_for_its_next_attempt_lets_others_pass(
    run: Run, gpus: list[Runner], carol: User
) -> None:
    lose(gpus[0])
    hers = make_run(make_version(carol.owner))
    assert services.lease(runner=gpus[0]) == hers


def test_what_no_runner_can_begin_ends_in_held_after_a_day_and_names_runners_and_faults(
    run: Run, gpus: list[Runner]
) -> None:
    lose(gpus[0])
    after(hours=2)
    lose(gpus[1], finding("run.runner_error", "no sandbox: bwrap is missing"))
    LostAttempt.objects.update(at=timezone.now() - limits.MAX_UNCOUNTED)
    after(hours=2)
    Runner.objects.filter(name="gpu-2").update(enabled=False)
    ended = lose(gpus[0])
    assert ended.status == "errored"
    row = ended.findings.get(code="run.never_began")
    assert "gpu-1 (attempts 1, 3): uv cache /var/cache/uv: permission denied" in row.message
    assert "gpu-2 (attempt 2): no sandbox: bwrap is missing" in row.message


def test_a_runners_orderly_hand_back_uses_up_no_attempt(run: Run, gpus: list[Runner]) -> None:
    for _ in range(4):
        assert lose(gpus[0], STOPPED, facts=BEGAN).status == "queued"
        after(hours=2)
    assert services.lease(runner=gpus[0]) == run  # it may have been restarted


def test_hand_backs_do_not_go_on_for_ever(run: Run, gpus: list[Runner]) -> None:
    lose(gpus[0], STOPPED, facts=BEGAN)
    LostAttempt.objects.update(at=timezone.now() - limits.MAX_UNCOUNTED)
    after(hours=2)
    ended = lose(gpus[0], STOPPED, facts=BEGAN)
    assert ended.status == "errored"
    assert (
        "gpu-1 (attempts 1, 2): The runner was stopped"
        in ended.findings.get(code="run.never_began").message
    )


def test_what_a_disabled_runner_held_used_up_no_attempt(run: Run, gpus: list[Runner]) -> None:
    taken = services.lease(runner=gpus[0])
    assert taken is not None
    runner_events.record(run_id=run.pk, events=make_events(facts=BEGAN))
    Runner.objects.filter(pk=gpus[0].pk).update(enabled=False)
    gpus[0].refresh_from_db()
    services.renew(runner=gpus[0])
    run.refresh_from_db()
    assert run.status == "queued"
    assert not LostAttempt.objects.get().counted


def test_run_is_notified_to_every_idle_runner_once_its_pause_is_over(
    run: Run, gpus: list[Runner], queues: Queues
) -> None:
    with queues.committed():
        lose(gpus[0])
    queues.read("runs")
    assert services.notify_again() == 0
    after(minutes=1)
    # The first message may reach the runner that failed: another runner must get one too.
    assert services.notify_again() == 3
    assert services.notify_again() == 0


def test_log_states_when_the_next_attempt_begins_and_how_many_are_left(
    run: Run, gpus: list[Runner]
) -> None:
    lose(gpus[0])
    log = "".join(chunk.text for chunk in run.log.all())
    assert "attempt 1 on gpu-1 ended: uv cache /var/cache/uv: permission denied" in log
    assert "it does not count" in log
    assert "10 s" in log


def test_a_broken_runner_that_is_always_idle_drains_no_queue(
    alice: User, gpus: list[Runner]
) -> None:
    """The broken one polls again and again; the other leases a run only now and then."""
    broken, sound = gpus
    for number in range(12):
        make_run(make_version(alice.owner, version=f"{number}.0"))
    for _ in range(12):
        while (run := services.lease(runner=broken)) is not None:
            runner_events.finish(run_id=run.pk, finish=Finish(run.attempt, "errored", [CACHE]))
        after(seconds=60)
        taken = services.lease(runner=sound)
        assert taken is not None
        record_attempt(taken, honest_rollouts())
    assert Run.objects.filter(status="succeeded").count() == 12
    assert not LostAttempt.objects.filter(counted=True).exists()
