"""Environments, yanking, quarantine, and which version is the latest."""

import pytest

from registry.catalog import services
from registry.errors import HubError
from registry.models import Environment, Event, User
from tests.factories import make_environment, make_version


def latest(environment: Environment) -> str | None:
    """The number of the latest version, as stored."""
    row = Environment.objects.get(pk=environment.pk).latest
    return row.version if row else None


def test_environment_is_created_once_in_any_spelling(alice: User) -> None:
    first, created = services.get_or_create_environment(owner=alice.owner, name="My_Env", by=alice)
    again, remade = services.get_or_create_environment(owner=alice.owner, name="my.env", by=alice)
    assert (first, created, remade) == (again, True, False)
    assert (first.name, first.visibility) == ("my-env", "public")
    assert Event.objects.filter(verb="environment.created").count() == 1


@pytest.mark.parametrize("name", ["", "-x", "a b", "x" * 101, "simple", "Legacy", "../x"])
def test_a_bad_or_reserved_name_is_refused(alice: User, name: str) -> None:
    with pytest.raises(HubError) as refused:
        services.get_or_create_environment(owner=alice.owner, name=name, by=alice)
    assert refused.value.code == "metadata.bad_name"
    assert not Environment.objects.exists()


def test_private_push_never_returns_a_public_environment(alice: User) -> None:
    make_environment(alice, "demo-env", visibility="public")
    with pytest.raises(HubError, match="is public, not private") as refused:
        services.get_or_create_environment(
            owner=alice.owner, name="demo-env", visibility="private", by=alice
        )
    assert refused.value.status == 409


def test_visibility_is_changed_and_noted_once(alice: User) -> None:
    environment = make_environment(alice)
    for _ in range(2):
        services.set_visibility(environment=environment, visibility="private", by=alice)
    assert Environment.objects.get().visibility == "private"
    assert Event.objects.filter(verb="environment.private").count() == 1
    with pytest.raises(HubError, match="visibility 'secret'"):
        services.set_visibility(environment=environment, visibility="secret", by=alice)


def test_the_latest_version_is_the_newest_final_one(alice: User) -> None:
    environment = make_version(alice, version="0.9.0").environment
    make_version(alice, version="0.10.0")
    make_version(alice, version="1.0.0rc1")
    make_version(alice, version="2.0.0", status="rejected")
    assert latest(environment) == "0.10.0"


def test_a_prerelease_is_the_latest_only_where_nothing_else_is(alice: User) -> None:
    environment = make_version(alice, version="1.0.0a1").environment
    make_version(alice, version="1.0.0rc1")
    assert latest(environment) == "1.0.0rc1"
