"""Clients that stall, on real sockets before gunicorn's one thread."""

import random
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.hub.test_gunicorn_worker import serving

pytestmark = pytest.mark.once

RATE, SLACK = 20_000, 1.0
LONG = random.Random(1).randbytes(30_000_000)
APP = f"""
from hub.gunicorn_worker import Worker
class Quick(Worker):
    rate, slack = {RATE}, {SLACK}
def app(environ, start):
    got = len(environ["wsgi.input"].read())
    if environ["PATH_INFO"] == "/file":
        start("200 OK", [("Content-Length", "30000000")])
        return environ["wsgi.file_wrapper"](open("long", "rb"))
    body = str(got).encode() if environ["PATH_INFO"] == "/" else b"x" * 30_000_000
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "long").write_bytes(LONG)
    with serving(tmp_path, threads=1, app=APP, worker="said.Quick") as (port, _):
        yield port


def connect(port: int, sent: bytes) -> socket.socket:
    wire = socket.socket()
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wire.settimeout(20)
    wire.connect(("127.0.0.1", port))
    wire.sendall(sent)
    return wire


def served(port: int) -> float:
    """Seconds until another client has its answer."""
    began = time.monotonic()
    with connect(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") as wire:
        assert wire.recv(100).startswith(b"HTTP/1.1 200")
    return time.monotonic() - began


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n"


@pytest.mark.parametrize("sent", [b"GET / HT", b"GET / HTTP/1.1\r\nHost:", HEAD, HEAD + b"x" * 900])
def test_a_client_that_stops_in_its_request_frees_the_thread(port: int, sent: bytes) -> None:
    with connect(port, sent):
        assert 0.5 * SLACK < served(port) < 10 * SLACK


def test_a_client_that_trickles_frees_the_thread_too(port: int) -> None:
    with connect(port, HEAD) as slow:
        slow.settimeout(0)
        other = connect(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        other.settimeout(0.05)
        began = time.monotonic()
        while time.monotonic() - began < 10 * SLACK:
            with suppress(OSError):  # it may have been thrown out
                slow.send(b"x")
            try:
                assert other.recv(100).startswith(b"HTTP/1.1 200")
                break
            except TimeoutError:
                continue
        else:
            pytest.fail("the thread was never free")
        other.close()


@pytest.mark.parametrize("path", ["/long", "/file"])
def test_a_client_that_does_not_read_its_answer_frees_the_thread(port: int, path: str) -> None:
    with connect(port, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()) as wire:
        assert wire.recv(10) == b"HTTP/1.1 2"
        assert served(port) < 10 * SLACK


def test_a_slow_client_that_keeps_the_pace_is_served(port: int) -> None:
    with connect(port, HEAD) as wire:
        for _ in range(25):  # 4,000 bytes in a tenth of a second, over more than the slack
            time.sleep(0.1)
            wire.sendall(b"x" * 4000)
        assert wire.makefile("rb").read().endswith(b"100000")


def test_a_file_that_exceeds_the_socket_buffer_arrives_complete(port: int) -> None:
    with connect(port, b"GET /file HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") as wire:
        time.sleep(0.2)  # until the buffer is full
        assert wire.makefile("rb").read().endswith(b"\r\n\r\n" + LONG)
