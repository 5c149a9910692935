"""What a workflow's token reaches, and what ends it."""

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from registry.accounts import tokens
from registry.accounts.permissions import can
from registry.models import (
    Environment,
    Event,
    Membership,
    Organisation,
    Token,
    TrustedPublisher,
    User,
)
from registry.publishers import exchange, services
from tests.factories import make_environment
from tests.registry.publishers.conftest import mint, no_match, publisher, used
from tests.registry.publishers.issuer import Issuer


def test_one_token_publishes_all_that_its_publishers_may(
    issuer: Issuer, alice: User, carol: User
) -> None:
    """A stranger who names somebody's repository gives power and takes none."""
    mine, foreign = make_environment(alice), make_environment(carol, "lure")
    publisher(foreign, carol)
    publisher(mine, alice)
    minted = mint(issuer)
    token, lure = used(minted, alice), used(minted, carol, "lure")
    assert (token.user, token.environment) == (alice, mine)
    assert (lure.user, lure.environment) == (carol, foreign)
    assert can(alice, "environment.publish", mine, token)
    assert not can(alice, "environment.publish", foreign, token)
    assert exchange.is_shared(token)
    assert used(minted, alice, "absent").environment == foreign  # which no upload there may use
    assert tokens.revoke_leaked(minted.text, where="x") is not None
    assert tokens.verify(minted.text) is None
    exchange.reach(token=token, owner=alice.owner, name="demo-env")
    assert not Token.objects.filter(revoked_at=None).exists()


def test_a_workflow_ends_its_token_wherever_it_reaches(
    client: Client, issuer: Issuer, alice: User, carol: User
) -> None:
    publisher(make_environment(carol, "lure"), carol)
    publisher(make_environment(alice), alice)
    minted = mint(issuer)
    used(minted, alice)
    headers = {"Authorization": f"Bearer {minted.text}"}
    assert client.delete("/api/v1/tokens/current/", headers=headers).status_code == 204
    assert exchange.verify(minted.text) is None
    assert not Token.objects.filter(revoked_at=None).exists()
    assert Event.objects.filter(verb="token.revoked").count() == Token.objects.count()


def test_used_publisher_takes_precedence_over_those_of_strangers(
    issuer: Issuer, alice: User, carol: User
) -> None:
    lure = publisher(make_environment(carol, "lure"), carol)
    publisher(make_environment(alice), alice)
    used(mint(issuer), alice)
    token = tokens.verify(mint(issuer).text)
    assert token is not None
    assert token.user == alice
    lure.refresh_from_db()
    assert lure.last_used_at is None


def test_thousands_of_strangers_cost_the_exchange_nothing(
    issuer: Issuer, alice: User, carol: User, django_assert_max_num_queries: Any
) -> None:
    mine = make_environment(alice)
    publisher(mine, alice)
    minted = mint(issuer)
    assert not exchange.is_shared(used(minted, alice))
    row = publisher(make_environment(carol, "lure"), carol)
    strange = [Environment(owner=carol.owner, name=f"lure-{n}") for n in range(5000)]
    fields = {name: getattr(row, name) for name in ("kind", "issuer", "subject", "claims", "key")}
    TrustedPublisher.objects.bulk_create(
        TrustedPublisher(environment=environment, added_by=carol, **fields)
        for environment in Environment.objects.bulk_create(strange)
    )
    with django_assert_max_num_queries(25):
        minted = mint(issuer)
    with django_assert_max_num_queries(25):
        token = used(minted, alice)
    assert token.user == alice
    with django_assert_max_num_queries(8):
        assert exchange.is_shared(token)
    assert Token.objects.filter(environment=mine).count() == Token.objects.count()


def test_power_ends_with_the_role_of_who_added_the_publisher(
    issuer: Issuer, lab: Organisation, alice: User, bob: User
) -> None:
    Membership.objects.filter(user=bob).update(role="maintainer")
    environment = make_environment(lab)
    publisher(environment, bob)
    text = mint(issuer).text
    token = tokens.verify(text)
    assert token is not None
    assert can(token.user, "environment.publish", environment, token)
    Membership.objects.filter(user=bob).update(role="member")
    again = tokens.verify(text)
    assert again is not None
    assert not can(again.user, "environment.publish", environment, again)
    no_match(issuer)
    Membership.objects.filter(user=bob).update(role="maintainer")
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert tokens.verify(text) is None
    no_match(issuer)


def test_removing_a_publisher_ends_its_tokens(issuer: Issuer, alice: User) -> None:
    environment = make_environment(alice)
    row = publisher(environment, alice)
    text = mint(issuer).text
    own = tokens.mint(user=alice, name="own", scope="publish", environment=environment)[1]
    services.remove(publisher=row, by=alice)
    assert tokens.verify(text) is None
    assert tokens.verify(own) is not None
    no_match(issuer)
    verbs = Event.objects.filter(environment=environment).values_list("verb", flat=True)
    assert {"publisher.added", "publisher.removed"} <= set(verbs)


def test_a_stranger_who_leaves_takes_nothing_with_them(
    issuer: Issuer, alice: User, carol: User
) -> None:
    """Otherwise the first to name a repository could revoke each of its tokens before their use."""
    mine, lure = make_environment(alice), publisher(make_environment(carol, "lure"), carol)
    publisher(mine, alice)
    minted = mint(issuer)
    assert Token.objects.get().user == carol
    services.remove(publisher=lure, by=carol)
    assert used(minted, alice).environment == mine
    token = exchange.verify(minted.text)
    assert token is not None
    assert token.user == alice
    Token.objects.filter(user=alice).delete()
    assert exchange.verify(minted.text) is not None
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert exchange.verify(minted.text) is None


def test_a_token_that_ended_is_no_good_to_publishers_that_come_later(
    issuer: Issuer, alice: User
) -> None:
    row = publisher(make_environment(alice), alice)
    minted = mint(issuer)
    services.remove(publisher=row, by=alice)
    past = timezone.now() - timedelta(minutes=16)
    Token.objects.update(created_at=past, expires_at=past + timedelta(minutes=15))
    publisher(make_environment(alice, "other"), alice)
    assert exchange.verify(minted.text) is None


def test_a_leaked_token_comes_to_no_life_again(issuer: Issuer, alice: User) -> None:
    """Not even by an upload that began before and went on until after."""
    for name in ("demo-env", "other"):
        publisher(make_environment(alice, name), alice)
    minted = mint(issuer)
    token = exchange.verify(minted.text)
    assert token is not None
    assert tokens.revoke_leaked(minted.text, where="x") is not None
    for name in ("demo-env", "other"):
        exchange.reach(token=token, owner=alice.owner, name=name)
    assert exchange.verify(minted.text) is None
    assert not Token.objects.filter(revoked_at=None).exists()
