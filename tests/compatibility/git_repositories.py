"""The git repositories that the operator of the measured runs allows: from snapshots where there
are some, else from their public host."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from envyard.contract.findings import Finding
from envyard.contract.git_requirements import Repositories, git_requirements
from envyard.contract.job import GitArchive, WheelRef
from tests import git_server

NAMES = ("PrimeIntellect-ai/verifiers",)
HOST = "https://github.com"
SECONDS = 200.0


@dataclass(frozen=True, slots=True)
class AllowedRepositories:
    """What the hub allows, and the variables by which git trusts the mirror's certificate."""

    repositories: Repositories = field(default_factory=Repositories)
    variables: dict[str, str] = field(default_factory=dict)


@contextmanager
def serving(folder: Path, snapshots: Path | None) -> Iterator[AllowedRepositories]:
    """Serve the snapshots of the allowed repositories for as long as the block runs."""
    with git_server.serving(folder) as host:
        host.settings["uploadpack.allowFilter"] = "true"
        entries = []
        for name in NAMES:
            snapshot = snapshots / name.replace("/", "+") / "repo" if snapshots else None
            if snapshot is None or not snapshot.is_dir():
                entries.append(f"{HOST}/{name}")
                continue
            link = host.folder / f"{name}.git"
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(snapshot)
            entries.append(f"{HOST}/{name}={host.url}/{name}.git")
        mirrored = any("=" in entry for entry in entries)
        trusted = {"SSL_CERT_FILE": str(host.certificates)} if mirrored else {}
        yield AllowedRepositories(Repositories.of(entries), trusted)


def archives(
    lines: tuple[str, ...], allowed: AllowedRepositories, folder: Path
) -> tuple[list[GitArchive], list[Finding]]:
    """The archives of what the Requires-Dist lines take from git, as a hub fetches them, and the
    errors. Needs Django."""
    from registry.git_sources.services import fetch

    built, problems = [], []
    for wanted in git_requirements(lines):
        path = folder / f"{wanted.name}.tar.gz"
        address = allowed.repositories.source(wanted.repository) or ""
        with mock.patch.dict(os.environ, allowed.variables):
            fetched = fetch(address, wanted, path, time.monotonic() + SECONDS)
        if isinstance(fetched, Finding):
            problems.append(fetched)
            continue
        data = path.read_bytes()
        sha256 = hashlib.sha256(data).hexdigest()
        name = f"{wanted.name}-{fetched.id[:12]}.tar.gz"
        reference = WheelRef(str(path), name, sha256, len(data))
        built.append(
            GitArchive(wanted.name, wanted.repository, fetched.id, wanted.subdirectory, reference)
        )
    return built, problems
