"""File lists of a commit, in the form of the Hugging Face Hub API: `tree` and `paths-info`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from envyard.contract.data_lock import LockedFile, LockedRepository
from envyard.contract.data_names import SHA256

Entry = dict[str, Any]
FOLDER_ID = "0" * 40  # clients read no folder's id


def entries_of(repository: LockedRepository) -> list[Entry]:
    """Files and folders of the commit, as far as the lock names them."""
    folders = {
        "/".join(parts[:depth])
        for parts in (file.path.split("/") for file in repository.files)
        for depth in range(1, len(parts))
    }
    listed = [_folder(path) for path in folders] + [_file(file) for file in repository.files]
    return sorted(listed, key=_path)


def in_folder(entries: Sequence[Entry], path: str, *, recursive: bool) -> list[Entry] | None:
    """The entries below a folder ("" for all); None where there is no such folder."""
    prefix = f"{path}/" if path else ""
    below = [entry for entry in entries if _path(entry).startswith(prefix)]
    if path and not below:
        return None
    if recursive:
        return below
    return [entry for entry in below if "/" not in _path(entry)[len(prefix) :]]


def at_paths(entries: Iterable[Entry], paths: Iterable[str]) -> list[Entry]:
    """The entries with these paths; a path without one is left out."""
    wanted = set(paths)
    return [entry for entry in entries if _path(entry) in wanted]


def _path(entry: Entry) -> str:
    return str(entry.get("path"))


def _folder(path: str) -> Entry:
    return {"type": "directory", "oid": FOLDER_ID, "size": 0, "path": path}


def _file(file: LockedFile) -> Entry:
    entry = {"type": "file", "oid": file.object_id, "size": file.size, "path": file.path}
    if SHA256.fullmatch(file.object_id):
        entry["lfs"] = {"oid": file.object_id, "size": file.size, "pointerSize": 134}
    return entry
