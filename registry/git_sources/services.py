"""Pin the git dependencies of a version: each to a commit, whose archive the hub keeps."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from envyard.contract.findings import Finding, finding
from envyard.contract.git_requirements import GitRequirement, git_requirements
from registry import storage
from registry.catalog.models import Version
from registry.errors import HubError
from registry.git_sources import git as programs
from registry.git_sources.git import Git, GitFailed, TooLarge
from registry.git_sources.models import GitSource
from registry.git_sources.revisions import Commit, NoRevision, resolve
from registry.git_sources.tree import Unusable, write_archive
from registry.quotas import services as quotas

SECONDS = 200.0  # for all of a version: the task that checks it has 300
MAX_SOURCES = 10


def pin(version: Version) -> list[Finding]:
    """Pin what the version takes from git and is not pinned yet; the errors that prevent it.

    Call it outside of transactions, since it fetches; a later call continues with the others.
    """
    wanted = git_requirements(version.requires_dist)
    if len(wanted) > MAX_SOURCES:
        message = f"it depends on {len(wanted)} git repositories; {MAX_SOURCES} are allowed"
        return [finding("git.unusable", message)]
    pinned = set(version.git_sources.values_list("name", flat=True))
    deadline = time.monotonic() + SECONDS
    rows = (_pin(version, each, deadline) for each in wanted if each.name not in pinned)
    return [problem for problem in rows if problem is not None]


def _pin(version: Version, wanted: GitRequirement, deadline: float) -> Finding | None:
    address = settings.HUB_GIT_REPOSITORIES.source(wanted.repository)
    if address is None:  # since the upload, the operator has taken it from the setting
        return _problem("git.unreachable", wanted, "the hub's operator does not allow it any more")
    if not programs.installed():
        return _problem("git.unreachable", wanted, "the hub's worker has no program `git`")
    with TemporaryDirectory(prefix="envyard-git-") as name:
        archive = Path(name, "archive.tar.gz")
        fetched = fetch(address, wanted, archive, deadline)
        if isinstance(fetched, Finding):
            return fetched
        try:
            _store(version, wanted, fetched, archive)
        except HubError as error:
            return Finding(error.code, error.message, error.hint, where=wanted.name)
    return None


def fetch(address: str, wanted: GitRequirement, archive: Path, deadline: float) -> Commit | Finding:
    """Fetch the revision from `address` and write its archive; the commit, or the error."""
    try:
        return _fetch(address, wanted, archive, deadline)
    except NoRevision as error:
        return _problem("git.no_revision", wanted, str(error))
    except (Unusable, TooLarge) as error:
        return _problem("git.unusable", wanted, str(error))
    except GitFailed as error:
        return _problem("git.unreachable", wanted, _without_mirror(str(error), address, wanted))


def _without_mirror(message: str, address: str, wanted: GitRequirement) -> str:
    """git's message with the allowed address in place of the mirror's, which authors do not see."""
    source, public = urlsplit(address), urlsplit(wanted.repository)
    pairs = ((address, wanted.repository), (source.netloc, public.netloc),
             (source.hostname or "", public.hostname or ""))  # fmt: skip
    for text, shown in pairs:
        message = message.replace(text, shown)
    return message


def _fetch(address: str, wanted: GitRequirement, archive: Path, deadline: float) -> Commit:
    file_bytes = 2 * settings.HUB_GIT_MB << 20
    history = Git.create(archive.parent / "history", file_bytes=file_bytes, deadline=deadline)
    commit = resolve(history, address, wanted.revision)
    files = Git.create(archive.parent / "files", file_bytes=file_bytes, deadline=deadline)
    files.fetch(address, "--depth=1", commit.id)
    top = f"{wanted.name}-{commit.id[:12]}"
    write_archive(files, commit, wanted.subdirectory, archive, top)
    return commit


def _store(version: Version, wanted: GitRequirement, commit: Commit, archive: Path) -> None:
    """Store the archive and its row; raises HubError where the owner's storage is full."""
    sha256, size = storage.digest(archive), archive.stat().st_size
    owner, key = version.environment.owner, storage.key("git", sha256)
    storage.get().put(key, archive, sha256)
    with transaction.atomic():
        quotas.lock(owner)
        quotas.check_storage(owner=owner, more=size)
        GitSource.objects.get_or_create(
            version=version,
            name=wanted.name,
            defaults={
                "repository": wanted.repository,
                "revision": wanted.revision,
                "commit": commit.id,
                "subdirectory": wanted.subdirectory,
                "sha256": sha256,
                "size": size,
            },
        )
        if not storage.get().exists(key):  # it was deleted with a version meanwhile
            storage.get().put(key, archive, sha256)


def _problem(code: str, wanted: GitRequirement, reason: str) -> Finding:
    return finding(code, f"{wanted.name} from {wanted.repository}: {reason}", where=wanted.name)
