"""Requesting, ringing, leasing, cancelling."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.test import override_settings
from django.utils import timezone

from envyard.contract.job import JobSpec
from envyard.contract.suite import SEEDS
from registry.accounts.models import Runner, User
from registry.catalog.models import Version
from registry.errors import Forbidden
from registry.runs import services
from registry.runs.models import Run
from registry.runs.spec import job_spec
from registry.runs.tokens import Attempt, read_run_token
from tests.registry.conftest import Queues
from tests.registry.run_factories import (
    POLICIES,
    honest_rollouts,
    make_leased_run,
    make_run,
    make_runner,
    make_version,
    record_attempt,
)


def test_requesting_twice_gives_the_run_under_way(alice: User, queues: Queues) -> None:
    version = make_version(alice.owner)
    with queues.committed():
        first = make_run(version)
        second = make_run(version)
    assert first == second
    assert len(queues.read("runs")) == 1


def test_runs_of_a_version_by_one_suite_have_the_same_seed(alice: User) -> None:
    version = make_version(alice.owner)
    first = make_run(version)
    services.cancel(run=first, by=alice)
    second = make_run(version)
    assert second.pk != first.pk
    assert second.seed == first.seed
    assert 0 <= first.seed < SEEDS


def test_polling_gives_the_oldest_queued_run_and_then_nothing(alice: User) -> None:
    runner = make_runner()
    runs = [make_run(make_version(alice.owner, version=number)) for number in ("1.0", "2.0")]
    assert services.lease(runner=runner) == runs[0]
    assert services.lease(runner=runner) == runs[1]
    assert services.lease(runner=runner) is None


def test_a_disabled_runner_gets_nothing(alice: User) -> None:
    make_run(make_version(alice.owner))
    runner = make_runner()
    Runner.objects.update(enabled=False)
    runner.refresh_from_db()
    with pytest.raises(Forbidden, match="disabled"):
        services.lease(runner=runner)


@pytest.mark.parametrize("change", [{"status": "held"}, {"deleted_at": timezone.now()}])
def test_a_run_whose_version_is_not_evaluated_any_more_is_cancelled(
    alice: User, change: dict[str, object]
) -> None:
    version = make_version(alice.owner)
    run = make_run(version)
    Version.objects.filter(pk=version.pk).update(**change)
    assert services.lease(runner=make_runner()) is None
    run.refresh_from_db()
    assert run.status == "cancelled"


def test_the_job_names_the_wheel_the_plan_and_a_token_of_this_attempt(alice: User) -> None:
    version = make_version(alice.owner)
    run = make_leased_run(version)
    job = JobSpec.from_dict(job_spec(run).to_dict())
    assert job.wheel.url == f"/files/{version.sha256[:2]}/{version.sha256}/{version.filename}"
    assert (job.wheel.sha256, job.wheel.size) == (version.sha256, version.size)
    assert (job.environment, job.version) == ("alice/demo-env", "0.1.0")
    assert (job.policies, job.tasks) == (POLICIES, settings.HUB_SMOKE_TASKS)
    assert job.survey_tasks == settings.HUB_SURVEY_TASKS == 100_000
    with override_settings(HUB_SURVEY_TASKS=0):
        assert job_spec(run).survey_tasks == 0
    assert job.limits.rollout_seconds == settings.HUB_ROLLOUT_SECONDS
    assert read_run_token(job.run_token) == Attempt(run.pk, 1)


@override_settings(
    HUB_JUDGE_CALLS=7, HUB_JUDGE_TOKENS=700, HUB_JUDGE_ROLLOUT_CALLS=3,
    HUB_JUDGE_ROLLOUT_TOKENS=300, HUB_JUDGE_REPLY_TOKENS=100,
)  # fmt: skip
def test_the_job_has_the_hubs_budgets_of_judge_calls(alice: User) -> None:
    limits = job_spec(make_leased_run(make_version(alice.owner))).limits
    assert (limits.judge_calls, limits.judge_tokens) == (7, 700)
    assert (limits.judge_calls_per_rollout, limits.judge_tokens_per_rollout) == (3, 300)
    assert limits.judge_max_tokens == 100


def test_cancelling_a_queued_run_ends_it_at_once(alice: User) -> None:
    run = make_run(make_version(alice.owner))
    services.cancel(run=run, by=alice)
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert run.findings.get().message == "Cancelled by alice."


def test_cancelling_an_ended_run_changes_nothing(alice: User) -> None:
    run = make_leased_run(make_version(alice.owner))
    record_attempt(run, honest_rollouts())
    services.cancel(run=run, by=alice)
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert run.cancel_requested_at is None


def test_queued_run_is_notified_again_at_growing_intervals(alice: User, queues: Queues) -> None:
    with queues.committed():
        make_run(make_version(alice.owner))
    queues.read("runs")
    assert services.notify_again() == 0
    now = timezone.now()
    Run.objects.update(
        last_notified_at=now - timedelta(seconds=20), created_at=now - timedelta(seconds=21)
    )
    assert services.notify_again() == 1
    assert queues.read("runs") == [("envyard.run", {})]
    Run.objects.update(
        last_notified_at=now - timedelta(seconds=20), created_at=now - timedelta(hours=1)
    )
    assert services.notify_again() == 0


def test_next_attempt_of_an_old_run_is_notified_again_soon(alice: User, queues: Queues) -> None:
    make_run(make_version(alice.owner))
    now, ago = timezone.now(), timedelta(seconds=20)
    Run.objects.update(
        last_notified_at=now - ago, started_at=now - 2 * ago, created_at=now - 999 * ago
    )
    assert services.notify_again() == 1


def test_leased_run_is_not_notified_again(alice: User, queues: Queues) -> None:
    make_leased_run(make_version(alice.owner))
    Run.objects.update(last_notified_at=timezone.now() - timedelta(hours=2))
    assert services.notify_again() == 0
