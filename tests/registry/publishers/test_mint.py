"""An identity token becomes a token of ours, once, for what its publishers may publish."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as live
from django.db import connection
from django.utils import timezone

from registry.accounts import tokens
from registry.accounts.permissions import can
from registry.errors import HubError
from registry.models import (
    Environment,
    Event,
    Organisation,
    Token,
    TrustedPublisher,
    UsedJti,
    User,
)
from registry.publishers import exchange, services
from tests.factories import make_environment
from tests.registry.publishers.conftest import FIELDS, mint, no_match, publisher, used
from tests.registry.publishers.issuer import Issuer


def test_the_token_publishes_that_environment_for_a_quarter_of_an_hour(
    issuer: Issuer, alice: User
) -> None:
    environment, other = make_environment(alice), make_environment(alice, "other")
    publisher(environment, alice)
    minted = mint(issuer)
    token = tokens.verify(minted.text)
    assert token is not None
    assert token.expires_at == minted.expires_at
    left = minted.expires_at - timezone.now()
    assert timedelta(minutes=14, seconds=50) < left <= timedelta(minutes=15)
    assert can(alice, "environment.publish", environment, token)
    assert not can(alice, "environment.publish", other, token)
    assert not can(alice, "owner.publish", alice.owner, token)
    assert not can(alice, "environment.manage", environment, token)
    assert token.published_with["repository"] == "Lab/envs"
    assert token.published_with["run"] == f"{issuer.url}/Lab/envs/actions/runs/77"
    event = Event.objects.get(verb="token.minted")
    assert (event.actor, event.environment) == (alice, environment)
    assert event.data["published_with"]["sha"].startswith("c0ffee")


def test_an_identity_token_is_exchanged_once(issuer: Issuer, alice: User) -> None:
    publisher(make_environment(alice), alice)
    text = issuer.token(live.HUB_URL)
    exchange.mint(identity_token=text)
    with pytest.raises(HubError) as caught:
        exchange.mint(identity_token=text)
    assert caught.value.code == "publisher.token_used"
    assert Token.objects.count() == 1


def test_its_id_is_kept_longer_than_the_token_could_be_accepted(
    issuer: Issuer, alice: User
) -> None:
    publisher(make_environment(alice), alice)
    UsedJti.objects.create(issuer="x", jti="old", kept_until=timezone.now() - timedelta(seconds=1))
    claims = issuer.claims(live.HUB_URL)
    mint(issuer, **claims)
    used = UsedJti.objects.get()  # the old one is gone
    assert used.jti == claims["jti"]
    assert used.kept_until.timestamp() >= claims["exp"] + 30 + 300


def test_an_exchange_that_fails_does_not_use_the_token_up(issuer: Issuer, alice: User) -> None:
    text = issuer.token(live.HUB_URL)
    with pytest.raises(HubError):
        exchange.mint(identity_token=text)
    publisher(make_environment(alice), alice)
    assert exchange.mint(identity_token=text)


@pytest.mark.django_db(transaction=True)
def test_of_two_exchanges_at_once_one_wins(issuer: Issuer, alice: User) -> None:
    publisher(make_environment(alice), alice)
    text = issuer.token(live.HUB_URL)
    exchange.identity.verify(text, audience=live.HUB_URL)  # the keys are known: no waiting there
    start, codes = threading.Barrier(4), []

    def swap() -> None:
        start.wait()
        try:
            exchange.mint(identity_token=text)
            codes.append("minted")
        except HubError as refused:
            codes.append(refused.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=swap) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == ["minted", *["publisher.token_used"] * 3]
    assert Token.objects.count() == 1


@pytest.mark.parametrize(
    "claims",
    [
        {"repository": "Lab/other"},
        {"repository": "Evil/envs"},
        {"repository": "Lab/envs2"},
        {"repository": None},
        {"job_workflow_ref": "Lab/envs/.github/workflows/tests.yml@refs/heads/main"},
        {"job_workflow_ref": "Evil/envs/.github/workflows/publish.yml@refs/heads/main"},
        {"job_workflow_ref": "Lab/envs/.github/workflows/publish.yml@refs/heads/else"},
        {"job_workflow_ref": "Lab/envs/.github/workflows/publish.yml@"},
        {"job_workflow_ref": None},
        {"ref": None, "sha": None, "job_workflow_ref": "Lab/envs/.github/workflows/publish.yml@"},
    ],
)
def test_another_workflow_matches_nothing(
    issuer: Issuer, alice: User, claims: dict[str, Any]
) -> None:
    publisher(make_environment(alice), alice)
    message = no_match(issuer, **claims)
    assert "alice" not in message
    assert "trusted publisher" in message


def test_letter_case_of_a_repository_is_ignored(issuer: Issuer, alice: User) -> None:
    publisher(make_environment(alice), alice)
    where = "LAB/Envs/.github/workflows/publish.yml@refs/heads/main"
    assert mint(issuer, repository="LAB/Envs", job_workflow_ref=where)


def test_a_ci_environment_narrows_a_publisher(issuer: Issuer, alice: User) -> None:
    publisher(make_environment(alice), alice, fields=FIELDS | {"ci_environment": "Release"})
    no_match(issuer)
    no_match(issuer, environment="staging")
    assert mint(issuer, environment="release")


def test_letters_that_only_become_others_in_lower_case_do_not_match(
    issuer: Issuer, alice: User
) -> None:
    publisher(make_environment(alice), alice, fields=FIELDS | {"ci_environment": "packages"})
    no_match(issuer, environment="pac\N{KELVIN SIGN}ages")
    assert mint(issuer, environment="Packages")


def test_a_taken_over_account_name_does_not_match(issuer: Issuer, alice: User) -> None:
    """The first use pins the account's number where nobody gave it."""
    publisher(make_environment(alice), alice)
    used(mint(issuer), alice)
    assert TrustedPublisher.objects.get().claims["owner_id"] == "4242"
    no_match(issuer, repository_owner_id="6666")
    assert mint(issuer)
    publisher(make_environment(alice), alice)  # the same again, not pinned
    used(mint(issuer), alice)
    no_match(issuer, repository_owner_id="6666")
    TrustedPublisher.objects.all().delete()
    publisher(make_environment(alice), alice, fields=FIELDS | {"owner_id": "7"})
    no_match(issuer)


