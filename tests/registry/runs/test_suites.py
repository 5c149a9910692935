"""Suites: frozen definitions, and the runs that name them."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction
from django.test import Client, override_settings

from envyard.contract.suite import BadSuite, SuiteDefinition, SuiteLimits
from registry.accounts.models import User
from registry.errors import HubError
from registry.runs import suites
from registry.runs.models import Run
from registry.runs.spec import job_spec
from registry.runs.suite_models import Suite
from tests.factories import bearer
from tests.registry.run_factories import make_leased_run, make_run, make_version

SMALL = SuiteDefinition(tasks=5, attempts=4)


@pytest.mark.parametrize(
    "change",
    [
        {"tasks": 6},
        {"attempts": 5},
        {"seed": 0},
        {"temperature": 0.0},
        {"indexes": (0, 1, 2, 3, 5)},
        {"judge": "judge-1"},
        {"rules": 99},
        {"limits": SuiteLimits(max_tokens=513)},
    ],
)
def test_every_field_of_a_definition_changes_its_digest(change: dict[str, object]) -> None:
    assert replace(SMALL, **change).digest != SMALL.digest  # type: ignore[arg-type]


def test_a_definition_survives_json_with_the_same_digest() -> None:
    assert SuiteDefinition.from_dict(SMALL.to_dict()) == SMALL


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tasks", 0),
        ("tasks", "5"),
        ("attempts", 65),
        ("seed", -1),
        ("temperature", 3),
        ("rules", 0),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(BadSuite, match=field):
        SuiteDefinition.from_dict(SMALL.to_dict() | {field: value})


def test_the_seed_comes_from_the_wheel_unless_the_suite_has_one() -> None:
    assert SMALL.seed_of("000000ff" + "0" * 56) == 255
    assert replace(SMALL, seed=7).seed_of("f" * 64) == 7


def test_a_listing_run_names_the_smoke_suite_and_takes_its_numbers(alice: User) -> None:
    run = make_run(make_version(alice.owner))
    assert run.suite is not None
    assert (run.suite.name, run.purpose) == ("smoke", "listing")
    assert (run.tasks, run.attempts) == (run.suite.frozen.tasks, run.suite.frozen.attempts)


def test_other_settings_make_another_suite_of_the_same_name(alice: User) -> None:
    before = suites.built_in("smoke")
    assert suites.built_in("smoke") == before
    with override_settings(HUB_SMOKE_TASKS=7):
        after = suites.built_in("smoke")
    assert after.name == before.name
    assert (after.frozen.tasks, before.frozen.tasks) == (7, 5)
    assert after.digest != before.digest


def test_a_job_keeps_the_limits_that_its_suite_froze(alice: User) -> None:
    run = make_leased_run(make_version(alice.owner))
    with override_settings(HUB_ROLLOUT_SECONDS=7, HUB_JUDGE_MODEL="another"):
        job = job_spec(run)
    assert (job.limits.rollout_seconds, job.judge_model) == (120.0, "")


def test_an_unknown_suite_is_refused_with_the_names_there_are(alice: User) -> None:
    version = make_version(alice.owner)
    with pytest.raises(HubError, match=r"'huge' must be one of smoke, full") as refusal:
        suites.named(version.environment, "huge")
    assert refusal.value.details == {"field": "suite"}


def test_an_evaluation_without_a_suite_cannot_be_stored(alice: User) -> None:
    run = make_run(make_version(alice.owner))
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(purpose="evaluation", suite=None)


def test_an_environment_has_one_suite_a_name(alice: User) -> None:
    environment = make_version(alice.owner).environment
    rows = [
        Suite(environment=environment, name="hard", digest=each.digest, definition=each.to_dict())
        for each in (SMALL, replace(SMALL, tasks=6))
    ]
    rows[0].save()
    with pytest.raises(IntegrityError), transaction.atomic():
        rows[1].save()


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({"indexes": [1, -1]}, "indexes", "'-1'"),
        ({"indexes": [1, 1]}, "indexes", "1 more than once"),
        ({"indexes": list(range(100_000))}, "indexes", "has 100000 entries; 1 to 10000"),
        ({"indexes": "1-5"}, "indexes", "must be a list"),
        ({"indexes": {"a": 1}}, "indexes", "must be a list"),
        ({"indexes": [1, 2], "tasks": 3}, "tasks", "must be the number of indexes"),
        ({}, "tasks", "must be a whole number"),
    ],
)
def test_bad_task_indexes_are_refused_with_field_and_rule(
    alice: User, client: Client, body: dict[str, object], field: str, message: str
) -> None:
    make_version(alice.owner)
    answer = client.post(
        "/api/v1/environments/alice/demo-env/suites/",
        {"name": "these", "attempts": 1, **body},
        content_type="application/json",
        headers=bearer(alice, "publish"),
    )
    error = answer.json()["error"]
    assert (answer.status_code, error["details"]["field"]) == (400, field)
    assert message in error["message"]


def test_the_order_of_named_tasks_makes_no_other_suite(alice: User, client: Client) -> None:
    environment = make_version(alice.owner).environment
    row = suites.create(environment=environment, name="a", indexes=[5, 1], attempts=1, by=alice)
    same = suites.create(environment=environment, name="b", indexes=[1, 5], attempts=1, by=alice)
    assert row.digest == same.digest
    shown = client.get("/api/v1/environments/alice/demo-env/suites/", headers=bearer(alice)).json()
    assert shown["results"][-1]["definition"]["indexes"] == [1, 5]
    assert "indexes" not in shown["results"][0]["definition"]
