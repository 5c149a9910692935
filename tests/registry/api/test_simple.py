"""The index over HTTP."""

import gzip
import json
from typing import Any
from urllib.parse import urljoin

import pytest
from django.test import Client

from registry.accounts import tokens
from registry.catalog.services import set_visibility
from registry.catalog.transfer import transfer
from registry.index.negotiate import JSON
from registry.models import Organisation, User, Version
from tests.factories import bearer, make_version

pytestmark = pytest.mark.once

PAGE = "/alice/simple/demo-env/"
ACCEPT = {"Accept": JSON}


def test_an_installer_gets_json_and_a_browser_html(client: Client, alice: User) -> None:
    make_version(alice)
    answer = client.get(PAGE, headers=ACCEPT)
    assert (answer.status_code, answer["Content-Type"]) == (200, JSON)
    assert json.loads(answer.content)["versions"] == ["0.1.0"]
    answer = client.get(PAGE)
    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert b"demo_env-0.1.0-py3-none-any.whl" in answer.content
    assert client.get(f"{PAGE}?format=json")["Content-Type"] == JSON


def test_page_is_cacheable_and_revalidated(client: Client, alice: User) -> None:
    make_version(alice)
    first = client.get(PAGE, headers=ACCEPT)
    assert first["Cache-Control"] == "public, max-age=600"
    assert first["Vary"] == "Accept, Accept-Encoding"
    again = client.get(PAGE, headers={**ACCEPT, "If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    html = client.get(PAGE, headers={"If-None-Match": first["ETag"]})
    assert html.status_code == 200
    make_version(alice, version="0.2.0")
    assert client.get(PAGE, headers={**ACCEPT, "If-None-Match": first["ETag"]}).status_code == 200


@pytest.mark.parametrize(
    ("condition", "known"),
    [('"a", {}', True), ("W/{}", True), ("*", True), ('"a"', False), ("", False)],
)
def test_if_none_match_may_list_etags(
    client: Client, alice: User, condition: str, known: bool
) -> None:
    make_version(alice)
    headers = {"If-None-Match": condition.format(client.get(PAGE)["ETag"])}
    assert (client.get(PAGE, headers=headers).status_code == 304) is known


def test_who_takes_gzip_gets_it_under_a_tag_of_its_own(client: Client, alice: User) -> None:
    make_version(alice)
    plain = client.get(PAGE, headers=ACCEPT)
    packed = client.get(PAGE, headers={**ACCEPT, "Accept-Encoding": "br, gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert packed["ETag"] != plain["ETag"]
    assert "Content-Encoding" not in client.get(PAGE, headers={"Accept-Encoding": "gzip;q=0"})


def test_newest_state_is_served_at_once_with_its_serial(client: Client, alice: User) -> None:
    environment = make_version(alice).environment
    before = client.get(PAGE, headers=ACCEPT)
    make_version(alice, version="0.2.0")
    after = client.get(PAGE, headers=ACCEPT)
    assert after.json()["versions"] == ["0.1.0", "0.2.0"]
    environment.refresh_from_db()
    assert after.json()["meta"]["_last-serial"] == environment.index_serial
    assert before.json()["meta"]["_last-serial"] < environment.index_serial
    set_visibility(environment=environment, visibility="private", by=alice)
    assert client.get(PAGE).status_code == 404


def test_an_environment_that_moved_is_found_from_its_old_address(
    client: Client, lab: Organisation, alice: User
) -> None:
    environment = make_version(alice).environment
    secret = make_version(alice, "secret", visibility="private").environment
    for moving in (environment, secret):
        transfer(environment=moving, to=lab.owner, by=alice)
    answer = client.get(f"{PAGE}?format=json")
    assert (answer.status_code, answer["Location"]) == (302, "/lab/simple/demo-env/?format=json")
    assert client.get("/alice/simple/secret/").status_code == 404
    assert client.get("/alice/simple/secret/", headers=bearer(alice)).status_code == 302


def test_head_has_the_headers_and_post_is_refused(client: Client, alice: User) -> None:
    make_version(alice)
    head, full = client.head(PAGE), client.get(PAGE)
    assert head.content == b""
    for name in ("ETag", "Content-Length", "Content-Type"):
        assert head[name] == full[name]
    assert client.post(PAGE).status_code == 405


@pytest.mark.parametrize("path", ["/alice/simple/Demo_Env/", "/alice/simple/demo.env"])
def test_other_spellings_are_redirected(client: Client, alice: User, path: str) -> None:
    make_version(alice)
    answer = client.get(f"{path}?format=json")
    assert (answer.status_code, answer["Location"]) == (301, f"{PAGE}?format=json")


def test_the_root_without_its_slash_is_redirected(client: Client, alice: User) -> None:
    assert client.get("/alice/simple")["Location"] == "/alice/simple/"


def test_the_root_names_what_can_be_installed(client: Client, alice: User) -> None:
    make_version(alice, "listed")
    make_version(alice, "yanked", yanked_at="2026-01-01T00:00:00Z")
    make_version(alice, "unlisted", status="evaluating")
    make_version(alice, "secret", visibility="private")
    make_version(alice, "quarantined", status="listed")
    answer = client.get("/alice/simple/", headers=ACCEPT)
    assert [p["name"] for p in answer.json()["projects"]] == ["listed", "quarantined", "yanked"]
    assert answer["Cache-Control"] == "public, max-age=600"
    own = client.get("/alice/simple/", headers={**ACCEPT, **bearer(alice)})
    assert "secret" in [p["name"] for p in own.json()["projects"]]
    assert own["Cache-Control"] == "private, max-age=600"
    assert "Authorization" in own["Vary"]


@pytest.mark.parametrize(
    "path",
    ["/nobody/simple/", "/nobody/simple/x/", "/alice/simple/unknown/", "/alice/simple/unlisted/"],
)
def test_what_is_not_there_is_a_404_that_nobody_caches(
    client: Client, alice: User, path: str
) -> None:
    make_version(alice, "unlisted", status="rejected")
    answer = client.get(path, headers=bearer(alice))
    assert answer.status_code == 404
    assert answer["Cache-Control"] == "no-store"
    assert answer.json()["error"]["code"] == "request.not_found"


def test_an_unknown_name_costs_one_query(
    client: Client, alice: User, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(1):
        client.get("/alice/simple/requests/")


def test_a_page_costs_three_queries_however_many_versions_it_has_and_then_one(
    client: Client, alice: User, django_assert_num_queries: Any
) -> None:
    for number in range(8):
        make_version(alice, version=f"0.{number}.0")
    for queries, path in ((3, PAGE), (1, PAGE), (2, "/alice/simple/"), (1, "/alice/simple/")):
        with django_assert_num_queries(queries):
            client.get(path, headers=ACCEPT)


def test_a_private_environment_is_there_only_for_those_who_may_see_it(
    client: Client, alice: User, carol: User
) -> None:
    make_version(alice, visibility="private")
    assert client.get(PAGE).status_code == 404
    assert client.get(PAGE, headers=bearer(carol)).status_code == 404
    own = client.get(PAGE, headers=bearer(alice))
    assert own.status_code == 200
    assert own["Cache-Control"] == "private, max-age=600"


def test_pip_and_uv_send_the_token_as_a_basic_password(client: Client, alice: User) -> None:
    import base64

    make_version(alice, visibility="private")
    text = tokens.mint(user=alice, name="pip", scope="read")[1]
    basic = base64.b64encode(f"__token__:{text}".encode()).decode()
    assert client.get(PAGE, headers={"Authorization": f"Basic {basic}"}).status_code == 200
    wrong = base64.b64encode(f"alice:{text}".encode()).decode()
    answer = client.get(PAGE, headers={"Authorization": f"Basic {wrong}"})
    assert answer.status_code == 401
    assert "__token__" in answer.json()["error"]["message"]


def test_addresses_of_files_lead_back_to_the_hub(client: Client, alice: User) -> None:
    version = make_version(alice)
    url = client.get(PAGE, headers=ACCEPT).json()["files"][0]["url"]
    at = urljoin(f"http://hub.example{PAGE}", url)
    stored = Version.objects.get(pk=version.pk)
    assert at == (f"http://hub.example/files/{stored.sha256[:2]}/{stored.sha256}/{stored.filename}")


def test_invalid_credential_does_not_distinguish_hidden_from_unknown(
    client: Client, alice: User
) -> None:
    make_version(alice, "secret", visibility="private")
    make_version(alice)
    bad = {"Authorization": "Bearer hub_nonsense"}
    hidden, unknown = (client.get(f"/alice/simple/{n}/", headers=bad) for n in ("secret", "none"))
    assert hidden.status_code == unknown.status_code == 401
    assert hidden.json()["error"]["message"] == unknown.json()["error"]["message"]
    assert client.get(PAGE, headers=bad).status_code == 200
