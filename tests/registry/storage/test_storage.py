"""Every storage keeps the same promises: a folder, and a bucket of an S3-compatible server."""

import hashlib
import io
import os
import shutil
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytest_django import Settings

from registry import storage
from registry.storage import Corrupt, Missing, Storage
from registry.storage.local import LocalStorage
from registry.storage.s3 import S3Storage

DATA = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(DATA).hexdigest()
KEY = storage.key("wheels", SHA256)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture(params=["local", pytest.param("s3", marks=pytest.mark.s3)])
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
    for source_form in (io.BytesIO(DATA), source):
        store.put(KEY, source_form, SHA256)
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
    fields = {"content_type": "text/html", "stamp": 1_000_000_000}
    for key in ("pages/b/x.html", "pages/a/x.html", "pages/a/x.html.gz", "pagesque/x.html"):
        store.write(key, b"old", **fields)
    store.write("pages/a/x.html", b"new", **fields)
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


def test_what_is_stored_is_listed_in_the_order_of_its_keys(store: Storage) -> None:
    began = datetime.now(UTC) - timedelta(seconds=2)
    keys = [f"{kind}/{name}" for kind in ("a", "a-b", "b") for name in ("1", "2.x", "2/y", "20")]
    for key in keys:
        store.put(key, io.BytesIO(DATA), SHA256)
    listed = list(store.list())
    assert [stored.key for stored in listed] == sorted(keys)
    assert {stored.size for stored in listed} == {len(DATA)}
    assert all(
        began < stored.modified < datetime.now(UTC) + timedelta(seconds=2) for stored in listed
    )
    assert [stored.key for stored in store.list("a/")] == ["a/1", "a/2.x", "a/2/y", "a/20"]
    assert list(store.list("nothing/")) == []


def test_an_object_moves_onto_another_and_is_under_one_key(store: Storage) -> None:
    store.put("staging/1", io.BytesIO(DATA), SHA256)
    store.put(KEY, io.BytesIO(b"other"), hashlib.sha256(b"other").hexdigest())
    store.move("staging/1", KEY)
    assert [stored.key for stored in store.list()] == [KEY]
    with store.open(KEY) as reader:
        assert reader.read() == DATA
    with pytest.raises(Missing):
        store.move("staging/1", KEY)
    assert store.exists(KEY)


def test_what_a_killed_put_left_in_a_folder_is_listed_and_deleted(tmp_path: Path) -> None:
    folder = LocalStorage(tmp_path)
    child = os.fork()
    if child == 0:

        class Deadly(io.BytesIO):
            def read(self, size: int | None = -1, /) -> bytes:
                if self.tell() > 100_000:
                    os.kill(os.getpid(), signal.SIGKILL)
                return super().read(size)

        folder.put(KEY, Deadly(DATA), SHA256)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    (draft,) = folder.list()
    assert draft.key.startswith(KEY.rpartition("/")[0])
    assert not folder.exists(KEY)
    folder.delete(draft.key)
    assert list(folder.list()) == []


def test_the_settings_choose(settings: Settings, tmp_path: Path) -> None:
    settings.HUB_STORAGE, settings.HUB_STORAGE_PATH = "local", tmp_path
    local = storage.get()
    assert isinstance(local, LocalStorage)
    assert local.root == tmp_path
    settings.HUB_STORAGE, settings.HUB_S3_BUCKET = "s3", "some"
    settings.HUB_S3_ENDPOINT_URL, settings.HUB_S3_REGION = "http://127.0.0.1:1", "us-east-1"
    chosen = storage.get()
    assert isinstance(chosen, S3Storage)
    assert chosen.bucket == "some"
    assert storage.get() is chosen


def test_names_are_synced_once_each_and_folders_above_once_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is synced, in order, where the files themselves come before their names."""
    synced: list[str] = []
    sync = os.fsync

    def noted(descriptor: int) -> None:
        place = Path(f"/proc/self/fd/{descriptor}").readlink()
        synced.append(
            "draft" if place.name.startswith(".put-") else str(place.relative_to(tmp_path))
        )
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    store = LocalStorage(tmp_path / "files")
    both = [
        ("a/b/one", io.BytesIO(b"1"), sha256(b"1")),
        ("a/b/two", io.BytesIO(b"2"), sha256(b"2")),
    ]
    store.put_all(*both)
    assert synced == ["files", "files/a", "draft", "draft", "files/a/b"]
    synced.clear()
    store.put_all(*both)
    assert synced == ["draft", "draft", "files/a/b"]
    synced.clear()
    store.move("a/b/one", "a/c/one")
    assert synced == ["files/a", "files/a/c"]
    shutil.rmtree(tmp_path / "files/a")
    synced.clear()
    store.put("a/b/one", io.BytesIO(b"1"), sha256(b"1"))
    assert synced == ["files", "files/a", "draft", "files/a/b"]


def test_of_several_a_bad_one_is_refused_and_not_kept(store: Storage) -> None:
    with pytest.raises(Corrupt):
        store.put_all(
            ("staging/good", io.BytesIO(b"1"), sha256(b"1")),
            ("staging/bad", io.BytesIO(b"2"), "0" * 64),
        )
    assert not store.exists("staging/bad")
