"""Wheels for the scripts of an environment that name their own dependencies (PEP 723).

Inside the sandbox uv installs such a script's dependencies from a folder in the form of a package
index (PEP 503). Its wheels are made from what the version's lock installed, so that a script runs
with the versions of the lock; their bytes differ from those on the index.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from html import escape
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from envyard_runner.sandbox.command import ENVIRONMENT

FOLDER = ".script-wheels"
# verifiers sets UV_OFFLINE=false for its scripts, and uv has no variable for --no-index.
VARIABLES = {
    "UV_DEFAULT_INDEX": f"file://{ENVIRONMENT}/{FOLDER}",
    "UV_OFFLINE": "1",
    "UV_PYTHON_DOWNLOADS": "never",
}
DIST_INFO = ".dist-info"
LEFT_OUT = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")
METADATA_BYTES = 4 << 20


def write_wheels(site: Path, requirements: Iterable[str], target: Path) -> int:
    """Write a wheel of each installed distribution that the requirements lead to, and its page,
    into `target`, which is emptied first; returns how many.

    Markers and extras are not evaluated: a distribution too many does no harm.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(mode=0o755)
    installed = {_name(folder): folder for folder in site.glob(f"*{DIST_INFO}")}
    waiting = [Requirement(line).name for line in requirements]
    written: set[str] = set()
    while waiting:
        name = canonicalize_name(waiting.pop())
        folder = installed.get(name)
        if folder is None or name in written:
            continue
        written.add(name)
        page = target / name
        page.mkdir(mode=0o755)
        wheel = _write_wheel(site, folder, page)
        link = f'<!DOCTYPE html><a href="{quote(wheel)}">{escape(wheel)}</a>'
        (page / "index.html").write_text(link, encoding="utf-8")
        waiting += _required(folder)
    return len(written)


def _name(folder: Path) -> str:
    return canonicalize_name(folder.name.removesuffix(DIST_INFO).partition("-")[0])


def _required(folder: Path) -> Iterator[str]:
    metadata = message_from_bytes((folder / "METADATA").read_bytes()[:METADATA_BYTES])
    for line in metadata.get_all("Requires-Dist", []):
        try:
            yield Requirement(line).name
        except (ValueError, RecursionError):
            continue


def _write_wheel(site: Path, folder: Path, target: Path) -> str:
    """Write one distribution's own files as a wheel, with a RECORD of them; its file name."""
    stem = folder.name.removesuffix(DIST_INFO)
    rows = []
    path = target / f"{stem}-{_tags(folder)}.whl"
    with zipfile.ZipFile(path, "x", zipfile.ZIP_STORED) as wheel:
        for name in _members(site, folder):
            data = (site / name).read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            rows.append((name, f"sha256={digest.decode()}", str(len(data))))
            wheel.writestr(zipfile.ZipInfo(name), data)
        record = f"{folder.name}/RECORD"
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, (record, "", "")])
        wheel.writestr(zipfile.ZipInfo(record), text.getvalue())
    path.chmod(0o644)
    return path.name


def _members(site: Path, folder: Path) -> Iterator[str]:
    """The files of the distribution's RECORD that lie below `site`; it is a stranger's text."""
    top = site.resolve()
    for row in csv.reader((folder / "RECORD").read_text("utf-8", "replace").splitlines()):
        name = row[0] if row else ""
        path = PurePosixPath(name)
        if not name or path.is_absolute() or ".." in path.parts or path.suffix == ".pyc":
            continue
        own = path.parts[0] == folder.name and path.name in LEFT_OUT
        file = site / name
        inside = file.is_file() and file.resolve().is_relative_to(top)
        if inside and not file.is_symlink() and not own and path.parts[0] != "bin":
            yield path.as_posix()


def _tags(folder: Path) -> str:
    """The tags of its WHEEL file, compressed as in a file name."""
    lines = message_from_bytes((folder / "WHEEL").read_bytes()[:METADATA_BYTES]).get_all("Tag", [])
    parts = [tag.strip().split("-") for tag in lines if tag.count("-") == 2]
    columns = list(zip(*parts, strict=True)) or [("py3",), ("none",), ("any",)]
    return "-".join(".".join(dict.fromkeys(column)) for column in columns)
