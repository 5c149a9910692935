"""Sources of environments: from a folder of snapshots, else cloned into the user's cache."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.compatibility.catalogue import Repository, Source

SNAPSHOTS = "ENVYARD_SNAPSHOTS"
CLONE_SECONDS = 300
REGULAR = ("100644", "100755")
GIT_VARIABLES = {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}


class NoMaterial(Exception):
    """A repository is not in the snapshots and cannot be cloned; the message has the reason."""


def cache_folder() -> Path:
    """Where clones, wheels, venvs and results are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base, "envyard", "compatibility")


def git_folder(repository: Repository, snapshots: Path | None) -> Path:
    """A git directory that has the repository's commit; raises NoMaterial.

    Snapshots are `OWNER+NAME/repo` or `OWNER+NAME`; without one the repository is cloned.
    """
    if snapshots is not None:
        for folder in (snapshots / repository.snapshot / "repo", snapshots / repository.snapshot):
            if _has_commit(folder, repository.commit):
                return folder
    clone = cache_folder() / "clones" / repository.snapshot
    if not _has_commit(clone, repository.commit):
        _fetch(repository, clone)
    return clone


def unpack(source: Source, git: Path, target: Path) -> list[str]:
    """Write the environment's files at the repository's commit into `target`.

    Returns the paths that the git directory lists and lacks: snapshots may leave out large files.
    Links are left out too.
    """
    tree = f"{source.repository.commit}:{source.folder}"
    listed = _git("-C", str(git), "ls-tree", "-r", "-z", tree).decode().split("\0")
    lacking = []
    for entry in filter(None, listed):
        kind, _, path = entry.partition("\t")
        mode, _, blob = kind.split()
        if mode not in REGULAR:
            continue
        try:
            content = _git("-C", str(git), "cat-file", "blob", blob)
        except NoMaterial:
            lacking.append(path)
            continue
        file = target / path  # git keeps no absolute path and no `..`
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return lacking


def tree_of(source: Source, git: Path) -> str:
    """The id of the environment's files: equal ids are equal files."""
    tree = f"{source.repository.commit}:{source.folder}"
    return _git("-C", str(git), "rev-parse", "--verify", tree).decode().strip()


def _has_commit(folder: Path, commit: str) -> bool:
    if not folder.is_dir():
        return False
    try:
        _git("-C", str(folder), "cat-file", "-e", f"{commit}^{{commit}}")
    except NoMaterial:
        return False
    return True


def _fetch(repository: Repository, clone: Path) -> None:
    """Fetch that one commit without its history."""
    clone.mkdir(parents=True, exist_ok=True)
    _git("-C", str(clone), "init", "--bare", "--quiet")
    _git(*("-C", str(clone), "fetch", "--quiet", "--depth", "1", repository.url, repository.commit))


def _git(*arguments: str) -> bytes:
    """The output of git without the user's settings; raises NoMaterial with its error."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **GIT_VARIABLES}
    command = ["git", "-c", "safe.directory=*", *arguments]
    try:
        completed = subprocess.run(
            command, capture_output=True, env=environment, timeout=CLONE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoMaterial(f"git {arguments[2]}: {error}") from error
    if completed.returncode:
        lines = completed.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NoMaterial(f"git {arguments[2]}: {lines[-1] if lines else 'failed'}")
    return completed.stdout


def write_document(source: Source, document: dict[str, Any]) -> None:
    """Keep the evidence of the newest run, which explains the table's row."""
    path = cache_folder() / "documents" / f"{source.key}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1))
