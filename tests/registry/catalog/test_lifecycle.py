"""The moves of a version's status."""

import pytest
from django.db import IntegrityError, transaction

from registry.catalog.lifecycle import ALLOWED, move
from registry.errors import Stale
from registry.models import Event, User, Version
from tests.factories import STATES, make_version


@pytest.mark.parametrize("before", STATES)
@pytest.mark.parametrize("to", STATES)
def test_only_the_moves_of_the_table_are_made(alice: User, before: str, to: str) -> None:
    version = make_version(alice, status=before)
    if to in ALLOWED[before]:
        move(version, to, by=alice, reason="because")
        event = Event.objects.get(verb=f"version.{to}")
        assert (event.version, event.environment, event.actor) == (
            version,
            version.environment,
            alice,
        )
        assert event.data == {"before": before, "reason": "because"}
        expected = to
    else:
        with pytest.raises(Stale, match=before):
            move(version, to)
        assert not Event.objects.exists()
        expected = before
    assert Version.objects.get().status == expected


def test_listed_and_rejected_are_for_ever() -> None:
    assert not ALLOWED["listed"]
    assert ALLOWED["rejected"] == {"checking", "evaluating"}  # staff have it judged again
    assert set(ALLOWED) == set(STATES)


def test_a_move_from_a_state_the_row_has_left_changes_nothing(alice: User) -> None:
    version = make_version(alice, status="checking")
    same = Version.objects.get()
    move(version, "evaluating")
    with pytest.raises(Stale, match="not checking any more"):
        move(same, "rejected")
    assert Version.objects.get().status == "evaluating"
    assert Event.objects.count() == 1


def test_a_deleted_version_does_not_move(alice: User) -> None:
    version = make_version(alice, status="checking", deleted_at="2026-01-01T00:00:00Z")
    with pytest.raises(Stale):
        move(version, "evaluating")


def test_listing_sets_the_time_and_the_latest_version(alice: User) -> None:
    version = make_version(alice, status="evaluating", keywords=["Math", "tools"])
    assert version.environment.latest is None
    move(version, "listed")
    stored = Version.objects.get()
    assert stored.listed_at == version.listed_at
    assert stored.status_at == stored.listed_at
    assert stored.environment.latest == stored
    assert {tag.name for tag in stored.environment.tags.all()} == {"math", "tools"}


def test_next_step_is_enqueued_only_after_the_commit(
    alice: User, django_capture_on_commit_callbacks: object
) -> None:
    enqueued: list[str] = []
    version = make_version(alice, status="uploaded")
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        move(version, "checking", on_commit=lambda: enqueued.append("checking"))
        assert enqueued == []
    assert enqueued == ["checking"]


@pytest.mark.django_db(transaction=True)
def test_nothing_is_enqueued_or_stored_where_the_transaction_fails(alice: User) -> None:
    enqueued: list[str] = []
    version = make_version(alice, status="uploaded")

    def fail() -> None:
        with transaction.atomic():
            move(version, "checking", on_commit=lambda: enqueued.append("checking"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert enqueued == []
    assert Version.objects.get().status == "uploaded"
    assert not Event.objects.exists()


def test_the_database_refuses_a_listed_version_without_a_time(alice: User) -> None:
    version = make_version(alice, status="evaluating")
    with pytest.raises(IntegrityError), transaction.atomic():
        Version.objects.filter(pk=version.pk).update(status="listed")
