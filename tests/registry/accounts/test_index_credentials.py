"""Loans read one environment for a quarter of an hour and lean on their token."""

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from registry.accounts import index_credentials, tokens
from registry.models import Organisation, Token, User
from tests.factories import make_environment, make_version


def issue_credential(
    user: User, organisation: Organisation, name: str = "demo-env"
) -> tuple[Token, str]:
    token = tokens.mint(user=user, name="test", scope="admin")[0]
    return token, index_credentials.issue(
        token=token, environment_id=make_environment(organisation, name).pk
    )


def index_status(client: Client, text: str, name: str = "demo-env") -> int:
    headers = {"Authorization": f"Bearer {text}"}
    return client.get(f"/lab/simple/{name}/", headers=headers).status_code


def test_index_credential_reads_its_environment_and_no_other(
    client: Client, bob: User, lab: Organisation
) -> None:
    make_version(lab, visibility="private")
    make_version(lab, "other-env", visibility="private")
    _, text = issue_credential(bob, lab)
    assert index_status(client, text) == 200
    assert index_status(client, text, "other-env") == 404
    headers = {"Authorization": f"Bearer {text}"}
    for path in ("tokens/", "whoami/", "user/teams", "environments/lab/demo-env/"):
        assert client.get(f"/api/v1/{path}", headers=headers).status_code == 401
    assert Token.objects.count() == 1


def test_index_credential_ends_with_its_token_or_its_membership(
    client: Client, bob: User, lab: Organisation
) -> None:
    make_version(lab, visibility="private")
    token, text = issue_credential(bob, lab)
    Token.objects.filter(pk=token.pk).update(revoked_at=timezone.now())
    assert index_status(client, text) == 401
    Token.objects.filter(pk=token.pk).update(revoked_at=None)
    assert index_status(client, text) == 200
    lab.memberships.filter(user=bob).delete()
    assert index_status(client, text) == 404


def test_index_credential_ends_after_a_quarter_of_an_hour(
    bob: User, lab: Organisation, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text = issue_credential(bob, lab)
    assert index_credentials.verify(text) is not None
    late = signing.time.time() + 901
    monkeypatch.setattr(signing.time, "time", lambda: late)
    assert index_credentials.verify(text) is None


@pytest.mark.parametrize("text", ["", "hublent_", "hublent_x:y:z", "hublent_\udc80", "hub_x"])
def test_index_credential_needs_a_valid_signature(db: None, text: str) -> None:
    assert index_credentials.verify(text) is None


def test_index_credential_is_no_cursor_or_run_token(bob: User, lab: Organisation) -> None:
    token, text = issue_credential(bob, lab)
    other = signing.dumps([token.public_id, 1], salt="registry.runs.token")
    assert index_credentials.verify(index_credentials.PREFIX + other) is None
    assert index_credentials.verify(text[:-1] + ("A" if text[-1] != "A" else "B")) is None
