"""Browse the files of a version: of its source archive, else of its wheel."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from django.core.cache import cache

from registry import storage
from registry.catalog.models import Version
from registry.errors import HubError, NotFound, Stale
from registry.sources import archive
from registry.sources.archive import Member
from registry.sources.models import Source

MAX_ENTRIES = 1000
DAY = 86400  # seconds
# Archive, path and bytes to read -> all members, and the file's beginning with its length.
Read = Callable[[Path, str, int], tuple[list[Member], tuple[bytes, int] | None]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or a folder of a tree; `size` is in bytes, None for a folder."""

    path: str
    size: int | None


@dataclass(frozen=True, slots=True)
class Tree:
    """The entries of a folder, folders first; `cut` where there are more than shown."""

    path: str
    entries: list[Entry]
    cut: bool


@dataclass(frozen=True, slots=True)
class File:
    """The beginning of a file and the length of all of it, in bytes."""

    path: str
    data: bytes
    size: int


def browse(*, version: Version, source: Source | None, path: str, limit: int) -> Tree | File:
    """The file of that path, or the folder; raises NotFound where there is neither."""
    cleaned = _clean(path)
    key, read = _archive(version, source)
    try:
        with storage.get().file(key) as file:
            members, content = read(file, cleaned, limit)
    except storage.Missing:
        raise Stale(f"{version} is still being taken in; look again in a moment") from None
    return File(cleaned, *content) if content is not None else _tree(cleaned, members)


def paths(*, version: Version, source: Source | None) -> frozenset[str]:
    """All files of the archive, kept for a day: they never change."""
    key, read = _archive(version, source)
    name = f"paths.{key.rpartition('/')[2]}"
    known: frozenset[str] | None = cache.get(name)
    if known is None:
        with storage.get().file(key) as file:
            known = frozenset(member.path for member in read(file, "", 0)[0])
        cache.set(name, known, DAY)
    return known


def _archive(version: Version, source: Source | None) -> tuple[str, Read]:
    """The key of the archive and the function that reads it."""
    if source is None:
        return storage.key("wheels", version.sha256), _in_wheel
    return storage.key("sources", source.sha256), archive.read_member


def _in_wheel(file: Path, path: str, limit: int) -> tuple[list[Member], tuple[bytes, int] | None]:
    """Read with zipfile: the checks of uploads ensure that every reader gets the same files."""
    with zipfile.ZipFile(file) as wheel:
        infos = {info.filename: info for info in wheel.infolist() if not info.is_dir()}
        if (info := infos.get(path)) is not None:
            with wheel.open(info) as opened:
                return [], (opened.read(limit), info.file_size)
    return [Member(name, info.file_size) for name, info in infos.items()], None


def _clean(path: str) -> str:
    """The path without surrounding slashes; raises request.invalid for one that leaves the
    folder."""
    parts = path.strip("/").split("/")
    if any(part in (".", "..") for part in parts) or "\0" in path:
        raise HubError(
            "request.invalid",
            f"path {path[:100]!r} must name something inside the environment",
            "Give a path as the list of files shows it.",
            details={"field": "path"},
        )
    return "/".join(part for part in parts if part)


def _tree(folder: str, members: Iterable[Member]) -> Tree:
    prefix = f"{folder}/" if folder else ""
    entries_by_path: dict[str, Entry] = {}
    for member in members:
        if member.path.startswith(prefix):
            name, below, _ = member.path.removeprefix(prefix).partition("/")
            path = prefix + name
            entries_by_path.setdefault(path, Entry(path, None if below else member.size))
    if folder and not entries_by_path:
        raise NotFound(f"there is no {folder[:100]!r} in it")
    entries = sorted(
        entries_by_path.values(), key=lambda entry: (entry.size is not None, entry.path)
    )
    return Tree(folder or "/", entries[:MAX_ENTRIES], len(entries) > MAX_ENTRIES)
