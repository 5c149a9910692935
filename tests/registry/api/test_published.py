"""Index pages answered from their files, before Django and without the database."""

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest
from django.test import Client

from registry.api.published import LONGEST_KEPT, MOST_KEPT, Published, published
from registry.catalog import overlays
from registry.catalog.services import set_visibility
from registry.index import writer
from registry.index.negotiate import HTML, JSON
from registry.models import User
from registry.storage.local import LocalStorage
from tests.factories import bearer, make_version

pytestmark = pytest.mark.once

PAGE, OWNERS = "/alice/simple/demo-env/", "/alice/simple/"
Ask = Callable[..., tuple[str, dict[str, str], bytes]]


def requests_to(app: Any) -> Ask:
    """Requests to that application: status line, headers and body."""

    def ask(
        path: str, query: str = "", method: str = "GET", **headers: str
    ) -> tuple[str, dict[str, str], bytes]:
        environ: dict[str, Any] = {f"HTTP_{name.upper()}": text for name, text in headers.items()}
        environ |= {"PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": method}
        environ["wsgi.input"] = io.BytesIO()
        setup_testing_defaults(environ)
        lines: list[Any] = []
        body: Iterable[bytes] = app(
            environ, lambda status, header_list: lines.extend((status, header_list))
        )
        status, header_list = lines
        assert len(dict(header_list)) == len(header_list), "a header is repeated"
        return status, dict(header_list), b"".join(body)

    return ask


def hub(environ: Any, start: Any) -> list[bytes]:
    """The hub on the test's own connection to the database."""
    path = f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}"
    fields = {k: v for k, v in environ.items() if k.startswith("HTTP_")}
    answer = Client().generic(environ["REQUEST_METHOD"], path, **fields)
    start(f"{answer.status_code} {answer.reason_phrase}", list(answer.items()))
    return [answer.content]


def nobody(environ: Any, start: Any) -> list[bytes]:
    """The hub behind the stored pages, which no request reaches."""
    start("404 Not Found", [])
    return [b"the hub"]


@pytest.fixture
def store(settings: Any, tmp_path: Path) -> LocalStorage:
    """The hub's storage, of this test alone."""
    settings.HUB_STORAGE_PATH = tmp_path
    return LocalStorage(tmp_path)


@pytest.fixture
def ask(store: LocalStorage) -> Ask:
    """Requests to the hub as the web server sends them."""
    return requests_to(published(hub))


def write(
    store: LocalStorage, data: bytes, *, stamp: int = 5, path: str = "alice/demo-env"
) -> None:
    """A page's file as the publisher writes it."""
    key = f"index/{path}/index.html"
    store.write(key, data, content_type="text/html", stamp=stamp)


def test_a_stored_page_needs_no_database(ask: Ask, store: LocalStorage) -> None:
    write(store, b"the page", stamp=0x1234)
    # This test has no database: any query would raise.
    status, headers, body = ask(PAGE)
    assert (status, body) == ("200 OK", b"the page")
    assert headers["ETag"] == '"1234-8"'
    assert ask(PAGE, if_none_match='"1234-8"')[0::2] == ("304 Not Modified", b"")
    assert ask(PAGE, method="HEAD")[2] == b""
    assert ask(PAGE, method="HEAD")[1] == headers


@pytest.mark.django_db
def test_a_stored_page_is_the_hubs_own_in_every_form(ask: Ask, client: Client, alice: User) -> None:
    make_version(alice)
    writer.update_pages()
    for path, query, accept, encoding, method in (
        (path, query, accept, encoding, method)
        for path in (PAGE, OWNERS)
        for query in ("", "format=json", "format=html")
        for accept in ("", "*/*", JSON, HTML, f"{HTML};q=0.2, {JSON};q=0.1", "application/json")
        for encoding in ("", "gzip, br", "gzip;q=0")
        for method in ("GET", "HEAD")
    ):
        fields = {"accept": accept, "accept_encoding": encoding}
        status, headers, body = ask(path, query, method, **fields)
        own = client.generic(
            method, f"{path}?{query}", headers={k.replace("_", "-"): v for k, v in fields.items()}
        )
        assert (status, body) == ("200 OK", own.content)
        del own.headers["X-Request-ID"]
        assert headers == dict(own.headers), (path, query, accept, encoding)


