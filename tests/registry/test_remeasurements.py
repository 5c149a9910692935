"""Listed versions are measured again, and a confirmed failure is shown and mailed, never hidden."""

import base64
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from envyard.contract.findings import finding
from envyard.contract.job import MODEL
from envyard.contract.rules import RULES
from registry import pipeline
from registry.accounts.models import User
from registry.card.models import Card
from registry.errors import HubError, Stale
from registry.models import Remeasurement, Run, Runner, Version
from registry.read_models import versions
from registry.remeasurements import schedule, services
from registry.runs import services as runs
from tests.factories import bearer
from tests.registry.run_factories import (
    POLICIES,
    honest_rollouts,
    make_leased_run,
    make_runner,
    make_version,
    record_attempt,
)

API = "/api/v1/environments/alice/demo-env/versions/0.1.0/"
Outcome, Reason = Remeasurement.Outcome, Remeasurement.Reason


@pytest.fixture(autouse=True)
def _policies(settings: Any) -> None:
    """Runs have the policies of `honest_rollouts`."""
    settings.HUB_POLICIES = settings.HUB_REQUIRED_POLICIES = POLICIES


@pytest.fixture
def runner(alice: User) -> Runner:
    return make_runner()


@pytest.fixture
def version(alice: User, runner: Runner) -> Version:
    """A version that was listed by an honest run."""
    run = make_leased_run(make_version(alice.owner), runner=runner)
    record_attempt(run, honest_rollouts())
    pipeline.judge(str(run.pk))
    row = Version.objects.select_related("environment__owner").get(pk=run.version_id)
    assert row.status == "listed"
    return row


def measure(version: Version, runner: Runner, outcome: str, *, reason: str = "age") -> str:
    """The outcome of one further measurement whose run ends so; `paid` is a run that succeeds and
    pays every reply."""
    row = services.request(version=version, reason=reason)
    leased = runs.lease(runner=runner)
    assert leased == row.run
    rollouts = honest_rollouts() if outcome in ("succeeded", "paid") else []
    if outcome == "paid":
        rollouts = [replace(rollout, reward=1.0) for rollout in rollouts]
        outcome = "succeeded"
    findings = [finding("run.load_failed", "It imports a module that is gone.")]
    if outcome == "errored":
        findings = [finding("run.lease_expired", "The runner was switched off.")]
    record_attempt(
        leased, rollouts, outcome=outcome, findings=findings if outcome != "succeeded" else ()
    )
    leased.refresh_from_db()
    if leased.is_active:  # a fault of the platform is tried again, which is not waited for
        leased.lease_expires_at, leased.ended_at = None, timezone.now()
        leased.status = Run.Status.ERRORED
        leased.save()
    services.conclude(str(leased.pk))
    row.refresh_from_db()
    return row.outcome


def age(days: int) -> None:
    """Make every measurement so many days older."""
    then = timezone.now() - timedelta(days=days)
    Run.objects.filter(ended_at__isnull=False).update(ended_at=then)
    Remeasurement.objects.exclude(outcome="pending").update(requested_at=then, concluded_at=then)


def due(now: Any = None) -> list[tuple[str, str]]:
    rows = schedule.due(now=now or timezone.now(), limit=10)
    return [(version.version, str(reason)) for version, reason in rows]


def test_a_fresh_measurement_is_not_repeated(version: Version) -> None:
    assert due() == []
    assert schedule.schedule(now=timezone.now()) == 0


def test_an_old_measurement_is_repeated_and_renews_the_card(
    version: Version, runner: Runner
) -> None:
    age(31)
    assert due() == [("0.1.0", "age")]
    before = Card.objects.get().run_id
    assert measure(version, runner, "succeeded") == "passed"
    card = Card.objects.get()
    assert card.run_id != before
    assert card.run.ended_at is not None
    assert card.run.ended_at > timezone.now() - timedelta(minutes=5)
    assert due() == []
    version.refresh_from_db()
    assert version.status == "listed"
    assert version.signed_cards.count() == 2


