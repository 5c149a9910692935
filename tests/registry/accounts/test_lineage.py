"""Tokens that tokens make: bounded by their maker, and revoked with it."""

from __future__ import annotations

import re
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.db import connection
from django.test import Client
from django.utils import timezone

from registry.accounts import index_credentials, tokens
from registry.errors import HubError
from registry.models import Environment, Event, Token, TrustedPublisher, User
from registry.publishers import leaked
from registry.publishers import services as publishers
from tests.factories import bearer, make_environment
from tests.registry.conftest import Commit

JSON = "application/json"
TOKENS = "/api/v1/tokens/"


def admin(user: User, *, days: int | None = 1) -> tuple[Token, str]:
    return tokens.mint(user=user, name="parent", scope="admin", days=days)


def make(client: Client, text: str, **fields: Any) -> Any:
    headers = {"Authorization": f"Bearer {text}"}
    sent = {"name": "child", "scope": "publish"} | fields
    return client.post(TOKENS, sent, content_type=JSON, headers=headers)


@pytest.mark.parametrize("days", [None, 2, 3650])
def test_a_token_makes_none_that_outlives_it(client: Client, alice: User, days: int | None) -> None:
    answer = make(client, admin(alice)[1], days=days)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (403, "token.exceeds_parent")
    assert error["details"]["field"] == "days"
    assert Token.objects.count() == 1


def test_a_token_made_without_an_end_ends_with_its_maker(client: Client, alice: User) -> None:
    parent, text = admin(alice)
    assert make(client, text).status_code == 201
    child = Token.objects.get(name="child")
    assert (child.parent, child.expires_at) == (parent, parent.expires_at)


def test_a_maker_without_an_end_makes_tokens_of_any_length(client: Client, alice: User) -> None:
    text = admin(alice, days=None)[1]
    assert make(client, text, days=None).json()["expires_at"] is None
    assert make(client, text, days=3650).status_code == 201
    usual = make(client, text).json()["expires_at"]
    assert usual[:10] == f"{timezone.now() + timedelta(days=90):%Y-%m-%d}"


@pytest.mark.parametrize("scope", ["read", "publish"])
def test_a_lesser_token_makes_none_at_all(client: Client, alice: User, scope: str) -> None:
    text = tokens.mint(user=alice, name="parent", scope=scope)[1]
    assert make(client, text, scope="read").status_code == 403
    parent = Token.objects.get()
    with pytest.raises(HubError) as refused:
        tokens.mint(user=alice, name="x", scope="admin", parent=parent)
    assert refused.value.code == "token.exceeds_parent"


def test_a_token_for_one_environment_makes_none_for_another(alice: User) -> None:
    first, other = make_environment(alice), make_environment(alice, "other")
    parent = tokens.mint(user=alice, name="parent", scope="admin", environment=first)[0]

    def code(environment: Environment | None) -> str:
        with pytest.raises(HubError) as refused:
            tokens.mint(user=alice, name="x", scope="read", environment=environment, parent=parent)
        return refused.value.code

    assert {code(None), code(other)} == {"token.exceeds_parent"}


def test_a_maker_that_has_just_ended_makes_nothing(alice: User, carol: User) -> None:
    ended, revoked = admin(alice)[0], admin(alice)[0]
    past = timezone.now() - timedelta(seconds=1)
    Token.objects.filter(pk=ended.pk).update(created_at=past - timedelta(days=1), expires_at=past)
    tokens.revoke(user=alice, public_id=revoked.public_id)
    for parent in (ended, revoked):  # as they were when the request was authenticated
        with pytest.raises(HubError) as refused:
            tokens.mint(user=alice, name="x", scope="read", days=1, parent=parent)
        assert refused.value.code == "token.invalid"
    with pytest.raises(HubError):
        tokens.mint(user=carol, name="x", scope="read", days=1, parent=admin(alice)[0])


def test_descendants_are_revoked_with_their_maker(client: Client, alice: User) -> None:
    parent, text = admin(alice)
    child = make(client, text, scope="admin").json()
    grandchild = make(client, child["token"]).json()
    apart = admin(alice)[1]
    tokens.revoke(user=alice, public_id=parent.public_id)
    assert tokens.verify(child["token"]) is None
    assert tokens.verify(grandchild["token"]) is None
    assert tokens.verify(apart) is not None
    reason = Token.objects.get(public_id=grandchild["public_id"]).revoked_because
    assert reason == "the token that made it was revoked"
    assert Event.objects.filter(verb="token.revoked").count() == 3


