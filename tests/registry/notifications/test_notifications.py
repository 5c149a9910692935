"""Notifications: made once from the journal, for those who may know, and mailed by choice."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.utils import timezone

from registry import events
from registry.accounts import invitations
from registry.accounts.models import Membership, Organisation
from registry.catalog import overlays
from registry.catalog.lifecycle import move
from registry.catalog.services import set_visibility
from registry.errors import HubError
from registry.events import PendingEvent
from registry.models import Run, User, Version
from registry.moderation import services as moderation
from registry.notifications import kinds, services, watches
from registry.notifications.kinds import KINDS
from registry.notifications.models import Notification
from registry.read_models import notifications as read_models
from registry.runs import suites
from registry.runs.endings import end
from tests.factories import make_run, make_version
from tests.people import person

pytestmark = pytest.mark.django_db


def listed(owner: Any, name: str = "demo-env", number: str = "0.1.0", **fields: Any) -> Version:
    """A version that the pipeline's own transition listed, and no notification of it."""
    version = make_version(owner, name, number, status="evaluating", **fields)
    move(version, "listed")
    services.deliver()
    Notification.objects.all().delete()
    return version


def told(user: User) -> list[str]:
    """The kinds that the user is notified of, oldest first; pending events are delivered."""
    services.deliver()
    user = User.objects.get(pk=user.pk)
    return [row.kind for row in read_models.rows(user).order_by("pk")]


def test_every_verb_of_a_kind_is_news_and_the_other_way_round() -> None:
    verbs = {verb for kind in KINDS.values() for verb in kind.verbs}
    assert verbs == events.NEWS
    assert {kind.name for kind in kinds.PUBLIC}.isdisjoint({"rejected", "held", "invitation"})


def test_publishers_and_watchers_learn_of_a_listed_version(
    lab: Organisation, alice: User, bob: User, carol: User, root: User
) -> None:
    env = listed(lab).environment
    watches.watch(environment=env, by=carol)
    move(make_version(lab, "demo-env", "0.2.0", status="evaluating"), "listed")
    assert told(alice) == ["listed"]
    assert told(carol) == ["listed"]
    assert told(bob) == told(root) == []  # a member who does not watch, and staff


@pytest.mark.parametrize("status", ["rejected", "held"])
def test_only_publishers_learn_that_a_version_was_not_listed(
    lab: Organisation, alice: User, bob: User, carol: User, status: str
) -> None:
    env = listed(lab).environment
    for user in (bob, carol):
        watches.watch(environment=env, by=user)
    move(make_version(lab, "demo-env", "0.2.0", status="evaluating"), status, reason="no reward")
    assert told(alice) == [status]
    assert told(bob) == told(carol) == []
    (row,) = read_models.summaries(list(read_models.rows(alice)))
    assert "lab/demo-env 0.2.0" in row.title
    assert (row.text, row.read) == ("no reward", False)
    assert row.url.endswith("/envs/lab/demo-env/0.2.0/")


def test_nobody_is_notified_of_what_they_did(lab: Organisation, alice: User, carol: User) -> None:
    version = listed(lab)
    watches.watch(environment=version.environment, by=alice)
    watches.watch(environment=version.environment, by=carol)
    overlays.yank(version=version, by=alice, reason="leaks answers")
    assert told(alice) == []
    assert told(carol) == ["yanked"]


def test_an_event_makes_no_notification_twice(alice: User, carol: User) -> None:
    version = listed(alice)
    watches.watch(environment=version.environment, by=carol)
    watches.watch(environment=version.environment, by=alice)  # a publisher who watches too
    overlays.quarantine(version=version, by=carol, reason="malware")
    assert PendingEvent.objects.count() == 1
    assert services.deliver() == 1
    assert services.deliver() == PendingEvent.objects.count() == 0
    assert Notification.objects.count() == 1  # alice's; carol did it


def test_an_evaluation_is_news_for_its_requester_and_a_failure_for_them_alone(
    alice: User, bob: User, carol: User
) -> None:
    version = listed(alice)
    watches.watch(environment=version.environment, by=bob)
    shape = {"purpose": "evaluation", "suite": suites.built_in("full"), "requested_by": carol}
    done = make_run(version, status="queued", model="qwen3-8b", **shape)
    end(run=done, status=Run.Status.SUCCEEDED)
    lost = make_run(version, status="queued", model="tiny", **shape)
    end(run=lost, status=Run.Status.ERRORED)
    end(run=make_run(version, status="queued"), status=Run.Status.SUCCEEDED)  # decides on listing
    assert told(carol) == ["evaluated", "not_evaluated"]
    assert told(alice) == told(bob) == ["evaluated"]
    assert read_models.summaries(list(read_models.rows(bob)))[0].url.endswith(f"/runs/{done.pk}/")


def test_the_invited_learn_of_their_invitation(lab: Organisation, alice: User, carol: User) -> None:
    invitations.invite(organisation=lab, to="carol", role="maintainer", by=alice)
    invitations.invite(organisation=lab, to="x@example.com", role="member", by=alice)
    assert told(carol) == ["invitation"]
    (row,) = read_models.summaries(list(read_models.rows(carol)))
    assert row.title == "alice invites you to lab as maintainer"
    assert row.url.endswith("/settings/invitations/")


