"""gunicorn's threads, as `serve` runs them, with one thread where it is about who waits."""

import http.client
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO

import pytest
from django.conf import settings

from hub import programs
from tests.registry.publishers.tls import certificate

pytestmark = pytest.mark.once

APP = """
import threading, time
def app(environ, start):
    if environ["PATH_INFO"] == "/slow":
        time.sleep(1)
    body = str(threading.get_ident()).encode()
    start("299 Well said", [("Content-Length", str(len(body)))])
    return [body]
"""


@contextmanager
def serving(
    folder: Path, *options: str, threads: int, app: str = APP, worker: str = programs.WORKER
) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """The port and the process of gunicorn with one worker."""
    (folder / "said.py").write_text(app)
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "said:app", "--worker-class", worker]
    command += ["--threads", str(threads), "--bind", f"127.0.0.1:{port}", "--no-control-socket"]
    command += options
    environ = {**os.environ, "PYTHONPATH": f"{folder}:{settings.BASE_DIR}"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environ, cwd=folder, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while True:
            assert process.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < deadline
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port, process
    finally:
        process.terminate()
        process.wait(20)


def ask(connection: http.client.HTTPConnection, path: str = "/") -> str:
    """Who served it."""
    connection.request("GET", path)
    answer = connection.getresponse()
    assert (answer.status, answer.reason) == (299, "Well said")
    return answer.read().decode()


def connected(port: int) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", port, timeout=20)


def http_answer(stream: IO[bytes]) -> bytes:
    """The next answer's body."""
    length = 0
    while (line := stream.readline()) != b"\r\n":
        if line.startswith(b"Content-Length: "):
            length = int(line.partition(b":")[2])
    return stream.read(length)


def test_a_busy_connection_leaves_the_only_thread_to_others(tmp_path: Path) -> None:
    stopped, answers = threading.Event(), []
    with serving(tmp_path, threads=1) as (port, _):

        def hurry() -> None:
            with closing(connected(port)) as busy:
                while not stopped.is_set():
                    answers.append(ask(busy))

        hurrying = threading.Thread(target=hurry)
        hurrying.start()
        try:
            with closing(connected(port)) as first, closing(connected(port)) as second:
                for _ in range(20):
                    ask(first)
                    ask(second)
        finally:
            stopped.set()
            hurrying.join(20)
    assert len(answers) > 5


def test_requests_that_come_together_are_answered_by_one_thread(tmp_path: Path) -> None:
    with (
        serving(tmp_path, threads=8) as (port, _),
        socket.create_connection(("127.0.0.1", port), 20) as raw,
    ):
        raw.sendall(b"GET / HTTP/1.1\r\nHost: hub\r\n\r\n" * 5)
        with raw.makefile("rb") as stream:
            answers = [http_answer(stream) for _ in range(5)]
    assert len(set(answers)) == 1


def test_a_stop_lets_what_is_under_way_end(tmp_path: Path) -> None:
    with serving(tmp_path, threads=2) as (port, process):
        answers: list[str] = []
        with closing(connected(port)) as slow, closing(connected(port)) as idle:
            ask(idle)
            client_thread = threading.Thread(target=lambda: answers.append(ask(slow, "/slow")))
            client_thread.start()
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            client_thread.join(20)
            assert answers
            assert process.wait(20) == 0


def test_clients_that_say_nothing_keep_nobody_waiting(tmp_path: Path) -> None:
    with serving(tmp_path, threads=1) as (port, _), ExitStack() as silent:
        for _ in range(20):
            silent.enter_context(socket.create_connection(("127.0.0.1", port)))
        began = time.monotonic()
        with closing(connected(port)) as connection:
            ask(connection)
        assert time.monotonic() - began < 4  # one of them could hold the thread for five seconds


def test_a_connection_with_tls_goes_on_too(tmp_path: Path) -> None:
    pem = str(certificate(tmp_path))
    trusting = ssl.create_default_context(cafile=pem)
    with (
        serving(tmp_path, "--certfile", pem, "--keyfile", pem, threads=1) as (port, _),
        closing(http.client.HTTPSConnection("127.0.0.1", port, context=trusting)) as connection,
    ):
        ask(connection)
        kept = connection.sock
        for _ in range(3):
            ask(connection)
            assert connection.sock is kept
