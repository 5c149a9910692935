"""Fetches the data sets of a version into a folder, as an offline cache of the Hugging Face
libraries.

Layout: https://huggingface.co/docs/huggingface_hub/guides/manage-cache
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import requests

from envyard import __version__
from envyard.client import reason
from envyard.contract.data_lock import (
    BadDataLock,
    DataLock,
    LockedFile,
    LockedRepository,
    merged,
    parse,
    render,
)
from envyard.errors import HubCliError, NoConnection

TIMEOUT = (15.0, 60.0)
PAUSES = (0.5, 2.0)  # seconds before a broken download goes on
BLOCK = 1 << 16  # what a broken download loses of what has arrived
HUB_FOLDER = "hub"  # below HF_HOME
LOCK_FILE = "data-lock.json"  # below the folder

Progress = Callable[[str, int, int], None]


class Source:
    """The data set hub that files come from: HF_ENDPOINT and HF_TOKEN, as its own clients read
    them."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url = url.rstrip("/")
        self._session = requests.Session()
        self._session.headers["User-Agent"] = f"envyard/{__version__}"
        self._session.headers["Accept-Encoding"] = "identity"
        if token:
            self._session.headers["Authorization"] = f"Bearer {token}"

    def fetch(
        self,
        repository: LockedRepository,
        file: LockedFile,
        draft: Path,
        received: Callable[[int], None],
    ) -> None:
        """Complete `draft` with the bytes of the file that it lacks; the caller checks its hash.

        Raises NoConnection where the download broke off: `draft` then has what arrived.
        """
        prefix = "datasets/" if repository.kind == "dataset" else ""
        url = f"{self.url}/{prefix}{repository.name}/resolve/{repository.commit}/{quote(file.path)}"
        start = draft.stat().st_size if draft.exists() else 0
        if start >= file.size:
            start = 0
        try:
            with self._session.get(
                url,
                headers={"Range": f"bytes={start}-"} if start else {},
                stream=True,
                timeout=TIMEOUT,
            ) as response:
                resumed = response.status_code == 206 and start > 0
                if response.status_code != 200 and not resumed:
                    raise _refusal(self.url, repository, file, response.status_code)
                with draft.open("ab" if resumed else "wb") as out:
                    for block in response.iter_content(BLOCK):
                        out.write(block)
                        received(out.tell())
                        if out.tell() > file.size:
                            return
        except requests.RequestException as error:
            raise NoConnection(
                f"{file.path} of {repository.name} did not arrive from {self.url}: {reason(error)}",
                "Set HF_ENDPOINT to a data set hub that this machine reaches; the next call goes "
                "on where this one ended.",
            ) from error


def lay_out(lock: DataLock, folder: Path, source: Source, progress: Progress) -> int:
    """Fetch and verify what `folder` lacks of the lock; returns how many files were fetched.

    `folder` then serves as HF_HOME with HF_HUB_OFFLINE=1. A file that is there is verified too and
    fetched again where its bytes changed. Raises HubCliError for a file that is not the locked one,
    and for a folder with another commit of the same branch.
    """
    complete = _extended(kept_lock(folder), lock, folder)
    fetched = done = 0
    for repository in lock.repositories:
        base = folder / HUB_FOLDER / _folder_name(repository)
        for file in repository.files:

            def received(size: int, path: str = file.path, before: int = done) -> None:
                progress(f"{path}, MB", (before + size) >> 20, lock.size >> 20)

            received(0)
            blob = base / "blobs" / file.object_id
            if not _is_locked(blob, file):
                _fetch_verified(source, repository, file, blob, received)
                fetched += 1
            _link(base / "snapshots" / repository.commit, file.path, blob)
            done += file.size
        for revision in repository.revisions:
            reference = base / "refs" / revision
            reference.parent.mkdir(parents=True, exist_ok=True)
            reference.write_text(repository.commit, encoding="ascii")
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{LOCK_FILE}.{os.getpid()}"
    draft.write_text(render(complete), encoding="utf-8")
    draft.replace(folder / LOCK_FILE)
    return fetched


def kept_lock(folder: Path) -> DataLock:
    """What `lay_out` fetched into the folder; empty for a new one."""
    try:
        return parse((folder / LOCK_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return DataLock()
    except (BadDataLock, UnicodeDecodeError) as error:
        raise HubCliError(
            f"{folder / LOCK_FILE} is no data lock: {error}",
            "Fetch the data sets again into another folder.",
            "data.changed",
        ) from error


def verify(lock: DataLock, folder: Path, progress: Progress) -> None:
    """Raise HubCliError unless the folder has the bytes of every locked file."""
    done = 0
    for repository in lock.repositories:
        for file in repository.files:
            progress(f"{file.path}, MB verified", done >> 20, lock.size >> 20)
            if not _is_locked(blob_of(folder, repository, file), file):
                raise HubCliError(
                    f"{file.path} of {repository.name} in {folder} is missing or was changed",
                    f"Fetch it again: hub data OWNER/NAME --to {folder}",
                    "data.changed",
                )
            done += file.size


def blob_of(folder: Path, repository: LockedRepository, file: LockedFile) -> Path:
    """Where the bytes of the file are."""
    return folder / HUB_FOLDER / _folder_name(repository) / "blobs" / file.object_id


def _extended(standing: DataLock, lock: DataLock, folder: Path) -> DataLock:
    """The lock of the folder with `lock`, where both resolve each branch to the same commit."""
    for entry in lock.repositories:
        for revision in entry.revisions:
            other = standing.commit(entry.kind, entry.name, revision)
            if other not in (None, entry.commit):
                raise HubCliError(
                    f"{folder} has {entry.name} at commit {other}, this version reads "
                    f"{entry.commit}",
                    "Name another folder with --to.",
                    "data.other_commit",
                )
    try:
        return merged(standing, lock)
    except BadDataLock as error:
        raise HubCliError(f"{folder} has too many data sets: {error}", "Name another.") from error


def _folder_name(repository: LockedRepository) -> str:
    return "--".join([f"{repository.kind}s", *repository.name.split("/")])


def _fetch_verified(
    source: Source,
    repository: LockedRepository,
    file: LockedFile,
    blob: Path,
    received: Callable[[int], None],
) -> None:
    """Fetch to a draft that an interrupted call leaves for the next one."""
    blob.parent.mkdir(parents=True, exist_ok=True)
    draft = blob.with_name(f"{blob.name}.incomplete")
    for pause in (*PAUSES, None):
        try:
            source.fetch(repository, file, draft, received)
            break
        except NoConnection:
            if pause is None:
                raise
            time.sleep(pause)
    if not _is_locked(draft, file):
        draft.unlink(missing_ok=True)
        raise HubCliError(
            f"{file.path} of {repository.name} is not the locked file: its size or sha256 differs",
            f"Check what {source.url} serves for commit {repository.commit}.",
            "data.changed",
        )
    draft.replace(blob)


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
    where = f"{file.path} of {repository.name} at {repository.commit}"
    if status in (401, 403):
        return HubCliError(
            f"{url} refused {where} ({status})",
            "The repository may be gated: accept its terms there and set HF_TOKEN.",
            "data.refused",
        )
    if status == 429 or status >= 500:
        return NoConnection(f"{url} answered {status} for {where}", "Try again later.")
    return HubCliError(
        f"{url} answered {status} for {where}",
        "The repository may have been deleted; set HF_ENDPOINT to a mirror that has it.",
        "data.refused",
    )
