"""The pages of trusted publishers, and the provenance on a version's page."""

from typing import Any

import pytest
from django.test import Client

from registry.models import Membership, Organisation, TrustedPublisher, User
from tests.factories import make_environment, make_version
from tests.frontend.people import sign_in

pytestmark = pytest.mark.once

AT = "/envs/lab/demo-env/settings/publishers/"
GITHUB = "https://token.actions.githubusercontent.com"
FORM = {"issuer": GITHUB, "repository": "lab/envs", "workflow": "publish.yml"}


def test_a_maintainer_adds_and_removes_a_publisher(
    client: Client, lab: Organisation, alice: User, bob: User
) -> None:
    Membership.objects.filter(user=bob).update(role="maintainer")
    make_environment(lab)
    sign_in(client, "bob")
    assert b"No workflow may publish here yet" in client.get(AT).content
    assert AT in client.get("/envs/lab/demo-env/settings/").content.decode()
    page = client.post(AT, FORM, follow=True).content.decode()
    publisher = TrustedPublisher.objects.get()
    assert (publisher.added_by, publisher.environment_id is None) == (bob, False)
    assert "lab/envs" in page
    assert "publish.yml" in page
    assert client.post(f"{AT}{publisher.pk}/remove/").status_code == 302
    assert client.post(f"{AT}{publisher.pk}/remove/").status_code == 404
    assert not TrustedPublisher.objects.exists()


def test_adding_a_publisher_requires_the_password_again(
    client: Client, lab: Organisation, alice: User
) -> None:
    make_environment(lab)
    client.force_login(alice)  # a session of yesterday
    for at in (AT, "/owners/lab/publishers/"):
        assert client.get(at).status_code == 200
        answer = client.post(at, FORM | {"name": "later"})
        assert answer.headers["Location"].startswith("/reauthenticate/?next=")
    assert not TrustedPublisher.objects.exists()


def test_publisher_form_shows_the_error_under_the_field_that_cannot_match(
    client: Client, lab: Organisation, alice: User
) -> None:
    make_environment(lab)
    sign_in(client, "alice")
    answer = client.post(AT, FORM | {"workflow": "publish"})
    assert answer.status_code == 400
    form: Any = answer.context["form"]
    assert "publish.yml" in form.errors["workflow"][0]
    again = client.post(AT, FORM | {"issuer": "https://evil.example"})
    assert "issuer" in again.context["form"].errors
    assert not TrustedPublisher.objects.exists()


def test_a_pending_publisher_is_added_under_its_owner(client: Client, alice: User) -> None:
    sign_in(client, "alice")
    at = "/owners/alice/publishers/"
    assert at in client.get("/owners/alice/").content.decode()
    page = client.post(at, FORM | {"name": "later"}, follow=True).content.decode()
    assert "alice/later" in page
    publisher = TrustedPublisher.objects.get()
    assert client.post(f"{at}{publisher.pk}/remove/").status_code == 302
    assert not TrustedPublisher.objects.exists()


def test_the_pages_are_for_those_who_publish(
    client: Client, lab: Organisation, alice: User, bob: User, carol: User
) -> None:
    make_environment(lab, visibility="private")
    for person, status in ((bob, 403), (carol, 404)):
        sign_in(client, person.username)
        assert client.get(AT).status_code == status
        assert client.post(AT, FORM).status_code == status
    assert client.get("/owners/lab/publishers/").status_code == 403
    client.logout()
    assert client.get(AT).status_code == 302


def test_version_page_names_the_workflow_that_published_it(client: Client, alice: User) -> None:
    claims = {
        "kind": "github",
        "issuer": GITHUB,
        "server": "https://github.com",
        "repository": "lab/envs",
        "workflow": "publish.yml",
        "run": "https://github.com/lab/envs/actions/runs/7",
    }
    make_version(alice, published_with=claims)
    for at in ("/envs/alice/demo-env/", "/envs/alice/demo-env/0.1.0/"):
        page = client.get(at).content.decode()
        assert '<a href="https://github.com/lab/envs" rel="nofollow noopener">lab/envs</a>' in page
        assert "https://github.com/lab/envs/actions/runs/7" in page