def test_changed_rules_and_frameworks_are_measured_before_old_ones(
    version: Version, alice: User, runner: Runner
) -> None:
    age(31)
    Card.objects.update(rules=RULES - 1)
    assert due() == [("0.1.0", "rules")]
    Card.objects.update(rules=RULES, release="0.0.1")
    Version.objects.update(framework="verifiers")
    age(0)
    assert due() == [("0.1.0", "framework")]


def test_a_hub_measures_what_it_listed_with_its_new_model(
    version: Version, runner: Runner, settings: Any
) -> None:
    assert due() == [], "no model is set"
    settings.HUB_MODEL = "org/new"
    assert due() == [], "no run has the policy model"
    settings.HUB_POLICIES = [*POLICIES, MODEL]
    assert due() == [("0.1.0", "model")]
    row = services.request(version=version, reason=Reason.MODEL)
    assert row.run.model == "org/new"
    assert due() == [], "it waits"
    Remeasurement.objects.update(outcome=Outcome.PASSED, concluded_at=timezone.now())
    assert due() == []
    settings.HUB_MODEL = "org/newer"
    assert due() == [("0.1.0", "model")]
    settings.HUB_MODEL = ""
    assert due() == []


def test_versions_out_of_use_are_not_measured(version: Version) -> None:
    age(31)
    now = timezone.now()
    for change in (
        {"yanked_at": now},
        {"quarantined_at": now},
        {"deleted_at": now},
        {"status": "held"},
    ):
        Version.objects.update(
            status="listed", yanked_at=None, quarantined_at=None, deleted_at=None
        )
        assert due() == [("0.1.0", "age")]
        Version.objects.update(**change)
        assert due() == []


def test_the_budget_bounds_a_day_and_requests_do_not_count(
    version: Version, alice: User, settings: Any
) -> None:
    age(31)
    settings.HUB_REMEASURE_RUNS_PER_DAY = 0
    assert schedule.schedule(now=timezone.now()) == 0
    settings.HUB_REMEASURE_RUNS_PER_DAY = 1
    assert schedule.schedule(now=timezone.now()) == 1
    assert schedule.schedule(now=timezone.now()) == 0
    Remeasurement.objects.update(reason=Reason.REQUESTED)
    assert schedule.schedule(now=timezone.now()) == 0  # it is pending


def test_runs_of_people_come_first(version: Version, alice: User, runner: Runner) -> None:
    row = services.request(version=version, reason=Reason.AGE)
    other = make_version(alice.owner, name="other-env")
    first = runs.request(version=other, policies=["silent"])
    assert first.priority < row.run.priority
    assert runs.lease(runner=runner) == first
    assert runs.lease(runner=runner) == row.run


def test_one_failure_accuses_nobody_and_is_repeated(version: Version, runner: Runner) -> None:
    assert measure(version, runner, "failed") == "unconfirmed"
    assert versions.detail(version).no_longer_passes is None
    assert mail.outbox == []
    assert due() == [("0.1.0", "confirmation")]
    assert measure(version, runner, "succeeded") == "passed"
    assert due() == []


@pytest.mark.django_db(transaction=True)
def test_a_confirmed_failure_is_shown_and_mailed_once_until_it_passes(
    version: Version, runner: Runner, client: Client
) -> None:
    outcomes = [measure(version, runner, "failed") for _ in range(3)]
    assert outcomes == ["unconfirmed", "failed", "failed"]
    version.refresh_from_db()
    assert version.status == "listed"
    [message] = mail.outbox
    assert message.to == ["alice@example.com"]
    assert "a module that is gone" in message.body
    assert "hub retry alice/demo-env==0.1.0" in message.body
    body = client.get(API).json()
    assert body["no_longer_passes"]["outcome"] == "failed"
    assert "a module that is gone" in body["no_longer_passes"]["summary"]
    assert body["findings"] == [row for row in body["findings"] if row["severity"] != "error"]
    page = client.get("/envs/alice/demo-env/0.1.0/").content.decode()
    assert "does not pass any more." in page
    assert measure(version, runner, "succeeded") == "passed"
    assert client.get(API).json()["no_longer_passes"] is None
    assert (
        "does not pass any more." not in client.get("/envs/alice/demo-env/0.1.0/").content.decode()
    )
    assert len(mail.outbox) == 1


