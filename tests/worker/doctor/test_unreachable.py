"""Each way in which a server outside can be away is named with its own next step."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from envyard_runner.config import Config
from envyard_runner.doctor import data, judge
from envyard_runner.doctor.check import CheckFailed

pytestmark = pytest.mark.slow

JUDGES = ("judge-1", "")


def detail_of(home: Path, url: str, name: str) -> list[str]:
    """What both checks report of a server at this address."""
    environ = {"RUNNER_HOME": str(home), "RUNNER_DATA_URL": url, "RUNNER_JUDGE_URL": f"{url}/v1"}
    config = Config.from_environment(environ | ({"HUB_JUDGE_MODEL": name} if name else {}))
    upstream = asyncio.run(data.examine_data(config))[0]
    assert not upstream.ok
    with pytest.raises(CheckFailed) as info:
        asyncio.run(judge.judge(config))
    return [upstream.detail, str(info.value)]


@contextmanager
def server(context: ssl.SSLContext | None = None) -> Iterator[int]:
    """A port that accepts connections, with TLS where there is a context, and never answers."""
    listener = socket.create_server(("127.0.0.1", 0))
    accepted: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            accepted.append(connection)
            if context is not None:
                try:
                    accepted.append(context.wrap_socket(connection, server_side=True))
                except OSError:
                    connection.close()

    thread = threading.Thread(target=accept)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
        for connection in accepted:
            connection.close()


def expired(folder: Path) -> ssl.SSLContext:
    """A server's certificate for 127.0.0.1 that ended years ago."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mirror")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(dt.datetime(2020, 1, 1))  # noqa: DTZ001  (cryptography takes UTC)
        .not_valid_after(dt.datetime(2021, 1, 1))  # noqa: DTZ001
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "server.pem"
    pem.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context


@pytest.mark.parametrize("name", JUDGES)
def test_an_expired_certificate_names_the_certificate(tmp_path: Path, name: str) -> None:
    with server(expired(tmp_path)) as port:
        for detail in detail_of(tmp_path, f"https://127.0.0.1:{port}", name):
            assert "its certificate is not accepted" in detail
            assert "SSL_CERT_FILE" in detail
            assert "Error" not in detail
            assert "KEY" not in detail


@pytest.mark.parametrize("name", JUDGES)
def test_an_unknown_name_names_the_resolver(tmp_path: Path, name: str) -> None:
    for detail in detail_of(tmp_path, "https://mirror.invalid", name):
        assert "the name mirror.invalid is not known" in detail
        assert "_URL" in detail
        assert "KEY" not in detail


@pytest.mark.parametrize("name", JUDGES)
def test_a_closed_port_names_the_connection(tmp_path: Path, name: str) -> None:
    for detail in detail_of(tmp_path, "http://127.0.0.1:9", name):
        assert "no connection" in detail
        assert "Error" not in detail


@pytest.mark.parametrize("name", JUDGES)
def test_a_server_that_never_answers_names_the_time(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "SECONDS", 0.5)
    monkeypatch.setattr(judge, "SECONDS", 0.5)
    with server() as port:
        upstream, answer = detail_of(tmp_path, f"http://127.0.0.1:{port}", name)
    assert "no answer within 0.5 s" in upstream
    assert "no answer within" in answer
