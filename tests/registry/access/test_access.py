"""Every route, method and role against the table: a route without a row fails.

One set of fixtures for the module; each request happens in a savepoint that is rolled back.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http.response import HttpResponseBase
from django.test import Client

from tests.registry.access import fixtures as fixtures_module
from tests.registry.access import routes, table
from tests.registry.access.addresses import address
from tests.registry.access.fixtures import Fixtures, Place
from tests.registry.access.table import API, PAGE_ROLES, PAGES, ROLES, SIGNING_IN, About, Row

# Each test is a savepoint in the module's transaction.
pytestmark = [pytest.mark.django_db, pytest.mark.once_on_sqlite]
TABLE: dict[str, Row] = API | PAGES | SIGNING_IN
ROUTES = {route.path: route for route in routes.every()}
PAGE_PATHS = PAGES.keys() | SIGNING_IN.keys()
NEW = {"owner": "lab", "owner_slug": "lab", "name": "new-env"}
VARIES = re.compile(
    r'csrfmiddlewaretoken" value="\w+|"request_id": ?"\w+"|X-CSRFToken\W+\w+|next=[^"&]+'
    r'|name="next" value="[^"]*|Did you mean (?:(?!<name>)[^?])*\?'
)
LETTERS = {401: "?", 403: "x", 404: ".", 405: "-"}


@pytest.fixture(scope="module")
def fixtures(django_db_setup: None, django_db_blocker: Any) -> Iterator[Fixtures]:
    """Removed after the module."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield fixtures_module.build()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def client() -> Client:
    """One, so that the middleware is loaded once."""
    return Client(raise_request_exception=True)


def body(path: str, place: Place) -> dict[str, Any]:
    """The fields that the route validates before it checks the permission."""
    if path == "legacy/<owner>/":
        data, name = b"no wheel", place.words["name"]
        file = f"{name.replace('-', '_')}-2.0.0-py3-none-any.whl"
        fields = {":action": "file_upload", "protocol_version": "1", "filetype": "bdist_wheel"}
        digest = hashlib.sha256(data).hexdigest()
        fields |= {"name": name, "version": "2.0.0", "sha256_digest": digest, "pyversion": "py3"}
        fields |= {"metadata_version": "2.4"}
        return {"data": fields | {"content": SimpleUploadedFile(file, data)}}
    if path in PAGE_PATHS:
        return {"data": {}}
    data_fields: dict[str, Any] = {}
    if path == table.HUB + "resolve":
        data_fields = NEW
    elif path == "api/v1/environments/":  # it refuses fields that it does not have
        data_fields = {k: v for k, v in NEW.items() if k in ("name", "owner", "visibility")}
    elif path == table.HUB + "lookup":
        data_fields = {"id": place.words["id"]}
    elif path == "api/v1/evaluations/":
        data_fields = {"name": "x", "environments": [{"id": place.words["id"]}]}
    return {"data": json.dumps(data_fields), "content_type": "application/json"}


def ask(
    client: Client, fixtures: Fixtures, path: str, method: str, role: str, place: Place
) -> HttpResponseBase:
    """The answer; the request's changes are rolled back."""
    client.cookies.clear()
    if role in fixtures.sessions:
        client.cookies["sessionid"] = fixtures.sessions[role]
    run = {"run": f"Bearer {place.words['run_token']}"}
    token = (fixtures.headers | run).get(role)
    headers = {"Authorization": token} if token else {}
    more = {} if method == "GET" else body(path, place)
    with transaction.atomic():
        call = getattr(client, method.lower())
        answer: HttpResponseBase = call(address(path, place), headers=headers, **more)
        if answer.streaming:
            b"".join(answer)  # type: ignore[call-overload]
        transaction.set_rollback(True)
    return answer


def letter(answer: HttpResponseBase) -> str:
    """The table's letter for that answer."""
    if answer.status_code == 302 and answer.headers["Location"].startswith("/login/?"):
        return ">"
    assert answer.status_code < 500, answer
    return LETTERS.get(answer.status_code, "+")


