"""The files of one commit as a source archive (.tar.gz) whose bytes follow from the commit alone.

Files of Git LFS stay the short pointers that the repository has. `.git_archival.txt` is written as
`git archive` would, so that setuptools-scm and its kin find the version without a repository.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from registry.git_sources.git import Git
from registry.git_sources.revisions import Commit

MAX_FILES = 20_000
MAX_PATH = 400
LISTING_BYTES = MAX_FILES * 1000
REGULAR = {"100644": 0o644, "100755": 0o755, "100664": 0o644}
LINK, SUBMODULE = "120000", "160000"
LINK_BYTES = 1000
ARCHIVAL = ".git_archival.txt"


class Unusable(Exception):
    """The commit's files cannot be kept; the message names the file and the rule."""


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    blob: str
    size: int
    path: str


def write_archive(git: Git, commit: Commit, subdirectory: str, target: Path, top: str) -> None:
    """Write all files of the commit below the folder `top`; raises Unusable and GitFailed."""
    entries = _entries(git, commit.id, subdirectory)
    wanted = git.folder / "wanted"
    wanted.write_text("".join(f"{entry.blob}\n" for entry in entries), encoding="ascii")
    contents = git.run("cat-file", "--batch", "--buffer", stdin=wanted)
    with (
        contents.open("rb") as blobs,
        target.open("xb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        _add(archive, f"{top}/{ARCHIVAL}", 0o644, commit, _archival(commit))
        for entry in entries:
            content = _content(blobs, entry)
            if entry.path == ARCHIVAL:
                continue
            name = f"{top}/{entry.path}"
            if entry.mode == LINK:
                _add_link(archive, name, commit, _target(entry, content))
            else:
                _add(archive, name, REGULAR[entry.mode], commit, content)


def _entries(git: Git, commit: str, subdirectory: str) -> list[_Entry]:
    """The files and links of the commit, in the order of their paths, each checked."""
    output = git.run("ls-tree", "-r", "-z", "-l", "--full-tree", commit)
    if output.stat().st_size > LISTING_BYTES:
        raise Unusable(f"it has more than {MAX_FILES} files, or very long paths")
    listing = output.read_bytes()
    entries: list[_Entry] = []
    total, folders, paths = 0, set[str](), set[str]()
    for mode, blob, size, path in _rows(listing):
        if mode == SUBMODULE:
            _refuse_submodule(path, subdirectory)
            continue
        _check_path(path)
        if mode not in REGULAR and mode != LINK:
            raise Unusable(f"{path[:100]!r} has the mode {mode[:10]}, which no file has")
        total += size
        if len(entries) >= MAX_FILES or total > git.file_bytes // 2:
            limit = git.file_bytes // 2 >> 20
            raise Unusable(f"it has more than {MAX_FILES} files or {limit} MB (HUB_GIT_MB)")
        folders |= {str(parent) for parent in PurePosixPath(path).parents}
        if path in paths:
            raise Unusable(f"{path[:100]!r} is in it twice")
        paths.add(path)
        entries.append(_Entry(mode, blob, size, path))
    if both := paths & folders:
        raise Unusable(f"{min(both)[:100]!r} is a file and a folder in it")
    if subdirectory and subdirectory not in folders:
        raise Unusable(f"it has no folder {subdirectory[:100]!r}")
    return sorted(entries, key=lambda entry: entry.path)


def _rows(listing: bytes) -> Iterator[tuple[str, str, int, str]]:
    for line in filter(None, listing.split(b"\0")):
        head, _, path = line.partition(b"\t")
        mode, _, blob, size = head.decode("ascii").split()
        try:
            yield mode, blob, int(size) if size.isdecimal() else 0, path.decode()
        except UnicodeDecodeError:
            raise Unusable(f"the path {path[:100]!r} is not UTF-8") from None


def _refuse_submodule(path: str, subdirectory: str) -> None:
    if not subdirectory or path.startswith(f"{subdirectory}/") or path == subdirectory:
        raise Unusable(f"{path[:100]!r} is a submodule, and those are not fetched")


def _check_path(path: str) -> None:
    parts = path.split("/")
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise Unusable(f"the path {path[:100]!r} leaves the repository")
    if len(path) > MAX_PATH or not path.isprintable() or "\\" in path:
        raise Unusable(f"the path {path[:100]!r} is too long or has hidden characters")


def _content(blobs: io.BufferedReader, entry: _Entry) -> bytes:
    head = blobs.readline().split()
    content = blobs.read(entry.size)
    if head != [entry.blob.encode(), b"blob", str(entry.size).encode()] or blobs.read(1) != b"\n":
        raise Unusable(f"{entry.path[:100]!r} is missing in the repository")
    return content


def _target(entry: _Entry, content: bytes) -> str:
    """Where a link leads to, which is a path inside the repository."""
    try:
        target = content[:LINK_BYTES].decode()
    except UnicodeDecodeError:
        target = ""
    parts = target.split("/")
    up = next((n for n, part in enumerate(parts) if part != ".."), len(parts))
    # A `..` behind another part could follow a second link to anywhere.
    inside = bool(target) and up <= entry.path.count("/") and ".." not in parts[up:]
    readable = len(content) < LINK_BYTES and target.isprintable() and "\\" not in target
    if not (inside and readable) or target.startswith("/"):
        raise Unusable(f"the link {entry.path[:100]!r} leads out of the repository")
    return target


def _archival(commit: Commit) -> bytes:
    lines = [f"node: {commit.id}", f"node-date: {commit.date}"]
    if commit.description:
        lines.append(f"describe-name: {commit.description}")
    return "".join(f"{line}\n" for line in lines).encode()


def _add(archive: tarfile.TarFile, name: str, mode: int, commit: Commit, content: bytes) -> None:
    info = _info(name, mode, commit)
    info.size = len(content)
    archive.addfile(info, io.BytesIO(content))


def _add_link(archive: tarfile.TarFile, name: str, commit: Commit, target: str) -> None:
    info = _info(name, 0o777, commit)
    info.type, info.linkname = tarfile.SYMTYPE, target
    archive.addfile(info)


def _info(name: str, mode: int, commit: Commit) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.mode, info.mtime = mode, commit.seconds
    return info
