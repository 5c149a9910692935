"""Lays out the data sets of a version as an offline cache of the Hugging Face libraries.

Layout: https://huggingface.co/docs/huggingface_hub/guides/manage-cache
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import requests

from envyard import __version__
from envyard.contract.data_lock import DataLock, LockedFile, LockedRepository
from envyard.errors import HubCliError, NoConnection

TIMEOUT = (15.0, 60.0)
BLOCK = 1 << 20
HUB_FOLDER = "hub"  # below HF_HOME

Progress = Callable[[str, int, int], None]


class Source:
    """The data set hub that files come from: HF_ENDPOINT and HF_TOKEN, as its own clients read
    them."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url = url.rstrip("/")
        self._session = requests.Session()
        self._session.headers["User-Agent"] = f"envyard/{__version__}"
        if token:
            self._session.headers["Authorization"] = f"Bearer {token}"

    def fetch(self, repository: LockedRepository, file: LockedFile, to: Path) -> None:
        """Write the file of the locked commit to `to`; the caller checks its hash."""
        prefix = "datasets/" if repository.kind == "dataset" else ""
        url = f"{self.url}/{prefix}{repository.name}/resolve/{repository.commit}/{quote(file.path)}"
        try:
            with self._session.get(url, stream=True, timeout=TIMEOUT) as response:
                if response.status_code != 200:
                    raise _refusal(self.url, repository, file, response.status_code)
                with to.open("wb") as out:
                    for block in response.iter_content(BLOCK):
                        out.write(block)
                        if out.tell() > file.size:
                            return
        except requests.RequestException as error:
            raise NoConnection(
                f"{file.path} of {repository.name} did not arrive: {type(error).__name__}",
                "Set HF_ENDPOINT to a data set hub that this machine reaches.",
            ) from error


def lay_out(lock: DataLock, folder: Path, source: Source, progress: Progress) -> int:
    """Fetch and verify what `folder` lacks of the lock; returns how many files were fetched.

    `folder` then serves as HF_HOME with HF_HUB_OFFLINE=1. A file that is there is verified too and
    fetched again where its bytes changed. Raises HubCliError for a file that is not the locked one.
    """
    fetched = done = 0
    for repository in lock.repositories:
        base = folder / HUB_FOLDER / _folder_name(repository)
        for file in repository.files:
            progress(file.path, done, lock.files)
            blob = base / "blobs" / file.object_id
            if not _is_locked(blob, file):
                _fetch_verified(source, repository, file, blob)
                fetched += 1
            _link(base / "snapshots" / repository.commit, file.path, blob)
            done += 1
        for revision in repository.revisions:
            reference = base / "refs" / revision
            reference.parent.mkdir(parents=True, exist_ok=True)
            reference.write_text(repository.commit, encoding="ascii")
    return fetched


def _folder_name(repository: LockedRepository) -> str:
    return "--".join([f"{repository.kind}s", *repository.name.split("/")])


def _fetch_verified(
    source: Source, repository: LockedRepository, file: LockedFile, blob: Path
) -> None:
    blob.parent.mkdir(parents=True, exist_ok=True)
    draft = blob.with_name(f"{blob.name}.{os.getpid()}.incomplete")
    try:
        source.fetch(repository, file, draft)
        if not _is_locked(draft, file):
            raise HubCliError(
                f"{file.path} of {repository.name} is not the locked file: its size or sha256 "
                "differs",
                f"Check what {source.url} serves for commit {repository.commit}.",
                "data.changed",
            )
        draft.replace(blob)
    finally:
        draft.unlink(missing_ok=True)


def _is_locked(path: Path, file: LockedFile) -> bool:
    """Whether these are the locked bytes."""
    try:
        if path.stat().st_size != file.size:
            return False
        with path.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest() == file.sha256
    except FileNotFoundError:
        return False


def _link(snapshot: Path, path: str, blob: Path) -> None:
    link = snapshot / path
    link.parent.mkdir(parents=True, exist_ok=True)
    target = os.path.relpath(blob, link.parent)
    if link.is_symlink() and link.readlink() == Path(target):
        return
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def _refusal(url: str, repository: LockedRepository, file: LockedFile, status: int) -> HubCliError:
    if status in (401, 403):
        return HubCliError(
            f"{url} refused {file.path} of {repository.name} ({status})",
            "The repository may be gated: accept its terms there and set HF_TOKEN.",
            "data.refused",
        )
    return HubCliError(
        f"{url} answered {status} for {file.path} of {repository.name} at {repository.commit}",
        "The repository may have been deleted; set HF_ENDPOINT to a mirror that has it.",
        "data.refused",
    )
