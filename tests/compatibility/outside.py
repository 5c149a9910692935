"""Hosts that stand for public ones, with made-up answers, on loopback.

The runner looks their names up as any other; the resolver and the authority are the test's own.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.compatibility import rows
from tests.compatibility.catalogue import CSV_HOST
from tests.worker.proxy.hosts import PUBLIC, HostAuthority, Resolver

HOSTS = (CSV_HOST, "api.exa.ai", "google.serper.dev")
SYSTEM_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")


@dataclass(frozen=True, slots=True)
class Hosts:
    """`resolver` leads to them, `settings` has the runner trust their certificates."""

    resolver: Resolver
    settings: dict[str, str]


class Answers(BaseHTTPRequestHandler):
    """The table of questions on the CSV's host, an empty object everywhere else."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        table = self.headers.get("Host", "").startswith(CSV_HOST)
        body = encrypted_table() if table else b"{}"
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Type", "text/csv" if table else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_POST = do_GET  # noqa: N815


@contextmanager
def serving(folder: Path) -> Iterator[Hosts]:
    """Serve the hosts for as long as the block runs."""
    authority = HostAuthority.create(folder, *HOSTS)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    server.socket = authority.server_context().wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    resolver = Resolver({host: [[PUBLIC]] for host in HOSTS}, {PUBLIC: server.server_address[1]})
    bundle = folder / "bundle.pem"
    bundle.write_bytes(_system_bundle() + authority.bundle.read_bytes())
    bundle.chmod(0o644)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield Hosts(resolver, {"SSL_CERT_FILE": str(bundle)})
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def encrypted_table() -> bytes:
    """Questions in the columns of BrowseComp: each text is xored with a key made of the canary."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["problem", "answer", "problem_topic", "canary"])
    for number, row in enumerate(rows.sums()):
        canary = f"canary {number}"
        cells = (_encrypt(str(row[name]), canary) for name in ("question", "answer"))
        table.writerow([*cells, "Arithmetic", canary])
    return text.getvalue().encode()


def _encrypt(plain: str, canary: str) -> str:
    data, key = plain.encode(), hashlib.sha256(canary.encode()).digest()
    mixed = bytes(byte ^ key[at % len(key)] for at, byte in enumerate(data))
    return base64.b64encode(mixed).decode()


def _system_bundle() -> bytes:
    """The machine's own authorities, by which the package index is verified."""
    existing = next((Path(path) for path in SYSTEM_BUNDLES if Path(path).exists()), None)
    if existing is not None:
        return existing.read_bytes() + b"\n"
    certificates = ssl.create_default_context().get_ca_certs(binary_form=True)
    return "".join(map(ssl.DER_cert_to_PEM_cert, certificates)).encode()