def test_only_a_confirmed_failure_of_a_remeasurement_is_news(alice: User, carol: User) -> None:
    version = listed(alice)
    watches.watch(environment=version.environment, by=carol)
    for outcome in ("passed", "unconfirmed", "undecided", "failed"):
        events.record(
            "version.remeasured", environment=version.environment, version=version, outcome=outcome
        )
    assert told(carol) == ["no_longer_passes"]


def test_what_one_may_no_longer_see_is_not_shown(
    lab: Organisation, alice: User, bob: User, carol: User
) -> None:
    version = listed(lab)
    Membership.objects.filter(user=bob).update(role="maintainer")
    watches.watch(environment=version.environment, by=carol)
    move(make_version(lab, "demo-env", "0.2.0", status="evaluating"), "rejected")
    overlays.yank(version=version, by=alice, reason="old")
    assert told(carol) == ["yanked"]
    assert told(bob) == ["rejected", "yanked"]
    Membership.objects.filter(user=bob).delete()
    assert told(bob) == ["yanked"]  # the rejected version is not theirs any more
    set_visibility(environment=version.environment, visibility="private", by=alice)
    assert told(bob) == told(carol) == []
    overlays.unyank(version=version, by=alice)
    overlays.yank(version=version, by=alice, reason="again")
    services.deliver()
    assert Notification.objects.filter(user=carol).count() == 1  # watching gives no rights


def test_mail_is_sent_once_to_those_who_chose_it_and_confirmed_their_address(
    alice: User, bob: User, carol: User, django_capture_on_commit_callbacks: Any
) -> None:
    version = listed(alice)
    for user in (bob, carol):
        watches.watch(environment=version.environment, by=user)
        services.choose_mail(user=user, kinds=["yanked"])
    EmailAddress.objects.create(user=carol, email=carol.email, primary=True, verified=True)
    with django_capture_on_commit_callbacks(execute=True):
        overlays.yank(version=version, by=alice, reason="leaks\nanswers")
        services.deliver()
        assert services.send_mails() == 1
        assert services.send_mails() == 0
    (message,) = mail.outbox
    assert message.to == [carol.email]
    assert message.subject == "alice/demo-env 0.1.0 was yanked"
    assert "leaks answers" in message.body
    assert "/envs/alice/demo-env/0.1.0/" in message.body


def test_no_mail_is_sent_about_what_has_become_private(
    alice: User, carol: User, django_capture_on_commit_callbacks: Any
) -> None:
    version = listed(alice)
    watches.watch(environment=version.environment, by=carol)
    services.choose_mail(user=carol, kinds=["yanked"])
    EmailAddress.objects.create(user=carol, email=carol.email, primary=True, verified=True)
    with django_capture_on_commit_callbacks(execute=True):
        overlays.yank(version=version, by=alice, reason="old")
        services.deliver()
        set_visibility(environment=version.environment, visibility="private", by=alice)
        services.send_mails()
    assert mail.outbox == []


def test_owners_get_one_mail_of_a_quarantine(
    alice: User, root: User, django_capture_on_commit_callbacks: Any
) -> None:
    version = listed(alice)
    services.choose_mail(user=alice, kinds=["quarantined"])
    EmailAddress.objects.create(user=alice, email=alice.email, primary=True, verified=True)
    with django_capture_on_commit_callbacks(execute=True):
        moderation.quarantine(target=version, by=root, reason="malware")
        services.deliver()
        services.send_mails()
    assert len(mail.outbox) == 1
    assert told(alice) == ["quarantined"]


def test_mail_is_offered_for_known_kinds_alone(alice: User) -> None:
    for kind in ("invitation", "nothing"):
        with pytest.raises(HubError, match="must be one of"):
            services.choose_mail(user=alice, kinds=[kind])


def test_the_number_of_watched_environments_is_bounded(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (listed(alice, name).environment for name in ("one-env", "two-env"))
    monkeypatch.setattr(watches, "MAX_WATCHED", 1)
    watches.watch(environment=first, by=carol)
    watches.watch(environment=first, by=carol)
    with pytest.raises(HubError, match="the limit is 1"):
        watches.watch(environment=second, by=carol)
    watches.unwatch(environment=first, by=carol)
    watches.unwatch(environment=first, by=carol)
    watches.watch(environment=second, by=carol)
    assert watches.watched(environment=second, actor=carol)


def test_marking_as_read_touches_the_persons_own_alone(alice: User, carol: User) -> None:
    version = listed(alice)
    watches.watch(environment=version.environment, by=carol)
    event = events.record("version.listed", environment=version.environment, version=version)
    services.deliver()
    other = Notification.objects.get(user=alice, event=event)
    assert services.mark_read(user=carol, pk=other.pk) == 0
    assert services.mark_read(user=carol) == 1
    assert (services.unread_count(carol), services.unread_count(alice)) == (0, 1)


def test_old_notifications_are_deleted(alice: User) -> None:
    listed(alice)
    row = Notification.objects.create(
        user=alice, event=events.record("version.listed"), kind="listed"
    )
    services.delete_old(now=timezone.now())
    assert Notification.objects.filter(pk=row.pk).exists()
    services.delete_old(now=timezone.now() + services.KEPT)
    assert not Notification.objects.exists()


def test_the_cost_of_an_event_does_not_grow_with_its_watchers(
    alice: User, django_assert_max_num_queries: Any
) -> None:
    version = listed(alice)
    for number in range(30):
        watches.watch(environment=version.environment, by=person(f"watcher-{number}"))
    overlays.yank(version=version, by=alice, reason="old")
    with django_assert_max_num_queries(12):
        services.deliver()
    assert Notification.objects.count() == 30
