"""Shards of an evaluation: leased separately, merged exactly, and none takes others with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from envyard.contract.facts import Facts, digest_of
from envyard.contract.findings import finding
from envyard.contract.runner_events import RolloutResult
from registry.accounts import runners
from registry.accounts.models import Runner, User
from registry.catalog.models import Version
from registry.errors import HubError, Stale
from registry.runs import evaluations, runner_events, services, shards, suites, sweep
from registry.runs.models import Rollout, Run
from registry.runs.spec import job_spec
from tests.factories import make_run as make_ended_run
from tests.factories import make_version
from tests.registry.run_factories import (
    honest_rollouts,
    make_events,
    make_facts,
    make_finish,
    make_runner,
    record_attempt,
    skip_pause,
)

MODEL = "tiny"
TASKS, ATTEMPTS = 10, 2
THREE = override_settings(HUB_SHARD_ROLLOUTS=3 * ATTEMPTS)


@pytest.fixture
def version(alice: User) -> Version:
    return make_version(alice)


@pytest.fixture
def runner(db: None) -> Runner:
    return serving("gpu-1")


def serving(name: str) -> Runner:
    runner = make_runner(name)
    runners.describe(runner=runner, capabilities={"models": [MODEL]})
    return runner


def requested(version: Version, by: User, *, tasks: int = TASKS, name: str = "many") -> Run:
    suite = suites.create(
        environment=version.environment, name=name, tasks=tasks, attempts=ATTEMPTS, by=by
    )
    return evaluations.request(version=version, model=MODEL, suite=suite, by=by)


def requested_of(version: Version, by: User, *indexes: int) -> Run:
    suite = suites.create(
        environment=version.environment, name="named", indexes=indexes, attempts=ATTEMPTS, by=by
    )
    return evaluations.request(version=version, model=MODEL, suite=suite, by=by)


def leased(runner: Runner) -> Run:
    shard = services.lease(runner=runner, models=[MODEL])
    assert shard is not None
    return shard


def facts_of(shard: Run, *, count: int = TASKS, **changes: Any) -> Facts:
    """What a runner reports of the shard, where the environment has that many tasks."""
    rows = make_facts(min(count, shard.task_indexes[-1] + 1)).tasks or []
    chosen = [task for task in rows if not shard.named_tasks or task.index in shard.named_tasks]
    own = [task for task in chosen if task.index >= shard.first_task]
    facts = Facts(
        load_seconds=1.0 + shard.first_task,
        framework_version="0.1.15",
        tasks=own,
        hashes_again=[task.hash for task in own],
        loaded_tasks=len(rows),
        earlier_tasks=digest_of(task.hash for task in chosen if task.index < shard.first_task),
    )
    return replace(facts, **changes)


def rollouts_of(shard: Run, *, count: int = TASKS) -> list[RolloutResult]:
    rows = honest_rollouts(("model",), count, ATTEMPTS)
    return [row for row in rows if row.task in shard.task_indexes]


def play(shard: Run, *, count: int = TASKS, **changes: Any) -> None:
    known = facts_of(shard, count=count, **changes)
    record_attempt(shard, rollouts_of(shard, count=count), known=known)


def concluded(run: Run) -> Run:
    """The run once the hub has taken note of its shards."""
    shards.conclude(run.pk)
    run.refresh_from_db()
    return run


def statuses(run: Run) -> list[str]:
    return list(shards.of(run).values_list("status", flat=True))


@THREE
def test_an_evaluation_of_many_rollouts_is_split_by_task(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    assert (run.status, run.total, statuses(run)) == ("sharded", 20, ["queued"] * 4)
    assert [row.task_indexes for row in shards.of(run)] == [
        range(3), range(3, 6), range(6, 9), range(9, 10),
    ]  # fmt: skip
    shard = leased(runner)
    job = job_spec(leased(runner))
    assert shard.first_task == 0
    assert (job.first_task, job.tasks, job.attempts, job.seed) == (3, 3, ATTEMPTS, run.seed)
    assert list(Run.objects.all()) == [run]


@override_settings(HUB_SHARD_ROLLOUTS=TASKS * ATTEMPTS)
def test_an_evaluation_within_the_limit_is_not_split(version: Version, alice: User) -> None:
    run = requested(version, alice)
    assert (run.status, statuses(run)) == ("queued", [])


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("size", [1, 3, 4, TASKS])
def test_the_result_does_not_depend_on_the_split(
    version: Version, alice: User, runner: Runner, size: int, backwards: bool
) -> None:
    with override_settings(HUB_SHARD_ROLLOUTS=size * ATTEMPTS, HUB_OWNER_RUNS=TASKS):
        run = requested(version, alice)
        rows = [leased(runner) for _ in range(-(-TASKS // size))]
    for row in reversed(rows) if backwards else rows:
        play(row)
    run = concluded(run)
    assert (run.status, run.done) == ("succeeded", 20)
    stored = run.rollouts.order_by("task", "attempt").values_list("task", "attempt", "reward")
    assert list(stored) == [
        (row.task, row.attempt, row.reward) for row in honest_rollouts(("model",), TASKS, ATTEMPTS)
    ]
    facts = Facts.from_dict(run.facts)
    assert facts.tasks == make_facts(TASKS).tasks
    assert facts.hashes_again == [task.hash for task in facts.tasks or ()]
    assert (facts.framework_version, facts.loaded_tasks) == ("0.1.15", TASKS)


@THREE
def test_a_lost_shard_costs_only_itself(version: Version, alice: User, runner: Runner) -> None:
    run = requested(version, alice)
    other = serving("gpu-2")
    lost, kept = leased(runner), leased(other)
    for shard in (lost, kept):
        events = make_events(rollouts=rollouts_of(shard), facts=facts_of(shard))
        runner_events.record(run_id=shard.pk, events=events)
    run.refresh_from_db()
    assert run.done == 12
    Run.with_shards.filter(pk=lost.pk).update(lease_expires_at=timezone.now() - timedelta(hours=1))
    sweep.sweep(now=timezone.now())
    assert set(run.rollouts.values_list("task", flat=True)) == set(kept.task_indexes)
    with pytest.raises(HubError, match="attempt 1 may not report"):
        runner_events.record(run_id=lost.pk, events=make_events(seq=2))
    skip_pause()
    assert statuses(run) == ["queued", "running", "queued", "queued"]
    again = leased(other)
    assert (again, again.attempt) == (lost, 2)
    play(again)
    runner_events.finish(run_id=kept.pk, finish=make_finish("succeeded"))
    for _ in range(2):
        play(leased(other))
    assert concluded(run).status == "succeeded"
    assert run.rollouts.count() == 20


@THREE
def test_a_shard_that_the_environment_fails_ends_the_run_with_its_findings(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    failing, playing = leased(runner), leased(runner)
    known = facts_of(failing)
    findings = [finding("run.crashed", "The process ended early.")]
    record_attempt(failing, [], known=known, outcome="failed", findings=findings)
    assert concluded(run).status == "sharded"
    assert statuses(run) == ["failed", "leased", "cancelled", "cancelled"]
    reply = runner_events.record(run_id=playing.pk, events=make_events())
    assert reply.cancel
    runner_events.finish(run_id=playing.pk, finish=make_finish("cancelled"))
    assert concluded(run).status == "failed"
    assert [row.message for row in run.findings.all()] == ["The process ended early."]
    assert "failed by its 4 shards" in "".join(run.log.values_list("text", flat=True))


@override_settings(HUB_LEASE_ATTEMPTS=3)
@THREE
def test_faults_of_the_platform_repeat_that_shard_and_end_the_run_after_the_last_attempt(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    for attempt in (1, 2, 3):
        shard = leased(runner)
        assert (shard.first_task, shard.attempt) == (0, attempt)
        record_attempt(shard, rollouts_of(shard), known=facts_of(shard), outcome="errored")
        assert concluded(run).status == ("errored" if attempt == 3 else "sharded")
        skip_pause()
    assert statuses(run) == ["errored", "cancelled", "cancelled", "cancelled"]
    assert "run.attempts_exhausted" in run.findings.values_list("code", flat=True)


@THREE
def test_cancelling_the_run_ends_all_its_shards(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    shard = leased(runner)
    with pytest.raises(Stale, match="not cancelled alone"):
        services.cancel(run=shard, by=alice)
    services.cancel(run=run, by=alice)
    assert concluded(run).status == "sharded"
    assert statuses(run) == ["leased", "cancelled", "cancelled", "cancelled"]
    runner_events.finish(run_id=shard.pk, finish=make_finish("cancelled"))
    assert concluded(run).status == "cancelled"
    with pytest.raises(Stale, match="not repeated alone"):
        evaluations.repeat(run=shard, by=alice)
    assert evaluations.repeat(run=run, by=alice).status == "sharded"


@THREE
def test_a_run_whose_version_is_not_listed_any_more_is_cancelled(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    Version.objects.update(status="held")
    assert services.lease(runner=runner, models=[MODEL]) is None
    assert concluded(run).status == "cancelled"


@THREE
def test_shards_beyond_the_last_task_are_not_leased(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    play(leased(runner), count=5)
    play(leased(runner), count=5)
    run = concluded(run)
    assert statuses(run) == ["succeeded"] * 4
    assert (run.status, run.done, run.total) == ("succeeded", 10, 10)


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"earlier_tasks": "0" * 64}, "failed", "run.shards_differ"),
        ({"seed_options": ["seed"]}, "failed", "run.shards_differ"),
        ({"framework_version": "0.1.14"}, "errored", "run.runner_error"),
        ({"tasks": [], "loaded_tasks": 10}, "errored", "run.runner_error"),
    ],
)
@THREE
def test_shards_that_contradict_each_other_give_no_result(
    version: Version,
    alice: User,
    runner: Runner,
    changes: dict[str, Any],
    status: str,
    code: str,
) -> None:
    run = requested(version, alice)
    for number in range(4):
        play(leased(runner), **(changes if number == 2 else {}))
    assert concluded(run).status == status
    assert [row.code for row in run.findings.filter(severity="error")] == [code]


@override_settings(HUB_SHARD_ROLLOUTS=ATTEMPTS, HUB_OWNER_RUNS=100)
def test_many_shards_of_one_owner_do_not_delay_the_run_of_another(
    version: Version, alice: User, bob: User, runner: Runner
) -> None:
    crowd = requested(version, alice, tasks=30)
    for _ in range(5):
        play(leased(runner), count=30)
    other = make_version(bob, "other-env")
    alone = requested(other, bob, tasks=1)
    taken = [leased(runner) for _ in range(2)]
    assert alone in taken
    assert {row.parent for row in taken if row != alone} == {crowd}


@override_settings(HUB_SHARD_ROLLOUTS=ATTEMPTS, HUB_OWNER_RUNS=3)
def test_an_owner_has_no_more_shards_at_work_than_runs(
    version: Version, alice: User, runner: Runner
) -> None:
    requested(version, alice)
    for _ in range(3):
        leased(runner)
    assert services.lease(runner=runner, models=[MODEL]) is None


@override_settings(HUB_ACTIVE_EVALUATIONS=1)
@THREE
def test_a_sharded_run_counts_as_one_evaluation(version: Version, carol: User, alice: User) -> None:
    suite = suites.create(
        environment=version.environment, name="many", tasks=10, attempts=2, by=alice
    )
    run = evaluations.request(version=version, model=MODEL, suite=suite, by=carol)
    assert evaluations.request(version=version, model=MODEL, suite=suite, by=alice) == run
    with pytest.raises(HubError, match="carol has 1 active evaluations"):
        evaluations.request(version=version, model="other", suite=suite, by=carol)


@THREE
def test_the_sweep_ends_a_run_whose_message_was_lost(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    for _ in range(4):
        play(leased(runner))
    run.refresh_from_db()
    assert run.status == "sharded"
    sweep.sweep(now=timezone.now())
    run.refresh_from_db()
    assert run.status == "succeeded"
    shards.conclude(run.pk)
    assert Rollout.objects.count() == 20


@THREE
def test_shards_wait_longer_than_a_day_while_others_of_the_run_are_taken(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    leased(runner)
    late = timezone.now() + timedelta(hours=23)
    Run.with_shards.update(created_at=timezone.now() - timedelta(hours=2))
    assert sweep.sweep(now=late).abandoned == 0
    assert sweep.sweep(now=late + timedelta(days=2)).abandoned > 0
    assert concluded(run).status in ("sharded", "errored")


NAMED = (1, 4, 5, 9, 7)


@pytest.mark.parametrize("size", [1, 2, len(NAMED)])
def test_shards_of_a_suite_that_names_tasks_play_exactly_these(
    version: Version, alice: User, runner: Runner, size: int
) -> None:
    with override_settings(HUB_SHARD_ROLLOUTS=size * ATTEMPTS, HUB_OWNER_RUNS=TASKS):
        run = requested_of(version, alice, *NAMED)
        rows = [leased(runner) for _ in range(-(-len(NAMED) // size))]
    jobs = [job_spec(row) for row in rows]
    assert [index for job in jobs for index in job.task_indexes] == sorted(NAMED)
    assert all(job.indexes[-1] == job.task_indexes[-1] for job in jobs)
    for row in rows:
        play(row)
    run = concluded(run)
    assert (run.status, run.done) == ("succeeded", len(NAMED) * ATTEMPTS)
    assert sorted(set(run.rollouts.values_list("task", flat=True))) == sorted(NAMED)
    assert [row["index"] for row in run.facts["tasks"]] == sorted(NAMED)


@override_settings(HUB_SHARD_ROLLOUTS=2 * ATTEMPTS, HUB_OWNER_RUNS=TASKS)
def test_shards_of_named_tasks_that_loaded_others_contradict(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested_of(version, alice, 1, 4, 5, 9)
    first, second = leased(runner), leased(runner)
    play(first)
    play(second, earlier_tasks="0" * 64)
    run = concluded(run)
    assert run.status == "failed"
    assert list(run.findings.values_list("code", flat=True)) == ["run.shards_differ"]


def test_a_rollout_of_a_task_that_the_suite_does_not_name_is_not_kept(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested_of(version, alice, 1, 4)
    shard = leased(runner)
    assert shard == run
    rows = [row for row in honest_rollouts(("model",), 5, 1) if row.task in (1, 2, 4)]
    runner_events.record(run_id=run.pk, events=make_events(rollouts=rows, facts=facts_of(shard)))
    assert sorted(run.rollouts.values_list("task", flat=True)) == [1, 4]
    assert run.findings.get().code == "run.unplanned_rollouts"


def test_named_tasks_beyond_those_of_the_version_are_refused_at_the_request(
    version: Version, alice: User
) -> None:
    survey = {"tasks": 8, "train": {"tasks": 8, "complete": True}}
    make_ended_run(version, facts={"survey": survey})
    with pytest.raises(Stale, match=r"suite named names task 8, and .* has 8 tasks") as refusal:
        requested_of(version, alice, 3, 8)
    assert "hub suites list" in refusal.value.hint
