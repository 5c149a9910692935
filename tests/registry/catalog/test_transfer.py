"""An environment that moves to another owner, and what leads to it from its former name."""

from pathlib import Path
from typing import Any

import pytest

from registry.accounts import tokens
from registry.accounts.permissions import can
from registry.catalog.changes import IndexChange
from registry.catalog.deletion import delete_environment
from registry.catalog.stars import star
from registry.catalog.transfer import moved_to, transfer
from registry.errors import HubError, Stale
from registry.models import Environment, Event, FormerName, Organisation, UsedFilename, User
from tests.factories import make_environment, make_version


def test_versions_stars_and_file_names_move_along(
    alice: User, bob: User, lab: Organisation
) -> None:
    version = make_version(alice)
    environment = version.environment
    star(environment=environment, by=bob)
    IndexChange.objects.all().delete()
    transfer(environment=environment, to=lab.owner, by=alice)
    stored = Environment.objects.get()
    assert (str(stored), stored.latest, stored.star_count) == ("lab/demo-env", version, 1)
    assert UsedFilename.objects.get(owner=lab.owner).filename == version.filename
    assert moved_to(owner="Alice", name="Demo_Env") == environment
    event_rows = Event.objects.order_by("pk").values_list("verb", "owner__name", "data")
    assert list(event_rows) == [
        ("environment.transferred", "alice", {"to": "lab"}),
        ("environment.received", "lab", {"was": "alice"}),
    ]
    changes = IndexChange.objects.exclude(name="").select_related("owner")
    assert [(change.owner.name, change.name) for change in changes] == [
        ("alice", "demo-env"),
        ("lab", "demo-env"),
    ]


def test_it_may_come_back(alice: User, lab: Organisation) -> None:
    environment = make_version(alice).environment
    for to in (lab.owner, alice.owner, lab.owner, alice.owner):
        transfer(environment=environment, to=to, by=alice)
    assert [str(former) for former in FormerName.objects.all()] == ["lab/demo-env"]
    assert str(Environment.objects.get()) == "alice/demo-env"


@pytest.mark.parametrize("name", ["demo-env", "dem0-env", "demoenv"])
def test_a_name_that_is_taken_there_is_refused(alice: User, lab: Organisation, name: str) -> None:
    environment = make_version(alice).environment
    make_environment(lab, name)
    with pytest.raises(HubError, match=f"looks like lab/{name}") as refused:
        transfer(environment=environment, to=lab.owner, by=alice)
    assert refused.value.status == 409
    assert str(Environment.objects.get(pk=environment.pk)) == "alice/demo-env"
    assert not FormerName.objects.exists()


def test_a_name_that_another_one_left_there_is_refused(
    alice: User, carol: User, lab: Organisation
) -> None:
    transfer(environment=make_version(lab).environment, to=carol.owner, by=alice)
    with pytest.raises(HubError, match="lab/demo-env moved to carol/demo-env"):
        transfer(environment=make_version(alice).environment, to=lab.owner, by=alice)


def test_where_it_is_already_it_does_not_move(alice: User) -> None:
    with pytest.raises(HubError, match="is under alice already"):
        transfer(environment=make_version(alice).environment, to=alice.owner, by=alice)


def test_transfer_refuses_a_moved_or_deleted_environment(alice: User, lab: Organisation) -> None:
    old = make_version(alice).environment
    transfer(environment=Environment.objects.get(), to=lab.owner, by=alice)
    with pytest.raises(Stale, match="not under alice any more"):
        transfer(environment=old, to=lab.owner, by=alice)
    other = make_version(alice, "other").environment
    delete_environment(environment=Environment.objects.get(pk=other.pk), by=alice)
    with pytest.raises(Stale):
        transfer(environment=other, to=lab.owner, by=alice)


def test_limited_token_keeps_the_rights_of_its_user_after_a_transfer(
    alice: User, bob: User, carol: User, lab: Organisation
) -> None:
    environment = make_version(alice).environment
    token, _ = tokens.mint(user=alice, name="ci", scope="publish", environment=environment)
    assert can(alice, "environment.publish", environment, token)
    transfer(environment=environment, to=lab.owner, by=alice)
    assert can(alice, "environment.publish", environment, token)
    transfer(environment=environment, to=carol.owner, by=alice)
    assert not can(alice, "environment.publish", environment, token)


def test_nothing_of_an_upload_under_the_old_name_is_kept(
    alice: User, lab: Organisation, settings: Any, tmp_path: Path
) -> None:
    from tests.registry.catalog.test_deletion import upload

    settings.HUB_STORAGE_PATH = tmp_path / "files"
    transfer(environment=upload(alice, "0.1.0").environment, to=lab.owner, by=alice)
    with pytest.raises(HubError, match="alice/demo-env moved to lab/demo-env"):
        upload(alice, "0.2.0")
    assert Environment.objects.get().versions.count() == 1
