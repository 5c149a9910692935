"""Evaluations on request: who gets which run, and what they leave alone."""

from dataclasses import replace

import pytest
from django.test import override_settings
from django.utils import timezone

from envyard.contract.findings import finding
from envyard.contract.suite import SuiteDefinition
from registry import pipeline
from registry.accounts import runners
from registry.accounts.models import Runner, User
from registry.catalog.models import Version
from registry.errors import HubError, Stale
from registry.read_models import versions
from registry.recovery import sweep
from registry.runs import evaluations, services, suites
from registry.runs.models import Run
from registry.runs.spec import job_spec
from registry.runs.suite_models import Suite
from tests.factories import make_version
from tests.registry.conftest import Queues
from tests.registry.run_factories import honest_rollouts, make_facts, make_runner, record_attempt

MODEL = "tiny"


@pytest.fixture
def runner(db: None) -> Runner:
    runner = make_runner()
    runners.describe(runner=runner, capabilities={"models": [MODEL]})
    return runner


def requested(version: Version, by: User, *, suite: str = "full", model: str = MODEL) -> Run:
    row = suites.named(version.environment, suite)
    return evaluations.request(version=version, model=model, suite=row, by=by)


def test_a_stranger_evaluates_a_model_in_their_own_share_of_the_queue(
    version: Version, carol: User, runner: Runner, queues: Queues
) -> None:
    with queues.committed():
        run = requested(version, carol)
    assert (run.owner, run.purpose, run.policies) == (carol.owner, "evaluation", ["model"])
    seed = suites.seed_for(suites.built_in("full").frozen, version)
    assert (run.tasks, run.attempts, run.seed) == (100, 4, seed)
    assert services.lease(runner=runner, models=[MODEL]) == run
    run.refresh_from_db()
    job = job_spec(run)
    assert (job.model, job.policies, job.tasks) == (MODEL, ("model",), 100)
    assert job.limits.wall_seconds == 3600.0


def test_the_result_of_an_evaluation_changes_nothing_about_its_version(
    version: Version, carol: User, runner: Runner, queues: Queues
) -> None:
    before = versions.detail(version)
    with queues.committed():
        run = requested(version, carol)
        services.lease(runner=runner, models=[MODEL])
        record_attempt(
            run,
            honest_rollouts(("model",)),
            known=make_facts(),
            outcome="failed",
            findings=[finding("run.crashed")],
        )
    assert queues.work() == []
    sweep(now=timezone.now())
    version.refresh_from_db()
    assert versions.detail(version) == before
    assert version.status == "listed"
    assert run.findings.get().code == "run.crashed"


def test_an_evaluation_survives_that_its_version_is_evaluated_again(
    version: Version, carol: User
) -> None:
    run = requested(version, carol)
    run.findings.create(version=version, stage="run", code="run.crashed", severity="error")
    deciding = pipeline.evaluate(version)
    assert deciding != run
    assert run.findings.exists()


def test_requesting_twice_gives_the_active_run_and_another_model_a_new_one(
    version: Version, carol: User, alice: User
) -> None:
    first = requested(version, carol)
    assert requested(version, alice) == first
    assert requested(version, carol, model="other") != first
    assert requested(version, carol, suite="smoke") != first


@pytest.mark.parametrize("status", ["evaluating", "held", "rejected"])
def test_only_listed_versions_are_evaluated_on_request(alice: User, status: str) -> None:
    with pytest.raises(Stale, match="only a listed version"):
        requested(make_version(alice, status=status), alice)


@pytest.mark.parametrize("model", ["", " tiny", "a\nb", "x" * 201])
def test_a_model_needs_a_name(version: Version, alice: User, model: str) -> None:
    with pytest.raises(HubError, match="must be the name of a model"):
        requested(version, alice, model=model)


def test_an_evaluation_of_a_version_that_is_not_listed_any_more_is_cancelled(
    version: Version, alice: User, runner: Runner
) -> None:
    run = requested(version, alice)
    Version.objects.update(status="held")
    assert services.lease(runner=runner, models=[MODEL]) is None
    run.refresh_from_db()
    assert run.status == "cancelled"


@override_settings(HUB_ACTIVE_EVALUATIONS=1)
def test_a_person_has_a_limited_number_of_active_evaluations(
    version: Version, carol: User, alice: User, root: User
) -> None:
    run = requested(version, carol)
    with pytest.raises(HubError, match="carol has 1 active evaluations; the limit is 1") as refusal:
        requested(version, carol, model="other")
    assert (refusal.value.code, refusal.value.status) == ("quota.evaluations", 429)
    requested(version, root, model="a")
    requested(version, root, model="b")
    services.cancel(run=run, by=carol)
    requested(version, carol, model="other")


def test_an_evaluation_without_a_result_is_requested_again(version: Version, carol: User) -> None:
    run = requested(version, carol)
    with pytest.raises(Stale, match="is queued"):
        evaluations.repeat(run=run, by=carol)
    services.cancel(run=run, by=carol)
    run.refresh_from_db()
    again = evaluations.repeat(run=run, by=carol)
    assert (again.model, again.suite, again.status) == (run.model, run.suite, "queued")


def test_an_owner_defines_a_suite_once_and_for_all(version: Version, alice: User) -> None:
    def create(tasks: int) -> Suite:
        return suites.create(
            environment=version.environment, name="hard", tasks=tasks, attempts=8, seed=7, by=alice
        )

    row = create(50)
    assert create(50) == row
    with pytest.raises(Stale, match="another suite hard"):
        create(51)
    run = requested(version, alice, suite="hard")
    assert (run.tasks, run.attempts, run.seed) == (50, 8, 7)


def test_a_suite_whose_judge_is_gone_is_refused(version: Version, alice: User) -> None:
    frozen = replace(SuiteDefinition(tasks=5, attempts=1), judge="judge-1")
    version.environment.suites.create(
        name="judged", digest=frozen.digest, definition=frozen.to_dict()
    )
    with pytest.raises(Stale, match="has the judge judge-1, this hub has none"):
        requested(version, alice, suite="judged")


@pytest.mark.parametrize("name", ["smoke", "Hard", "-x", "a" * 41, ""])
def test_a_suite_needs_a_free_name(version: Version, alice: User, name: str) -> None:
    with pytest.raises(HubError, match="name"):
        suites.create(environment=version.environment, name=name, tasks=1, attempts=1, by=alice)
