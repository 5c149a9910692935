"""Data locks for tests: one repository with its files."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from envyard.contract.data_lock import DataLock, LockedFile, LockedRepository, with_file
from tests.data_hub import LARGE, blob_id, commit_of, files_of

GSM8K = "openai/gsm8k"
COMMIT, OTHER = "a" * 40, "b" * 40
ROWS = b'{"question": "2 + 2?", "answer": "4"}\n' * 200


def locked_file(path: str, content: bytes = ROWS) -> LockedFile:
    """The file with its hashes, as in large file storage."""
    sha256 = hashlib.sha256(content).hexdigest()
    return LockedFile(path, len(content), sha256, sha256)


def locked(
    *paths: str, name: str = GSM8K, commit: str = COMMIT, revisions: tuple[str, ...] = ("main",)
) -> DataLock:
    """A lock of one data set with these files of equal content."""
    bare = LockedRepository("dataset", name, commit, revisions, "mit")
    lock = DataLock((bare,))
    for path in paths:
        lock = with_file(lock, "dataset", name, commit, locked_file(path))
    return lock


def locked_folder(folder: Path, name: str = GSM8K) -> DataLock:
    """A lock of all files of a repository of `tests.data_hub`."""
    commit = commit_of(folder)
    lock = DataLock((LockedRepository("dataset", name, commit, ("main",), "mit"),))
    for path in files_of(folder):
        content = path.read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        object_id = sha256 if len(content) >= LARGE else blob_id(content)
        file = LockedFile(path.relative_to(folder).as_posix(), len(content), sha256, object_id)
        lock = with_file(lock, "dataset", name, commit, file)
    return lock


def gated(lock: DataLock) -> DataLock:
    """The lock with its repositories gated."""
    return DataLock(tuple(replace(each, gated=True) for each in lock.repositories))