def comparable(answer: HttpResponseBase, place: Place) -> tuple[object, ...]:
    """Everything by which a client could distinguish two answers."""
    text = "" if answer.streaming else place.blank(answer.content.decode())  # type: ignore[attr-defined]
    location = place.blank(answer.headers.get("Location", ""))
    named = sorted(name for name in answer.headers if name != "Content-Length")
    return answer.status_code, VARIES.sub("", text), VARIES.sub("", location), named


def test_every_route_has_a_row() -> None:
    """A new route needs a row that lists the roles that may use it."""
    missing = sorted(ROUTES.keys() - TABLE.keys())
    gone = sorted(TABLE.keys() - ROUTES.keys())
    assert not missing, f"add to tests/registry/access/table.py who may do what at: {missing}"
    assert not gone, f"no route has these paths any more, take them out of table.py: {gone}"


@pytest.mark.parametrize("path", TABLE)
def test_each_role_may_do_what_the_table_allows(
    path: str, client: Client, fixtures: Fixtures
) -> None:
    """Objects that a role may not see answer like objects that do not exist."""
    roles = PAGE_ROLES if path in PAGE_PATHS else ROLES
    wrong = []
    nothing: dict[tuple[str, str], tuple[object, ...]] = {}  # for what does not exist
    for method, rule in TABLE[path].items():
        cases = [(fixtures.known, rule)]
        if isinstance(rule, About):
            hidden = rule.hidden
            unlisted = rule.unlisted or hidden
            cases = [
                (fixtures.known, rule.known),
                (fixtures.private, hidden),
                (fixtures.unlisted, unlisted),
            ]
        for place, letters in cases:
            for role, due in zip(roles, str(letters).replace(" ", ""), strict=True):
                answer = ask(client, fixtures, path, method, role, place)
                actual = letter(answer)
                case = f"{method} {address(path, place)} as {role}"
                if actual != due.replace("0", "."):
                    wrong.append(f"{case}: {due!r} due, got {answer.status_code}")
                elif due == "." or (place is not fixtures.known and due in "?>"):
                    if (method, role) not in nothing:
                        absent = ask(client, fixtures, path, method, role, fixtures.absent)
                        nothing[method, role] = comparable(absent, fixtures.absent)
                    if comparable(answer, place) != nothing[method, role]:
                        comparison = f"{comparable(answer, place)} against {nothing[method, role]}"
                        wrong.append(f"{case} differs from what does not exist: {comparison}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", [path for path in TABLE if path not in SIGNING_IN])
def test_no_method_without_a_row_does_anything(
    path: str, client: Client, fixtures: Fixtures
) -> None:
    """Not even for staff. REST framework's views declare their methods themselves."""
    takes = routes.METHODS
    if ROUTES[path].methods is not None:
        assert ROUTES[path].methods == TABLE[path].keys(), f"methods in the table for {path}"
        takes = ()
    for method in takes:
        if method in TABLE[path] or ROUTES[path].vendor:
            continue
        for role, due in (("anonymous", "-.?>x"), ("root", "-.")):
            answer = ask(client, fixtures, path, method, role, fixtures.known)
            assert letter(answer) in due, f"{method} {path} as {role}: {answer.status_code}"


def test_a_session_does_nothing_without_the_pages_own_token(fixtures: Fixtures) -> None:
    """Another site can make a browser send its cookie, but no CSRF token."""
    client = Client(enforce_csrf_checks=True)
    changing = [
        (path, method)
        for path, row in TABLE.items()
        for method in row
        if method != "GET" and path not in table.WITHOUT_SESSION
    ]
    for path, method in changing:
        answer = ask(client, fixtures, path, method, "alice", fixtures.known)
        assert letter(answer) in "x?.", f"{method} {path}: {answer.status_code}"


def test_the_admin_site_is_for_staff(fixtures: Fixtures, client: Client) -> None:
    """Everybody else is redirected to the sign-in page."""
    from django.contrib import admin

    models = [f"{m._meta.app_label}/{m._meta.model_name}/" for m in admin.site._registry]
    for page in ("", *models):
        for role in ("anonymous", "carol", "alice", "admin"):
            answer = ask(client, fixtures, f"admin/{page}", "GET", role, fixtures.known)
            assert answer.status_code == 302, (page, role)
        assert (
            ask(client, fixtures, f"admin/{page}", "GET", "root", fixtures.known).status_code == 200
        )
