"""Names that a new environment may not have, and how many new ones there may be."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from registry.catalog import naming, services
from registry.catalog.likeness import likeness
from registry.catalog.transfer import transfer
from registry.errors import HubError
from registry.models import Environment, Event, Organisation, User
from tests.factories import make_environment, make_version


def make(owner: Any, name: str, by: User) -> Environment:
    return services.get_or_create_environment(owner=owner.owner, name=name, by=by)[0]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("simple", "reserved by the hub"),
        ("Verifiers", "that environments depend on"),
        ("JSON", "Python's own module json"),
        ("distutils", "Python's own module distutils"),  # gone since 3.12
        ("annotationlib", "Python's own module annotationlib"),  # new in 3.14
        ("sre.compile", "Python's own module sre_compile"),
    ],
)
def test_refusal_of_a_reserved_name_states_the_reason(alice: User, name: str, why: str) -> None:
    with pytest.raises(HubError, match=why) as refused:
        make(alice, name, alice)
    assert refused.value.code == "metadata.bad_name"
    assert not Environment.objects.exists()


def test_an_environment_that_has_a_reserved_name_keeps_it(alice: User) -> None:
    environment = make_environment(alice, "json")
    assert make(alice, "json", alice) == environment


@pytest.mark.parametrize("name", ["hell0-world", "he11o-world", "helloworld", "hello-wor1d"])
def test_two_names_of_one_owner_do_not_look_alike(alice: User, name: str) -> None:
    make(alice, "hello-world", alice)
    with pytest.raises(HubError, match="looks like alice/hello-world:") as refused:
        make(alice, name, alice)
    assert (refused.value.code, refused.value.status) == ("name.too_similar", 409)
    assert Environment.objects.count() == 1


def test_a_deleted_name_counts_too(alice: User) -> None:
    make_environment(alice, "demo-env", deleted_at=timezone.now())
    with pytest.raises(HubError, match=r"alice/demo-env \(deleted\)"):
        make(alice, "demoenv", alice)


def test_owners_do_not_share_their_names(alice: User, carol: User) -> None:
    assert make(alice, "hello-world", alice) != make(carol, "hello-w0rld", carol)


def test_a_former_name_is_taken_for_ever(alice: User, lab: Organisation, bob: User) -> None:
    environment = make_version(alice).environment
    transfer(environment=environment, to=lab.owner, by=alice)
    for name in ("demo-env", "dem0-env"):
        with pytest.raises(HubError, match="alice/demo-env moved to lab/demo-env") as refused:
            make(alice, name, alice)
        assert (refused.value.code, refused.value.status) == ("name.moved", 409)
        alike = "environment name 'dem0-env' looks like it" in refused.value.message
        assert alike is (name == "dem0-env")


def test_former_name_does_not_redirect_to_a_private_environment(
    alice: User, carol: User, root: User
) -> None:
    environment = make_version(alice, visibility="private").environment
    transfer(environment=environment, to=carol.owner, by=root)
    with pytest.raises(HubError, match="alice/demo-env moved away; its former name"):
        make(alice, "demo-env", alice)


def test_new_names_are_slowed_down_and_existing_ones_are_not(alice: User, settings: Any) -> None:
    settings.HUB_NEW_NAMES_PER_HOUR = 3
    for number in range(3):
        make(alice, f"env-{number}x", alice)
    with pytest.raises(HubError, match="alice made 3 new environments") as refused:
        make(alice, "one-more", alice)
    assert (refused.value.code, refused.value.status) == ("request.throttled", 429)
    assert 3590 < refused.value.details["retry_after"] <= 3600
    assert make(alice, "env-0x", alice)
    Event.objects.filter(environment__name="env-0x").update(at=timezone.now() - timedelta(hours=1))
    assert make(alice, "one-more", alice)


def test_staff_and_others_are_not_slowed_down(
    alice: User, lab: Organisation, root: User, settings: Any
) -> None:
    settings.HUB_NEW_NAMES_PER_HOUR = 1
    make(lab, "first", alice)
    with pytest.raises(HubError, match="within an hour"):
        make(alice, "second", alice)
    for name in ("second", "third"):
        make(lab, name, root)


def test_the_database_sees_names_as_python_does(alice: User) -> None:
    for name in ("pol1o-1", "illicit-0il", "a-b-c"):
        make_environment(alice, name)
        assert Environment.objects.get(name=name).likeness == likeness(name)


def test_every_supported_python_is_known() -> None:
    assert {"asyncore", "tomllib", "compression", "cgi"} <= naming.STDLIB
