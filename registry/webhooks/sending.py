"""Send one message to a receiver that may be hostile.

The name is resolved once and the connection goes to an address that was checked, so that a name
cannot change its address in between. Redirects are not followed, at most READ bytes of the reply
are read, and a timer closes the connection after SECONDS, however slowly the receiver answers.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPSConnection
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings

from envyard.contract.addresses import HTTPS, is_public
from registry.errors import HubError
from registry.webhooks.models import MAX_EXCERPT, MAX_URL

SECONDS = 10.0  # for the whole exchange
READ = 2048  # bytes of the reply
OWN_HEADERS = {
    "Content-Type": "application/json",
    "User-Agent": "envyard-webhooks/1",
    "Connection": "close",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one attempt: the status of the response, or the error without one."""

    status: int | None
    milliseconds: int
    excerpt: str = ""
    error: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether the receiver accepted the message: any status 2xx."""
        return self.status is not None and 200 <= self.status < 300


def checked_url(url: str) -> str:
    """The address; raises request.invalid where the hub would never send to it."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _invalid(url, "must be an address") from None
    if len(url) > MAX_URL or not url.isascii() or any(letter <= " " for letter in url):
        raise _invalid(url, f"must be up to {MAX_URL} ASCII characters without blanks")
    if parts.scheme != "https" or not parts.hostname or port == 0:
        raise _invalid(url, "must begin with https:// and name a host")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise _invalid(url, "must have neither user, password nor fragment")
    if not _is_allowed(parts.hostname) and _is_private_literal(parts.hostname):
        raise _invalid(url, "must not name a private address")
    return url


def _is_allowed(host: str) -> bool:
    """Whether the operator allows private addresses for the host."""
    allowed: tuple[str, ...] = settings.HUB_WEBHOOK_HOSTS
    return any(host == each or (each.startswith(".") and host.endswith(each)) for each in allowed)


def _is_private_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal"))
    return not is_public(host)


def _invalid(url: str, rule: str) -> HubError:
    return HubError("request.invalid", f"url {url[:80]!r} {rule}", details={"field": "url"})


def send(url: str, headers: Mapping[str, str], body: str, *, seconds: float = SECONDS) -> Outcome:
    """POST the body; every failure is an Outcome, also no end of the reply within `seconds`."""
    start = time.monotonic()

    def after(status: int | None, excerpt: str = "", error: str = "") -> Outcome:
        return Outcome(status, round(1000 * (time.monotonic() - start)), excerpt, error[:200])

    try:
        connection = _connected(url)
    except _Refused as refused:
        return after(None, error=str(refused))
    except (OSError, UnicodeError) as problem:
        return after(None, error=f"no connection: {problem}")
    timer = threading.Timer(seconds, _shut_down, [connection.sock])
    timer.daemon = True
    timer.start()
    try:
        connection.sock.do_handshake()
        connection.request("POST", _target(url), body.encode(), {**OWN_HEADERS, **headers})
        response = connection.getresponse()
        return after(response.status, _excerpt(response.read(READ)))
    except (OSError, HTTPException, ValueError) as problem:
        late = time.monotonic() - start >= seconds
        reason = f"no response within {seconds:.0f} seconds" if late else f"no response: {problem}"
        return after(None, error=reason)
    finally:
        timer.cancel()
        connection.close()


def _target(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


class _Refused(Exception):
    """The hub does not connect to that host."""


def _connected(url: str) -> HTTPSConnection:
    """A TLS connection to a checked address of the host; its certificate is verified."""
    parts = urlsplit(url)
    host, port = str(parts.hostname), parts.port or HTTPS
    addresses = [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if not _is_allowed(host) and not all(map(is_public, addresses)):
        raise _Refused(f"{host} has a private address")
    context = ssl.create_default_context()
    connection = HTTPSConnection(host, port, timeout=SECONDS, context=context)
    plain = socket.create_connection((addresses[0], port), timeout=SECONDS)
    connection.sock = context.wrap_socket(
        plain, server_hostname=host, do_handshake_on_connect=False
    )
    return connection


def _shut_down(sock: socket.socket) -> None:
    """Wake the thread that waits for the receiver."""
    with contextlib.suppress(OSError):  # closed meanwhile
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _excerpt(reply: bytes) -> str:
    text = reply.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text[:MAX_EXCERPT]
