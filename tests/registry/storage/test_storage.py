"""Every storage keeps the same promises: a folder, and a bucket of an S3-compatible server."""

import hashlib
import io
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from pytest_django import Settings

from registry import storage
from registry.storage import Corrupt, Missing, Storage
from registry.storage.local import LocalStorage
from registry.storage.s3 import S3Storage

DATA = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(DATA).hexdigest()
KEY = storage.key("wheels", SHA256)
BUCKET = "envyard-tests"
CREDENTIALS = {"access_key_id": "testing", "secret_access_key": "testing"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """An S3-compatible server in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(server, port)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


def wait_for(server: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the S3-compatible server did not start, or not within 60 s")


@pytest.fixture
def bucket(endpoint: str) -> S3Storage:
    made = S3Storage(
        bucket=BUCKET, prefix="/hub/", endpoint_url=endpoint, region="us-east-1", **CREDENTIALS
    )
    made.client.create_bucket(Bucket=BUCKET)
    made.delete(KEY)
    return made


@pytest.fixture(params=["local", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "local":
        return LocalStorage(tmp_path / "files")
    bucket: S3Storage = request.getfixturevalue("bucket")
    return bucket


def test_what_is_put_is_read_back_from_a_file_and_from_a_path(
    store: Storage, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.write_bytes(DATA)
    for given in (io.BytesIO(DATA), source):
        store.put(KEY, given, SHA256)
        with store.open(KEY) as reader:
            assert reader.read() == DATA
        assert store.exists(KEY)
        assert store.size(KEY) == len(DATA)
        store.delete(KEY)
        assert not store.exists(KEY)


def test_a_file_is_read_from_its_beginning_and_left_open(store: Storage) -> None:
    source = io.BytesIO(DATA)
    source.seek(100)
    store.put(KEY, source, SHA256)
    store.put(KEY, source, SHA256)
    assert not source.closed
    assert store.size(KEY) == len(DATA)


@pytest.mark.parametrize(
    ("start", "end"), [(0, None), (5, None), (0, 1), (100, 70_000), (255_999, 256_000)]
)
def test_a_part_is_read_by_its_bounds(store: Storage, start: int, end: int | None) -> None:
    store.put(KEY, io.BytesIO(DATA), SHA256)
    pieces = []
    with store.open(KEY, start, end) as reader:
        while piece := reader.read(1000):
            pieces.append(piece)
    assert b"".join(pieces) == DATA[start:end]
    assert all(len(piece) <= 1000 for piece in pieces)


def test_bytes_of_another_digest_are_refused_and_not_kept(store: Storage) -> None:
    with pytest.raises(Corrupt, match="sha256"):
        store.put(KEY, io.BytesIO(DATA[:-1]), SHA256)
    assert not store.exists(KEY)


def test_a_refused_put_leaves_what_was_there(store: Storage) -> None:
    store.put(KEY, io.BytesIO(DATA), SHA256)
    with pytest.raises(Corrupt):
        store.put(KEY, io.BytesIO(b"other"), SHA256)
    with store.open(KEY) as reader:
        assert reader.read() == DATA


def test_what_is_not_there_is_missing(store: Storage) -> None:
    with pytest.raises(Missing):
        store.open(KEY)
    with pytest.raises(Missing):
        store.size(KEY)
    with pytest.raises(Missing), store.file(KEY):
        pass
    store.delete(KEY)


def test_an_object_is_had_as_a_local_file(store: Storage) -> None:
    store.put(KEY, io.BytesIO(DATA), SHA256)
    with store.file(KEY) as path:
        assert path.read_bytes() == DATA


def test_a_page_is_written_over_the_old_one_and_found_by_its_folder(store: Storage) -> None:
    said = {"content_type": "text/html", "stamp": 1_000_000_000}
    for key in ("pages/b/x.html", "pages/a/x.html", "pages/a/x.html.gz", "pagesque/x.html"):
        store.write(key, b"old", **said)
    store.write("pages/a/x.html", b"new", **said)
    with store.open("pages/a/x.html") as reader:
        assert reader.read() == b"new"
    assert sorted(store.keys("pages/a/")) == ["pages/a/x.html", "pages/a/x.html.gz"]
    for key in store.keys("pages/"):
        store.delete(key)
    assert list(store.keys("pages/")) == []
    assert list(store.keys("pagesque/")) == ["pagesque/x.html"]


def test_the_time_of_a_page_in_a_folder_is_its_stamp(tmp_path: Path) -> None:
    LocalStorage(tmp_path).write("a/x.html", b"x", content_type="text/html", stamp=12345)
    assert (tmp_path / "a/x.html").stat().st_mtime == 12345
    assert (tmp_path / "a/x.html").stat().st_mode & 0o777 == 0o644


def test_a_key_is_made_of_a_digest_alone() -> None:
    assert f"wheels/{SHA256[:2]}/{SHA256}" == KEY
    for wrong in ("", "ab", SHA256.upper(), "../" + SHA256[3:], SHA256 + "0"):
        with pytest.raises(ValueError, match="64 lower-case hex digits"):
            storage.key("wheels", wrong)


def test_a_folder_serves_nothing_and_holds_no_drafts(tmp_path: Path) -> None:
    folder = LocalStorage(tmp_path)
    folder.put(KEY, io.BytesIO(DATA), SHA256)
    with pytest.raises(Corrupt):
        folder.put(KEY, io.BytesIO(b""), SHA256)
    assert folder.url(KEY, "a.whl") is None
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / KEY]
    assert (tmp_path / KEY).stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("key", ["../x", "wheels/../../x", "/etc/passwd", "", "wheels//x"])
def test_no_key_leaves_the_folder(tmp_path: Path, key: str) -> None:
    with pytest.raises(ValueError, match="leaves the storage"):
        LocalStorage(tmp_path).exists(key)


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """A source that breaks off like a disk does."""

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() > 70_000:
                raise OSError(28, os.strerror(28))
            return super().read(size)

    with pytest.raises(OSError, match="No space"):
        LocalStorage(tmp_path).put(KEY, Broken(DATA), SHA256)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_bucket_serves_by_itself_under_the_files_name_and_in_parts(bucket: S3Storage) -> None:
    bucket.put(KEY, io.BytesIO(DATA), SHA256)
    url = bucket.url(KEY, "demo_env-0.1.0-py3-none-any.whl")
    assert url is not None
    assert f"/{BUCKET}/hub/{KEY}?" in url
    assert "X-Amz-Expires=600" in url
    with urlopen(Request(url, headers={"Range": "bytes=10-19"}), timeout=10) as answer:
        assert answer.status == 206
        assert answer.read() == DATA[10:20]
        assert "demo_env-0.1.0-py3-none-any.whl" in answer.headers["Content-Disposition"]


def test_bytes_that_change_on_the_wire_to_a_bucket_are_not_kept(bucket: S3Storage) -> None:
    def change(params: dict[str, Any], **_: object) -> None:
        params["body"] = io.BytesIO(b"X" + DATA[1:])

    bucket.client.meta.events.register("before-call.s3.PutObject", change)
    with pytest.raises(Corrupt):
        bucket.put(KEY, io.BytesIO(DATA), SHA256)
    assert not bucket.exists(KEY)


def test_other_answers_of_a_bucket_are_errors_not_absence(endpoint: str) -> None:
    elsewhere = S3Storage(
        bucket="not-made", endpoint_url=endpoint, region="us-east-1", **CREDENTIALS
    )
    with pytest.raises(elsewhere.client.exceptions.NoSuchBucket):
        elsewhere.open(KEY)


def test_the_settings_choose(settings: Settings, endpoint: str, tmp_path: Path) -> None:
    settings.HUB_STORAGE, settings.HUB_STORAGE_PATH = "local", tmp_path
    local = storage.get()
    assert isinstance(local, LocalStorage)
    assert local.root == tmp_path
    settings.HUB_STORAGE, settings.HUB_S3_BUCKET = "s3", BUCKET
    settings.HUB_S3_ENDPOINT_URL, settings.HUB_S3_REGION = endpoint, "us-east-1"
    chosen = storage.get()
    assert isinstance(chosen, S3Storage)
    assert chosen.bucket == BUCKET
    assert storage.get() is chosen