@pytest.mark.parametrize(
    ("path", "header_list"),
    [
        (PAGE, {"query": "format=text/html"}),
        (PAGE, {"query": "format=json&format=html"}),
        (PAGE, {"method": "POST"}),
        (PAGE, {"method": "OPTIONS"}),
        (PAGE, {"authorization": "Bearer hub_1"}),
        ("/alice/simple/Demo-Env/", {}),
        ("/alice/simple/demo-env", {}),
        ("/alice/simple/../simple/demo-env/", {}),
        ("/../simple/index/", {}),
        ("/alice/simple/demo-env/\n", {}),
        ("/alice/simple/other/", {}),
    ],
)
def test_what_is_not_stored_or_not_plain_is_left_to_the_hub(
    store: LocalStorage, path: str, header_list: Any
) -> None:
    write(store, b"the page")
    ask = requests_to(Published(nobody, str(store.root / "index")))
    assert ask(PAGE)[2] == b"the page"
    assert ask(path, **header_list)[2] == b"the hub"


@pytest.mark.django_db
def test_what_is_private_is_never_answered_from_a_file(
    ask: Ask, alice: User, django_assert_num_queries: Any
) -> None:
    environment = make_version(alice).environment
    writer.update_pages()
    with django_assert_num_queries(0):
        assert ask(PAGE)[0] == "200 OK"
    set_visibility(environment=environment, visibility="private", by=alice)
    writer.update_pages()
    assert ask(PAGE)[0] == ask("/alice/simple/unknown/")[0] == "404 Not Found"
    assert b"demo-env" not in ask(OWNERS)[2]
    token = bearer(alice)["Authorization"]
    status, headers, _ = ask(PAGE, authorization=token)
    assert (status, headers["Cache-Control"]) == ("200 OK", "private, max-age=600")


@pytest.mark.django_db
def test_rewritten_page_is_served_at_once(ask: Ask, alice: User) -> None:
    version = make_version(alice)
    pages = []
    for change in (
        lambda: None,
        lambda: overlays.yank(version=version, by=alice, reason="bad"),
        lambda: overlays.unyank(version=version, by=alice),
    ):
        change()
        writer.update_pages()
        pages.append([ask(PAGE)[1:] for _ in range(2)])
    listed, yanked, again = pages
    assert all(first == second for first, second in pages)
    assert b"data-yanked" in yanked[0][1]
    # The same page as before, whose file may well have the inode that the first one had.
    assert again == listed


def test_page_rewritten_with_the_same_length_and_time_is_served(
    ask: Ask, store: LocalStorage
) -> None:
    for data in (b"one", b"two", b"six"):
        write(store, data)
        assert ask(PAGE)[2] == data


def test_only_so_many_pages_are_kept_and_no_long_ones(store: LocalStorage) -> None:
    app = Published(nobody, str(store.root / "index"))
    ask = requests_to(app)
    write(store, bytes(LONGEST_KEPT + 1))
    assert len(ask(PAGE)[2]) == LONGEST_KEPT + 1
    assert not app._kept
    for number in range(MOST_KEPT + 2):
        folder = store.root / f"index/alice/env-{number}"
        folder.mkdir()
        (folder / "index.html").write_bytes(b"page")
        assert ask(f"/alice/simple/env-{number}/")[2] == b"page"
    assert 0 < len(app._kept) <= MOST_KEPT
    (store.root / "index/alice/env-1/index.html").unlink()
    assert ask("/alice/simple/env-1/")[2] == b"the hub"


def test_a_hub_whose_files_lie_in_a_bucket_is_left_as_it_is(settings: Any) -> None:
    settings.HUB_STORAGE = "s3"
    assert published(nobody) is nobody
