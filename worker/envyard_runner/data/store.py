"""The mirror's folder on disk: verified files addressed by sha256, and listings of commits.

Several runners of one machine share it. Bytes are written to a draft of their final size, so that
what is under way counts towards the limit, and get their name only once they are verified. The
least recently used files are removed first; one that a run holds stays.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import hashlib
import os
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

from envyard.contract.data_names import SHA256
from envyard_runner.data.listing_store import ListingStore
from envyard_runner.data.stored_file import StoredFile, remove_unused, to_end
from envyard_runner.data.upstream import UpstreamFault

OBJECTS, IDS, LISTINGS, DRAFTS, FETCHES = "objects", "ids", "listings", "drafts", "fetches"
TOTAL = "total"  # a file
LISTING_SHARE = 20  # listings may take this part of the limit
WAIT_SECONDS = 0.1
STALE_SECONDS = 24 * 3600.0


class _Entry(NamedTuple):
    path: Path
    size: int
    used: float


class StoreFull(Exception):
    """The file does not fit: the operator's limit or the disk. The message names the setting."""


class Store:
    """Files by sha256 and `listings` by key below `folder`, at most `maximum` bytes together."""

    def __init__(self, folder: Path, maximum: int) -> None:
        share = maximum // LISTING_SHARE
        self.folder, self.maximum = folder, maximum - share
        self.listings = ListingStore(folder / LISTINGS, share)

    def open(self, sha256: str) -> StoredFile | None:
        """The file, marked as used now; None where it is not stored."""
        path = self._object(sha256)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        fcntl.flock(fd, fcntl.LOCK_SH)
        if os.fstat(fd).st_nlink == 0:  # it was removed between the two calls
            os.close(fd)
            return None
        with contextlib.suppress(FileNotFoundError):
            os.utime(path)
        return StoredFile(fd, sha256, os.fstat(fd).st_size)

    def sha256_of(self, object_id: str) -> str | None:
        """The sha256 of an object in a commit, where it was stored before."""
        if SHA256.fullmatch(object_id):
            return object_id
        try:
            value = (self.folder / IDS / object_id).read_text(encoding="ascii")
        except FileNotFoundError:
            return None
        return value if SHA256.fullmatch(value) else None

    async def add(self, parts: AsyncIterator[bytes], *, object_id: str, size: int) -> StoredFile:
        """Write and verify a file; raises StoreFull, or UpstreamFault for other bytes than the
        commit names."""
        draft = self._draft()
        try:
            await to_end(self._reserve, draft, size)
            sha256 = await self._write(draft, parts, object_id=object_id, size=size)
            return await to_end(self._keep, draft, sha256, object_id)
        finally:
            if draft.exists():
                with self._changing():
                    total = self._total()
                    draft.unlink(missing_ok=True)
                    self._set_total(total - size)

    @asynccontextmanager
    async def fetching(self, object_id: str) -> AsyncIterator[None]:
        """Held by one reader of the upstream at a time, in this process or another."""
        folder = self.folder / FETCHES
        folder.mkdir(parents=True, exist_ok=True)
        fd = os.open(folder / object_id, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    await asyncio.sleep(WAIT_SECONDS)
            yield
        finally:
            os.close(fd)

    def size(self) -> int:
        """Bytes of all files that are stored or under way."""
        return sum(entry.size for entry in self._entries(OBJECTS, DRAFTS))

    def clear_up(self) -> None:
        """Remove what killed runners left: drafts and locks of a day ago, and ids of no file."""
        for name in (DRAFTS, FETCHES, IDS):
            for path in self._files(name):
                with contextlib.suppress(FileNotFoundError):
                    if time.time() - path.stat().st_mtime <= STALE_SECONDS:
                        continue
                    if name != IDS or not self._object(path.read_text("ascii")).exists():
                        path.unlink()

    def free(self, size: int) -> None:
        """Remove the least recently used files until `size` bytes are freed, or none is unused."""
        if self.folder.exists():
            with self._changing():
                self._remove_oldest(size)

    @property
    def _megabytes(self) -> int:
        """What the operator wrote."""
        return (self.maximum + self.listings.maximum) >> 20

    def _object(self, sha256: str) -> Path:
        return self.folder / OBJECTS / sha256[:2] / sha256

    def _draft(self) -> Path:
        folder = self.folder / DRAFTS
        folder.mkdir(parents=True, exist_ok=True)
        return folder / secrets.token_hex(8)

    def _reserve(self, draft: Path, size: int) -> None:
        """Write a draft of `size` bytes, once the store has room for it."""
        if size > self.maximum:
            raise StoreFull(
                f"a file of {size} bytes is larger than the mirror's folder may be "
                f"(RUNNER_DATA_MB={self._megabytes})"
            )
        with self._changing():
            self._make_room(size)
            total = self._total()
            fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                if size:
                    os.posix_fallocate(fd, 0, size)
            except OSError as error:
                draft.unlink(missing_ok=True)
                if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                    raise StoreFull(f"the disk of {self.folder} has no room") from error
                raise
            finally:
                os.close(fd)
            self._set_total(total + size)

    async def _write(
        self, draft: Path, parts: AsyncIterator[bytes], *, object_id: str, size: int
    ) -> str:
        """The sha256 of the verified bytes."""
        sha256 = hashlib.sha256()
        blob = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        received = 0
        with draft.open("r+b") as file:

            def take(part: bytes) -> None:
                sha256.update(part)
                blob.update(part)
                file.write(part)

            async for part in parts:
                received += len(part)
                if received > size:
                    raise UpstreamFault("a file is longer than its commit says")
                await asyncio.to_thread(take, part)
        if received != size:
            raise UpstreamFault("a file is shorter than its commit says")
        expected = sha256 if SHA256.fullmatch(object_id) else blob
        if expected.hexdigest() != object_id:
            raise UpstreamFault("a file's bytes are not those that its commit names")
        return sha256.hexdigest()

    def _keep(self, draft: Path, sha256: str, object_id: str) -> StoredFile:
        draft.chmod(0o400)
        _replace(draft, self._object(sha256))
        if object_id != sha256:
            mapping = self._draft()
            mapping.write_text(sha256, encoding="ascii")
            _replace(mapping, self.folder / IDS / object_id)
        stored = self.open(sha256)
        if stored is None:
            raise StoreFull("a file was removed as soon as it was stored; raise RUNNER_DATA_MB")
        return stored

    def _make_room(self, size: int) -> None:
        """Remove the least recently used until `size` bytes fit."""
        over = self._total() + size - self.maximum
        if over > 0:
            over = self._set_total(self.size()) + size - self.maximum
        if over > 0 and self._remove_oldest(over) < over:
            raise StoreFull(
                f"the mirror's folder is full of files in use (RUNNER_DATA_MB={self._megabytes})"
            )

    def _remove_oldest(self, size: int) -> int:
        """Remove unused files until `size` bytes are freed; how many were."""
        total, freed = self._total(), 0
        for entry in sorted(self._entries(OBJECTS), key=lambda entry: entry.used):
            if freed >= size:
                break
            if remove_unused(entry.path):
                freed += entry.size
        self._set_total(total - freed)
        return freed

    def _total(self) -> int:
        """`size` as TOTAL has it, without a look at each file: never too small, but too large after
        another hand deleted a file or one was stored twice."""
        try:
            return int((self.folder / TOTAL).read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return self._set_total(self.size())

    def _set_total(self, total: int) -> int:
        draft = self.folder / f"{TOTAL}.{os.getpid()}"
        draft.write_text(str(total), encoding="ascii")
        draft.replace(self.folder / TOTAL)
        return total

    def _entries(self, *names: str) -> Iterator[_Entry]:
        for name in names:
            for path in self._files(name):
                with contextlib.suppress(FileNotFoundError):
                    status = path.stat()
                    yield _Entry(path, status.st_size, status.st_mtime)

    def _files(self, name: str) -> Iterator[Path]:
        return (path for path in (self.folder / name).rglob("*") if path.is_file())

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """One process at a time frees space and reserves it."""
        fd = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)


def _replace(draft: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    draft.replace(target)
