"""What is deleted is gone for everybody, and its number, file and name never mean another thing."""

import io
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from pytest_django import Settings

from registry.accounts import tokens
from registry.accounts.permissions import can, verbs
from registry.catalog import overlays
from registry.catalog.changes import IndexChange
from registry.catalog.deletion import delete_environment, delete_version
from registry.catalog.lifecycle import move
from registry.errors import HubError, NotFound, Stale
from registry.models import Environment, Event, TrustedPublisher, User, Version
from registry.uploads.services import accept
from tests.factories import make_version
from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel


@pytest.fixture(autouse=True)
def files(settings: Settings, tmp_path: Path) -> None:
    settings.HUB_STORAGE_PATH = tmp_path / "files"


def upload(alice: User, version: str, *, summary: str = "one") -> Version:
    data = make_wheel(version=version, metadata={"Summary": summary})
    name = filename(version=version)
    return accept(
        wheel=io.BytesIO(data), filename=name, form=form_of(data), owner=alice.owner, by=alice,
        token=None,
    ).version  # fmt: skip


def test_a_deleted_version_gives_way_to_the_one_before(alice: User) -> None:
    old, new = make_version(alice, version="0.1.0"), make_version(alice, version="0.2.0")
    IndexChange.objects.all().delete()
    delete_version(version=new, by=alice)
    environment = Environment.objects.get()
    assert environment.latest == old
    assert list(environment.versions.installable()) == [old]
    assert Event.objects.get(verb="version.deleted").data["sha256"] == new.sha256
    assert [change.name for change in IndexChange.objects.all()] == ["demo-env", ""]
    with pytest.raises(NotFound):
        delete_version(version=new, by=alice)


@pytest.mark.parametrize("again", ["one", "two"])
def test_neither_its_bytes_nor_other_bytes_return_under_its_number(alice: User, again: str) -> None:
    delete_version(version=upload(alice, "0.1.0"), by=alice)
    with pytest.raises(HubError, match=r"demo-env==0.1.0 was deleted, and its number") as refused:
        upload(alice, "0.1.0", summary=again)
    assert refused.value.code == "upload.version_exists"
    assert not Version.objects.filter(deleted_at=None).exists()


def test_a_version_that_is_deleted_meanwhile_is_never_listed(alice: User) -> None:
    version = make_version(alice, status="evaluating")
    delete_version(version=Version.objects.get(), by=alice)
    with pytest.raises(Stale):
        move(version, "listed")
    with pytest.raises(Stale):
        overlays.yank(version=version, by=alice, reason="too late")


def test_deleted_environment_is_hidden_from_everybody(alice: User, root: User) -> None:
    version = make_version(alice, keywords=["math"])
    environment = version.environment
    delete_environment(environment=environment, by=alice)
    version.refresh_from_db()
    assert version.deleted_at == environment.deleted_at is not None
    assert (environment.latest, environment.tags.count()) == (None, 0)
    everybody = (alice, root, AnonymousUser())
    for verb in (verb for verb in verbs() if verb.startswith("environment.")):
        assert not any(can(actor, verb, environment) for actor in everybody), verb
    for verb in (verb for verb in verbs() if verb.startswith("version.") and "retry" not in verb):
        assert not any(can(actor, verb, version) for actor in everybody), verb
    for actor in everybody:
        assert not Environment.objects.visible_to(actor).exists()
        assert not Version.objects.visible_to(actor).exists()
    with pytest.raises(NotFound):
        delete_environment(environment=environment, by=alice)


def test_an_upload_revives_it_with_new_numbers_only(alice: User) -> None:
    environment = upload(alice, "0.1.0").environment
    overlays.deprecate(environment=environment, by=alice, reason="old")
    delete_environment(environment=environment, by=alice)
    with pytest.raises(HubError, match="was deleted"):
        upload(alice, "0.1.0")
    assert Environment.objects.get().deleted_at is not None
    revived = upload(alice, "0.2.0").environment
    assert (revived, revived.deleted_at, revived.deprecated_at) == (environment, None, None)
    assert [v.version for v in Version.objects.filter(deleted_at=None)] == ["0.2.0"]
    assert Event.objects.filter(verb="environment.revived").count() == 1


def test_revived_environment_stays_private(alice: User) -> None:
    environment = make_version(alice, visibility="private").environment
    delete_environment(environment=environment, by=alice)
    assert upload(alice, "0.2.0").environment.visibility == "private"


def test_a_token_of_a_deleted_environment_does_not_revive_it(alice: User) -> None:
    environment = make_version(alice).environment
    token, _ = tokens.mint(user=alice, name="ci", scope="publish", environment=environment)
    delete_environment(environment=environment, by=alice)
    data = make_wheel(version="0.2.0")
    with pytest.raises(HubError, match="is for alice/demo-env alone"):
        accept(
            wheel=io.BytesIO(data), filename=filename(version="0.2.0"), form=form_of(data),
            owner=alice.owner, by=alice, token=token,
        )  # fmt: skip


def test_tokens_and_publishers_end_with_a_deleted_environment(alice: User) -> None:
    environment = upload(alice, "0.1.0").environment
    _, bound = tokens.mint(user=alice, name="ci", scope="publish", environment=environment)
    _, unlimited = tokens.mint(user=alice, name="all", scope="publish")
    TrustedPublisher.objects.create(
        environment=environment, kind="other", issuer="https://i.example", subject="build",
        claims={"sub": "build"}, key="0" * 64, added_by=alice,
    )  # fmt: skip
    delete_environment(environment=environment, by=alice)
    upload(alice, "0.2.0")
    assert tokens.verify(bound) is None
    assert tokens.verify(unlimited) is not None
    assert not TrustedPublisher.objects.exists()
