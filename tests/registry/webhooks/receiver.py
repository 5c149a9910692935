"""A receiver of webhooks on loopback, with a certificate of its own."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Answer = Callable[[ssl.SSLSocket, bytes], None]


def certificate(folder: Path) -> Path:
    """A file with a fresh certificate for `localhost` and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / "receiver.pem"
    path.write_bytes(pem + made.public_bytes(serialization.Encoding.PEM))
    return path


@contextlib.contextmanager
def receiving(pem: Path, answer: Answer) -> Iterator[tuple[str, list[bytes]]]:
    """The URL of a receiver that answers each request so, and the requests that it got."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    requests: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    plain, _ = server.accept()
                    threading.Thread(target=one, args=(plain,), daemon=True).start()

        def one(plain: socket.socket) -> None:
            with (
                contextlib.suppress(OSError, ValueError),
                context.wrap_socket(plain, server_side=True) as sock,
            ):
                requests.append(read(sock))
                answer(sock, requests[-1])

        threading.Thread(target=serve, daemon=True).start()
        yield f"https://localhost:{server.getsockname()[1]}/hook?key=1", requests
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)


def read(sock: ssl.SSLSocket) -> bytes:
    """The whole request."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += sock.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    while len(body) < length:
        body += sock.recv(65536)
    return head + b"\r\n\r\n" + body