def test_publishers_of_gitlab_and_of_any_other_issuer(
    issuer: Issuer, alice: User, settings: Any
) -> None:
    environment = make_environment(alice)
    host = issuer.url.removeprefix("http://")
    settings.HUB_OIDC_ISSUERS = {issuer.url: "gitlab"}
    fields = {"repository": "lab/deep/envs", "workflow": "ci/publish.yml"}
    publisher(environment, alice, kind="gitlab", fields=fields)
    claims = {
        "repository": None,
        "project_path": "lab/deep/envs",
        "namespace_id": "9",
        "ci_config_ref_uri": f"{host}/lab/deep/envs//ci/publish.yml@refs/heads/main",
        "ref_path": "refs/heads/main",
        "job_id": "5",
    }
    minted = used(mint(issuer, **claims), alice)
    assert minted.published_with["run"] == f"{issuer.url}/lab/deep/envs/-/jobs/5"
    no_match(
        issuer, **claims | {"ci_config_ref_uri": f"{host}/lab/deep/envs//x.yml@refs/heads/main"}
    )
    no_match(issuer, **claims | {"namespace_id": "10"})

    settings.HUB_OIDC_ISSUERS = {issuer.url: "other"}
    no_match(issuer, **claims)  # an issuer's kind decides which of its publishers count
    publisher(environment, alice, kind="other", fields={"sub": "build:7", "pool": "release"})
    assert mint(issuer, sub="build:7", pool="release")
    for claims in ({"sub": "build:7"}, {"sub": "build:7", "pool": "x"}, {"sub": "Build:7"}):
        no_match(issuer, **claims)


def test_a_pending_publisher_makes_its_environment(issuer: Issuer, alice: User) -> None:
    pending = publisher(alice.owner, alice, name="New_Env")
    assert str(pending) == "alice/new-env"
    token = used(mint(issuer), alice, "new-env")
    pending.refresh_from_db()
    environment = Environment.objects.get(name="new-env")
    assert token.environment == environment
    assert (pending.environment, pending.owner, pending.name) == (environment, None, "")
    assert used(mint(issuer), alice, "new-env").environment == environment


def test_a_pending_publisher_joins_what_was_made_meanwhile(issuer: Issuer, alice: User) -> None:
    publisher(alice.owner, alice, name="new-env")
    publisher(make_environment(alice, "new-env"), alice)
    assert str(used(mint(issuer), alice, "new-env").environment) == "alice/new-env"
    assert TrustedPublisher.objects.count() == 1


def test_a_person_waits_for_so_many_environments_alone(
    issuer: Issuer, lab: Organisation, alice: User
) -> None:
    for number in range(services.MAX_PUBLISHERS):
        publisher(alice.owner if number % 2 else lab.owner, alice, name=f"later-{number}")
    with pytest.raises(HubError, match="that are not there yet") as caught:
        publisher(lab.owner, alice, name="more")
    assert caught.value.status == 409
    assert publisher(make_environment(alice), alice)


def test_rows_of_tokens_that_have_ended_go(issuer: Issuer, alice: User) -> None:
    publisher(make_environment(alice), alice)
    mint(issuer)
    past = timezone.now() - timedelta(days=1)
    Token.objects.update(created_at=past, expires_at=past + timedelta(minutes=15))
    mint(issuer)
    assert Token.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"kind": "bitbucket"}, "kind"),
        ({"issuer": "https://evil.example"}, "issuer"),
        ({"fields": FIELDS | {"repository": "lab"}}, "repository"),
        ({"fields": FIELDS | {"repository": "https://github.com/lab/envs"}}, "repository"),
        ({"fields": FIELDS | {"workflow": "../publish.yml"}}, "workflow"),
        ({"fields": FIELDS | {"workflow": "publish"}}, "workflow"),
        ({"fields": FIELDS | {"workflow": ""}}, "workflow"),
        ({"fields": FIELDS | {"owner_id": "lab"}}, "owner_id"),
        ({"fields": FIELDS | {"ci_environment": "x" * 256}}, "ci_environment"),
    ],
)
def test_a_publisher_that_could_never_match_is_refused(
    issuer: Issuer, alice: User, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(HubError) as caught:
        publisher(make_environment(alice), alice, **changes)
    assert caught.value.details["field"] == field
    with pytest.raises(HubError):
        publisher(alice.owner, alice, name="Not a name!")


def test_the_same_publisher_is_added_once(issuer: Issuer, alice: User) -> None:
    for to, name in ((make_environment(alice), ""), (alice.owner, "later")):
        publisher(to, alice, name=name)
        with pytest.raises(HubError) as caught:
            publisher(to, alice, name=name)
        assert caught.value.status == 409
