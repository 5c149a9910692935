"""The upload over sockets, on web as `manage.py serve` starts it."""

import os
import random
import re
import shutil
import socket
import subprocess
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection
from django.test import override_settings

from hub import programs
from hub.supervisor import die_with_parent
from registry.accounts import tokens
from registry.models import Environment, UsedFilename, User, Version
from tests.ports import free_port
from tests.registry.uploads.forms import form_of
from tests.registry.uploads.test_endpoint import BOUNDARY, basic, body
from tests.wheels import TASKSET, filename, make_wheel

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

WHEEL = make_wheel()


class Web:
    """The server, its folders, and alice's key."""

    def __init__(self, port: int, home: Path, key: str, pid: int) -> None:
        self.port, self.home, self.key, self.pid = port, home, key, pid

    def peaks_mib(self) -> dict[int, float]:
        """The peak resident memory of each worker; resets the peaks."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        peaks = {}
        for pid in map(int, children):
            status = Path(f"/proc/{pid}/status").read_text()
            peaks[pid] = int(status.partition("VmHWM:")[2].split()[0]) / 1024
            Path(f"/proc/{pid}/clear_refs").write_text("5")
        return peaks

    def send(self, sent: bytes, *pieces: bytes, length: int | None = None, pause: float = 0) -> str:
        """The whole answer to a POST of these pieces; empty where there was none."""
        promised = sum(map(len, (sent, *pieces))) if length is None else length
        with self.begun(f"Content-Length: {promised}") as wire:
            for piece in (sent, *pieces):
                wire.sendall(piece)
                time.sleep(pause)
            wire.shutdown(socket.SHUT_WR)
            return self.answer(wire)

    def begun(self, header: str) -> socket.socket:
        wire = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        wire.sendall(
            f"POST /legacy/alice/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Authorization: {basic(self.key)}\r\nAccept: text/plain\r\n"
            f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n{header}\r\n\r\n".encode()
        )
        return wire

    def answer(self, wire: socket.socket) -> str:
        with wire.makefile("rb") as read:
            return read.read().decode()

    def nothing_left(self) -> bool:
        """Neither row nor object nor temporary file."""
        rows = Version.objects.exists() or Environment.objects.exists()
        kept = [path for path in (self.home / "files").rglob("*") if path.is_file()]
        left = [path for path in (self.home / "tmp").iterdir() if not path.name.startswith("wgun")]
        return not (rows or kept or left or UsedFilename.objects.exists())


@pytest.fixture(scope="module")
def server(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[int, Path, int]]:
    """Its port, folder and process; the database is that of these tests."""
    home, port = tmp_path_factory.mktemp("web"), free_port()
    (home / "tmp").mkdir()
    environ = {"HUB_HOME": str(home), "TMPDIR": str(home / "tmp")}
    name = str(connection.settings_dict["NAME"])
    if server := os.environ.get("DATABASE_URL", ""):
        base, _, query = server.partition("?")
        environ["DATABASE_URL"] = f"{base.rpartition('/')[0]}/{name}?{query}"
    else:
        environ["DATABASE_URL"] = f"sqlite://{name}"
    with override_settings(HUB_PORT=port):
        command = programs.children(logs=home, runner_token="")[0].command
    with (home / "web.log").open("wb") as log:
        running = subprocess.Popen(
            command, env=os.environ | environ, stdout=log, stderr=log, preexec_fn=die_with_parent
        )
    try:
        deadline = time.monotonic() + 60
        while not listens(port):
            assert time.monotonic() < deadline, (home / "web.log").read_text()
            time.sleep(0.1)
        yield port, home, running.pid
    finally:
        running.terminate()
        running.wait(20)


@pytest.fixture
def web(alice: User, server: tuple[int, Path, int]) -> Iterator[Web]:
    """With no files in it yet."""
    port, home, pid = server
    yield Web(port, home, tokens.mint(user=alice, name="test", scope="publish")[1], pid)
    if (home / "files").exists():
        shutil.rmtree(home / "files")


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def complete_body(data: bytes = WHEEL) -> bytes:
    return body(form_of(data), data, name=filename())


def test_a_client_that_is_cut_off_anywhere_leaves_nothing(web: Web) -> None:
    """It disconnects, or sends the end of the body: both at many places of the body."""
    sent = complete_body()
    places = [0, 1, 300, sent.index(WHEEL), *range(2000, len(sent) - 20, len(sent) // 5)]
    for place in places:
        with web.begun(f"Content-Length: {len(sent)}") as wire:
            wire.sendall(sent[:place])
        answer = web.send(sent[:place], length=len(sent))
        assert answer == "" or answer.startswith("HTTP/1.1 400 "), (place, answer)
    assert web.nothing_left()
    assert " 200 " in web.send(sent).splitlines()[0]
    assert Version.objects.get().staged == ""


def test_a_slow_client_gets_through(web: Web) -> None:
    sent = complete_body()
    pieces = [sent[at : at + 150] for at in range(0, len(sent), 150)]
    assert " 200 " in web.send(*pieces, pause=0.05).splitlines()[0]


def test_a_length_that_lies_loses_nothing_but_what_it_hides(web: Web) -> None:
    sent = complete_body()
    short = web.send(sent, length=len(sent) - 40)
    assert short.startswith("HTTP/1.1 400 ")
    assert web.nothing_left()
    answer = web.send(b"", length=1 << 40)
    assert answer.startswith("HTTP/1.1 413 the upload has 1099511627776 bytes")
    # The form has an end of its own, and its digests prove that it is complete.
    assert " 200 " in web.send(sent, length=len(sent) + 40).splitlines()[0]


def test_chunked_body_is_refused_for_lack_of_a_length(web: Web) -> None:
    with web.begun("Transfer-Encoding: chunked") as wire:
        sent = complete_body()
        wire.sendall(f"{len(sent):x}\r\n".encode() + sent + b"\r\n0\r\n\r\n")
        answer = web.answer(wire)
    assert answer.startswith("HTTP/1.1 411 the upload comes in chunks")
    assert web.nothing_left()


def test_reason_phrase_and_body_say_the_same(web: Web) -> None:
    web.send(complete_body())
    answer = web.send(complete_body(make_wheel(description="# Other\n")))
    head, _, text = answer.partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 400 File already exists: alice/demo-env==0.1.0")
    assert text.startswith("File already exists: alice/demo-env==0.1.0")


def test_uploads_at_once_make_exactly_one_version(web: Web) -> None:
    wheels = [WHEEL] * 3 + [make_wheel(description=f"# {number}\n") for number in range(3)]
    with ThreadPoolExecutor(len(wheels)) as pool:
        answers = list(pool.map(lambda data: web.send(complete_body(data)), wheels))
    assert Version.objects.count() == 1
    outcomes = sorted(
        re.findall(r" (accepted|already here|File already exists):", "\n".join(answers))
    )
    assert outcomes.count("accepted") == 1
    assert len(outcomes) >= len(wheels)
    kept = [
        path.relative_to(web.home) for path in (web.home / "files").rglob("*") if path.is_file()
    ]
    assert sorted(path.parts[1] for path in kept) == ["metadata", "wheels"]


def test_the_largest_wheel_takes_a_small_part_of_its_size_in_memory(web: Web) -> None:
    """Two at once, of 99 MiB each."""
    noise = random.Random(7).randbytes(99 << 20)
    wheels = [
        make_wheel(
            version=version,
            files={"demo_env/__init__.py": TASKSET, "demo_env/noise.bin": noise},
            compression=zipfile.ZIP_STORED,
        )
        for version in ("1.0", "2.0")
    ]
    sent = [
        body(form_of(data), data, name=filename(version=version))
        for data, version in zip(wheels, ("1.0", "2.0"), strict=True)
    ]
    web.send(complete_body())  # so that all is loaded
    web.peaks_mib()
    before = web.peaks_mib()
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(web.send, sent))
    assert all(" 200 " in answer.splitlines()[0] for answer in answers), answers
    grown = {pid: peak - before[pid] for pid, peak in web.peaks_mib().items()}
    assert sum(grown.values()) < 60, grown
    assert Version.objects.count() == 3
