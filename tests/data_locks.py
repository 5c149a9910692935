"""Data locks for tests: one repository with its files."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from envyard.contract.data_lock import DataLock, LockedFile, LockedRepository, with_file

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


def gated(lock: DataLock) -> DataLock:
    """The lock with its repositories gated."""
    return DataLock(tuple(replace(each, gated=True) for each in lock.repositories))
