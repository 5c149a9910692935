"""deploy/nginx.conf in a real nginx: what it serves by itself is what the hub answers, byte by byte
and header by header, and what it must not serve it leaves to the hub."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from pytest_django.live_server_helper import LiveServer

from registry.catalog.services import set_visibility
from registry.index import writer
from registry.index.negotiate import HTML, JSON
from registry.models import User
from tests.factories import bearer, make_version
from tests.ports import free_port
from tests.registry.publishers.tls import certificate
from tests.wheels import make_wheel

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
SITE = Path(__file__).parents[3] / "deploy" / "nginx.conf"
PLAIN = SITE.with_name("nginx-http.conf")
PIP = f"{JSON}, {HTML}; q=0.1, text/html; q=0.01"
UV = f"{JSON}, {HTML};q=0.2, text/html;q=0.01"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
PAGE = "/alice/simple/demo-env/"
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
OWN = ("Date", "Server", "Connection", "X-Request-ID", "Keep-Alive")

BROWSERS = ("Content-Security-Policy", "Referrer-Policy", "Cross-Origin-Opener-Policy")
BROWSERS = (*BROWSERS, "X-Frame-Options", "X-Content-Type-Options", "Accept-Ranges")

pytestmark = [
    pytest.mark.nginx,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        NGINX is None, reason="nginx is not installed: `make setup-tests` installs it"
    ),
]


@dataclass(frozen=True, slots=True)
class Both:
    """nginx and the hub behind it."""

    nginx: str
    hub: str
    log: Path

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[requests.Response, ...]:
        """The answers of both to the same request."""
        all_headers = {"Accept": "*/*", "Accept-Encoding": "identity"} | headers
        return tuple(
            requests.request(
                method, f"{at}{path}", headers=all_headers, allow_redirects=False, timeout=10
            )
            for at in (self.nginx, self.hub)
        )

    def asked_hub(self) -> int:
        """How many requests nginx has passed on."""
        return sum(line != "-" for line in self.log.read_text().splitlines())


def site(port: int, hub: str, storage: Path) -> str:
    """The site as it is deployed, on other ports and folders and without TLS."""
    text = PLAIN.read_text()
    text = text.replace("listen 80;", f"listen 127.0.0.1:{port};")
    text = text.replace("server_name hub.example.org;", "server_name 127.0.0.1;")
    text = text.replace("/var/lib/envyard/files", str(storage))
    assert "    server 127.0.0.1:8000 fail_timeout=5s;\n    # server 127.0.0.1:8001" in text
    # A second web process that is down: its requests go to the one that answers.
    text = text.replace("# server 127.0.0.1:8001", f"server 127.0.0.1:{free_port()}")
    return text.replace("127.0.0.1:8000", hub.removeprefix("http://"))


@pytest.fixture
def both(live_server: LiveServer, settings: Any, tmp_path: Path) -> Iterator[Both]:
    """nginx with the deployed site in front of the hub, as the user that runs the tests."""
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    port, log = free_port(), tmp_path / "access.log"
    (tmp_path / "nginx.conf").write_text(
        ("user root;" if os.geteuid() == 0 else "")
        + f"daemon off; pid {tmp_path}/pid; events {{}}\n"
        f'http {{ log_format upstream "$upstream_addr"; access_log {log} upstream;\n'
        + "".join(f"{kind}_temp_path {tmp_path}/{kind};\n" for kind in TEMPORARY)
        + f"{site(port, live_server.url, tmp_path / 'files')}}}\n"
    )
    command = [str(NGINX), "-e", "stderr", "-c", str(tmp_path / "nginx.conf")]
    with (tmp_path / "errors").open("wb") as errors:
        process = subprocess.Popen(command, stderr=errors)
    try:
        deadline = time.monotonic() + 20
        while not answers(port):
            assert process.poll() is None, (tmp_path / "errors").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        log.write_text("")
        yield Both(f"http://127.0.0.1:{port}", live_server.url, log)
    finally:
        process.terminate()
        process.wait(10)


def answers(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def headers(answer: requests.Response, *, but: tuple[str, ...] = ()) -> dict[str, str]:
    """Those that both must send alike."""
    return {k: v for k, v in answer.headers.items() if k not in (*OWN, *but)}


def test_pages_are_served_by_nginx_alone_and_like_the_hubs(both: Both, alice: User) -> None:
    make_version(alice)
    make_version(alice, "yanked", yanked_at="2026-01-01T00:00:00Z", yanked_reason="bad")
    writer.update_pages()
    requests = [
        (path, accept, encoding, method)
        for path in (PAGE, "/alice/simple/", "/alice/simple/yanked/", f"{PAGE}?format=json")
        for accept in (PIP, UV, BROWSER, "*/*", JSON)
        for encoding in ("identity", "gzip, deflate, br", "gzip;q=0")
        for method in ("GET", "HEAD")
    ]
    for path, accept, encoding, method in requests:
        own, hubs = both.ask(path, method, **{"Accept": accept, "Accept-Encoding": encoding})
        assert own.status_code == hubs.status_code == 200
        assert own.content == hubs.content
        assert headers(own) == headers(hubs), (path, accept, encoding)
        again = both.ask(
            path,
            method,
            **{"Accept": accept, "Accept-Encoding": encoding, "If-None-Match": own.headers["ETag"]},
        )
        assert [(response.status_code, response.content) for response in again] == [(304, b"")] * 2
    assert both.asked_hub() == 0


def test_nginx_passes_other_requests_to_the_hub(both: Both, alice: User) -> None:
    make_version(alice)
    make_version(alice, "secret", visibility="private")
    writer.update_pages()
    token = bearer(alice)["Authorization"]
    requests = [
        ("/alice/simple/secret/", {}, 404),
        ("/alice/simple/secret/", {"Authorization": token}, 200),
        ("/alice/simple/", {"Authorization": token}, 200),
        ("/alice/simple/unknown/", {}, 404),
        ("/alice/simple/Demo_Env/", {}, 301),
        ("/alice/simple/demo--env/", {}, 301),
        ("/alice/simple/demo-env", {}, 301),
        ("/nobody/simple/", {}, 404),
        (f"{PAGE}?format=json&format=html", {}, 200),
        (f"{PAGE}?format=application/vnd.pypi.simple.v1%2Bjson", {}, 200),
        (PAGE, {"Accept": f"text/html, {JSON}"}, 200),
        (PAGE, {"Accept": f"{JSON}, {HTML}"}, 200),
        (PAGE, {"Accept": f"{JSON};q=0.5, text/html"}, 200),
        (PAGE, {"Accept": "text/html, application/*"}, 200),
        (PAGE, {"Accept": HTML}, 200),
        ("/index/alice/demo-env/index.html", {}, 404),
        ("/.stored/wheels/", {}, 404),
    ]
    for path, sent, status in requests:
        own, hubs = both.ask(path, **sent)
        assert (own.status_code, hubs.status_code) == (status, status), (path, sent)
        assert (
            own.headers["Content-Type"].split(";")[0] == hubs.headers["Content-Type"].split(";")[0]
        )
        if status == 200:
            assert own.content == hubs.content, (path, sent)
    assert both.ask("/alice/simple/", Authorization=token)[0].text.count("secret") > 0
    assert both.ask(PAGE, "POST")[0].status_code == 405


def test_hidden_page_leaves_nginx_a_second_after_the_update(both: Both, alice: User) -> None:
    environment = make_version(alice).environment
    writer.update_pages()
    assert both.ask(PAGE)[0].status_code == 200
    set_visibility(environment=environment, visibility="private", by=alice)
    assert both.ask(PAGE)[1].status_code == 404
    writer.update_pages()
    written = time.monotonic()
    while both.ask(PAGE)[0].status_code == 200:
        assert time.monotonic() < written + 5  # nginx looks once a second
    assert [answer.status_code for answer in both.ask(PAGE)] == [404, 404]
    assert b"demo-env" not in both.ask("/alice/simple/")[0].content


def test_wheels_come_from_nginx_to_those_who_may_have_them(
    both: Both, alice: User, settings: Any
) -> None:
    wheel = make_wheel()
    public = make_version(alice, wheel=wheel)
    secret = make_version(alice, "secret", visibility="private", wheel=make_wheel("secret"))
    for version, sent, status in (
        (public, {}, 200),
        (public, {"Range": "bytes=5-9"}, 206),
        (public, {"Range": "bytes=-7"}, 206),
        (public, {"Range": "bytes=99999999-"}, 416),
        (public, {"If-None-Match": f'"{public.sha256}"'}, 304),
        (secret, {}, 404),
        (secret, bearer(alice), 200),
    ):
        path = f"/files/{version.sha256[:2]}/{version.sha256}/{version.filename}"
        for method in ("GET", "HEAD"):
            settings.HUB_ACCEL = False
            hubs = both.ask(path, method, **sent)[1]
            settings.HUB_ACCEL = True
            own, _ = both.ask(path, method, **sent)
            assert (own.status_code, hubs.status_code) == (status, status)
            if status < 400:
                assert own.content == hubs.content
                assert "X-Accel-Redirect" not in own.headers
                assert headers(own, but=BROWSERS) == headers(hubs, but=BROWSERS)
                assert status != 200 or own.headers["Accept-Ranges"] == "bytes"


def test_an_index_page_for_another_host_is_left_to_the_hub(
    both: Both, alice: User, settings: Any
) -> None:
    make_version(alice)
    writer.update_pages()
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost", ".example.org"]
    assert [answer.status_code for answer in both.ask(PAGE)] == [200, 200]
    assert both.asked_hub() == 0
    for host, status in (("evil.example.com", 400), ("hub.example.org", 200)):
        own, hubs = both.ask(PAGE, Host=host)
        assert (own.status_code, hubs.status_code) == (status, status), host
    assert both.asked_hub() == 2


def test_the_plain_site_is_the_one_with_tls_but_for_tls() -> None:
    tls, plain = SITE.read_text(), PLAIN.read_text()
    for text in (tls, plain):
        assert text.count("server_name hub.example.org;") in (1, 2)
    rest = "    # HUB_STORAGE_PATH, which nginx"
    assert tls[tls.index(rest) :] == plain[plain.index(rest) :]
    maps = 'map "$server_name|'
    assert (
        tls[tls.index(maps) : tls.index("server {\n    listen 80;")]
        == plain[plain.index(maps) : plain.index("server {\n    listen 80;")]
    )


def test_the_site_with_tls_is_accepted_by_nginx(tmp_path: Path) -> None:
    pem = str(certificate(tmp_path))
    text = SITE.read_text()
    text = text.replace("/etc/envyard/tls/fullchain.pem", pem)
    text = text.replace("/etc/envyard/tls/privkey.pem", pem)
    (tmp_path / "nginx.conf").write_text(f"events {{}} pid {tmp_path}/pid; http {{ {text} }}")
    command = [str(NGINX), "-e", "stderr", "-t", "-c", str(tmp_path / "nginx.conf")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
