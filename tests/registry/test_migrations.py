"""Every migration can be undone and done again, with rows present."""

from datetime import timedelta
from importlib import import_module
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from registry import models as registry_models
from registry.accounts import publisher_tokens, tokens
from registry.catalog import stars
from registry.models import Rollout, Token, User, Version
from registry.runs import transcripts
from registry.upkeep.verify import verify
from tests.factories import make_environment, make_rollout, make_run, make_version
from tests.registry import story


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
    hold_two_environments(alice)
    Token.objects.update(revoked_at=timezone.now())
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
        assert Token.objects.get() == kept
    finally:
        migrate()


def hold_two_environments(alice: User) -> None:
    """A workflow's token that was used for two of them: two rows of one text."""
    one, two = (
        publisher_tokens.Grant(alice, make_environment(alice, name), "workflow", {"kind": "github"})
        for name in ("one", "two")
    )
    publisher_tokens.mint(grant=one, claims={}, life=timedelta(minutes=15))
    publisher_tokens.extend(token=Token.objects.get(environment=one.environment), grant=two)


def test_tokens_for_several_environments_keep_the_schema_until_they_end(alice: User) -> None:
    hold_two_environments(alice)
    trust = import_module("registry.migrations.0007_trust")
    with pytest.raises(RuntimeError, match=r"wait until .*, when they have ended"):
        trust.one_row_a_text(apps, None)
    assert Token.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_conversations_move_from_the_rows_to_the_storage_and_back(alice: User) -> None:
    run = make_run(make_version(alice))
    newer = make_rollout(run, "oracle", 1, transcript=story.told("newer"))
    make_rollout(run, "silent", 1)
    said = [{"role": "user", "content": "漢?"}, {"role": "assistant", "content": "no"}]
    try:
        migrate("registry", "0015")
        rows = connected("registry", "Rollout")
        who = {"policy": "silent", "task": 0, "attempt": 0}
        older = rows.create(run_id=run.pk, ok=True, messages=said, **who)
        assert rows.get(pk=newer.pk).messages == story.told("newer").messages
        migrate()
        found = Rollout.objects.select_related("pack").get(pk=older.pk)
        told = transcripts.read(found)
        assert told is not None
        assert (told.messages, found.conversations) == (said, 1)
        assert verify_of(found) == []
        migrate("registry", "0015")
        assert connected("registry", "Rollout").get(pk=older.pk).messages == said
    finally:
        migrate()


def connected(app: str, name: str) -> Any:
    """The rows of a model as the migrations that are applied know it."""
    executor = MigrationExecutor(connection)
    applied = [key for key in executor.loader.applied_migrations if key[0] == app]
    state = executor.loader.project_state(max(applied))
    return state.apps.get_model(app, name).objects


def verify_of(rollout: Rollout) -> list[str]:
    """What is wrong with its pack."""
    found = verify(now=timezone.now()).problems
    assert rollout.pack is not None
    return [one.what for one in found if rollout.pack.sha256 in one.key]


def test_there_is_one_line_of_migrations() -> None:
    loader = MigrationLoader(None)
    numbers = [name[:4] for app, name in loader.disk_migrations if app == "registry"]
    assert len(loader.graph.leaf_nodes("registry")) == 1
    assert len(numbers) == len(set(numbers))


def fields_with_choices() -> list[Any]:
    ours = [getattr(registry_models, name) for name in registry_models.__all__]
    return [field for model in ours for field in model._meta.fields if field.choices]


@pytest.mark.parametrize("field", fields_with_choices(), ids=str)
def test_choices_are_held_by_the_database(field: Any) -> None:
    held = [
        text
        for constraint in field.model._meta.constraints
        if isinstance(constraint, models.CheckConstraint)
        for text in (str(constraint.condition),)
    ]
    assert any(f"'{field.name}__in'" in text for text in held), "no constraint names the choices"
