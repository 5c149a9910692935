"""Leaked tokens, reported over HTTP."""

from typing import Any

import pytest
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.test import Client

from registry.accounts import invitations, runners, services, tokens
from registry.models import Event, Organisation, Token, User
from tests.registry.conftest import Commit

pytestmark = pytest.mark.once


def test_leak_report_of_a_partner_is_answered_by_token(client: Client, alice: User) -> None:
    text = tokens.mint(user=alice, name="laptop", scope="publish")[1]
    url = "https://github.com/lab/envs/blob/main/.env"
    rows = [
        {"token": text, "type": "hub_token", "url": url, "source": "content"},
        {"token": "hub_none", "type": "hub_token", "url": "", "source": "content"},
    ]
    answer = client.post("/api/v1/leaks/", rows, "application/json")
    assert [item["label"] for item in answer.json()] == ["true_positive", "false_positive"]
    assert answer.json()[0] == {
        "token_raw": text,
        "token_type": "hub_token",
        "label": "true_positive",
    }
    token = Token.objects.get()
    assert token.revoked_because == f"leaked: {url}"
    assert Event.objects.filter(verb="token.leaked").count() == 1


def test_a_runners_token_ends_like_a_persons(client: Client, db: None) -> None:
    text = runners.create(name="gpu")[1]
    fields = {"token": text, "where": "a screenshot"}
    for _ in range(2):
        answer = client.post("/api/v1/leaks/", fields, "application/json")
        assert answer.json() == {"revoked": True}
    assert runners.verify(text) is None
    assert Event.objects.filter(verb="runner.leaked").count() == 1


def test_anybody_ends_a_token_that_they_can_show(client: Client, alice: User) -> None:
    text = tokens.mint(user=alice, name="laptop", scope="read")[1]
    fields = {"token": text, "where": "a screenshot"}
    for _ in range(2):
        answer = client.post("/api/v1/leaks/", fields, "application/json")
        assert (answer.status_code, answer.json()) == (200, {"revoked": True})
    other = client.post("/api/v1/leaks/", {"token": "hub_x"}, "application/json")
    assert other.json() == {"revoked": False}
    assert tokens.verify(text) is None


def test_the_mail_about_a_leaked_admin_token_names_invitations_and_members_since_it_was_made(
    client: Client,
    alice: User,
    bob: User,
    lab: Organisation,
    mailoutbox: list[EmailMessage],
    django_capture_on_commit_callbacks: Commit,
) -> None:
    def report(text: str) -> str:
        fields = {"token": text, "where": "a screenshot"}
        with django_capture_on_commit_callbacks(execute=True):
            client.post("/api/v1/leaks/", fields, "application/json")
        return str(mailoutbox[-1].body)

    invitations.invite(organisation=lab, to="early@example.com", role="member", by=alice)
    text = tokens.mint(user=alice, name="laptop", scope="admin")[1]
    invitations.invite(organisation=lab, to="thief@example.com", role="owner", by=alice)
    services.add_member(organisation=lab, user=bob, role="owner", by=alice)
    sent = report(text)
    assert "thief@example.com was invited to lab as owner" in sent
    assert "bob became owner of lab" in sent
    assert "early@example.com" not in sent
    assert "invited" not in report(tokens.mint(user=alice, name="x", scope="read")[1])


@pytest.mark.parametrize("body", [[], [7], [{"token": 7}], {"token": ""}, {}, [{}] * 101])
def test_an_odd_report_of_a_leak_is_refused(client: Client, db: None, body: Any) -> None:
    answer = client.post("/api/v1/leaks/", body, "application/json")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "request.invalid"


def test_reports_of_leaks_are_throttled(client: Client, db: None) -> None:
    cache.clear()
    codes = {
        client.post("/api/v1/leaks/", {"token": "hub_x"}, "application/json").status_code
        for _ in range(2 * 60 + 1)
    }
    assert codes == {200, 429}  # the counted minute may end in between, once
    cache.clear()
