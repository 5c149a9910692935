"""The mirror of one run: resolves revisions once, verifies files, and extends or obeys a lock.

The first runs of a version extend its lock; once the hub has frozen it, they read what it names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from envyard.contract.data_listings import Entry
from envyard.contract.data_lock import (
    MAX_SIZE,
    DataLock,
    LockedFile,
    LockedRepository,
    with_file,
    with_revision,
)
from envyard.contract.data_names import COMMIT, OBJECT_ID, SHA256, is_path
from envyard.contract.data_requests import DataRequest, Refused, Repository
from envyard.contract.values import record
from envyard_runner.data.descriptions import locked_repository
from envyard_runner.data.listings import Listings
from envyard_runner.data.store import Store, StoreFull
from envyard_runner.data.stored_file import StoredFile
from envyard_runner.data.upstream import Upstream, UpstreamFault
from envyard_runner.data.usage import DataUsage

# Resolves a revision for all runs of the version: the hub keeps the first commit that is offered.
Agree = Callable[[LockedRepository, str], Awaitable[str]]

CONVERSIONS = "refs/convert/"  # branches that the data set hub makes
INFO_FIELDS = (
    *("id", "sha", "author", "private", "gated", "disabled", "lastModified", "createdAt", "tags"),
    *("siblings", "downloads", "likes", "_id", "cardData"),
)


class RunMirror:
    """What one run may read of the upstream. Raises Refused for every request that is not served.

    `frozen` serves what `lock` names and nothing else. `opened` holds the files that were read, so
    that none is removed from the store before the run ends: `close` lets them go.
    """

    def __init__(
        self,
        upstream: Upstream,
        store: Store,
        usage: DataUsage,
        *,
        lock: DataLock,
        frozen: bool,
        agree: Agree,
    ) -> None:
        self.lock, self.frozen, self.usage = lock, frozen, usage
        self._upstream, self._store, self._agree = upstream, store, agree
        self._listings = Listings(upstream, store, self._ask, frozen=lock if frozen else None)
        self._opened: dict[str, StoredFile] = {}
        self._refusals: dict[Any, Refused] = {}
        self._asking = asyncio.Lock()

    def close(self) -> None:
        """Let go of the files."""
        while self._opened:
            self._opened.popitem()[1].close()

    async def commit(self, repository: Repository, revision: str) -> str:
        """The commit that the revision has for this version."""
        source = self._upstream.source
        if not source.allows(repository.name):
            self.usage.need(repository, "not_allowed")
            raise Refused(404, f"this runner does not mirror {repository}", "RepoNotFound")
        if commit := self.lock.commit(repository.kind, repository.name, revision):
            return commit
        if self.frozen:
            self.usage.refuse_unlocked(f"{repository} at {revision}")
            raise Refused(404, f"the data lock has no {revision}", "RevisionNotFound")
        info = await self._resolved(repository, revision)
        entry = locked_repository(repository, info)
        if COMMIT.fullmatch(revision) and entry.commit != revision:
            raise self._fault(UpstreamFault(f"{repository}: {revision} resolved to another commit"))
        self._extended(entry, revision)
        agreed = entry.commit if revision == entry.commit else await self._agree(entry, revision)
        if agreed != entry.commit:
            entry = locked_repository(repository, await self._info(repository, agreed))
        self.lock = self._extended(entry, revision)
        return agreed

    async def info(self, repository: Repository, commit: str) -> dict[str, Any]:
        """The description of the repository at the commit, without fields of other services."""
        info = await self._info(repository, commit)
        return {name: info[name] for name in INFO_FIELDS if name in info}

    async def tree(self, request: DataRequest, commit: str) -> list[Entry]:
        """The entries of a folder at the commit."""
        return await self._listings.tree(
            request.repository, commit, request.path, recursive=request.recursive
        )

    async def entries(self, repository: Repository, commit: str, paths: list[str]) -> list[Entry]:
        """The entries of these paths at the commit; one that it lacks is left out."""
        return await self._listings.entries(repository, commit, paths)

    async def metadata(self, repository: Repository, commit: str, path: str) -> LockedFile:
        """Size and object id of a file of the commit; `sha256` is "" where it is not known yet."""
        if locked := self.lock.file(repository.kind, repository.name, commit, path):
            return locked
        for entry in await self.entries(repository, commit, [path]):
            if entry.get("path") == path and entry.get("type") == "file":
                return self._file(repository, entry)
        raise Refused(404, f"{repository} has no {path[:200]}", "EntryNotFound")

    async def open(
        self, repository: Repository, commit: str, path: str
    ) -> tuple[LockedFile, StoredFile]:
        """The verified bytes of a file; fetched where the store lacks them."""
        file = await self.metadata(repository, commit, path)
        if self.frozen and not file.sha256:
            self.usage.refuse_unlocked(f"{repository}: {path}")
            raise Refused(404, f"the data lock does not name {path[:200]}", "EntryNotFound")
        stored = self._opened.get(file.object_id)
        if stored is None:
            self.usage.add_file(file.size)
            stored = self._hold(file, await self._stored(repository, commit, file))
        if file.sha256 and file.sha256 != stored.sha256:
            raise self._fault(UpstreamFault(f"{path} of {repository} is not the locked file"))
        if not self.frozen:
            file = LockedFile(file.path, file.size, stored.sha256, file.object_id)
            lock = with_file(self.lock, repository.kind, repository.name, commit, file)
            self.lock = self._bounded(lock)
        return file, stored

    async def prefetch(self) -> None:
        """Fetch all that a frozen lock names, so that the sandbox never waits for the upstream."""
        for entry in self.lock.repositories if self.frozen else ():
            repository = Repository(entry.kind, entry.name)
            for file in entry.files:
                await self.open(repository, entry.commit, file.path)

    def _extended(self, entry: LockedRepository, revision: str) -> DataLock:
        return self._bounded(with_revision(self.lock, entry, revision))

    def _bounded(self, lock: DataLock) -> DataLock:
        """The lock; raises Refused 413 where the hub would refuse it."""
        if fault := lock.over_bounds:
            self.usage.refuse(fault)
        return lock

    def _hold(self, file: LockedFile, stored: StoredFile) -> StoredFile:
        """The open file that the run keeps: the first, where two readers opened it at once."""
        kept = self._opened.setdefault(file.object_id, stored)
        if kept is not stored:
            stored.close()
        return kept

    async def _stored(self, repository: Repository, commit: str, file: LockedFile) -> StoredFile:
        if stored := self._from_store(file):
            return stored
        async with self._store.fetching(file.object_id):
            if stored := self._from_store(file):  # another run fetched it meanwhile
                return stored
            self.usage.add_request()
            try:
                async with self._upstream.file(repository, commit, file.path) as parts:
                    return await self._store.add(parts, object_id=file.object_id, size=file.size)
            except (UpstreamFault, StoreFull) as error:
                raise self._fault(error) from error
            except Refused as error:
                raise self._lost(repository, commit, file, error) from error

    def _lost(
        self, repository: Repository, commit: str, file: LockedFile, error: Refused
    ) -> Refused:
        """The refusal of a file that the commit has: since it was listed or locked, the repository
        became gated or private, or lost the commit."""
        if error.code == "EntryNotFound":
            fault = f"the data hub has no {file.path[:200]} of {repository}, which {commit} names"
            return self._fault(UpstreamFault(fault))
        if error.code == "RevisionNotFound":
            self.usage.need(repository, "no_revision", commit)
        return self._refusal(repository, error)

    def _from_store(self, file: LockedFile) -> StoredFile | None:
        sha256 = file.sha256 or self._store.sha256_of(file.object_id)
        stored = self._store.open(sha256) if sha256 else None
        if stored is not None and stored.size != file.size:
            stored.close()
            return None
        return stored

    async def _resolved(self, repository: Repository, revision: str) -> dict[str, Any]:
        """`_info` of a revision that the environment named; notes one that does not exist, except
        the conversions that clients try."""
        try:
            return await self._info(repository, revision)
        except Refused as error:
            if error.code == "RevisionNotFound" and not revision.startswith(CONVERSIONS):
                self.usage.need(repository, "no_revision", revision)
            raise

    async def _info(self, repository: Repository, revision: str) -> dict[str, Any]:
        """The kept fields of the description; read once a commit by all runs of the machine."""
        if COMMIT.fullmatch(revision):
            kept = self._store.listings.get(self._listings.key("info", repository, revision))
            if isinstance(kept, dict):
                return self._allowed(repository, kept)
        info = await self._ask(repository, self._upstream.info, revision)
        if info.get("private"):
            self.usage.need(repository, "private")
            raise Refused(404, f"{repository} is private", "RepoNotFound")
        commit = str(info.get("sha"))
        if not COMMIT.fullmatch(commit):
            raise self._fault(UpstreamFault(f"the data hub names no commit of {repository}"))
        kept = {name: info[name] for name in INFO_FIELDS if name in info}
        self._store.listings.put(self._listings.key("info", repository, commit), kept)
        return self._allowed(repository, kept)

    def _allowed(self, repository: Repository, info: dict[str, Any]) -> dict[str, Any]:
        """The description; raises Refused where the upstream has another name for the repository,
        which the operator does not allow: it redirects from a former name."""
        name = info.get("id")
        if isinstance(name, str) and not self._upstream.source.allows(name):
            self.usage.need(Repository(repository.kind, name[:200]), "not_allowed")
            raise Refused(404, f"this runner does not mirror {name[:200]}", "RepoNotFound")
        return info

    async def _ask(
        self, repository: Repository, read: Callable[..., Awaitable[Any]], *args: Any
    ) -> Any:
        """One request to the upstream, counted; a refusal is remembered for the run.

        The run's requests are sent one after the other, so that each sees the counts of those
        before it.
        """
        key = (repository, args)
        async with self._asking:
            if refusal := self._refusals.get(key):
                raise refusal
            self.usage.add_request()
            try:
                return await read(repository, *args)
            except UpstreamFault as error:
                raise self._fault(error) from error
            except Refused as error:
                refusal = self._refusals[key] = self._refusal(repository, error)
                raise refusal from error

    def _refusal(self, repository: Repository, error: Refused) -> Refused:
        """The refusal for the client; the data hub answers 401 for what does not exist, too."""
        if error.code == "GatedRepo":
            self.usage.need(repository, "gated")
            return Refused(403, f"{repository} is gated and this runner has no access", error.code)
        if error.code in ("RevisionNotFound", "EntryNotFound"):
            self.usage.missing += 1
            return Refused(404, str(error), error.code)
        if error.status in (401, 403, 404):
            self.usage.need(repository, "not_found")
            self.usage.missing += 1
            return Refused(404, f"{repository} does not exist or is private", "RepoNotFound")
        return error

    def _fault(self, error: Exception) -> Refused:
        """The answer to the client for a fault that is the platform's."""
        self.usage.fail(str(error))
        return Refused(502, str(error))

    def _file(self, repository: Repository, entry: dict[str, Any]) -> LockedFile:
        """The file that an entry describes; `sha256` is "" unless it is the object's id."""
        large = record(entry.get("lfs"))
        object_id = str(large.get("oid") or entry.get("oid"))
        size, path = large.get("size", entry.get("size")), entry.get("path")
        if (
            not OBJECT_ID.fullmatch(object_id)
            or type(size) is not int
            or not 0 <= size <= MAX_SIZE
            or not isinstance(path, str)
            or not is_path(path)
        ):
            raise self._fault(UpstreamFault(f"the data hub's file list of {repository} is invalid"))
        return LockedFile(path, size, object_id if SHA256.fullmatch(object_id) else "", object_id)
