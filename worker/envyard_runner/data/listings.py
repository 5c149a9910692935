"""File lists of commits: read once and whole, so that no path of the environment's choosing is
sent to the upstream."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from envyard.contract.data_listings import Entry, at_paths, entries_of, in_folder
from envyard.contract.data_lock import DataLock
from envyard.contract.data_requests import Refused, Repository
from envyard.contract.values import record, records
from envyard_runner.data.store import Store
from envyard_runner.data.upstream import MAX_PAGE, Upstream

# One request to the upstream, counted; raises Refused.
Ask = Callable[..., Awaitable[Any]]

ENTRY_FIELDS = ("type", "oid", "size", "path")
LARGE_FILE_FIELDS = ("oid", "size", "pointerSize")
ALL_PAGES = 20  # of a commit's list of all files; beyond, folders are listed one by one
FOLDER_PAGES = 100
IN_MEMORY = 16  # lists of commits
TOO_LONG = {"too_long": True}


class Listings:
    """The file lists that one run reads, kept in the store for all runs of the machine.

    A `frozen` run sees only its lock's files of a commit with more files than the mirror lists.
    """

    def __init__(
        self, upstream: Upstream, store: Store, ask: Ask, *, frozen: DataLock | None
    ) -> None:
        self._upstream, self._store, self._ask, self._frozen = upstream, store, ask, frozen
        self._recent: OrderedDict[str, list[Entry] | None] = OrderedDict()

    async def all_entries(self, repository: Repository, commit: str) -> list[Entry] | None:
        """All files and folders of the commit; None where they are more than the mirror lists."""
        key = self.key("all", repository, commit)
        if key not in self._recent:
            entries = await self._read_all(key, repository, commit)
            if entries is None and self._frozen is not None:
                locked = self._frozen.repository(repository.kind, repository.name, commit)
                entries = [] if locked is None else entries_of(locked)
            self._recent[key] = entries
            while len(self._recent) > IN_MEMORY:
                self._recent.popitem(last=False)
        self._recent.move_to_end(key)
        return self._recent[key]

    async def tree(
        self, repository: Repository, commit: str, path: str, *, recursive: bool
    ) -> list[Entry]:
        """The entries of a folder. Raises Refused 404 where the commit lacks it."""
        entries = await self.all_entries(repository, commit)
        if entries is None:
            key = self.key("tree", repository, commit, path, recursive)
            listed = self._kept(key)
            if listed is None:
                listed = await self._pages(repository, commit, path, recursive, FOLDER_PAGES)
                if listed is None:
                    raise Refused(413, f"{repository} has more files than the mirror lists")
                self._store.listings.put(key, listed)
            return listed
        folder = in_folder(entries, path, recursive=recursive)
        if folder is None:
            raise Refused(404, f"{repository} has no folder {path[:200]}", "EntryNotFound")
        return folder

    async def entries(self, repository: Repository, commit: str, paths: list[str]) -> list[Entry]:
        """The entries of these paths; one that the commit lacks is left out."""
        entries = await self.all_entries(repository, commit)
        if entries is not None:
            return at_paths(entries, paths)
        key = self.key("paths", repository, commit, *paths)
        listed = self._kept(key)
        if listed is None:
            values = await self._ask(repository, self._upstream.paths_info, commit, tuple(paths))
            listed = _entries(values)
            self._store.listings.put(key, listed)
        return listed

    def key(self, operation: str, repository: Repository, commit: str, *rest: Any) -> str:
        """What a listing of the store depends on."""
        url = self._upstream.source.url
        return json.dumps([operation, url, repository.kind, repository.name, commit, *rest])

    async def _read_all(self, key: str, repository: Repository, commit: str) -> list[Entry] | None:
        kept = self._store.listings.get(key)
        if kept == TOO_LONG:
            return None
        if isinstance(kept, list):
            return kept
        listed = await self._pages(repository, commit, "", True, ALL_PAGES)
        self._store.listings.put(key, TOO_LONG if listed is None else listed)
        return listed

    async def _pages(
        self, repository: Repository, commit: str, path: str, recursive: bool, maximum: int
    ) -> list[Entry] | None:
        """The pages of a list; None where they are more than `maximum`."""
        entries: list[Entry] = []
        cursor = ""
        for _ in range(maximum):
            page, cursor = await self._ask(
                repository, self._upstream.tree, commit, path, recursive, cursor
            )
            entries += _entries(page)
            if not cursor:
                return entries
        return None

    def _kept(self, key: str) -> list[Entry] | None:
        kept = self._store.listings.get(key)
        return kept if isinstance(kept, list) else None


def _entries(values: Any) -> list[Entry]:
    """Entries of a file list without what leads to other services."""
    return [_entry(value) for value in records(values, MAX_PAGE)]


def _entry(value: Entry) -> Entry:
    entry = {name: value[name] for name in ENTRY_FIELDS if name in value}
    if large := record(value.get("lfs")):
        entry["lfs"] = {name: large[name] for name in LARGE_FILE_FIELDS if name in large}
    return entry
