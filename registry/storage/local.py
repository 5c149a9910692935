"""Objects as files in one folder, for one machine or a shared file system."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

from registry.storage import base
from registry.storage.base import Missing, Reader, Stored

DRAFT = ".put-"
MAX_SYNCED = 10_000
_synced: set[Path] = set()  # folders that `_make` does not sync again


class LocalStorage:
    """A file is written under a temporary name, synced and renamed: a reader gets all of it or
    none, and files that survive a crash are complete."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, key: str, source: BinaryIO | Path, sha256: str) -> None:
        """See Storage."""
        self.put_all((key, source, sha256))

    def put_all(self, *objects: base.Put) -> None:
        """See Storage."""
        for key, source, sha256 in objects:
            with self._placed(key) as file:
                digest = hashlib.sha256()
                for chunk in base.chunks(source):
                    digest.update(chunk)
                    file.write(chunk)
                base.check(digest.hexdigest(), sha256, key)
        for folder in {self._path(key).parent for key, _, _ in objects}:
            _sync(folder)

    def write(self, key: str, data: bytes, *, content_type: str, stamp: int) -> None:
        """See Storage."""
        with self._placed(key) as file:
            file.write(data)
            file.flush()
            os.utime(file.fileno(), (stamp, stamp))
        _sync(self._path(key).parent)

    def keys(self, prefix: str) -> Iterator[str]:
        """See Storage; drafts are left out."""
        for folder, _, names in os.walk(self._path(prefix.rstrip("/"))):
            for name in names:
                if not name.startswith(DRAFT):
                    yield Path(folder, name).relative_to(self.root).as_posix()

    def list(self, prefix: str = "") -> Iterator[Stored]:
        """See Storage; drafts are listed as if they were objects."""
        yield from _walk(self._path(prefix.rstrip("/")) if prefix else self.root, prefix)

    def move(self, key: str, to: str) -> None:
        """See Storage."""
        source, target = self._path(key), self._path(to)
        _make(target.parent, self.root)
        try:
            source.rename(target)
        except FileNotFoundError:
            raise Missing(key) from None
        # Not the source folder: after a crash the old name may exist beside the new one.
        _sync(target.parent)

    def open(self, key: str, start: int = 0, end: int | None = None) -> Reader:
        """See Storage."""
        try:
            file = _Part(self._path(key), start, end)
        except FileNotFoundError:
            raise Missing(key) from None
        return file

    @contextmanager
    def file(self, key: str) -> Iterator[Path]:
        """See Storage."""
        self.size(key)
        yield self._path(key)

    def url(self, key: str, filename: str) -> str | None:
        """None: a folder has no server."""
        return None

    def delete(self, key: str) -> None:
        """See Storage."""
        path = self._path(key)
        try:
            path.unlink()
        except FileNotFoundError:
            return
        _sync(path.parent)

    def exists(self, key: str) -> bool:
        """See Storage."""
        return self._path(key).is_file()

    def size(self, key: str) -> int:
        """See Storage."""
        try:
            return self._path(key).stat().st_size
        except FileNotFoundError:
            raise Missing(key) from None

    @contextmanager
    def _placed(self, key: str) -> Iterator[BinaryIO]:
        """A draft that is renamed to the key at the end of the block, and deleted if that raises.
        The name is not durable before its folder is synced."""
        target = self._path(key)
        _make(target.parent, self.root)
        descriptor, name = mkstemp(dir=target.parent, prefix=DRAFT)
        draft = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fchmod(file.fileno(), 0o644)
                os.fsync(file.fileno())
            draft.rename(target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise

    def _path(self, key: str) -> Path:
        if any(part in ("", ".", "..") for part in key.split("/")):
            raise ValueError(f"key {key!r} leaves the storage")
        return self.root / key


class _Part(FileIO):
    """A file that begins at `start` and ends before `end`."""

    def __init__(self, path: Path, start: int, end: int | None) -> None:
        super().__init__(path)
        self.seek(start)
        self._left = max(0, (os.fstat(self.fileno()).st_size if end is None else end) - start)

    def read(self, size: int | None = -1, /) -> bytes:
        """At most `size` bytes, all remaining ones by default."""
        length = self._left if size is None or size < 0 else min(size, self._left)
        chunk = super().read(length) or b""
        self._left -= len(chunk)
        return chunk


def _walk(folder: Path, prefix: str) -> Iterator[Stored]:
    """The files in the folder, in the order of the keys; files deleted meanwhile are left out."""
    try:
        entries = {f"{entry.name}{'/' * entry.is_dir()}": entry for entry in os.scandir(folder)}
    except FileNotFoundError:
        return
    for name in sorted(entries):
        if name.endswith("/"):
            yield from _walk(folder / name, prefix + name)
            continue
        with suppress(FileNotFoundError):
            status = entries[name].stat()
            modified = datetime.fromtimestamp(status.st_mtime, UTC)
            yield Stored(prefix + name, status.st_size, modified)


def _make(folder: Path, root: Path) -> None:
    """Create the folder durably: its entry in the parent is synced once per process, even if it
    exists, because another process may have crashed before its sync."""
    if folder in _synced and folder.is_dir():
        return
    if folder != root:
        _make(folder.parent, root)
    folder.mkdir(parents=folder == root, exist_ok=True)
    if folder != root:
        _sync(folder.parent)
    if len(_synced) > MAX_SYNCED:
        _synced.clear()
    _synced.add(folder)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
