"""A version's data lock: the commits and files of a data set hub that its runs read.

Hub, runner and command parse a data lock and render it again, so no unknown field, odd path or
address passes. A commit names its files for ever (git); the sha256 of each proves its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from envyard.contract.data_names import (
    COMMIT,
    KINDS,
    OBJECT_ID,
    SHA256,
    Kind,
    is_name,
    is_path,
    is_revision,
)
from envyard.contract.values import record, records, text

MAX_REPOSITORIES = 50
MAX_REVISIONS = 20
MAX_FILES = 2000  # of all repositories together
MAX_LICENCE = 60
MAX_SIZE = 1 << 45
MAX_CHARACTERS = 3 << 20
MAX_FILE_CHARACTERS = 2 << 20  # of all files, each with 260 beside its path, which may be escaped


class BadDataLock(ValueError):
    """The text is no data lock; the message names the rule."""


@dataclass(frozen=True, slots=True, order=True)
class LockedFile:
    """One file of a commit: its path, its size in bytes and the sha256 of its bytes.

    `object_id` is its id in the commit: a sha256 where the file is in large file storage, else
    git's blob id (sha1 over "blob SIZE NUL" and the bytes).
    """

    path: str
    size: int
    sha256: str
    object_id: str


@dataclass(frozen=True, slots=True)
class LockedRepository:
    """A repository at one commit: the branches or tags that resolved to it, and the files read.

    `licence` is the tag that the repository's card names, `gated` whether its owner requires that
    readers accept terms.
    """

    kind: Kind
    name: str
    commit: str
    revisions: tuple[str, ...] = ()
    licence: str = ""
    gated: bool = False
    files: tuple[LockedFile, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class DataLock:
    """All repositories that the runs of a version read, in the order of their names."""

    repositories: tuple[LockedRepository, ...] = field(default=())

    @property
    def files(self) -> int:
        """How many files it names."""
        return sum(len(repository.files) for repository in self.repositories)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(repository.size for repository in self.repositories)

    @property
    def over_bounds(self) -> str:
        """The bound that it exceeds, as a sentence; "" where `from_dict` reads it."""
        if len(self.repositories) > MAX_REPOSITORIES:
            return f"a version may read {MAX_REPOSITORIES} repositories of data sets"
        if any(len(each.revisions) > MAX_REVISIONS for each in self.repositories):
            return f"a version may read {MAX_REVISIONS} branches or tags of one commit"
        if self.files > MAX_FILES:
            return f"a version may read {MAX_FILES} files of data sets"
        paths = (file.path for each in self.repositories for file in each.files)
        if sum(2 * len(path) + 260 for path in paths) > MAX_FILE_CHARACTERS:
            return "a version may read fewer files of data sets with such long paths"
        return ""

    def commit(self, kind: str, name: str, revision: str) -> str | None:
        """The commit that the revision resolved to; a locked commit resolves to itself."""
        for repository in self.repositories:
            if (repository.kind, repository.name) == (kind, name) and (
                revision == repository.commit or revision in repository.revisions
            ):
                return repository.commit
        return None

    def repository(self, kind: str, name: str, commit: str) -> LockedRepository | None:
        """The repository at that commit; None where the lock does not name it."""
        for repository in self.repositories:
            if (repository.kind, repository.name, repository.commit) == (kind, name, commit):
                return repository
        return None

    def file(self, kind: str, name: str, commit: str, path: str) -> LockedFile | None:
        """The file of that commit; None where the lock does not name it."""
        repository = self.repository(kind, name, commit)
        files = () if repository is None else repository.files
        return next((file for file in files if file.path == path), None)

    @classmethod
    def from_dict(cls, data: Any) -> DataLock:
        """Read an untrusted JSON form; raises BadDataLock."""
        values = record(data).get("repositories")
        if not isinstance(values, list) or len(values) > MAX_REPOSITORIES:
            raise BadDataLock(f"repositories must be a list of at most {MAX_REPOSITORIES}")
        lock = cls(_sorted(_repository(value) for value in values))
        keys = {(each.kind, each.name, each.commit) for each in lock.repositories}
        if len(keys) != len(lock.repositories):
            raise BadDataLock("a data lock names each commit of a repository once")
        revisions = [
            (each.kind, each.name, name) for each in lock.repositories for name in each.revisions
        ]
        if len(set(revisions)) != len(revisions):
            raise BadDataLock("a revision of a repository resolves to one commit")
        files = {file for each in lock.repositories for file in each.files}
        contents = {(file.object_id, file.size, file.sha256) for file in files}
        if len(contents) != len({object_id for object_id, *_ in contents}):
            raise BadDataLock("an object id stands for the same bytes in all files that have it")
        if fault := lock.over_bounds:
            raise BadDataLock(fault)
        return lock

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"repositories": [_repository_dict(each) for each in self.repositories]}


def render(lock: DataLock) -> str:
    """The lock as JSON text; equal locks give equal text."""
    return json.dumps(lock.to_dict(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def parse(content: str) -> DataLock:
    """Read an untrusted lock; raises BadDataLock."""
    if len(content) > MAX_CHARACTERS:
        raise BadDataLock(f"a data lock has at most {MAX_CHARACTERS} characters")
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadDataLock("the data lock is not JSON") from error
    return DataLock.from_dict(data)


def with_revision(lock: DataLock, entry: LockedRepository, revision: str) -> DataLock:
    """The lock with `entry`'s commit, and `revision` resolved to it unless it is that commit.

    What the lock has for a repository's commit or revision stays as it is.
    """
    if lock.commit(entry.kind, entry.name, revision) is not None:
        return lock
    key = (entry.kind, entry.name, entry.commit)
    others = [each for each in lock.repositories if (each.kind, each.name, each.commit) != key]
    existing = next((each for each in lock.repositories if each not in others), entry)
    names = () if revision == entry.commit else (revision,)
    extended = replace(existing, revisions=tuple(sorted({*existing.revisions, *names})))
    return DataLock(_sorted([*others, extended]))


def with_file(lock: DataLock, kind: str, name: str, commit: str, file: LockedFile) -> DataLock:
    """The lock with this file of a commit that it has; raises KeyError for another commit."""
    for position, each in enumerate(lock.repositories):
        if (each.kind, each.name, each.commit) != (kind, name, commit):
            continue
        if any(known.path == file.path for known in each.files):
            return lock
        extended = replace(each, files=tuple(sorted((*each.files, file))))
        repositories = list(lock.repositories)
        repositories[position] = extended
        return DataLock(tuple(repositories))
    raise KeyError(f"{kind} {name} at {commit}")


def merged(standing: DataLock, offered: DataLock) -> DataLock:
    """The standing lock with what `offered` adds: a revision keeps the commit that it has.

    Files are added to commits that stand. Raises BadDataLock beyond the bounds of a lock.
    """
    lock = standing
    for entry in offered.repositories:
        bare = replace(entry, revisions=(), files=())
        for revision in entry.revisions or (entry.commit,):
            lock = with_revision(lock, bare, revision)
        if lock.commit(entry.kind, entry.name, entry.commit) is not None:
            for file in entry.files:
                lock = with_file(lock, entry.kind, entry.name, entry.commit, file)
    return DataLock.from_dict(lock.to_dict())


def licence_tag(value: Any) -> str:
    """A licence's tag on one line."""
    clean = "".join(ch if ch.isprintable() else " " for ch in text(value, MAX_LICENCE))
    return " ".join(clean.split())


