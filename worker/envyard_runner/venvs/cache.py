"""The folder of installed venvs: one folder per key, there complete or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from envyard.contract.findings import finding
from envyard.contract.values import record
from envyard_runner.config import Config
from envyard_runner.sandbox.command import VENV
from envyard_runner.sandbox.rundir import make_shared
from envyard_runner.venvs.uv import VenvError

SITE = "site"
FACTS = "venv.json"
HASHES = "files.json"
STALE_SECONDS = 3600.0
UNWANTED = stat.S_ISUID | stat.S_ISGID | stat.S_IWGRP | stat.S_IWOTH
INTERPRETER = f"#!{VENV}/bin/python".encode()
LONGEST_LINE = 4096
DEEPEST = 100
COMPILE_ATTEMPTS = 3  # builds of one folder whose byte-compiling may be cut short


@dataclass(frozen=True, slots=True)
class CachedFolder:
    """What is in place; `size` is the bytes of its own files, those not shared with uv's cache.

    `used` is when it was last looked up, in seconds since 1970. `cut_short` counts the builds
    whose byte-compiling did not end in time, up to this one; 0 where it did.
    """

    path: Path
    packages: int
    size: int
    used: float
    cut_short: int = 0

    @property
    def site(self) -> Path:
        """The folder to be mounted."""
        return self.path / SITE


def lookup(config: Config, key: str) -> CachedFolder | None:
    """The folder of this key, marked as used now; one whose facts cannot be read is removed.

    None also for one to build again, since its byte-compiling was cut short: without .pyc files
    every run would import for twice as long.
    """
    folder = config.venvs / key
    with contextlib.suppress(FileNotFoundError):
        os.utime(folder / FACTS)
    kept = _read(folder)
    if kept is None and folder.exists():
        discard(config, folder)
    return None if kept and 0 < kept.cut_short < COMPILE_ATTEMPTS else kept


def store(config: Config, site: Path, key: str, *, packages: int, compiled: bool) -> CachedFolder:
    """Move a finished site folder into place at once; one that is there already wins, unless it is
    not `compiled`."""
    make_shared(config.venvs)
    target = config.venvs / key
    staged = config.venvs / f".{secrets.token_hex(8)}"
    staged.mkdir()
    staged.chmod(0o755)
    size = sum(_own_bytes(path) for path in site.rglob("*"))
    earlier = _read(target)
    cut_short = 0 if compiled else 1 + (earlier.cut_short if earlier else 0)
    facts = {"packages": packages, "size": size, "cut_short": cut_short}
    try:
        (staged / HASHES).write_text(json.dumps(hashes(site)), encoding="ascii")
        (staged / FACTS).write_text(json.dumps(facts), encoding="ascii")
        site.rename(staged / SITE)
        if earlier and earlier.cut_short:
            discard(config, target)
        with contextlib.suppress(OSError):
            staged.rename(target)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return CachedFolder(target, packages, size, time.time(), cut_short)


def entries(config: Config) -> list[CachedFolder]:
    """All that is in place."""
    return [entry for path in config.venvs.glob("[!.]*") if (entry := _read(path))]


def remove(config: Config, kept: CachedFolder) -> bool:
    """Delete it unless a run holds it; whether it did. A build that is killed meanwhile leaves
    nothing that `find` would give."""
    try:
        fd = os.open(kept.site, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:  # another process has discarded it
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        if discarded := discard(config, kept.path):
            shutil.rmtree(discarded, ignore_errors=True)
        return True
    finally:
        os.close(fd)


def discard(config: Config, folder: Path) -> Path | None:
    """Take it out of use and return where it is until `clear_up` deletes it: runs may use it still.

    None where another process was faster.
    """
    discarded = config.venvs / f".{secrets.token_hex(8)}"
    try:
        folder.rename(discarded)
    except FileNotFoundError:
        return None
    os.utime(discarded)
    return discarded


def hashes(site: Path) -> dict[str, str]:
    """The sha256 of every file by its path below `site`; raises OSError for one that cannot be
    read."""
    result = {}
    for folder, _, files in os.walk(site):
        for name in files:
            path = Path(folder, name)
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            result[os.fsencode(path.relative_to(site)).hex()] = digest
    return result


def clear_up(config: Config) -> None:
    """Delete what was being put in place, or removed, when its runner was killed."""
    for path in config.venvs.glob(".*"):
        with contextlib.suppress(FileNotFoundError):  # another runner's, which is in place by now
            if path.stat().st_mtime < time.time() - STALE_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def sanitize(site: Path) -> int:
    """Make a folder that others wrote into safe to keep: no links or devices, all folders ours;
    the bytes of its files.

    Scripts start with the base interpreter, which cannot see the venv; they get the one inside.
    Raises VenvError for folders that lie deeper in one another than those of any code.
    """
    _refuse_deep(site)
    size = 0
    for folder, folders, files in os.walk(site):
        path = Path(folder)
        if os.geteuid() == 0:
            os.chown(path, 0, 0)
        path.chmod(0o755)
        for name in (*folders, *files):
            item = path / name
            status = item.lstat()
            if stat.S_ISDIR(status.st_mode):
                continue
            if not stat.S_ISREG(status.st_mode):
                item.unlink()
                continue
            size += status.st_size
            if status.st_mode & UNWANTED:
                item.chmod(status.st_mode & 0o755)
            if (
                os.geteuid() == 0 and status.st_nlink == 1
            ):  # others are uv's, which links only its own
                os.chown(item, 0, 0)
    for script in (site / "bin").glob("*"):
        if script.is_file():
            _use_sandbox_interpreter(script)
    return size


def write_new(path: Path, text: str) -> None:
    """Write a file in the place of whatever a distribution has there, and never into that."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    with path.open("x", encoding="ascii") as file:
        file.write(text)


def _refuse_deep(site: Path) -> None:
    waiting = [(str(site), 0)]
    while waiting:
        folder, depth = waiting.pop()
        if depth > DEEPEST:
            name = Path(folder).relative_to(site).parts[0]
            message = f"{name} has more than {DEEPEST} folders inside one another"
            raise VenvError(finding("env.dependencies_unresolvable", message, where=name))
        with os.scandir(folder) as entries:
            inside = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        waiting += [(path, depth + 1) for path in inside]


def _use_sandbox_interpreter(script: Path) -> None:
    """Have a Python script start the interpreter of the sandbox, whatever its size.

    In a new file: the old one is a hard link that other venvs share.
    """
    with script.open("rb") as old:
        first = old.readline(LONGEST_LINE)
        if not (first.startswith(b"#!") and b"python" in first and first.endswith(b"\n")):
            return
        script.unlink()
        with script.open("xb") as new:
            new.write(INTERPRETER + b"\n")
            shutil.copyfileobj(old, new)
        script.chmod(0o755)


def _own_bytes(path: Path) -> int:
    status = path.lstat()
    return status.st_size if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 else 0


def _read(path: Path) -> CachedFolder | None:
    """None where the facts are missing or damaged: such a folder must not be used."""
    try:
        facts = record(json.loads((path / FACTS).read_text(encoding="ascii")))
        used = (path / FACTS).stat().st_mtime
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    packages, size = facts.get("packages"), facts.get("size")
    cut_short = facts.get("cut_short", 0)  # not in folders of earlier releases
    if not (isinstance(packages, int) and isinstance(size, int) and isinstance(cut_short, int)):
        return None
    return CachedFolder(path, packages, size, used, cut_short)
