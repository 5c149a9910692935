"""The folder of built venvs: one folder a key, the least recently used leave first."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from envyard_runner.config import Config
from envyard_runner.sandbox.command import VENV
from envyard_runner.sandbox.rundir import make_shared

SITE = "site"
FACTS = "venv.json"
UNWANTED = stat.S_ISUID | stat.S_ISGID | stat.S_IWGRP | stat.S_IWOTH
INTERPRETER = f"#!{VENV}/bin/python".encode()


@dataclass(frozen=True, slots=True)
class Kept:
    """A venv in place; `size` in bytes counts files shared with uv's cache as if they were not."""

    path: Path
    packages: int
    size: int

    @property
    def site(self) -> Path:
        """Its site-packages folder."""
        return self.path / SITE


def find(config: Config, key: str) -> Kept | None:
    """The venv with this key, marked as used now."""
    kept = _read(config.venvs / key)
    if kept is not None:
        os.utime(kept.path / FACTS)
    return kept


def keep(config: Config, build: Path, lock: bytes, key: str, packages: int) -> Kept:
    """Move a finished build's site folder into place at once; another's with this key wins."""
    make_shared(config.venvs)
    staged, target = config.venvs / f".{build.name}", config.venvs / key
    staged.mkdir(mode=0o755)
    staged.chmod(0o755)
    (build / SITE).rename(staged / SITE)
    size = sum(path.lstat().st_size for path in (staged / SITE).rglob("*"))
    (staged / "lock.txt").write_bytes(lock)
    facts = {"packages": packages, "size": size}
    (staged / FACTS).write_text(json.dumps(facts), encoding="ascii")
    with contextlib.suppress(OSError):
        staged.rename(target)
    shutil.rmtree(staged, ignore_errors=True)
    _evict(config, target)
    return Kept(target, packages, size)


def settle(site: Path) -> None:
    """Make a folder that others wrote into safe to keep: no links or devices, all folders ours.

    Scripts start with the base interpreter, which cannot see the venv; they get the one inside.
    """
    for folder, folders, files in os.walk(site):
        path = Path(folder)
        if os.geteuid() == 0:
            os.chown(path, 0, 0)
        path.chmod(0o755)
        for name in (*folders, *files):
            one = path / name
            mode = one.lstat().st_mode
            if stat.S_ISDIR(mode):
                continue
            if not stat.S_ISREG(mode):
                one.unlink()
            elif mode & UNWANTED:
                one.chmod(mode & 0o755)
    for script in (site / "bin").glob("*"):
        first, _, rest = script.read_bytes().partition(b"\n")
        if first.startswith(b"#!") and b"python" in first and first != INTERPRETER:
            # A new file: the old one is a hard link that other venvs share.
            script.unlink()
            script.write_bytes(INTERPRETER + b"\n" + rest)
            script.chmod(0o755)


def _read(path: Path) -> Kept | None:
    try:
        facts = json.loads((path / FACTS).read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
    return Kept(path, facts["packages"], facts["size"])


def _evict(config: Config, spared: Path) -> None:
    """Remove venvs that no run holds, the longest unused first, until the limit is met."""
    kept = [found for path in config.venvs.glob("[!.]*") if (found := _read(path))]
    total = sum(one.size for one in kept)
    for one in sorted(kept, key=lambda one: (one.path / FACTS).stat().st_mtime):
        if total <= config.venv_cache_bytes:
            return
        if one.path == spared:
            continue
        fd = os.open(one.site, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        else:
            (one.path / FACTS).unlink()  # gone from `find` before its files go
            shutil.rmtree(one.path)
            total -= one.size
        finally:
            os.close(fd)