def test_a_child_of_a_leaked_token_is_revoked_and_named_in_the_mail(
    client: Client,
    alice: User,
    mailoutbox: list[EmailMessage],
    django_capture_on_commit_callbacks: Commit,
) -> None:
    text = admin(alice)[1]
    child = make(client, text, scope="admin").json()
    grandchild = make(client, child["token"]).json()
    with django_capture_on_commit_callbacks(execute=True):
        assert leaked.revoke(text, where="a paste")
    assert tokens.verify(child["token"]) is None
    assert tokens.verify(grandchild["token"]) is None
    mail = mailoutbox[-1].body
    assert child["public_id"] in mail
    assert grandchild["public_id"] in mail
    assert Token.objects.get(public_id=child["public_id"]).revoked_because.endswith("leaked")


def test_trusted_publishers_added_with_a_leaked_token_are_removed(
    client: Client,
    alice: User,
    mailoutbox: list[EmailMessage],
    django_capture_on_commit_callbacks: Commit,
) -> None:
    make_environment(alice)
    text = admin(alice)[1]
    path = "/api/v1/environments/alice/demo-env/publishers/"
    sent = {"kind": "github", "repository": "eve/evil", "workflow": "x.yml"}
    headers = {"Authorization": f"Bearer {text}"}
    assert client.post(path, sent, content_type=JSON, headers=headers).status_code == 201
    mine = publishers.add(
        to=Environment.objects.get(),
        kind="github",
        fields={"repository": "alice/good", "workflow": "x.yml"},
        by=alice,
    )
    with django_capture_on_commit_callbacks(execute=True):
        assert leaked.revoke(text, where="a paste")
    assert list(TrustedPublisher.objects.all()) == [mine]
    assert "eve/evil" in mailoutbox[-1].body
    assert Event.objects.filter(verb="publisher.removed", actor=None).count() == 1


def test_index_credential_reaches_no_further_than_its_token(alice: User) -> None:
    first, other = make_environment(alice), make_environment(alice, "other")
    token = tokens.mint(user=alice, name="x", scope="read", environment=first)[0]
    assert (
        index_credentials.verify(index_credentials.issue(token=token, environment_id=first.pk))
        is not None
    )
    assert (
        index_credentials.verify(index_credentials.issue(token=token, environment_id=other.pk))
        is None
    )


def test_token_page_names_the_tokens_that_end_with_it(client: Client, alice: User) -> None:
    parent, text = admin(alice)
    make(client, text)
    client.force_login(alice)
    page = client.get(f"/settings/tokens/{parent.public_id}/revoke/").content.decode()
    assert "child" in page
    listed = client.get("/settings/tokens/").content.decode()
    words = re.sub(r"<[^>]+>", " ", listed)
    assert f"created with {parent.public_id}" in " ".join(words.split())
    assert client.get(TOKENS, headers=bearer(alice, "admin")).json()["results"][1]["parent"]


def mint_at(ready: threading.Barrier, parent: Token, texts: list[str]) -> None:
    """Mint a child as soon as all are ready; what its maker's end refuses is left out."""
    try:
        ready.wait(30)
        minted = tokens.mint(
            user=parent.user, name="x", scope="read", days=1, parent=parent, shorten=True
        )
        texts.append(minted[1])
    except HubError as refused:
        texts.append(refused.code)
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_token_made_while_its_maker_is_revoked_does_not_survive(alice: User) -> None:
    for _ in range(4):
        parent, ready, texts = admin(alice)[0], threading.Barrier(4), list[str]()
        threads = [threading.Thread(target=mint_at, args=(ready, parent, texts)) for _ in range(3)]
        for thread in threads:
            thread.start()
        ready.wait(30)
        tokens.revoke(user=alice, public_id=parent.public_id)
        for thread in threads:
            thread.join(60)
        assert len(texts) == 3
        assert {text for text in texts if not text.startswith("hub_")} <= {"token.invalid"}
        assert [text for text in texts if tokens.verify(text)] == []
