"""API tokens."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.utils import timezone

from registry.accounts import token_format, tokens
from registry.errors import HubError, NotFound
from registry.models import Event, Token, User
from tests.registry.conftest import Commit


def test_a_minted_token_is_found_by_its_text_and_only_its_digest_is_stored(alice: User) -> None:
    token, text = tokens.mint(user=alice, name="laptop", scope="publish")
    assert tokens.verify(text) == token
    assert text not in str(Token.objects.values().get())
    assert Event.objects.filter(verb="token.minted", actor=alice).count() == 1


def test_an_expired_token_is_not_usable(alice: User) -> None:
    text = tokens.mint(user=alice, name="laptop", scope="read", days=1)[1]
    assert Token.objects.get().usable
    now = timezone.now()
    Token.objects.update(created_at=now - timedelta(days=1), expires_at=now - timedelta(seconds=1))
    assert not Token.objects.get().usable
    assert tokens.verify(text) is None


def test_a_revoked_token_is_not_usable(alice: User) -> None:
    token, text = tokens.mint(user=alice, name="laptop", scope="read")
    tokens.revoke(user=alice, public_id=token.public_id)
    assert tokens.verify(text) is None


def test_user_cannot_revoke_the_token_of_another(alice: User, carol: User) -> None:
    token, text = tokens.mint(user=alice, name="laptop", scope="read")
    with pytest.raises(NotFound):
        tokens.revoke(user=carol, public_id=token.public_id)
    assert tokens.verify(text) == token


def test_token_of_a_disabled_account_is_not_usable(alice: User) -> None:
    text = tokens.mint(user=alice, name="laptop", scope="read")[1]
    User.objects.update(is_active=False)
    assert tokens.verify(text) is None


def test_use_is_noted_at_most_once_a_minute(alice: User) -> None:
    token, text = tokens.mint(user=alice, name="laptop", scope="read")
    tokens.verify(text)
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    tokens.verify(text)
    token.refresh_from_db()
    assert token.last_used_at == first
    Token.objects.update(last_used_at=first - timedelta(seconds=61))
    tokens.verify(text)
    token.refresh_from_db()
    assert token.last_used_at is not None
    assert token.last_used_at >= first


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": " "}, "1 to 80"),
        ({"name": "x" * 81}, "1 to 80"),
        ({"scope": "all"}, "scope 'all'"),
        ({"days": 0}, "days 0"),
        ({"days": 4000}, "days 4000"),
    ],
)
def test_a_token_that_breaks_a_rule_is_refused_by_name(
    alice: User, wrong: dict[str, object], message: str
) -> None:
    fields = {"name": "laptop", "scope": "read", "days": 1} | wrong
    with pytest.raises(HubError, match=message):
        tokens.mint(user=alice, **fields)  # type: ignore[arg-type]


def test_leaked_token_is_revoked_with_one_mail(
    alice: User, mailoutbox: list[EmailMessage], django_capture_on_commit_callbacks: Commit
) -> None:
    token, text = tokens.mint(user=alice, name="laptop", scope="publish")
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            assert tokens.revoke_leaked(text, where="https://example.com/a\nb") is not None
    assert tokens.verify(text) is None
    assert Token.objects.get().revoked_because == "leaked: https://example.com/a b"
    event = Event.objects.get(verb="token.leaked")
    assert (event.owner, event.data["token"]) == (alice.owner, token.public_id)
    assert [mail.to for mail in mailoutbox] == [["alice@example.com"]]
    assert text not in mailoutbox[0].body
    assert token.public_id in mailoutbox[0].body


def test_a_text_that_is_no_token_of_ours_leaks_nothing(alice: User) -> None:
    assert tokens.revoke_leaked("hub_nonsense", where="x") is None
    assert tokens.revoke_leaked(token_format.new("hub_").text, where="x") is None
    assert not Event.objects.filter(verb="token.leaked").exists()


def test_a_revocation_outlives_a_mail_server_that_is_down(
    alice: User, settings: Any, django_capture_on_commit_callbacks: Commit
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    text = tokens.mint(user=alice, name="laptop", scope="publish")[1]
    with django_capture_on_commit_callbacks(execute=True):
        tokens.revoke_leaked(text, where="x")
    assert tokens.verify(text) is None
