"""What changed in the files of two wheels of an environment.

Files are compared by their rows in RECORD, whose hashes the upload has verified.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from django.core.cache import cache

from registry import storage
from registry.catalog.models import Version
from registry.errors import Stale
from registry.sources import diffing

MAX_FILES = 500  # changed files of a list
MAX_DIFFED = 40  # files whose lines are compared
MAX_FILE = 128 * 1024  # bytes of such a file
MAX_TEXT = 1 << 20  # bytes of all such files
MAX_RECORD = 16 << 20  # bytes
MAX_KEPT = 200_000  # characters of all diffs that are kept in the cache
DAY = 86400  # seconds
DIST_INFO = ".dist-info"


@dataclass(frozen=True, slots=True)
class Change:
    """A file that was added, removed or changed; sizes in bytes, None where there is no file.

    `path` has `*` for the name of the folder with the metadata, which contains the version.
    `lines` is the unified diff of a changed text; None where the lines were not compared.
    """

    path: str
    kind: str
    before: int | None
    after: int | None
    lines: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """The changed files by path, and how many more there are."""

    files: list[Change]
    more: int
    unchanged: int


def between(*, before: Version, after: Version) -> Changes:
    """The changes from one wheel to the other, kept for a day: wheels never change. Raises Stale
    while a wheel is being taken in."""
    name = f"changes.{before.sha256}.{after.sha256}"
    known: Changes | None = cache.get(name)
    if known is None:
        known, whole = _compared(before, after)
        if whole:
            cache.set(name, known, DAY)
    return known


def _compared(before: Version, after: Version) -> tuple[Changes, bool]:
    """The changes, and whether they may be kept: no comparison was stopped, and they are short."""
    with _wheel(before) as old, _wheel(after) as new:
        olds, news = _recorded(old), _recorded(new)
        paths = [
            path
            for path in sorted(olds.keys() | news.keys())
            if path not in olds or path not in news or olds[path].digest != news[path].digest
        ]
        changes = [_change(path, olds.get(path), news.get(path)) for path in paths[:MAX_FILES]]
        texts = dict(_texts(changes, old, olds, new, news))
    diffs = diffing.diffs_in_process(list(texts.values()))
    for number, lines in zip(texts, diffs, strict=True):
        changes[number] = replace(changes[number], lines=lines)
    unchanged = len(olds.keys() | news.keys()) - len(paths)
    stopped = any(lines is None for lines in diffs)
    length = sum(len(line) for lines in diffs if lines for line in lines)
    kept = not stopped and length <= MAX_KEPT
    return Changes(changes, max(len(paths) - MAX_FILES, 0), unchanged), kept


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a wheel; files with the same hash in RECORD are the same."""

    member: str
    digest: str
    size: int


@contextmanager
def _wheel(version: Version) -> Iterator[zipfile.ZipFile]:
    try:
        key = storage.key("wheels", version.sha256)
        with storage.get().file(key) as file, zipfile.ZipFile(file) as wheel:
            yield wheel
    except storage.Missing:
        raise Stale(f"{version} is still being taken in; look again in a moment") from None


def _recorded(wheel: zipfile.ZipFile) -> dict[str, _File]:
    """The files that RECORD lists, but itself, by their path."""
    names = (name for name in wheel.namelist() if name.endswith(f"{DIST_INFO}/RECORD"))
    with wheel.open(next(names)) as opened:
        record = opened.read(MAX_RECORD).decode()
    rows = csv.reader(io.StringIO(record, newline=""))
    return {_path(name): _File(name, digest, int(size)) for name, digest, size in rows if digest}


def _path(member: str) -> str:
    folder, slash, rest = member.partition("/")
    return f"*{DIST_INFO}/{rest}" if slash and folder.endswith(DIST_INFO) else member


def _change(path: str, before: _File | None, after: _File | None) -> Change:
    kind = "changed" if before and after else "added" if after else "removed"
    return Change(path, kind, before.size if before else None, after.size if after else None)


def _texts(
    changes: list[Change],
    old: zipfile.ZipFile,
    olds: dict[str, _File],
    new: zipfile.ZipFile,
    news: dict[str, _File],
) -> Iterator[tuple[int, tuple[str, str]]]:
    """The number and both texts of each changed file whose lines are compared."""
    left, files = MAX_TEXT, MAX_DIFFED
    for number, change in enumerate(changes):
        if change.before is None or change.after is None or not files:
            continue
        if max(change.before, change.after) > MAX_FILE or change.before + change.after > left:
            continue
        before = _text(old, olds[change.path].member)
        after = _text(new, news[change.path].member)
        if before is not None and after is not None:
            left, files = left - change.before - change.after, files - 1
            yield number, (before, after)


def _text(wheel: zipfile.ZipFile, member: str) -> str | None:
    """A file in UTF-8; None for any other."""
    with wheel.open(member) as opened:
        data = opened.read(MAX_FILE)
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None
