"""Yank, quarantine, deprecate: laid over versions and environments, and taken off again."""

import pytest

from registry.catalog import overlays
from registry.catalog.changes import IndexChange
from registry.errors import HubError, Stale
from registry.models import Environment, Event, Organisation, User, Version
from tests.factories import make_environment, make_version


def latest(environment: Environment) -> str | None:
    """The number of the latest version, as stored."""
    row = Environment.objects.get(pk=environment.pk).latest
    return row.version if row else None


def test_a_yanked_version_gives_way_and_comes_back(alice: User) -> None:
    environment = make_version(alice, version="0.1.0", summary="old").environment
    newest = make_version(alice, version="0.2.0", summary="new")
    overlays.yank(version=newest, by=alice, reason="wrong  reward\n")
    assert latest(environment) == "0.1.0"
    assert Environment.objects.get().summary == "old"
    assert Version.objects.get(version="0.2.0").yanked_reason == "wrong reward"
    overlays.unyank(version=newest, by=alice)
    assert latest(environment) == "0.2.0"
    assert Version.objects.get(version="0.2.0").yanked_at is None
    verbs = list(Event.objects.filter(version=newest).values_list("verb", flat=True))
    assert verbs == ["version.yanked", "version.unyanked"]


def test_without_a_current_version_there_is_no_latest(alice: User) -> None:
    only = make_version(alice)
    overlays.yank(version=only, by=alice, reason="wrong")
    assert latest(only.environment) is None


@pytest.mark.parametrize("status", ["uploaded", "evaluating", "rejected", "held"])
def test_only_a_listed_version_can_be_yanked(alice: User, status: str) -> None:
    version = make_version(alice, status=status)
    with pytest.raises(Stale, match=status):
        overlays.yank(version=version, by=alice, reason="wrong")
    assert Version.objects.get().yanked_at is None


def test_yanking_twice_is_stale(alice: User) -> None:
    version = make_version(alice)
    overlays.yank(version=version, by=alice, reason="first")
    with pytest.raises(Stale, match="cannot be yanked: it is listed, or yanked already"):
        overlays.yank(version=version, by=alice, reason="second")
    assert Version.objects.get().yanked_reason == "first"


@pytest.mark.parametrize("reason", ["", "  ", "x" * 401])
def test_yank_needs_a_short_reason(alice: User, reason: str) -> None:
    with pytest.raises(HubError, match="1 to 400"):
        overlays.yank(version=make_version(alice), by=alice, reason=reason)


def test_a_quarantined_version_is_nowhere_until_released(alice: User, root: User) -> None:
    version = make_version(alice)
    overlays.quarantine(version=version, by=root, reason="malware")
    assert latest(version.environment) is None
    assert not Version.objects.installable().exists()
    overlays.release(version=version, by=root)
    assert latest(version.environment) == "0.1.0"
    assert Version.objects.installable().exists()


def test_quarantine_needs_a_reason(alice: User, root: User) -> None:
    with pytest.raises(HubError, match="1 to 400"):
        overlays.quarantine(version=make_version(alice), by=root, reason=" ")


def test_a_quarantined_environment_takes_all_its_versions_along(alice: User, root: User) -> None:
    environment = make_version(alice).environment
    overlays.quarantine_environment(environment=environment, by=root, reason="mines coins")
    assert not Version.objects.installable().exists()
    assert not Environment.objects.listed().exists()
    with pytest.raises(Stale):
        overlays.quarantine_environment(environment=environment, by=root, reason="again")
    overlays.release_environment(environment=environment, by=root)
    assert Version.objects.installable().exists()
    assert latest(environment) == "0.1.0"
    verbs = list(Event.objects.filter(environment=environment).values_list("verb", flat=True))
    assert verbs == ["environment.quarantined", "environment.released"]


def test_deprecation_is_set_changed_and_undone(alice: User, carol: User) -> None:
    environment = make_version(alice, "old").environment
    better = make_version(carol, "better").environment
    IndexChange.objects.all().delete()
    overlays.deprecate(environment=environment, by=alice, reason=" no \n more")
    overlays.deprecate(environment=environment, by=alice, reason="use better", successor=better)
    stored = Environment.objects.get(pk=environment.pk)
    assert (stored.deprecation_reason, stored.shown_successor) == ("use better", better)
    overlays.undeprecate(environment=environment, by=alice)
    stored = Environment.objects.get(pk=environment.pk)
    assert (stored.deprecated_at, stored.successor) == (None, None)
    with pytest.raises(Stale, match="alice/old is undeprecated already"):
        overlays.undeprecate(environment=environment, by=alice)
    assert IndexChange.objects.filter(name="old").count() == 3


def test_a_successor_is_another_one_that_everybody_may_use(alice: User, lab: Organisation) -> None:
    old = make_version(alice, "old").environment
    refused = {
        "is the environment itself": old,
        "is deprecated too": make_version(alice, "gone").environment,
        "is not listed": make_environment(alice, "empty"),
        "not for everybody": make_version(alice, "secret", visibility="private").environment,
    }
    overlays.deprecate(environment=refused["is deprecated too"], by=alice, reason="old")
    for why, successor in refused.items():
        with pytest.raises(HubError, match=why) as problem:
            overlays.deprecate(environment=old, by=alice, reason="r", successor=successor)
        assert problem.value.details == {"field": "successor"}
    assert Environment.objects.get(pk=old.pk).deprecated_at is None


def test_a_private_environment_may_lead_to_another_one_of_its_owner(
    alice: User, lab: Organisation
) -> None:
    old = make_version(alice, "old", visibility="private").environment
    new = make_version(alice, "new", visibility="private").environment
    other = make_version(lab, "other", visibility="private").environment
    overlays.deprecate(environment=old, by=alice, reason="r", successor=new)
    with pytest.raises(HubError, match="not for everybody"):
        overlays.deprecate(environment=old, by=alice, reason="r", successor=other)


def test_a_successor_that_was_hidden_later_is_not_shown(alice: User, carol: User) -> None:
    old, new = make_version(alice, "old").environment, make_version(carol, "new").environment
    overlays.deprecate(environment=old, by=alice, reason="r", successor=new)
    Environment.objects.filter(pk=new.pk).update(visibility="private")
    assert Environment.objects.get(pk=old.pk).shown_successor is None


@pytest.mark.parametrize("named", ["carol/secret", "carol/nothing", "nobody/x"])
def test_hidden_and_missing_successors_look_the_same(alice: User, carol: User, named: str) -> None:
    make_version(carol, "secret", visibility="private")
    with pytest.raises(HubError) as refused:
        overlays.parse_successor(named, actor=alice)
    assert refused.value.message == f"successor {named!r} is no environment that you may see"


def test_a_successor_is_named_like_any_environment(alice: User) -> None:
    environment = make_version(alice).environment
    assert overlays.parse_successor("alice/Demo_Env", actor=alice) == environment
    assert overlays.parse_successor("", actor=alice) is None
    with pytest.raises(HubError, match="write owner/name"):
        overlays.parse_successor("demo-env", actor=alice)
