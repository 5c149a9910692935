"""Every migration can be undone and done again, with rows present."""

from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import IntegrityError, connection, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from registry import models as registry_models
from registry.accounts import tokens
from registry.catalog import stars
from registry.models import Rollout, Run, Token, User, Version
from registry.upkeep import upgrade
from tests.factories import make_rollout, make_run, make_version


def migrate(*target: str) -> None:
    call_command("migrate", *target, interactive=False, verbosity=0, stdout=StringIO())


def names() -> list[str]:
    """The registry's migrations, oldest first."""
    loader = MigrationLoader(connection)
    ends = loader.graph.leaf_nodes("registry")
    return [name for app, name in loader.graph.forwards_plan(ends[0]) if app == "registry"]


@pytest.mark.django_db(transaction=True)
def test_the_schema_goes_back_to_its_beginning_and_returns_with_its_rows(
    alice: User, carol: User
) -> None:
    version = make_version(alice)
    make_rollout(make_run(version), reward=0.5)
    stars.star(environment=version.environment, by=carol)
    kept = tokens.mint(user=alice, name="own", scope="read")[0]
    line = names()
    try:
        migrate("registry", line[0])
        with connection.cursor() as cursor:
            cursor.execute("SELECT sha256 FROM registry_version")
            assert cursor.fetchall() == [(version.sha256,)]
        migrate()
        back = Version.objects.select_related("environment__latest").get()
        assert back.sha256 == version.sha256
        assert back.environment.latest == back
        assert back.environment.star_count == 1
        assert Rollout.objects.get().reward == 0.5
        assert Run.objects.get().environment == version.environment
        assert Token.objects.get() == kept
    finally:
        migrate()


@pytest.mark.django_db(transaction=True)
def test_run_keeps_priority_and_notification_time_when_columns_are_renamed(alice: User) -> None:
    run = make_run(make_version(alice))
    try:
        migrate("registry", "0001_squashed")
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE registry_run SET turn = 3, place = 5, rung_at = '2026-01-02 03:04:05+00:00'"
            )
    finally:
        migrate()
    run.refresh_from_db()
    assert (run.turn, run.priority) == (3, 5)
    assert run.last_notified_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    with pytest.raises(IntegrityError):
        Run.objects.update(priority=2)


@pytest.fixture
def first() -> Iterator[Any]:
    """The first migration; the database has none after it until the test ends."""
    name = names()[0]
    migrate("registry", name)
    migration = MigrationLoader(connection).disk_migrations["registry", name]
    yield migration
    record_replaced(migration, len(migration.replaces))
    migrate()


def record_replaced(migration: Any, count: int) -> None:
    """Record the first migrations that this one replaces, as an older release did, and no other."""
    record = MigrationRecorder(connection)
    record.record_unapplied("registry", migration.name)
    for number, (app, name) in enumerate(migration.replaces):
        record.record_unapplied(app, name)
        if number < count:
            record.record_applied(app, name)


@pytest.mark.django_db(transaction=True)
def test_hub_with_every_replaced_migration_upgrades(first: Any, alice: User) -> None:
    record_replaced(first, len(first.replaces))
    plan = [name for name in planned() if name.startswith("registry.")]
    assert plan == [f"registry.{name}" for name in names()[1:]]
    assert upgrade.missing_here() == []
    migrate()
    assert planned() == []
    assert User.objects.get() == alice
    rows = MigrationRecorder(connection).applied_migrations()
    assert ("registry", first.name) in rows


@pytest.mark.django_db(transaction=True)
def test_hub_without_some_replaced_migrations_is_refused(first: Any) -> None:
    record_replaced(first, 26)
    with pytest.raises(
        SystemCheckError, match=r"lacks .*: registry\.0027_reasoning, registry\.0028"
    ):
        call_command("migrate", skip_checks=False, verbosity=0)


def planned() -> list[str]:
    """Migrations that `migrate` would apply."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def test_there_is_one_line_of_migrations() -> None:
    loader = MigrationLoader(None)
    numbers = [name[:4] for app, name in loader.disk_migrations if app == "registry"]
    assert len(loader.graph.leaf_nodes("registry")) == 1
    assert len(numbers) == len(set(numbers))


def fields_with_choices() -> list[Any]:
    registered = [getattr(registry_models, name) for name in registry_models.__all__]
    return [field for model in registered for field in model._meta.fields if field.choices]


@pytest.mark.parametrize("field", fields_with_choices(), ids=str)
def test_choices_are_held_by_the_database(field: Any) -> None:
    held = [
        text
        for constraint in field.model._meta.constraints
        if isinstance(constraint, models.CheckConstraint)
        for text in (str(constraint.condition),)
    ]
    assert any(f"'{field.name}__in'" in text for text in held), "no constraint names the choices"
