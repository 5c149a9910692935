"""Suites: frozen definitions, and the runs that name them."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction
from django.test import Client, override_settings
from django.utils import timezone

from envyard.contract.suite import SEEDS, BadSuite, SuiteDefinition, SuiteLimits
from registry.accounts.models import User
from registry.catalog.models import Version
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
        {"seed_by": "environment"},
        {"seed_by": "wheel"},
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
        ("seed_by", "author"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(BadSuite, match=field):
        SuiteDefinition.from_dict(SMALL.to_dict() | {field: value})


def test_without_a_hub_the_seed_comes_from_the_wheel_unless_the_suite_has_one() -> None:
    assert SMALL.seed_of("000000ff" + "0" * 56) == 255
    assert SMALL.seed_of("f" * 64) == 0xFFFFFFFF % 10_000
    assert replace(SMALL, seed=7).seed_of("f" * 64) == 7


def test_definitions_from_before_seeds_were_derived_keep_digest_and_seed() -> None:
    stored = {k: v for k, v in SMALL.to_dict().items() if k != "seed_by"} | {"rules": 6}
    old = SuiteDefinition.from_dict(stored)
    assert old.to_dict() == stored
    assert old.digest == "b5ba63befda1b7ea5a0f77022e2772dd43a4ab115481b390f7eeaa4902639d0f"
    assert old.seed_of("f" * 64) == 0xFFFFFFFF
    chosen = SuiteDefinition.from_dict(stored | {"seed": 7})
    assert "seed_by" not in chosen.to_dict()


def test_versions_share_the_seed_of_full_and_each_has_its_own_of_smoke(alice: User) -> None:
    first, second = make_version(alice.owner), make_version(alice.owner, version="0.2.0")
    other = make_version(alice.owner, name="other-env")
    full, smoke = suites.built_in("full").frozen, suites.built_in("smoke").frozen
    seeds = [suites.seed_for(full, version) for version in (first, second, other)]
    assert seeds[0] == seeds[1] != seeds[2]
    own = [suites.seed_for(smoke, version) for version in (first, second, other)]
    assert len({*own, *seeds}) == 5
    assert all(0 <= seed < SEEDS for seed in own + seeds)
    with override_settings(SECRET_KEY="another" * 10):
        assert suites.seed_for(full, first) != seeds[0]
        assert suites.seed_for(smoke, first) != own[0]


def test_a_run_has_the_derived_seed_and_one_of_an_earlier_suite_that_of_its_wheel(
    alice: User,
) -> None:
    run = make_run(make_version(alice.owner))
    assert run.suite is not None
    assert run.seed == suites.seed_for(run.suite.frozen, run.version)
    earlier = replace(run.suite.frozen, seed_by="wheel")
    row = Suite.objects.create(name="smoke", digest=earlier.digest, definition=earlier.to_dict())
    suites.assign(run, row)
    assert run.seed == int(run.version.sha256[:8], 16)


def test_the_api_gives_the_seeds_of_listed_versions_alone(alice: User, client: Client) -> None:
    version = make_version(alice.owner)
    path = "/api/v1/environments/alice/demo-env/suites/"

    def seeds(query: str) -> dict[str, int | None]:
        rows = client.get(f"{path}{query}", headers=bearer(alice)).json()["results"]
        return {row["name"]: row["seed"] for row in rows}

    assert seeds("") == seeds("?version=0.1.0") == {"smoke": None, "full": None}
    Version.objects.filter(pk=version.pk).update(status="listed", listed_at=timezone.now())
    assert seeds("?version=0.1.0") == {
        name: suites.seed_for(suites.built_in(name).frozen, version) for name in ("smoke", "full")
    }
    assert client.get(f"{path}?version=9", headers=bearer(alice)).status_code == 404


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
