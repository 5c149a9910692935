"""Look into a version without taking it home: its source archive, else its wheel."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from registry import storage
from registry.catalog.models import Version
from registry.errors import HubError, NotFound, Stale
from registry.sources import archive
from registry.sources.archive import Member
from registry.sources.models import Source

MOST_ENTRIES = 1000


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or a folder of a tree; `size` is in bytes, None for a folder."""

    path: str
    size: int | None


@dataclass(frozen=True, slots=True)
class Tree:
    """What lies directly in a folder, folders first; `cut` where there is more than is shown."""

    path: str
    entries: list[Entry]
    cut: bool


@dataclass(frozen=True, slots=True)
class File:
    """The beginning of a file and the length of all of it, in bytes."""

    path: str
    data: bytes
    size: int


def browse(*, version: Version, source: Source | None, path: str, most: int) -> Tree | File:
    """The file of that path, or the folder; raises NotFound where there is neither."""
    wanted = _clean(path)
    look = _in_wheel if source is None else archive.look
    key = (
        storage.key("wheels", version.sha256)
        if source is None
        else storage.key("sources", source.sha256)
    )
    try:
        with storage.get().file(key) as file:
            members, found = look(file, wanted, most)
    except storage.Missing:
        raise Stale(f"{version} is still being taken in; look again in a moment") from None
    return File(wanted, *found) if found is not None else _tree(wanted, members)


def _in_wheel(file: Path, wanted: str, most: int) -> tuple[list[Member], tuple[bytes, int] | None]:
    """Python's own reader does: uploads are so checked that every reader sees the same."""
    with zipfile.ZipFile(file) as wheel:
        infos = {info.filename: info for info in wheel.infolist() if not info.is_dir()}
        if (info := infos.get(wanted)) is not None:
            with wheel.open(info) as opened:
                return [], (opened.read(most), info.file_size)
    return [Member(name, info.file_size) for name, info in infos.items()], None


def _clean(path: str) -> str:
    """The path without slashes around it; it stays inside, and names no file outside anyway."""
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
    found: dict[str, Entry] = {}
    for member in members:
        if member.path.startswith(prefix):
            name, below, _ = member.path.removeprefix(prefix).partition("/")
            path = prefix + name
            found.setdefault(path, Entry(path, None if below else member.size))
    if folder and not found:
        raise NotFound(f"there is no {folder[:100]!r} in it")
    entries = sorted(found.values(), key=lambda entry: (entry.size is not None, entry.path))
    return Tree(folder or "/", entries[:MOST_ENTRIES], len(entries) > MOST_ENTRIES)