def test_a_failed_measurement_is_signed_and_the_card_of_the_listing_stays(
    version: Version, runner: Runner, client: Client
) -> None:
    listed = client.get(API).json()["card"]
    assert measure(version, runner, "paid") == "unconfirmed"
    assert version.signed_cards.count() == 1
    assert measure(version, runner, "paid") == "failed"
    body = client.get(API).json()
    assert body["card"] == listed
    signature = body["no_longer_passes"]["signature"]
    assert signature["sha256"] != listed["signature"]["sha256"]
    envelope = client.get(signature["url"]).json()
    predicate = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
    assert predicate["run"] == body["no_longer_passes"]["run"]
    assert "error" in {finding["severity"] for finding in predicate["findings"]}
    wheel = signature["url"].partition("/card/")[0]
    assert client.get(f"{wheel}/card").json() == envelope


def test_a_measurement_that_failed_at_load_is_signed_with_the_findings_of_its_run(
    version: Version, runner: Runner, client: Client
) -> None:
    assert measure(version, runner, "failed") == "unconfirmed"
    assert version.signed_cards.count() == 1
    assert measure(version, runner, "failed") == "failed"
    failure = client.get(API).json()["no_longer_passes"]
    envelope = client.get(failure["signature"]["url"]).json()
    predicate = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
    assert predicate["run_status"] == "failed"
    assert predicate["findings"] == []
    assert predicate["run_findings"] == [
        {
            "code": "run.load_failed",
            "severity": "error",
            "where": "",
            "message": "It imports a module that is gone.",
        }
    ]


def test_a_fault_of_the_platform_leaves_no_signed_card(version: Version, runner: Runner) -> None:
    for _ in range(2):
        assert measure(version, runner, "errored") == "undecided"
    assert version.signed_cards.count() == 1


def test_the_page_of_the_environment_shows_that_its_version_fails(
    version: Version, runner: Runner, client: Client
) -> None:
    assert "does not pass any more" not in client.get("/envs/alice/demo-env/").content.decode()
    for _ in range(2):
        measure(version, runner, "failed")
    page = client.get("/envs/alice/demo-env/").content.decode()
    assert "Version 0.1.0 does not pass any more." in page
    assert "a module that is gone" in page


def test_faults_of_the_platform_decide_nothing(version: Version, runner: Runner) -> None:
    assert measure(version, runner, "failed") == "unconfirmed"
    assert measure(version, runner, "errored") == "undecided"
    assert versions.detail(version).no_longer_passes is None
    assert due() == []
    assert due(timezone.now() + timedelta(days=2)) == [("0.1.0", "confirmation")]


def test_a_lost_message_is_made_up_for(version: Version, runner: Runner) -> None:
    row = services.request(version=version, reason=Reason.AGE)
    leased = runs.lease(runner=runner)
    assert leased is not None
    record_attempt(leased, honest_rollouts())
    schedule.schedule(now=timezone.now())
    row.refresh_from_db()
    assert row.outcome == "passed"


def test_owners_request_one_a_day_and_staff_any_time(
    version: Version, runner: Runner, alice: User, carol: User, root: User, client: Client
) -> None:
    path = "/api/v1/environments/alice/demo-env/versions/0.1.0/retry/"
    assert client.post(path, headers=bearer(carol, "publish")).status_code == 403
    answer = client.post(path, headers=bearer(alice, "publish"))
    assert answer.status_code == 200, answer.content
    assert answer.json()["status"] == "listed"
    assert answer.json()["remeasured"]["outcome"] == "pending"
    assert (
        client.post(path, headers=bearer(alice, "publish")).json()["remeasured"]["outcome"]
        == "pending"
    )
    assert Remeasurement.objects.count() == 1
    leased = runs.lease(runner=runner)
    assert leased is not None
    record_attempt(leased, honest_rollouts())
    services.conclude(str(leased.pk))
    with pytest.raises(HubError, match="within the last day"):
        services.request_by(version=version, by=alice)
    assert services.request_by(version=version, by=root).outcome == "pending"


def test_only_a_listed_version_is_measured_again(alice: User) -> None:
    with pytest.raises(Stale):
        services.request(version=make_version(alice.owner), reason=Reason.AGE)
