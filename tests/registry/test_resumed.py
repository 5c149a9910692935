"""Held versions that lacked something are evaluated again once somebody provides it."""

from datetime import timedelta
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.test import override_settings
from django.utils import timezone

from envyard.contract.findings import finding
from envyard.contract.runner_events import Finish
from registry import pipeline, recovery
from registry.accounts import runners
from registry.accounts.models import Runner, User
from registry.catalog.models import Version
from registry.events import Event
from registry.provisions import hosts
from registry.provisions import services as provisions
from registry.runs import runner_events, services
from tests.registry.conftest import Queues
from tests.registry.run_factories import make_run, make_runner, make_version

HOST = {"host": "1"}


def describe(runner: Runner, **provides: str) -> None:
    runners.describe(runner=runner, capabilities={"provides": provides})
    Runner.objects.filter(pk=runner.pk).update(last_seen_at=timezone.now() + timedelta(days=1))


def held(version: Version, runner: Runner, code: str, *names: str) -> None:
    """Lease the version's run, end it for that requirement and judge it."""
    run = version.runs.filter(status="queued").first() or make_run(version)
    runner.refresh_from_db()
    assert services.lease(runner=runner) == run
    run.refresh_from_db()
    lacked = finding(code, f"It needs {', '.join(names)}.", names=list(names))
    runner_events.finish(run_id=run.pk, finish=Finish(run.attempt, "errored", [lacked]))
    pipeline.judge(str(run.pk))
    version.refresh_from_db()
    assert version.status == "held"


def swept(version: Version) -> str:
    recovery.sweep(now=timezone.now())
    version.refresh_from_db()
    return version.status


@pytest.fixture
def runner(db: None) -> Runner:
    runner = make_runner()
    describe(runner)
    return runner


def test_a_version_is_held_for_the_requirement_alone(
    alice: User, queues: Queues, runner: Runner
) -> None:
    version = make_version(alice.owner)
    held(version, runner, "needs.data", "a/b")
    event = Event.objects.filter(version=version, verb="version.held").get()
    assert event.data["reason"] == "It needs a/b."
    assert swept(version) == "held"


def test_a_runner_with_other_data_settings_resumes_it_once(
    alice: User, queues: Queues, runner: Runner
) -> None:
    version = make_version(alice.owner)
    held(version, runner, "needs.data", "a/gated")
    describe(runner, data="no-token")
    assert swept(version) == "evaluating"
    held(version, runner, "needs.data", "a/gated")
    _skip_wait(version)
    assert swept(version) == "held"  # that runner's settings were tried
    describe(runner, data="with-token")
    assert swept(version) == "evaluating"


def test_a_judge_of_hub_and_runner_resumes_it(alice: User, queues: Queues, runner: Runner) -> None:
    version = make_version(alice.owner)
    held(version, runner, "needs.judge", "judge")
    describe(runner, judge="server")
    assert swept(version) == "held"
    with override_settings(HUB_JUDGE_MODEL="judge-1"):
        assert swept(version) == "evaluating"


def test_an_approved_host_resumes_it(
    alice: User, root: User, queues: Queues, runner: Runner
) -> None:
    version = make_version(alice.owner)
    describe(runner, **HOST)
    held(version, runner, "needs.host", "api.exa.ai")
    environment = version.environment
    hosts.add(environment=environment, host="api.exa.ai", by=alice)
    assert swept(version) == "held"
    hosts.approve(environment=environment, host="api.exa.ai", by=root)
    assert swept(version) == "evaluating"


@override_settings(HUB_SECRETS_KEYS=(Fernet.generate_key().decode(),))
def test_a_secret_or_a_variable_of_that_name_resumes_it(
    alice: User, root: User, queues: Queues, runner: Runner
) -> None:
    describe(runner, **HOST)
    for number, kind in (("0.1.0", "secret"), ("0.2.0", "variable")):
        version = make_version(alice.owner, name=f"{kind}-env", version=number)
        held(version, runner, "needs.secret", "EXA_API_KEY")
        environment = version.environment
        change: dict[str, Any] = {"environment": environment, "name": "EXA_API_KEY", "by": alice}
        if kind == "variable":
            provisions.set_variable(value="a-public-value", **change)
        else:
            hosts.add(environment=environment, host="api.exa.ai", by=alice)
            provisions.set_secret(value="a-secret-value", to_hosts=["api.exa.ai"], **change)
            assert swept(version) == "held"  # of no use before its host is approved
            hosts.approve(environment=environment, host="api.exa.ai", by=root)
        assert swept(version) == "evaluating"


def test_all_that_was_lacking_must_be_provided(alice: User, queues: Queues, runner: Runner) -> None:
    version = make_version(alice.owner)
    held(version, runner, "needs.data", "a/b")
    run = version.runs.get()
    version.findings.create(
        run=run, stage="run", code="needs.machine", severity="error", message="It needs images."
    )
    describe(runner, data="1")
    assert swept(version) == "held"
    describe(runner, data="1", machine="1")
    assert swept(version) == "evaluating"


def test_a_version_in_quarantine_and_one_held_twice_today_wait(
    alice: User, queues: Queues, runner: Runner
) -> None:
    version = make_version(alice.owner)
    held(version, runner, "needs.data", "a/b")
    describe(runner, data="1")
    Version.objects.filter(pk=version.pk).update(quarantined_at=timezone.now())
    assert swept(version) == "held"
    Version.objects.filter(pk=version.pk).update(quarantined_at=None)
    assert swept(version) == "evaluating"
    held(version, runner, "needs.data", "a/b")
    describe(runner, data="2")
    assert swept(version) == "held"
    _skip_wait(version)
    assert swept(version) == "evaluating"


def test_a_version_that_cannot_be_read_does_not_stop_the_others(
    alice: User, queues: Queues, runner: Runner
) -> None:
    damaged, sound = (make_version(alice.owner, name=name) for name in ("damaged", "sound"))
    for version in (damaged, sound):
        held(version, runner, "needs.data", "a/b")
    damaged.runs.update(provided=["no", "object"])
    describe(runner, data="1")
    assert swept(sound) == "evaluating"
    damaged.refresh_from_db()
    assert damaged.status == "held"
    damaged.runs.update(provided={})
    assert swept(damaged) == "evaluating"


def _skip_wait(version: Version) -> None:
    then = timezone.now() - timedelta(hours=2)
    Version.objects.filter(pk=version.pk).update(status_at=then)