def _sorted(repositories: Iterable[LockedRepository]) -> tuple[LockedRepository, ...]:
    return tuple(sorted(repositories, key=lambda each: (each.kind, each.name, each.commit)))


def _repository(value: Any) -> LockedRepository:
    data = record(value)
    kind, name, commit = data.get("kind"), data.get("name"), data.get("commit")
    revisions, files = data.get("revisions"), data.get("files")
    if kind not in KINDS:
        raise BadDataLock(f"kind={kind!r:.40} must be one of {', '.join(KINDS)}")
    if not isinstance(name, str) or not is_name(name):
        raise BadDataLock(f"name={name!r:.100} must be OWNER/NAME")
    if not isinstance(commit, str) or not COMMIT.fullmatch(commit):
        raise BadDataLock(f"{name}: commit={commit!r:.60} must be 40 hexadecimal digits")
    if not isinstance(revisions, list) or len(revisions) > MAX_REVISIONS:
        raise BadDataLock(f"{name}: revisions must be a list of at most {MAX_REVISIONS}")
    if not all(isinstance(each, str) and is_revision(each) for each in revisions):
        raise BadDataLock(f"{name}: revisions must be names of branches or tags")
    if not isinstance(files, list) or len(files) > MAX_FILES:
        raise BadDataLock(f"{name}: files must be a list of at most {MAX_FILES}")
    read = tuple(sorted(_file(name, each) for each in records(files, MAX_FILES)))
    if len({file.path for file in read}) != len(files):
        raise BadDataLock(f"{name}: each file of a commit is an object, and named once")
    return LockedRepository(
        kind=kind,
        name=name,
        commit=commit,
        revisions=tuple(sorted(set(revisions))),
        licence=licence_tag(data.get("licence")),
        gated=data.get("gated") is True,
        files=read,
    )


def _file(name: str, data: dict[str, Any]) -> LockedFile:
    path, size = data.get("path"), data.get("size")
    sha256, object_id = data.get("sha256"), data.get("object_id")
    if not isinstance(path, str) or not is_path(path):
        raise BadDataLock(f"{name}: path={path!r:.100} must be relative, without . and ..")
    if type(size) is not int or not 0 <= size <= MAX_SIZE:
        raise BadDataLock(f"{name}: {path[:100]}: size must be a number of bytes")
    if not isinstance(sha256, str) or not SHA256.fullmatch(sha256):
        raise BadDataLock(f"{name}: {path[:100]}: sha256 must be 64 hexadecimal digits")
    if not isinstance(object_id, str) or not OBJECT_ID.fullmatch(object_id):
        raise BadDataLock(f"{name}: {path[:100]}: object_id must be a git or sha256 id")
    return LockedFile(path, size, sha256, object_id)


def _repository_dict(repository: LockedRepository) -> dict[str, Any]:
    return {
        "kind": repository.kind,
        "name": repository.name,
        "commit": repository.commit,
        "revisions": list(repository.revisions),
        "licence": repository.licence,
        "gated": repository.gated,
        "files": [
            {
                "path": file.path,
                "size": file.size,
                "sha256": file.sha256,
                "object_id": file.object_id,
            }
            for file in repository.files
        ],
    }
