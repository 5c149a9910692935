"""A repeated evaluation keeps the shards of the ended one that have a result."""

from __future__ import annotations

from datetime import timedelta

from django.test import override_settings
from django.utils import timezone

from envyard.contract.facts import Facts
from registry.accounts.models import Runner, User
from registry.catalog.models import Version
from registry.runs import evaluations, services, shards
from registry.runs.models import Run
from tests.registry.run_factories import make_facts
from tests.registry.runs.test_shards import (
    ATTEMPTS,
    MODEL,
    TASKS,
    THREE,
    concluded,
    leased,
    play,
    requested,
    runner,
    statuses,
    version,
)

__all__ = ["runner", "version"]  # fixtures


def cancelled_after_two_shards(version: Version, by: User, runner: Runner) -> Run:
    run = requested(version, by)
    for _ in range(2):
        play(leased(runner))
    services.cancel(run=run, by=by)
    return concluded(run)


@THREE
def test_a_repeated_run_queues_the_shards_without_a_result_alone(
    version: Version, alice: User, runner: Runner
) -> None:
    ended = cancelled_after_two_shards(version, alice, runner)
    kept = list(shards.of(ended).filter(status="succeeded").values_list("pk", flat=True))
    with override_settings(HUB_SHARD_ROLLOUTS=ATTEMPTS):  # the cut stays that of the ended run
        run = evaluations.repeat(run=ended, by=alice)
    assert statuses(run) == ["succeeded", "succeeded", "queued", "queued"]
    assert list(shards.of(run).values_list("pk", flat=True))[:2] == kept
    assert (run.done, run.total, run.rollouts.count()) == (12, 20, 12)
    assert ended.rollouts.count() == 0
    play(leased(runner))
    play(leased(runner))
    assert services.lease(runner=runner, models=[MODEL]) is None
    run = concluded(run)
    assert (run.status, run.done, run.rollouts.count()) == ("succeeded", 20, 20)
    assert Facts.from_dict(run.facts).tasks == make_facts(TASKS).tasks
    assert run.started_at is not None
    assert run.started_at >= run.created_at
    assert f"repeats run {ended.pk}: 2 shards" in "".join(run.log.values_list("text", flat=True))
    assert f"belong to run {run.pk}" in "".join(ended.log.values_list("text", flat=True))


@THREE
def test_a_repeated_run_plays_tasks_again_that_a_kept_shard_contradicts(
    version: Version, alice: User, runner: Runner
) -> None:
    ended = cancelled_after_two_shards(version, alice, runner)
    run = evaluations.repeat(run=ended, by=alice)
    play(leased(runner), earlier_tasks="0" * 64)
    play(leased(runner))
    assert concluded(run).status == "failed"
    again = evaluations.repeat(run=run, by=alice)
    assert statuses(again) == ["queued"] * 4
    assert (again.done, run.rollouts.count()) == (0, 20)


@THREE
def test_a_repeated_run_plays_all_shards_where_their_results_are_old(
    version: Version, alice: User, runner: Runner
) -> None:
    ended = cancelled_after_two_shards(version, alice, runner)
    shards.of(ended).update(ended_at=timezone.now() - shards.RESUMABLE - timedelta(minutes=1))
    run = evaluations.repeat(run=ended, by=alice)
    assert statuses(run) == ["queued"] * 4
    assert (run.rollouts.count(), ended.rollouts.count()) == (0, 12)


@THREE
def test_a_second_repeat_of_a_run_takes_nothing_from_the_first(
    version: Version, alice: User, runner: Runner
) -> None:
    ended = cancelled_after_two_shards(version, alice, runner)
    run = evaluations.repeat(run=ended, by=alice)
    assert evaluations.repeat(run=ended, by=alice) == run
    assert statuses(run) == ["succeeded", "succeeded", "queued", "queued"]


@THREE
def test_a_requested_evaluation_keeps_no_shard_of_an_earlier_run(
    version: Version, alice: User, runner: Runner
) -> None:
    ended = cancelled_after_two_shards(version, alice, runner)
    suite = ended.suite
    assert suite is not None
    run = evaluations.request(version=version, model=MODEL, suite=suite, by=alice)
    assert statuses(run) == ["queued"] * 4
