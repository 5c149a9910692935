"""Folders of virtual environments with a torch for processors, in the user's cache.

A folder is named by a digest of its sources, so that all checkouts share it, and is removed when no
checkout has used it for a week.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools import bootstrap

# The index's own torch is built for CUDA. One for processors comes from PyTorch's own index, or
# from wherever this machine's pip or uv is configured to look for wheels.
TORCH = "torch==2.13.0"
PYTHONS = ("3.11", "3.12", "3.13")
NEEDED_BYTES = 4 << 30
COMPLETE, WHY_NOT = "complete", "why-not"  # files of the folder; the tests read them
KEPT_SECONDS = 7 * 24 * 3600  # a checkout of another branch may use its own again
SHOWN_LINES = 6


@dataclass(frozen=True, slots=True)
class Cached:
    """A folder that `fill` fills from `inputs`; `make <target>` installs it for its tests.

    `fill` raises bootstrap.Stop with the reason where that cannot be done.
    """

    name: str
    title: str
    size: str
    target: str
    inputs: tuple[Path, ...]
    fill: Callable[[Path], None]

    def folder(self) -> Path:
        """The folder of this version; it may not exist yet."""
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        words = f"{TORCH} {platform.machine()}".encode()
        made_from = b"".join(file.read_bytes() for file in self.inputs) + words
        digest = hashlib.sha256(made_from).hexdigest()[:12]
        return cache / "envyard" / f"{self.name}-{digest}"

    def missing(self, target: Path) -> str:
        """Why it is not in the folder; nothing where it is."""
        if (target / COMPLETE).exists():
            return ""
        try:
            return (target / WHY_NOT).read_text(encoding="utf-8")
        except FileNotFoundError:
            return f"{self.title} is not installed; `make {self.target}` installs it"

    def main(self) -> int:
        """0 with the folder on stdout, 1 where it cannot be filled, with the reason in it."""
        target = self.folder()
        target.mkdir(parents=True, exist_ok=True)
        with (target / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self.missing(target):
                bootstrap.print_step(
                    f"installing {self.title} for processors into {target} ({self.size})"
                )
                try:
                    check_space(target)
                    self.fill(target)
                except (bootstrap.Stop, OSError) as error:
                    reason = f"{self.title} cannot be installed here: {error}"
                    (target / WHY_NOT).write_text(reason, encoding="utf-8")
                    bootstrap.print_step(reason)
                    return 1
            (target / COMPLETE).touch()  # its time is the last use
        self._remove_unwanted(target)
        print(target)
        return 0

    def _remove_unwanted(self, target: Path) -> None:
        """Remove sibling folders that were not used for a week and are not being filled."""
        for sibling in target.parent.glob(f"{self.name}-*"):
            mark = sibling / COMPLETE
            last_used = (mark if mark.exists() else sibling).stat().st_mtime
            if sibling == target or time.time() - last_used < KEPT_SECONDS:
                continue
            with (sibling / "lock").open("w") as lock, contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                bootstrap.print_step(f"removing {sibling}, which no checkout has used for a week")
                shutil.rmtree(sibling)


def check_space(target: Path) -> None:
    """Stop where the disk is too full."""
    if (free := shutil.disk_usage(target).free) < NEEDED_BYTES:
        raise bootstrap.Stop(f"{target} has {free >> 20} MiB free, {NEEDED_BYTES >> 20} are needed")


def create(venv: Path, requirements: Path) -> Path:
    """The Python of a new virtual environment with these locked requirements and torch."""
    uv = bootstrap.find_uv()
    links = os.environ.get("UV_FIND_LINKS") or os.environ.get("PIP_FIND_LINKS")
    torch = ["--find-links", links] if links else ["--torch-backend", "cpu"]
    run(uv, "venv", "--quiet", "--clear", "--python", find_python(), venv)
    python = venv / "bin" / "python"
    run(uv, "pip", "install", "--quiet", "--python", python, "--only-binary", ":all:", "--no-deps",
        *torch, "-r", requirements, TORCH)  # fmt: skip
    return python


def run(*command: str | Path) -> None:
    """Run it; raises bootstrap.Stop with its last lines where it fails."""
    environ = {
        "UV_SYSTEM_CERTS": "1",
        **os.environ,
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_DEFAULT_INDEX": bootstrap.index_url(),
    }
    completed = subprocess.run(command, env=environ, capture_output=True, text=True)
    sys.stderr.write(completed.stderr)
    if completed.returncode:
        output = completed.stderr or completed.stdout
        last = "\n".join(output.strip().splitlines()[-SHOWN_LINES:])
        raise bootstrap.Stop(f"{Path(command[0]).name} ended with {completed.returncode}: {last}")


def find_python() -> str:
    """A system Python that torch and the others have wheels for."""
    for version in PYTHONS:
        if Path(f"/usr/bin/python{version}").exists():
            return f"/usr/bin/python{version}"
    return sys.executable
