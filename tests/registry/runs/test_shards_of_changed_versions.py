"""Sharded evaluations whose version, owner or runner changes while shards are at work."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone

from registry.accounts.models import Runner, User
from registry.catalog import deletion, overlays, transfer
from registry.catalog.models import Version
from registry.errors import HubError, Stale
from registry.runs import evaluations, runner_events, services, suites, sweep
from registry.runs.models import Run
from tests.factories import make_version
from tests.registry.run_factories import make_events, make_finish, skip_pause
from tests.registry.runs.test_shards import (
    ATTEMPTS,
    MODEL,
    TASKS,
    concluded,
    facts_of,
    leased,
    play,
    requested,
    rollouts_of,
    serving,
    statuses,
)


@pytest.fixture
def version(alice: User) -> Version:
    return make_version(alice)


@pytest.fixture
def runner(db: None) -> Runner:
    return serving("gpu-1")


@pytest.fixture(autouse=True)
def three_tasks_a_shard() -> object:
    with override_settings(HUB_SHARD_ROLLOUTS=3 * ATTEMPTS, HUB_OWNER_RUNS=TASKS):
        yield


def swept(run: Run) -> Run:
    sweep.sweep(now=timezone.now())
    return concluded(run)


CHANGES = {
    "deleted": lambda version, root: deletion.delete_version(version=version, by=root),
    "environment deleted": lambda version, root: deletion.delete_environment(
        environment=version.environment, by=root
    ),
    "quarantined": lambda version, root: overlays.quarantine(
        version=version, by=root, reason="It mines coins."
    ),
    "environment quarantined": lambda version, root: overlays.quarantine_environment(
        environment=version.environment, by=root, reason="It mines coins."
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_shards_of_a_version_that_is_gone_are_stopped_without_a_lease(
    version: Version, alice: User, root: User, runner: Runner, change: str
) -> None:
    run = requested(version, alice)
    playing, done = leased(runner), leased(runner)
    play(done)
    CHANGES[change](version, root)
    assert swept(run).status == "sharded"
    assert statuses(run) == ["leased", "succeeded", "cancelled", "cancelled"]
    assert runner_events.record(run_id=playing.pk, events=make_events()).cancel
    runner_events.finish(run_id=playing.pk, finish=make_finish("cancelled"))
    run = concluded(run)
    assert run.status == "cancelled"
    messages = [row.message for row in run.findings.all()]
    state = "in quarantine" if "quarantined" in change else "deleted"
    assert f"{version} is {state}, there is nothing left to evaluate." in messages
    assert services.lease(runner=runner, models=[MODEL]) is None


@pytest.mark.parametrize("change", ["quarantined", "environment quarantined"])
def test_a_quarantined_version_is_leased_to_nobody_and_not_requested(
    version: Version, alice: User, root: User, runner: Runner, change: str
) -> None:
    run = requested(version, alice)
    CHANGES[change](version, root)
    version.refresh_from_db()
    assert services.lease(runner=runner, models=[MODEL]) is None
    assert concluded(run).status == "cancelled"
    with pytest.raises(Stale, match="is in quarantine and is not evaluated"):
        requested(version, alice, name="again")


def test_a_runner_that_stopped_reporting_loses_the_shard_of_a_deleted_version_for_good(
    version: Version, alice: User, root: User, runner: Runner
) -> None:
    run = requested(version, alice)
    lost = leased(runner)
    deletion.delete_version(version=version, by=root)
    swept(run)
    Run.with_shards.filter(pk=lost.pk).update(lease_expires_at=timezone.now())
    assert swept(run).status == "cancelled"
    assert statuses(run) == ["cancelled"] * 4


def test_a_yanked_version_is_evaluated_to_the_end(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    play(leased(runner))
    overlays.yank(version=version, by=alice, reason="A newer one is better.")
    assert swept(run).status == "sharded"
    for _ in range(3):
        play(leased(runner))
    assert concluded(run).status == "succeeded"


def test_an_evaluation_goes_on_after_its_environment_moved_to_another_owner(
    version: Version, alice: User, carol: User, runner: Runner
) -> None:
    run = requested(version, alice)
    play(leased(runner))
    playing = leased(runner)
    transfer.transfer(environment=version.environment, to=carol.owner, by=alice)
    runner_events.record(
        run_id=playing.pk,
        events=make_events(rollouts=rollouts_of(playing), facts=facts_of(playing)),
    )
    runner_events.finish(run_id=playing.pk, finish=make_finish("succeeded"))
    for _ in range(2):
        play(leased(runner))
    run = concluded(run)
    assert (run.status, run.owner, run.done) == ("succeeded", alice.owner, 20)
    assert str(run.version.environment) == "carol/demo-env"


def test_a_disabled_runner_costs_only_the_shards_that_it_had(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    other = serving("gpu-2")
    lost, kept = leased(runner), leased(other)
    play(kept)
    Runner.objects.filter(pk=runner.pk).update(enabled=False)
    with pytest.raises(HubError, match="the runner was disabled"):
        runner_events.record(run_id=lost.pk, events=make_events())
    Run.with_shards.filter(pk=lost.pk).update(lease_expires_at=timezone.now() - timedelta(hours=1))
    sweep.sweep(now=timezone.now())
    assert statuses(run) == ["queued", "succeeded", "queued", "queued"]
    skip_pause()
    again = leased(other)
    assert (again, again.attempt) == (lost, 2)
    play(again)
    for _ in range(2):
        play(leased(other))
    assert concluded(run).status == "succeeded"
    assert run.rollouts.count() == 20


def test_a_run_that_lost_a_shard_for_good_is_repeated_without_the_shards_that_have_a_result(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    play(leased(runner))
    services.cancel(run=run, by=alice)
    assert concluded(run).status == "cancelled"
    repeated = evaluations.repeat(run=run, by=alice)
    assert repeated != run
    assert statuses(repeated) == ["succeeded", *["queued"] * 3]
    assert statuses(run) == ["cancelled"] * 3  # the fourth is the new run's


def test_a_single_evaluation_of_a_gone_version_is_stopped_too(
    version: Version, alice: User, root: User, runner: Runner
) -> None:
    suite = suites.create(
        environment=version.environment, name="few", tasks=1, attempts=1, by=alice
    )
    waiting = evaluations.request(version=version, model=MODEL, suite=suite, by=alice)
    playing = evaluations.request(version=version, model=MODEL, suite=suite, by=alice)
    assert waiting == playing
    deletion.delete_version(version=version, by=root)
    assert swept(waiting).status == "cancelled"
